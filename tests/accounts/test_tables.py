"""What every open database does, asked of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.accounts.helpers import HASH, OTHER_HASH
from tictac.accounts.bans import Ban
from tictac.accounts.places import opened
from tictac.accounts.store import Account
from tictac.accounts.tables import WORTH_WRITING, Tables
from tictac.errors import NoSuchUser, UserExists

ALICE, BOB = Account("alice", HASH), Account("bob", OTHER_HASH)


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tables]:
    in_file = request.param == "sqlite"
    place = tmp_path / "users.db" if in_file else request.getfixturevalue("postgres").new_place()
    with opened(str(place)) as database:
        yield database


def test_accounts_are_listed_by_the_characters_of_their_names(database: Tables) -> None:
    for name in ("bob", "Zoe", "alice", "~", "10", "9"):
        database.add(Account(name, HASH))
    assert [account.name for account in database.accounts()] == [
        "10",
        "9",
        "Zoe",
        "alice",
        "bob",
        "~",
    ]


def test_many_are_added(database: Tables) -> None:
    database.add_many([BOB, ALICE])
    assert database.accounts() == [ALICE, BOB]


def test_of_many_none_is_added_when_one_is_taken(database: Tables) -> None:
    database.add(BOB)
    with pytest.raises(UserExists, match="bob"):
        database.add_many([ALICE, Account("bob", HASH), Account("carol", HASH)])
    assert database.accounts() == [BOB]


def test_of_many_none_is_added_when_two_are_the_same(database: Tables) -> None:
    with pytest.raises(UserExists):
        database.add_many([ALICE, ALICE])
    assert database.accounts() == []


def test_of_many_none_is_added_when_one_is_taken_in_another_spelling(database: Tables) -> None:
    database.add(BOB)
    with pytest.raises(UserExists, match="Bob"):
        database.add_many([ALICE, Account("Bob", HASH)])
    assert database.accounts() == [BOB]


def test_many_that_come_from_an_older_place_bring_their_doubles(database: Tables) -> None:
    database.add_many([ALICE, Account("Alice", OTHER_HASH)])
    assert database.spellings("aLICE") == ["Alice", "alice"]
    with pytest.raises(UserExists):
        database.add(Account("aLICE", HASH))


def test_a_name_is_free_when_its_last_spelling_is_removed(database: Tables) -> None:
    database.add_many([ALICE, Account("Alice", OTHER_HASH)])
    database.remove("alice")
    assert database.is_taken("alice")
    database.remove("Alice")
    assert not database.is_taken("alice")


def test_a_hash_is_set(database: Tables) -> None:
    database.add_many([ALICE, BOB])
    database.set_hash("alice", OTHER_HASH)
    assert database.accounts() == [Account("alice", OTHER_HASH), BOB]


def test_an_account_is_removed(database: Tables) -> None:
    database.add_many([ALICE, BOB])
    database.remove("alice")
    assert database.accounts() == [BOB]


def test_an_account_that_is_removed_is_to_end_its_connections(database: Tables) -> None:
    database.add_many([ALICE, BOB, Account("carol", HASH)])
    database.remove("alice")
    last, ended, _ = database.changes(-1)
    assert ended == []
    database.remove("bob")
    database.end_logins("carol", "kicked")
    assert database.changes(last) == (
        last + 2, [("bob", "account-removed"), ("carol", "kicked")], []
    )  # fmt: skip
    assert database.changes(last + 2) == (last + 2, [], None)
    with pytest.raises(NoSuchUser):
        database.end_logins("alice", "kicked")


def test_bans_are_kept_until_they_end_and_told_of(database: Tables) -> None:
    database.add(ALICE)
    alice, address = Ban("user", "alice", 0), Ban("address", "192.0.2.1", 100)
    database.ban(alice, 50)
    database.ban(address, 50)
    last, ended, bans = database.changes(0)
    assert (ended, bans) == ([("alice", "banned")], [alice, address])
    database.ban(alice._replace(until=300), 100)
    assert database.changes(last).bans == [alice._replace(until=300)]
    assert database.unban("user", "alice") and not database.unban("user", "alice")
    assert database.changes(last).bans == []
    with pytest.raises(NoSuchUser):
        database.ban(Ban("user", "bob", 0), 0)


def test_an_admin_is_one_until_it_is_taken_back(database: Tables) -> None:
    database.add(ALICE)
    database.set_admin("alice", True)
    assert database.accounts() == [replace(ALICE, admin=True)]
    database.set_admin("alice", False)
    assert database.accounts() == [ALICE]


def test_accounts_have_groups(database: Tables) -> None:
    database.add_many([Account("alice", HASH, "7b"), BOB])
    database.set_group("bob", "8a")
    assert database.accounts("8a") == [Account("bob", OTHER_HASH, "8a")]
    with pytest.raises(NoSuchUser):
        database.set_group("carol", "7b")


@pytest.mark.parametrize(
    "change", [lambda d: d.set_hash("alice", HASH), lambda d: d.remove("alice")]
)
def test_with_a_password_or_an_account_its_tokens_end(
    database: Tables, change: Callable[[Tables], None]
) -> None:
    database.add_many([ALICE, BOB])
    for account in (ALICE, BOB):
        assert database.add_token(account, f"{account.name}'s", 100, 0, 0)
    change(database)
    assert database.end_tokens("alice", None) == 0
    assert database.use_token("bob", "bob's", 0, 100)


def test_a_renewed_hash_keeps_the_tokens(database: Tables) -> None:
    database.add(ALICE)
    database.add_token(ALICE, "t", 100, 0, 0)
    database.replace_hash("alice", HASH, OTHER_HASH)
    assert database.use_token("alice", "t", 0, 100)


def test_a_token_whose_answer_was_lost_is_kept_once(database: Tables) -> None:
    database.add(ALICE)
    assert database.add_token(ALICE, "t", 100, 0, 1) and database.add_token(ALICE, "t", 100, 0, 1)
    assert database.end_tokens("alice", None) == 1


def test_an_end_that_is_hardly_put_off_is_not_written(database: Tables) -> None:
    database.add(ALICE)
    database.add_token(ALICE, "t", 100, 0, 0)
    assert database.use_token("alice", "t", 0, 100 + WORTH_WRITING - 1)
    assert not database.use_token("alice", "t", 100, 0)


def test_what_is_not_there_is_neither_changed_nor_removed(database: Tables) -> None:
    with pytest.raises(NoSuchUser, match="alice"):
        database.set_hash("alice", HASH)
    with pytest.raises(NoSuchUser, match="alice"):
        database.remove("alice")


def test_one_that_may_be_added_already_is_ones_own_work(database: Tables) -> None:
    database.add(ALICE)
    database.unsure = True
    database.add(ALICE)
    with pytest.raises(UserExists):
        database.add(Account("alice", OTHER_HASH))
    database.add(BOB)
    assert database.accounts() == [ALICE, BOB]
    assert database.replace_hash("bob", OTHER_HASH, HASH)
    assert database.replace_hash("bob", OTHER_HASH, HASH)
    assert not database.replace_hash("alice", OTHER_HASH, "another")

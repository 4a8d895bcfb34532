"""What every open database does, asked of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.accounts.helpers import HASH, OTHER_HASH
from tictac.accounts.bans import Ban
from tictac.accounts.tables import WORTH_WRITING, Account, AccountTables, LoginTables, TokenTables
from tictac.errors import NoSuchUser, UserExists
from tictac.names import folded
from tictac.storage.database import Database
from tictac.storage.databases import opened

ALICE, BOB = Account("alice", HASH), Account("bob", OTHER_HASH)


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    in_file = request.param == "sqlite"
    place = tmp_path / "users.db" if in_file else request.getfixturevalue("postgres").new_place()
    with opened(str(place)) as database:
        yield database


@pytest.fixture
def accounts(database: Database) -> AccountTables:
    return AccountTables(database)


@pytest.fixture
def logins(database: Database) -> LoginTables:
    return LoginTables(database)


@pytest.fixture
def tokens(database: Database) -> TokenTables:
    return TokenTables(database)


def test_an_account_is_found_by_the_very_characters_of_its_name(accounts: AccountTables) -> None:
    assert accounts.get("alice") is None
    accounts.add(ALICE)
    assert accounts.get("alice") == ALICE
    for name in ("Alice", "%", "a_ice", "' OR ''='", "alice'--"):
        assert accounts.get(name) is None


def test_a_name_is_taken_once_in_every_spelling(accounts: AccountTables) -> None:
    assert not accounts.is_taken("ALICE")
    accounts.add(ALICE)
    assert accounts.is_taken("ALICE")
    for name in ("alice", "Alice"):
        with pytest.raises(UserExists, match=name):
            accounts.add(Account(name, OTHER_HASH))
    accounts.add(Account("alice2", OTHER_HASH))
    assert accounts.all() == [ALICE, Account("alice2", OTHER_HASH)]


def test_accounts_are_listed_by_the_characters_of_their_names(accounts: AccountTables) -> None:
    for name in ("bob", "Zoe", "alice", "~", "10", "9"):
        accounts.add(Account(name, HASH))
    assert [account.name for account in accounts.all()] == ["10", "9", "Zoe", "alice", "bob", "~"]


def test_many_are_added(accounts: AccountTables) -> None:
    accounts.add_many([BOB, ALICE])
    assert accounts.all() == [ALICE, BOB]


def test_a_name_that_looks_like_another_is_taken(accounts: AccountTables) -> None:
    accounts.add(Account("O\u2019Neil", HASH))
    assert accounts.is_taken("O'Neil")
    with pytest.raises(UserExists):
        accounts.add(Account("O\u02bcNEIL", OTHER_HASH))
    accounts.remove("O\u2019Neil")
    assert not accounts.is_taken("O'Neil") and not accounts.is_taken("O\u2019Neil")


def test_an_account_of_an_earlier_version_keeps_its_spellings(
    accounts: AccountTables, database: Database
) -> None:
    """It has a row for its name without regard to case alone."""
    accounts.add(Account("Ольга", HASH))
    database.execute("DELETE FROM taken_names WHERE name = ?", (folded("Ольга"),))
    assert accounts.is_taken("ОЛЬГА")


def test_of_many_none_is_added_when_one_is_taken(accounts: AccountTables) -> None:
    accounts.add(BOB)
    with pytest.raises(UserExists, match="bob"):
        accounts.add_many([ALICE, Account("bob", HASH), Account("carol", HASH)])
    assert accounts.all() == [BOB]


def test_of_many_none_is_added_when_two_are_the_same(accounts: AccountTables) -> None:
    with pytest.raises(UserExists):
        accounts.add_many([ALICE, ALICE])
    assert accounts.all() == []


def test_of_many_none_is_added_when_one_is_taken_in_another_spelling(
    accounts: AccountTables,
) -> None:
    accounts.add(BOB)
    with pytest.raises(UserExists, match="Bob"):
        accounts.add_many([ALICE, Account("Bob", HASH)])
    assert accounts.all() == [BOB]


def test_many_that_come_from_an_older_place_bring_their_doubles(accounts: AccountTables) -> None:
    accounts.add_many([ALICE, Account("Alice", OTHER_HASH)])
    assert accounts.spellings("aLICE") == ["Alice", "alice"]
    with pytest.raises(UserExists):
        accounts.add(Account("aLICE", HASH))


def test_a_name_is_free_when_its_last_spelling_is_removed(accounts: AccountTables) -> None:
    accounts.add_many([ALICE, Account("Alice", OTHER_HASH)])
    accounts.remove("alice")
    assert accounts.is_taken("alice")
    accounts.remove("Alice")
    assert not accounts.is_taken("alice")


def test_a_hash_is_set(accounts: AccountTables) -> None:
    accounts.add_many([ALICE, BOB])
    accounts.set_hash("alice", OTHER_HASH)
    assert accounts.all() == [Account("alice", OTHER_HASH), BOB]


def test_a_hash_is_replaced_if_it_is_the_expected_one(accounts: AccountTables) -> None:
    accounts.add_many([ALICE, Account("bob", HASH)])
    assert accounts.replace_hash("alice", HASH, OTHER_HASH) is True
    assert accounts.replace_hash("alice", HASH, "new") is False
    assert accounts.replace_hash("carol", HASH, OTHER_HASH) is False
    assert accounts.all() == [Account("alice", OTHER_HASH), Account("bob", HASH)]


def test_an_account_is_removed(accounts: AccountTables) -> None:
    accounts.add_many([ALICE, BOB])
    accounts.remove("alice")
    assert accounts.all() == [BOB]


def test_an_account_that_is_removed_is_to_end_its_connections(
    accounts: AccountTables, logins: LoginTables
) -> None:
    accounts.add_many([ALICE, BOB, Account("carol", HASH)])
    accounts.remove("alice")
    last, ended, _ = logins.changes(-1)
    assert ended == []
    accounts.remove("bob")
    logins.end("carol", "kicked")
    assert logins.changes(last) == (
        last + 2, [("bob", "account-removed"), ("carol", "kicked")], []
    )  # fmt: skip
    assert logins.changes(last + 2) == (last + 2, [], None)
    with pytest.raises(NoSuchUser):
        logins.end("alice", "kicked")


def test_bans_are_kept_until_they_end_and_told_of(
    accounts: AccountTables, logins: LoginTables
) -> None:
    accounts.add(ALICE)
    alice, address = Ban("user", "alice", 0), Ban("address", "192.0.2.1", 100)
    logins.ban(alice, 50)
    logins.ban(address, 50)
    last, ended, bans = logins.changes(0)
    assert (ended, bans) == ([("alice", "banned")], [alice, address])
    logins.ban(alice._replace(until=300), 100)
    assert logins.changes(last).bans == [alice._replace(until=300)]
    assert logins.unban("user", "alice") and not logins.unban("user", "alice")
    assert logins.changes(last).bans == []
    with pytest.raises(NoSuchUser):
        logins.ban(Ban("user", "bob", 0), 0)


def test_an_admin_is_one_until_it_is_taken_back(accounts: AccountTables) -> None:
    accounts.add(ALICE)
    accounts.set_admin("alice", True)
    assert accounts.all() == [replace(ALICE, admin=True)]
    accounts.set_admin("alice", False)
    assert accounts.all() == [ALICE]


def test_accounts_have_groups(accounts: AccountTables) -> None:
    accounts.add_many([Account("alice", HASH, "7b"), BOB])
    accounts.set_group("bob", "8a")
    assert accounts.all("8a") == [Account("bob", OTHER_HASH, "8a")]
    with pytest.raises(NoSuchUser):
        accounts.set_group("carol", "7b")


def test_a_token_is_good_for_its_account_until_it_ends(
    accounts: AccountTables, tokens: TokenTables
) -> None:
    accounts.add_many([ALICE, BOB])
    assert tokens.add(ALICE, "t", 100, 0, 0)
    assert tokens.use("alice", "t", 99, 0)
    assert not tokens.use("alice", "t", 100, 0)
    assert not tokens.use("bob", "t", 0, 0)
    assert not tokens.use("alice", "T", 0, 0)


def test_using_a_token_puts_its_end_off(accounts: AccountTables, tokens: TokenTables) -> None:
    accounts.add(ALICE)
    tokens.add(ALICE, "t", 100, 0, 0)
    assert tokens.use("alice", "t", 50, 8000)
    assert tokens.use("alice", "t", 7000, 0)


def test_nobody_has_no_token_nor_has_who_changed_the_password_meanwhile(
    accounts: AccountTables, tokens: TokenTables
) -> None:
    assert not tokens.add(ALICE, "t", 100, 0, 0)
    accounts.add(Account("alice", OTHER_HASH))
    assert not tokens.add(ALICE, "t", 100, 0, 0)
    assert not tokens.use("alice", "t", 0, 0)


def test_of_too_many_tokens_the_one_that_ends_first_goes(
    accounts: AccountTables, tokens: TokenTables
) -> None:
    accounts.add_many([ALICE, BOB])
    tokens.add(BOB, "bobs", 10, 0, 0)
    for number, expires in enumerate((200, 100, 300)):
        tokens.add(ALICE, str(number), expires, 0, 2)
    assert [tokens.use("alice", str(n), 0, 0) for n in range(3)] == [True, False, True]
    assert tokens.use("bob", "bobs", 0, 0)


def test_tokens_that_have_ended_are_forgotten_with_the_next(
    accounts: AccountTables, tokens: TokenTables
) -> None:
    accounts.add(ALICE)
    tokens.add(ALICE, "old", 100, 0, 0)
    tokens.add(ALICE, "new", 1000, 100, 0)
    assert tokens.end("alice", "old") == 0
    assert tokens.use("alice", "new", 100, 0)


def test_one_token_ends_or_all_of_the_account(accounts: AccountTables, tokens: TokenTables) -> None:
    accounts.add_many([ALICE, BOB])
    for token in ("1", "2", "3"):
        tokens.add(ALICE, token, 100, 0, 0)
    tokens.add(BOB, "bobs", 100, 0, 0)
    assert tokens.end("alice", "1") == 1
    assert [tokens.use("alice", each, 0, 0) for each in ("1", "2")] == [False, True]
    assert tokens.end("alice", None) == 2
    assert not tokens.use("alice", "2", 0, 0)
    assert tokens.use("bob", "bobs", 0, 0)


@pytest.mark.parametrize(
    "change",
    [lambda accounts: accounts.set_hash("alice", HASH), lambda accounts: accounts.remove("alice")],
)
def test_with_a_password_or_an_account_its_tokens_end(
    accounts: AccountTables, tokens: TokenTables, change: Callable[[AccountTables], None]
) -> None:
    accounts.add_many([ALICE, BOB])
    for account in (ALICE, BOB):
        assert tokens.add(account, f"{account.name}'s", 100, 0, 0)
    change(accounts)
    assert tokens.end("alice", None) == 0
    assert tokens.use("bob", "bob's", 0, 100)


def test_a_renewed_hash_keeps_the_tokens(accounts: AccountTables, tokens: TokenTables) -> None:
    accounts.add(ALICE)
    tokens.add(ALICE, "t", 100, 0, 0)
    accounts.replace_hash("alice", HASH, OTHER_HASH)
    assert tokens.use("alice", "t", 0, 100)


def test_a_token_whose_answer_was_lost_is_kept_once(
    accounts: AccountTables, tokens: TokenTables
) -> None:
    accounts.add(ALICE)
    assert tokens.add(ALICE, "t", 100, 0, 1) and tokens.add(ALICE, "t", 100, 0, 1)
    assert tokens.end("alice", None) == 1


def test_an_end_that_is_hardly_put_off_is_not_written(
    accounts: AccountTables, tokens: TokenTables
) -> None:
    accounts.add(ALICE)
    tokens.add(ALICE, "t", 100, 0, 0)
    assert tokens.use("alice", "t", 0, 100 + WORTH_WRITING - 1)
    assert not tokens.use("alice", "t", 100, 0)


def test_what_is_not_there_is_neither_changed_nor_removed(accounts: AccountTables) -> None:
    with pytest.raises(NoSuchUser, match="alice"):
        accounts.set_hash("alice", HASH)
    with pytest.raises(NoSuchUser, match="alice"):
        accounts.remove("alice")


def test_one_that_may_be_added_already_is_ones_own_work(
    database: Database, accounts: AccountTables
) -> None:
    accounts.add(ALICE)
    database.unsure = True
    accounts.add(ALICE)
    with pytest.raises(UserExists):
        accounts.add(Account("alice", OTHER_HASH))
    accounts.add(BOB)
    assert accounts.all() == [ALICE, BOB]
    assert accounts.replace_hash("bob", OTHER_HASH, HASH)
    assert accounts.replace_hash("bob", OTHER_HASH, HASH)
    assert not accounts.replace_hash("alice", OTHER_HASH, "another")

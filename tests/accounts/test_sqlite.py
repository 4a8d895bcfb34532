"""The database that the commands use, and the store on top of it in its thread."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.accounts.helpers import HASH, OTHER_HASH, in_reactor, reactor
from tictac.accounts.sqlite import Database, SqliteAccounts, check_database, create_database
from tictac.accounts.store import Account, StoreClosedError
from tictac.errors import NoSuchUser, SetupError, UserExists

ALICE, BOB = Account("alice", HASH), Account("bob", OTHER_HASH)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "users.db"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    with closing(Database.open(path)) as opened:
        yield opened


def test_accounts_are_listed_by_the_characters_of_their_names(database: Database) -> None:
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


def test_many_are_added(database: Database) -> None:
    database.add_many([BOB, ALICE])
    assert database.accounts() == [ALICE, BOB]


def test_of_many_none_is_added_when_one_is_taken(database: Database) -> None:
    database.add(BOB)
    with pytest.raises(UserExists, match="bob"):
        database.add_many([ALICE, Account("bob", HASH), Account("carol", HASH)])
    assert database.accounts() == [BOB]


def test_of_many_none_is_added_when_two_are_the_same(database: Database) -> None:
    with pytest.raises(UserExists):
        database.add_many([ALICE, ALICE])
    assert database.accounts() == []


def test_a_hash_is_set(database: Database) -> None:
    database.add_many([ALICE, BOB])
    database.set_hash("alice", OTHER_HASH)
    assert database.accounts() == [Account("alice", OTHER_HASH), BOB]


def test_an_account_is_removed(database: Database) -> None:
    database.add_many([ALICE, BOB])
    database.remove("alice")
    assert database.accounts() == [BOB]


def test_what_is_not_there_is_neither_changed_nor_removed(database: Database) -> None:
    with pytest.raises(NoSuchUser, match="alice"):
        database.set_hash("alice", HASH)
    with pytest.raises(NoSuchUser, match="alice"):
        database.remove("alice")


def test_a_promise_is_kept_on_disk(database: Database, path: Path) -> None:
    """Each commit is flushed: WAL alone would do that only now and then."""
    assert _pragma(database, "journal_mode") == "wal"
    assert _pragma(database, "synchronous") == 2  # FULL
    database.add(ALICE)
    with closing(Database.open(path)) as another:
        assert another.get("alice") == ALICE


def test_the_timeout_is_set(path: Path) -> None:
    with closing(Database.open(path, busy_timeout=7.5)) as database:
        assert _pragma(database, "busy_timeout") == 7500


def test_a_check_leaves_a_whole_file_and_nothing_else(path: Path) -> None:
    check_database(path)
    check_database(str(path))
    assert list(path.parent.iterdir()) == [path]
    with closing(Database.open(path, create=False)) as database:
        assert database.accounts() == []


def test_a_database_is_made_with_its_accounts(path: Path) -> None:
    create_database(path, [BOB, ALICE])
    assert _accounts(path) == [ALICE, BOB]


def test_a_database_that_exists_is_not_made_again(path: Path) -> None:
    create_database(path, [ALICE])
    create_database(path, [BOB])
    assert _accounts(path) == [ALICE]


def test_a_database_whose_accounts_are_wrong_is_not_made(path: Path) -> None:
    with pytest.raises(UserExists):
        create_database(path, [ALICE, ALICE])
    assert list(path.parent.iterdir()) == []


def test_a_store_says_why_it_cannot_start(tmp_path: Path) -> None:
    before = threading.active_count()
    with pytest.raises(SetupError, match="isn't a file"):
        SqliteAccounts(tmp_path, reactor).start()
    assert threading.active_count() == before


@in_reactor
async def test_a_store_works_in_one_thread_that_ends(path: Path) -> None:
    before = threading.active_count()
    store = SqliteAccounts(path, reactor)
    store.start()
    adding = [store.add(Account(str(number), HASH)) for number in range(100)]
    assert threading.active_count() == before + 1
    for each in adding:
        await each
    await store.close()
    assert threading.active_count() == before
    assert len(_accounts(path)) == 100


@in_reactor
async def test_closing_finishes_what_was_asked_for(path: Path) -> None:
    store = SqliteAccounts(path, reactor)
    store.start()
    order: list[str] = []
    for number in range(10):
        store.add(Account(str(number), HASH)).addCallback(lambda _: order.append("added"))
    closing_ = store.close().addCallback(lambda _: order.append("closed"))
    with pytest.raises(StoreClosedError):
        await store.add(ALICE)
    await closing_
    assert order == ["added"] * 10 + ["closed"]
    assert len(_accounts(path)) == 10


@in_reactor
async def test_a_lock_that_is_not_given_up_fails_a_request_and_no_more(path: Path) -> None:
    store = SqliteAccounts(path, reactor, busy_timeout=0.01)
    store.start()
    with closing(sqlite3.connect(path, isolation_level=None)) as another:
        another.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            await store.add(ALICE)
        assert await store.get("alice") is None
        another.execute("ROLLBACK")
    await store.add(ALICE)
    assert await store.get("alice") == ALICE
    await store.close()


@in_reactor
async def test_a_full_disk_fails_a_request_and_no_more(path: Path) -> None:
    store = SqliteAccounts(path, reactor)
    store.start()
    assert store._database is not None
    connection = store._database._connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    added = 0
    with pytest.raises(sqlite3.OperationalError, match="full"):
        while True:
            await store.add(Account(str(added), HASH))
            added += 1
    connection.execute(f"PRAGMA max_page_count = {pages + 10}")
    await store.add(ALICE)
    await store.close()
    assert len(_accounts(path)) == added + 1


def _pragma(database: Database, name: str) -> object:
    (value,) = database._connection.execute(f"PRAGMA {name}").fetchone()
    return value


def _accounts(path: Path) -> list[Account]:
    with closing(Database.open(path, create=False)) as database:
        return database.accounts()

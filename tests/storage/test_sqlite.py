"""The database that the commands use, and the store on top of it in its thread."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest
from twisted.internet.defer import Deferred
from twisted.logger import capturedLogs, formatEvent

from tests.accounts.helpers import (
    HASH,
    OTHER_HASH,
    InstantReactor,
    close_in_the_middle,
    error_of,
    in_reactor,
    instant_pool,
    reactor,
)
from tictac.accounts.tables import Account, AccountTables, LoginTables
from tictac.errors import SetupError, UserExists
from tictac.storage.databases import prepare
from tictac.storage.sqlite import SqliteDatabase, SqliteStore, create_database
from tictac.storage.store import StoreAwayError, Stored

T = TypeVar("T")

ALICE, BOB = Account("alice", HASH), Account("bob", OTHER_HASH)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "users.db"


@pytest.fixture
def database(path: Path) -> Iterator[SqliteDatabase]:
    with closing(SqliteDatabase.open(path)) as opened:
        yield opened


def test_a_promise_is_kept_on_disk(database: SqliteDatabase, path: Path) -> None:
    """Each commit is flushed: WAL alone would do that only now and then."""
    assert _pragma(database, "journal_mode") == "wal"
    assert _pragma(database, "synchronous") == 2  # FULL
    AccountTables(database).add(ALICE)
    with closing(SqliteDatabase.open(path)) as another:
        assert AccountTables(another).get("alice") == ALICE


def test_the_timeout_is_set(path: Path) -> None:
    with closing(SqliteDatabase.open(path, busy_timeout=7.5)) as database:
        assert _pragma(database, "busy_timeout") == 7500


def test_a_check_leaves_a_whole_file_and_nothing_else(path: Path) -> None:
    prepare(str(path))
    prepare(str(path))
    assert list(path.parent.iterdir()) == [path]
    with closing(SqliteDatabase.open(path, create=False)) as database:
        assert AccountTables(database).all() == []


def test_a_database_is_made_with_its_accounts(path: Path) -> None:
    create_database(path, lambda new: AccountTables(new).add_many([BOB, ALICE]))
    assert _accounts(path) == [ALICE, BOB]


def test_a_database_that_exists_is_not_made_again(path: Path) -> None:
    create_database(path, lambda new: AccountTables(new).add(ALICE))
    create_database(path, lambda new: AccountTables(new).add(BOB))
    assert _accounts(path) == [ALICE]


def test_a_database_whose_accounts_are_wrong_is_not_made(path: Path) -> None:
    with pytest.raises(UserExists):
        create_database(path, lambda new: AccountTables(new).add_many([ALICE, ALICE]))
    assert list(path.parent.iterdir()) == []


def test_a_store_says_why_it_cannot_start(tmp_path: Path) -> None:
    before = threading.active_count()
    with pytest.raises(SetupError, match="isn't a file"):
        SqliteStore(tmp_path, "accounts", reactor).start()
    assert threading.active_count() == before


@in_reactor
async def test_a_store_works_in_one_thread_that_ends(path: Path) -> None:
    before = threading.active_count()
    store = SqliteStore(path, "accounts", reactor)
    store.start()
    adding = [
        Stored(store, AccountTables).ask(AccountTables.add, Account(str(number), HASH))
        for number in range(100)
    ]
    assert threading.active_count() == before + 1
    for each in adding:
        await each
    await store.close()
    assert threading.active_count() == before
    assert len(_accounts(path)) == 100


@in_reactor
async def test_closing_finishes_what_was_asked_for(path: Path) -> None:
    store = SqliteStore(path, "accounts", reactor)
    store.start()
    await close_in_the_middle(store)
    assert len(_accounts(path)) == 10


@in_reactor
async def test_a_lock_that_is_not_given_up_fails_a_request_and_no_more(path: Path) -> None:
    store = SqliteStore(path, "accounts", reactor, busy_timeout=0.01)
    store.start()
    with closing(sqlite3.connect(path, isolation_level=None)) as another:
        another.execute("BEGIN IMMEDIATE")
        with capturedLogs() as logs:
            for _ in range(2):
                with pytest.raises(StoreAwayError):
                    await Stored(store, AccountTables).ask(AccountTables.add, ALICE)
        assert [formatEvent(event) for event in logs] == [
            f"accounts: {path} is locked by another program;"
            " requests are refused until that is repaired"
        ]
        assert await Stored(store, AccountTables).ask(AccountTables.get, "alice") is None
        another.execute("ROLLBACK")
    await Stored(store, AccountTables).ask(AccountTables.add, ALICE)
    assert await Stored(store, AccountTables).ask(AccountTables.get, "alice") == ALICE
    await store.close()


@in_reactor
async def test_a_full_disk_fails_a_request_and_no_more(path: Path) -> None:
    store = SqliteStore(path, "accounts", reactor)
    store.start()
    assert store._database is not None
    connection = store._database._connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    added = 0
    with capturedLogs() as logs, pytest.raises(StoreAwayError):
        while True:
            await Stored(store, AccountTables).ask(AccountTables.add, Account(str(added), HASH))
            added += 1
    await Stored(store, LoginTables).ask(LoginTables.unban, "user", "nobody")  # changes nothing
    with pytest.raises(StoreAwayError):
        await Stored(store, AccountTables).ask(AccountTables.add, ALICE)
    [line] = [formatEvent(event) for event in logs]
    assert "database or disk is full" in str(line)
    connection.execute(f"PRAGMA max_page_count = {pages + 10}")
    with capturedLogs() as logs:
        await Stored(store, AccountTables).ask(AccountTables.add, ALICE)
    assert [formatEvent(event) for event in logs] == [f"accounts in {path}: changes are saved"]
    await store.close()
    assert len(_accounts(path)) == added + 1


@in_reactor
async def test_faults_of_the_file_are_one_line(path: Path) -> None:
    """Also those that only a reader meets, as in a file that was overwritten."""
    store = SqliteStore(path, "accounts", reactor)
    store.start()

    def work(database: Any) -> None:
        raise sqlite3.DatabaseError("file is not a database")

    outcomes = list[Any]()
    with capturedLogs() as logs:
        for only_reads in (True, False, True):
            await store.ask(work, only_reads).addBoth(outcomes.append)
    await store.close()
    assert [each.type for each in outcomes] == [StoreAwayError] * 3
    assert [formatEvent(event) for event in logs] == [
        f"accounts: {path} can't be used: file is not a database;"
        " requests are refused until that is repaired"
    ]


@in_reactor
async def test_a_fault_of_the_program_is_no_fault_of_the_file(store: SqliteStore) -> None:
    def work(database: Any) -> None:
        database.execute("SELECT ?", ())

    with pytest.raises(sqlite3.ProgrammingError):
        await store.ask(work)


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    """Yield a store in this file, with one account."""
    store = SqliteStore(path, "accounts", InstantReactor(), pool=instant_pool)
    store.start()
    Stored(store, AccountTables).ask(AccountTables.add, ALICE)
    yield store
    store.close().addErrback(lambda _: None)  # its file may be gone


def delete(path: Path) -> None:
    path.unlink()


def delete_the_log(path: Path) -> None:
    path.with_name("users.db-wal").unlink()


def replace(path: Path) -> None:
    create_database(path.with_name("other.db"), lambda new: None)
    path.with_name("other.db").replace(path)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def overwrite(path: Path) -> None:
    path.write_bytes(b"not a database" * 1000)


@pytest.mark.parametrize("harm", [delete, delete_the_log, replace, empty, overwrite])
def test_nothing_is_acknowledged_into_a_file_that_isnt_there(
    store: SqliteStore, path: Path, harm: Callable[[Path], None]
) -> None:
    assert store.ready()
    harm(path)
    with capturedLogs() as events:
        for name in ("bob", "carol"):
            error_of(
                Stored(store, AccountTables).ask(AccountTables.add, Account(name, HASH)),
                StoreAwayError,
            )
        error_of(
            Stored(store, AccountTables).ask(AccountTables.replace_hash, "alice", HASH, OTHER_HASH),
            StoreAwayError,
        )
    assert len(events) == 1
    assert not store.ready()


def test_health_notices_it_by_itself(store: SqliteStore, path: Path) -> None:
    delete(path)
    with capturedLogs() as events:
        store.ready()
        assert not store.ready()
    assert len(events) == 1


def test_accounts_are_found_all_the_same(store: SqliteStore, path: Path) -> None:
    delete(path)
    assert found(Stored(store, AccountTables).ask(AccountTables.get, "alice")) == ALICE


def test_all_is_well_when_it_is_back(store: SqliteStore, path: Path) -> None:
    away = path.rename(path.with_name("away.db"))
    error_of(Stored(store, AccountTables).ask(AccountTables.add, BOB), StoreAwayError)
    away.rename(path)
    assert found(Stored(store, AccountTables).ask(AccountTables.add, BOB)) is None
    assert store.ready()
    assert found(Stored(store, AccountTables).ask(AccountTables.get, "bob")) == BOB


def found(request: Deferred[T]) -> T:
    outcomes: list[T] = []
    request.addCallback(outcomes.append)
    return outcomes[0]


def _pragma(database: SqliteDatabase, name: str) -> object:
    (value,) = database._connection.execute(f"PRAGMA {name}").fetchone()
    return value


def _accounts(path: Path) -> list[Account]:
    with closing(SqliteDatabase.open(path, create=False)) as database:
        return AccountTables(database).all()

"""What every store of saved rooms promises, asked of each."""

from __future__ import annotations

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import (
    HASH,
    Case,
    InstantDatabaseReactor,
    InstantReactor,
    error_of,
    instant_pool,
    temporary_directory,
)
from tests.accounts.memory import MemoryRooms
from tests.accounts.postgres import InPostgres
from tests.accounts.test_upgrades import insert
from tictac.accounts.pool import PostgresRooms
from tictac.accounts.saved import RoomStore
from tictac.accounts.sqlite import Database, SqliteAccounts, SqliteRooms
from tictac.accounts.store import Account, StoreClosedError
from tictac.accounts.upgrades import shipped_steps


class StoreContract(Case):
    """The promises; a subclass says of which store."""

    store: RoomStore

    def new_store(self) -> RoomStore:
        raise NotImplementedError

    def setUp(self) -> None:
        self.store = self.new_store()
        self.store.start()
        self.addCleanup(lambda: self.successResultOf(self.store.close()))

    def all(self) -> dict[str, bytes]:
        return self.successResultOf(self.store.all())

    def put(self, name: str, content: bytes) -> None:
        self.successResultOf(self.store.put(name, content))

    def test_it_is_ready_between_start_and_close(self) -> None:
        assert self.store.ready()
        self.successResultOf(self.store.close())
        assert not self.store.ready()

    def test_there_is_nothing_at_first(self) -> None:
        assert self.all() == {}

    def test_what_was_put_is_there(self) -> None:
        self.put("den", b"\0\xff'")
        self.put("hölle", b"")
        assert self.all() == {"den": b"\0\xff'", "hölle": b""}

    def test_the_last_content_of_a_name_counts(self) -> None:
        self.put("den", b"1")
        self.put("den", b"2")
        assert self.all() == {"den": b"2"}

    def test_what_is_removed_is_gone(self) -> None:
        self.put("den", b"1")
        self.put("hall", b"2")
        for _ in range(2):
            assert self.successResultOf(self.store.remove("den")) is None
        assert self.all() == {"hall": b"2"}

    def test_it_survives_a_restart(self) -> None:
        self.put("den", b"1")
        self.successResultOf(self.store.close())
        self.store.start()
        assert self.all() == {"den": b"1"}

    def test_a_closed_store_refuses(self) -> None:
        for _ in range(2):
            self.successResultOf(self.store.close())
        for asked in (self.store.all(), self.store.put("a", b""), self.store.remove("a")):
            error_of(asked, StoreClosedError)


class MemoryTests(StoreContract, SynchronousTestCase):
    def new_store(self) -> RoomStore:
        return MemoryRooms()


class PostgresTests(InPostgres, StoreContract, SynchronousTestCase):
    def new_store(self) -> RoomStore:
        return PostgresRooms(self.url, InstantDatabaseReactor(), pool=instant_pool)


class SqliteTests(StoreContract, SynchronousTestCase):
    def new_store(self) -> RoomStore:
        self.path: Path = temporary_directory(self) / "users.db"
        return SqliteRooms(self.path, InstantReactor(), pool=instant_pool)

    def test_the_accounts_are_in_the_same_file(self) -> None:
        accounts = SqliteAccounts(self.path, InstantReactor(), pool=instant_pool)
        accounts.start()
        self.successResultOf(accounts.add(Account("alice", HASH)))
        self.put("den", b"1")
        assert self.successResultOf(accounts.get("alice")) == Account("alice", HASH)
        self.successResultOf(accounts.close())
        assert self.all() == {"den": b"1"}

    def test_a_file_of_the_first_release_is_upgraded(self) -> None:
        path = self.path.with_name("older.db")
        older = Database.open(path, steps=shipped_steps()[:1])
        insert(older, "alice")
        older.close()
        store = SqliteRooms(path, InstantReactor(), pool=instant_pool)
        store.start()
        self.successResultOf(store.put("den", b"1"))
        self.successResultOf(store.close())
        newer = Database.open(path)
        assert newer.accounts() == [Account("alice", HASH)]
        newer.close()

"""The table of saved rooms, in each database."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import HASH, Case, temporary_directory
from tests.accounts.postgres import InPostgres
from tests.accounts.test_upgrades import insert
from tictac.accounts.databases import opened
from tictac.accounts.sqlite import SqliteDatabase
from tictac.accounts.store import Account
from tictac.accounts.tables import AccountTables
from tictac.accounts.upgrades import shipped_steps
from tictac.plugins.xmpp.saved import RoomTables


class RoomsContract(Case):
    """The promises; a subclass says of which database."""

    def new_place(self) -> str:
        raise NotImplementedError

    def setUp(self) -> None:
        super().setUp()
        self.place = self.new_place()
        self.rooms = RoomTables(self.enterContext(opened(self.place)))

    def test_there_is_nothing_at_first(self) -> None:
        assert self.rooms.all() == {}

    def test_what_was_put_is_there(self) -> None:
        self.rooms.put("den", b"\0\xff'")
        self.rooms.put("hölle", b"")
        assert self.rooms.all() == {"den": b"\0\xff'", "hölle": b""}

    def test_the_last_content_of_a_name_counts(self) -> None:
        self.rooms.put("den", b"1")
        self.rooms.put("den", b"2")
        assert self.rooms.all() == {"den": b"2"}

    def test_what_is_removed_is_gone(self) -> None:
        self.rooms.put("den", b"1")
        self.rooms.put("hall", b"2")
        for _ in range(2):
            self.rooms.remove("den")
        assert self.rooms.all() == {"hall": b"2"}

    def test_the_accounts_are_in_the_same_place(self) -> None:
        self.rooms.put("den", b"1")
        with opened(self.place) as database:
            AccountTables(database).add(Account("alice", HASH))
            assert RoomTables(database).all() == {"den": b"1"}


class PostgresTests(InPostgres, RoomsContract, SynchronousTestCase):
    def new_place(self) -> str:
        return self.url


class SqliteTests(RoomsContract, SynchronousTestCase):
    def new_place(self) -> str:
        return str(temporary_directory(self) / "users.db")

    def test_a_file_of_the_first_release_is_upgraded(self) -> None:
        path = f"{self.place}.older"
        older = SqliteDatabase.open(path, steps=shipped_steps()[:1])
        insert(older, "alice")
        older.close()
        with opened(path) as database:
            RoomTables(database).put("den", b"1")
            assert AccountTables(database).all() == [Account("alice", HASH)]

"""The table of saved rooms, in each database."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import HASH, Case
from tests.storage.postgres import InPostgres, InSqlite
from tests.storage.schemas import insert
from tictac.accounts.tables import Account, AccountTables
from tictac.options import MAIN
from tictac.plugins.xmpp.saved import RoomTables
from tictac.storage.databases import opened
from tictac.storage.postgres import PostgresDatabase
from tictac.storage.sqlite import SqliteDatabase
from tictac.storage.upgrades import shipped_steps


class RoomsContract(Case):
    """The promises; a subclass says of which database."""

    def new_place(self) -> str:
        raise NotImplementedError

    def setUp(self) -> None:
        super().setUp()
        self.place = self.new_place()
        self.database = self.enterContext(opened(self.place))
        self.rooms = RoomTables(self.database)

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

    def test_each_lobby_has_its_own(self) -> None:
        north = RoomTables(self.database, "north")
        self.rooms.put("den", b"1")
        north.put("den", b"2")
        self.rooms.remove("attic")
        assert (self.rooms.all(), north.all()) == ({"den": b"1"}, {"den": b"2"})
        self.rooms.remove("den")
        assert north.all() == {"den": b"2"}

    def older(self) -> tuple[str, SqliteDatabase | PostgresDatabase]:
        """Return a place, and the open database there from before the lobbies."""
        raise NotImplementedError

    def test_those_of_an_older_database_are_the_main_lobbys(self) -> None:
        place, older = self.older()
        content = b"\0\xff'"
        older.execute("INSERT INTO saved_rooms (name, content) VALUES (?, ?)", ("den", content))
        older.close()
        with opened(place) as database:
            assert RoomTables(database, MAIN).all() == {"den": content}
            assert RoomTables(database, "north").all() == {}


class PostgresTests(InPostgres, RoomsContract, SynchronousTestCase):
    def older(self) -> tuple[str, SqliteDatabase | PostgresDatabase]:
        url = self.postgres.new_place()
        return url, PostgresDatabase.open(url, steps=shipped_steps("postgresql")[:12])


class SqliteTests(InSqlite, RoomsContract, SynchronousTestCase):
    def older(self) -> tuple[str, SqliteDatabase | PostgresDatabase]:
        path = f"{self.place}.older"
        return path, SqliteDatabase.open(path, steps=shipped_steps()[:12])

    def test_a_file_of_the_first_release_is_upgraded(self) -> None:
        path = f"{self.place}.older"
        older = SqliteDatabase.open(path, steps=shipped_steps()[:1])
        insert(older, "alice")
        older.close()
        with opened(path) as database:
            RoomTables(database).put("den", b"1")
            assert AccountTables(database).all() == [Account("alice", HASH)]

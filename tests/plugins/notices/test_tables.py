"""The tables of notices in each database: what goes with an account, and what is looked for."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.archive.helpers import match
from tests.storage.postgres import InPostgres, InSqlite
from tictac.accounts.bans import Ban
from tictac.accounts.tables import Account, AccountTables, LoginTables
from tictac.archive.tables import MatchTables
from tictac.lobby.clock import TimeControl
from tictac.plugins.days.tables import PlayerTables
from tictac.plugins.notices.notices import Notice, Wishes
from tictac.plugins.notices.tables import Contact, NoticeTables, id_of_link
from tictac.storage.databases import opened

KEY, BATCH = "a" * 24, "b" * 24

NOW = 1_790_000_000


class TablesContract:
    """What the tables promise."""

    def new_place(self) -> str:
        """Return a place for a database."""
        raise NotImplementedError

    def setUp(self) -> None:
        self.database = self.enterContext(opened(self.new_place()))  # type: ignore[attr-defined]
        accounts = AccountTables(self.database)
        accounts.add_many([Account(name, "x" * 60) for name in ("alice", "bob")])
        self.tables = NoticeTables(self.database)
        self.add("alice", KEY)

    def add(self, name: str, key: str, confirmed: int = NOW) -> None:
        contact = Contact(key, name, "email", f"{name}@x.example", "each", NOW, confirmed)
        assert self.tables.put(contact, not confirmed) is not None

    def send(self) -> None:
        """Let Alice get a message, which is on its way."""
        self.tables.add("alice", Notice("turn", "den", 1.0, 3), NOW, 10)
        [due] = self.tables.take("email", NOW, 0, [BATCH])
        assert due.notices == [Notice("turn", "den", 1.0, 3)]

    def rows(self) -> list[int]:
        counts = [
            self.database.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
            for table in ("notices", "notice_contacts", "notice_settings")
        ]
        return list(counts)

    def test_all_of_an_account_goes_with_it(self) -> None:
        self.tables.set_wishes("alice", Wishes("de"))
        self.send()
        self.add("bob", "c" * 24)
        assert self.rows() == [1, 2, 1]
        AccountTables(self.database).remove("alice")
        assert self.rows() == [0, 1, 0]

    def test_a_message_that_came_back(self) -> None:
        self.send()
        assert self.tables.bounced("d" * 24, "550", NOW) is None
        assert self.tables.bounced(BATCH, "550 no such user", NOW) == "alice"
        assert self.rows()[0] == 0 and self.tables.contacts("alice")[0].failed
        self.add("bob", "c" * 24, 0)
        assert self.tables.bounced(id_of_link("c" * 24), "550", NOW) == "bob"

    def test_an_address_that_was_given_up_is_shown_for_two_weeks(self) -> None:
        self.tables.give_up(KEY, "550 no such user", NOW)
        for days, count in ((14, 1), (17, 0)):
            self.tables.prune(NOW + days * 86_400)
            assert len(self.tables.contacts("alice")) == count

    def test_the_matches_over_days_that_have_ended(self) -> None:
        began = NOW - 2.5
        clocks = {"days": TimeControl.of_days(3), "live": TimeControl(300, 0), "free": None}
        made = [match(name, began=began, clock=clock) for name, clock in clocks.items()]
        MatchTables(self.database).add_all([*made, made[0]._replace(id="old", began=began - 60)])
        assert self.tables.key("ends", str(NOW)) == str(NOW)
        [(name, found)] = self.tables.ended_since(NOW)
        assert (name, found.id) == ("alice", "days")
        self.tables.mark_ends(NOW + 1)
        assert self.tables.key("ends", "0") == str(NOW + 1)
        assert self.tables.ended_since(NOW + 1) == []

    def test_accounts_that_can_have_no_seat(self) -> None:
        LoginTables(self.database).ban(Ban("user", "bob", 0), NOW)
        LoginTables(self.database).ban(Ban("user", "alice", NOW + 60), NOW)
        found = PlayerTables(self.database).gone(["alice", "bob", "carol"])
        assert found == ["bob", "carol"]


class SqliteTests(InSqlite, TablesContract, SynchronousTestCase):
    pass


class PostgresTests(InPostgres, TablesContract, SynchronousTestCase):
    pass

"""Everything that is kept of an account: its export, and its removal, in each database."""

from __future__ import annotations

import json
from typing import Any, cast

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.columns import places_of, text_columns
from tests.accounts.helpers import HASH, Case
from tests.archive.helpers import BOB, match
from tests.storage.postgres import InPostgres, InSqlite
from tictac.accounts.bans import Ban
from tictac.accounts.keepers import KEEPERS, Keeper
from tictac.accounts.tables import Account, AccountTables, LoginTables, TokenTables
from tictac.archive.match import Event, Player
from tictac.archive.tables import MatchTables
from tictac.errors import NoSuchUser
from tictac.plugins.desk.tables import DeskTables
from tictac.plugins.notices.notices import Notice
from tictac.plugins.notices.tables import Contact, NoticeTables
from tictac.plugins.privacy.keepers import KeptTables
from tictac.plugins.privacy.tables import PrivacyTables, Report
from tictac.plugins.puzzles.tables import PuzzleTables
from tictac.plugins.submissions.tables import ProgramTables, Version
from tictac.plugins.tournament.hosting.tables import NewLine, Row, TournamentTables
from tictac.ratings.tables import RatingTables
from tictac.storage.databases import opened

ZOE = Player("zo\u00eb", "account")
"""A name that JSON can spell in two ways."""

SPELLED = "u00eb"
"""What each spelling in JSON has of its last letter."""

NAMELESS: dict[str, tuple[str, ...]] = {
    "nodes": ("*",),  # processes of servers
    "active": ("*",),
    "rooms": ("*",),  # of running matches: removed with their end
    "room_events": ("*",),
    "saved_rooms": ("*",),  # of XMPP: addresses of persons, who have no accounts
    "notice_keys": ("*",),
    "judgements": ("*",),  # of moves
    "puzzles": ("*",),  # positions
    "puzzle_solvers": ("day", "game"),
    "tournaments": ("id", "state", "plan", "head", "lobby"),
    "tournament_lines": ("tournament",),
    "tournament_outcomes": ("*",),
    "matches": ("id", "game"),
    "uncounted_matches": ("id",),
    "ratings": ("game", "last"),
    "rating_points": ("id", "game"),
    "rating_aborts": ("id",),
    "users": ("password_hash",),
    "tokens": ("hash",),
    "bans": ("kind",),
    "ended_logins": ("why",),
    "notice_contacts": ("id", "channel", "address", "wish", "failed"),  # go with the row
    "notice_settings": ("language", "zone", "quiet"),
    "notices": ("contact", "about", "channel", "match", "batch", "failed"),
    "blocks": ("how",),
    "xmpp_links": ("jid",),  # an address of another server
    "series": ("*",),  # plans
    "series_players": ("series", "version", "losses"),
    "series_tournaments": ("*",),
    "series_pairs": ("series",),
    "series_ratings": ("series",),
    "programs": (
        "series",
        "title",
        "command",
        "build",
        "digest",
        "state",
        "report",
        "stderr",
        "losses",
        "runner",
        "lease",
    ),  # go with the row
    "program_files": ("content",),
    "runners": ("*",),
    "teachers": ("group_name",),
    "login_codes": ("selector", "hash", "kind"),
    "mark_rules": ("*",),  # words of teachers
    "reports": ("why", "room"),  # words of others, as chat is
}
"""The columns without names of accounts, by table; ``*`` is all."""


def columns_of_keepers() -> set[tuple[str, str]]:
    """Return the table and the name of each column of all keepers."""
    made = [cast(type[Keeper], make).columns.items() for _, make in KEEPERS.all()]
    return {(table, each) for of in made for table, columns in of for each in columns}


class KeeperContract(Case):
    """What each database does; a subclass says which."""

    def new_place(self) -> str:
        raise NotImplementedError

    def setUp(self) -> None:
        super().setUp()
        self.database = self.enterContext(opened(self.new_place()))
        self.kept = KeptTables(self.database)
        accounts = AccountTables(self.database)
        for name in (ZOE.name, "bob"):
            accounts.add(Account(name, HASH, "7b" if name == ZOE.name else ""))

    def fill(self) -> None:
        """Let an account leave something in each table."""
        name, matches = ZOE.name, MatchTables(self.database)
        AccountTables(self.database).set_admin(name, True)
        assert TokenTables(self.database).add(Account(name, HASH), "0f", 2_000_000_000, 1, 9)
        LoginTables(self.database).ban(Ban("user", name, 0), 1)
        played = match("m1", ZOE, BOB, rated=True)
        talked = match("m2", BOB, BOB)
        said = Event(0.25, ("said", name, "as a viewer"))
        matches.add_all([played, talked._replace(events=(said, *talked.events))])
        RatingTables(self.database).count(10)
        RatingTables(self.database)._aborted(name, "m0", 1_700_000_000_000)
        cups = TournamentTables(self.database)
        cups.make(Row("cup", "open", 1, "{}", "{}", name))
        lines: list[list[Any]] = [["entered", name, None, None], ["set", 1, [1, 0], name]]
        for number, line in enumerate(lines, 1):
            assert cups.append("cup", number, NewLine(1, line, "open", "{}"))
        notices = NoticeTables(self.database)
        for owner in (name, "bob"):
            address = f"{owner}@example.org"
            contact = Contact(f"id-{owner}", owner, "email", address, "each", 1, 1)
            assert notices.put(contact, asks=False)
            about = json.dumps([["bob" if owner == name else name], "Nim", "won", "won", "m1"])
            notices.add(owner, Notice("ended", "den", 1.0, 1, about), 1, 9)
        notices.set_wishes(name, notices.wishes(name))
        execute = self.database.execute
        execute("INSERT INTO series_players VALUES ('s1', ?, '', 1, 1, '{}')", (name,))
        for pair in ((name, "bob"), ("bob", name)):
            execute("INSERT INTO series_pairs VALUES ('s1', ?, ?, 1, 0, 0, 0)", pair)
        execute("INSERT INTO series_ratings VALUES ('s1', ?, 20000, 1500, 1)", (name,))
        desk = DeskTables(self.database)
        desk.set_teacher(name, "7b", True)
        desk.note({name: 1_700_000_000})
        desk.make_code(name, "pair", 1, 2)
        PuzzleTables(self.database).solve(name, "2026-11-29", "reversi")
        execute("INSERT INTO xmpp_links VALUES ('zoe@example.org', ?, 1, 1)", (name,))
        execute("INSERT INTO series VALUES ('s1', 'open', 1, '{}')")
        pushed = Version(name, 0, "s1", "", "x", "", 1, "", 1, 1)
        ProgramTables(self.database).push(pushed, b"zip", 9)
        privacy = PrivacyTables(self.database)
        assert privacy.put(name, "bob", "mute") and privacy.put("bob", name, "block")
        for one, other in ((name, "bob"), ("bob", name), ("bob", "vera")):
            assert privacy.report(Report(0, 1, one, other, "shouts", "den", [(name, "HEY")]))

    def test_every_column_is_a_keepers_or_has_no_names(self) -> None:
        covered = columns_of_keepers()
        found = text_columns(self.database)
        nameless = {
            (table, column)
            for table, column in found
            if column in NAMELESS.get(table, ()) or NAMELESS.get(table) == ("*",)
        }
        assert not covered & nameless
        assert found - covered - nameless == set(), "a keeper has to remove names from these"
        assert covered <= found

    def test_nothing_is_left_of_a_removed_account(self) -> None:
        self.fill()
        filled = set(places_of(self.database, ZOE.name))
        spelled = set(places_of(self.database, SPELLED))
        covered = {".".join(each) for each in columns_of_keepers()}
        assert covered - filled - spelled == {"users.group_name"}
        self.kept.remove(ZOE.name)
        assert list(places_of(self.database, ZOE.name)) == ["ended_logins.name"]
        assert self.kept.removed() == [ZOE.name]
        self.kept.finish(ZOE.name)
        assert list(places_of(self.database, ZOE.name)) == []
        assert list(places_of(self.database, SPELLED)) == []
        assert self.kept.removed() == []

    def test_others_keep_what_is_theirs(self) -> None:
        self.fill()
        before = self.kept.export("bob")
        self.kept.remove(ZOE.name)
        after = self.kept.export("bob")
        assert after["ratings"] == before["ratings"] and after["matches"] == before["matches"]
        found = MatchTables(self.database).get("m1")
        assert found is not None and [p.name for p in found.players] == ["deleted", "bob"]

    def test_what_comes_after_a_removal_is_removed_too(self) -> None:
        self.kept.remove(ZOE.name)
        MatchTables(self.database).add_all([match("m9", ZOE, BOB)])
        self.kept.finish(ZOE.name)
        assert list(places_of(self.database, ZOE.name)) == []

    def test_a_new_account_of_the_name_keeps_its_own(self) -> None:
        self.kept.remove(ZOE.name)
        AccountTables(self.database).add(Account(ZOE.name, HASH))
        MatchTables(self.database).add_all([match("m9", ZOE, BOB)])
        self.kept.finish(ZOE.name)
        assert self.kept.removed() == []
        assert self.kept.export(ZOE.name)["matches"] == {"ids": ["m9"]}

    def test_a_name_with_signs_of_patterns_is_found_alone(self) -> None:
        accounts, said = AccountTables(self.database), ("said", "b_b", "x")
        accounts.add(Account("b_b", HASH))
        talked = match("m1", BOB, BOB)
        events = (Event(0.25, said), Event(0.25, ("said", "bob", "x")), *talked.events)
        MatchTables(self.database).add_all([talked._replace(events=events)])
        self.kept.remove("b_b")
        found = MatchTables(self.database).get("m1")
        assert found is not None
        assert [each.fields[1] for each in found.events[:2]] == ["deleted", "bob"]

    def test_the_export_has_a_part_of_each_keeper(self) -> None:
        self.fill()
        found: dict[str, Any] = self.kept.export(ZOE.name)
        assert found["account"] == {
            "name": ZOE.name, "group": "7b", "admin": True,
            "tokens": ["2033-05-18T03:33:20.000Z"],
        }  # fmt: skip
        assert found["matches"] == {"ids": ["m1"]}
        assert found["tournaments"] == {"made": ["cup"], "entered": ["cup"]}
        assert found["ratings"]["after"][0]["match"] == "m1"
        assert found["ratings"]["last"] == {"tictactoe": "w"}
        assert found["notices"]["contacts"][0]["address"] == f"{ZOE.name}@example.org"
        assert found["series"]["entered"][0]["entered"] == "1970-01-01T00:00:01.000Z"
        results = [(each["user"], each["won"], each["lost"]) for each in found["series"]["against"]]
        assert results == [("bob", 0, 1), ("bob", 1, 0)]
        assert found["series"]["ratings"] == [
            {"series": "s1", "day": "2024-10-04", "rating": 1500, "rank": 1}
        ]
        assert found["programs"]["versions"][0]["pushed"] == "1970-01-01T00:00:01.000Z"
        assert found["desk"] == {"teaches": ["7b"], "last_login": "2023-11-14T22:13:20.000Z"}
        assert found["blocks"]["players"] == {"bob": "mute"}
        assert [each["user"] for each in found["blocks"]["reports"]] == ["bob"]
        assert HASH not in json.dumps(found) and "id-" not in json.dumps(found)

    def test_there_is_no_account_to_remove(self) -> None:
        self.assertRaises(NoSuchUser, self.kept.remove, "nobody")


class SqliteKeeperTests(InSqlite, KeeperContract, SynchronousTestCase):
    pass


class PostgresKeeperTests(InPostgres, KeeperContract, SynchronousTestCase):
    pass

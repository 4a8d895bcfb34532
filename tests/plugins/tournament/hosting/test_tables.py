"""The tables of tournaments in each database: numbers are given once."""

from __future__ import annotations

import json
import threading
from contextlib import closing
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import HASH, temporary_directory
from tests.storage.postgres import InPostgres, InSqlite
from tictac.accounts.tables import Account, AccountTables
from tictac.archive.tables import MatchTables
from tictac.lobby.journal import Outcome
from tictac.options import MAIN
from tictac.plugins.tournament.hosting.tables import NewLine, Player, Row, TournamentTables
from tictac.storage.databases import opened
from tictac.storage.postgres import PostgresDatabase
from tictac.storage.sqlite import SqliteDatabase
from tictac.storage.upgrades import shipped_steps

CUP = "friday-cup"
LINES = 300


def line(*words: Any, state: str = "open") -> NewLine:
    return NewLine(7, list(words), state, "{}")


class TournamentTablesContract:
    """What the tables promise."""

    def new_place(self) -> str:
        """Return a place for a database."""
        raise NotImplementedError

    def older(self) -> tuple[str, Any]:
        """Return a place, and the open database there without tournaments."""
        raise NotImplementedError

    def setUp(self) -> None:
        self.place = self.new_place()
        self.database = self.enterContext(opened(self.place))  # type: ignore[attr-defined]
        self.tables = TournamentTables(self.database)
        assert self.tables.make(Row(CUP, "open", 5, "{}", "{}", "root"))

    def test_an_id_is_given_once(self) -> None:
        assert not self.tables.make(Row(CUP, "open", 6, "{}", "{}", "eve"))
        assert self.tables.get(CUP) == Row(CUP, "open", 5, "{}", "{}", "root")
        assert self.tables.get("other") is None

    def test_the_lines_of_a_file_are_added_as_far_as_they_are_missing(self) -> None:
        lines = [line("entered", "ann", None, None), line("began", 1, state="running")]
        self.tables.fill(Row("cup-1", "open", 5, "{}", "{}", ""), lines[:1])
        self.tables.fill(Row("cup-1", "open", 6, "{}", "{}", ""), lines)
        self.tables.fill(Row("cup-1", "open", 7, "{}", "{}", ""), lines[:1])
        assert [each.line for each in self.tables.read("cup-1")] == [each.line for each in lines]
        assert self.tables.get("cup-1") == Row("cup-1", "running", 5, "{}", "{}", "")

    def test_a_number_is_given_once(self) -> None:
        assert self.tables.append(CUP, 1, line("entered", "ann", None, None))
        assert not self.tables.append(CUP, 1, line("entered", "ben", None, None))
        assert self.tables.append(CUP, 2, line("began", 1, state="running"))
        assert [each.line[0] for each in self.tables.read(CUP)] == ["entered", "began"]
        assert [each.number for each in self.tables.read(CUP, 1)] == [2]
        assert self.tables.live() == {CUP: 2}
        row = self.tables.get(CUP)
        assert row is not None and row.state == "running"

    def test_an_answer_that_was_lost_is_no_refusal(self) -> None:
        self.tables.append(CUP, 1, line("began", 1))
        self.database.unsure = True
        assert self.tables.append(CUP, 1, line("began", 1))
        assert not self.tables.append(CUP, 1, line("began", 2))
        assert self.tables.make(Row(CUP, "open", 5, "{}", "{}", "root"))
        assert not self.tables.make(Row(CUP, "open", 6, "{}", "{}", "root"))

    def test_what_ended_before_goes(self) -> None:
        for cup, at, state in (("old", 7, "over"), ("new", 9, "over"), ("open", 7, "open")):
            assert self.tables.make(Row(cup, "open", 5, "{}", "{}", "root"))
            assert self.tables.append(cup, 1, NewLine(at, ["over", "played"], state, "{}"))
            self.tables.keep(Outcome(cup, 1, "[1, 0]", "won", "m1"))
        assert self.tables.prune(8) == ["old"]
        assert self.tables.prune(8) == []
        assert self.tables.get("old") is None and self.tables.read("old") == []
        assert self.tables.outcomes("old") == []
        for cup in ("new", "open"):
            assert self.tables.get(cup) and self.tables.read(cup) and self.tables.outcomes(cup)

    def test_an_outcome_goes_with_the_line_that_counts_it(self) -> None:
        outcome = Outcome(CUP, 3, "[1, 0]", "won", "m1")
        self.tables.keep(outcome)
        self.tables.keep(outcome._replace(how="again"))
        assert self.tables.outcomes(CUP) == [outcome]
        assert self.tables.append(CUP, 1, line("began", 1))
        assert not self.tables.append(CUP, 1, line("ended", 3), counted=3)
        assert self.tables.outcomes(CUP) == [outcome]
        assert self.tables.append(CUP, 2, line("ended", 3), counted=3)
        assert self.tables.outcomes(CUP) == []

    def test_the_end_of_a_game_is_short(self) -> None:
        lines: list[tuple[list[Any], str]] = [
            (["ended", 1, [1.0, 0.0], "won", "m1"], '[1,[1,0],"m1"]'),
            (["ended", 2, [0.5, 0.5], "drawn", "m2"], '[2,[0.5,0.5],"m2"]'),
            (["ended", 3, [0, 1], "timed out", "m3"], '[3,[0,1],"timed out","m3"]'),
            (["ended", 4, [0, 0], "absent", None], '[4,[0,0],"absent",null]'),
            (["ended", 5, [0, 1, 0], "won", None], "[5,[0,1,0],null]"),
        ]
        for number, (words, _) in enumerate(lines, 1):
            assert self.tables.append(CUP, number, line(*words))
        texts = self.database.execute("SELECT line FROM tournament_lines ORDER BY number")
        assert [text for (text,) in texts.fetchall()] == [text for _, text in lines]
        assert [each.line for each in self.tables.read(CUP)] == [words for words, _ in lines]

    def test_ends_of_games_that_an_older_version_kept_are_read(self) -> None:
        old = ["ended", 1, [1, 0], "won", "m1"]
        values = (CUP, 1, 7, json.dumps(old))
        self.database.execute("INSERT INTO tournament_lines VALUES (?, ?, ?, ?)", values)
        assert [each.line for each in self.tables.read(CUP)] == [old]

    def test_what_is_over_is_not_live(self) -> None:
        self.tables.append(CUP, 1, line("over", "few", state="over"))
        assert self.tables.live() == {}
        assert [row.id for row in self.tables.page("over", None, 9)] == [CUP]

    def test_pages(self) -> None:
        for number in range(4):
            self.tables.make(Row(f"cup-{number}", "open", 9, "{}", "{}", ""))
        assert [row.id for row in self.tables.page(None, None, 2)] == ["cup-3", "cup-2"]
        assert [row.id for row in self.tables.page(None, "cup-2", 9)] == ["cup-1", "cup-0", CUP]

    def test_each_lobby_has_its_own(self) -> None:
        there = Row("cup", "open", 9, "{}", "{}", "", "north")
        assert self.tables.make(there) and self.tables.get("cup") == there
        assert self.tables.live() == {CUP: 0} and self.tables.live("north") == {"cup": 0}
        for lobby, cup in ((MAIN, CUP), ("north", "cup")):
            assert [row.id for row in self.tables.page(None, None, 9, lobby)] == [cup]
            self.tables.append(cup, 1, line("over", "few", state="over"))
        assert self.tables.prune(8, "north") == ["cup"] and self.tables.get(CUP) is not None

    def test_two_that_add_at_once_get_all_numbers_once(self) -> None:
        def add(name: str) -> None:
            with opened(self.place) as database:
                tables, added = TournamentTables(database), 0
                while added < LINES:
                    number = tables.live()[CUP] + 1
                    added += tables.append(CUP, number, line("entered", f"{name}{added}"))

        threads = [threading.Thread(target=add, args=(name,)) for name in ("a", "b")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        found = self.tables.read(CUP)
        assert [each.number for each in found] == list(range(1, 2 * LINES + 1))
        assert len({each.line[1] for each in found}) == 2 * LINES

    def test_a_removed_account_is_called_deleted(self) -> None:
        for number, name in enumerate(("ann", 'an"n', "anna", "änn"), start=1):
            self.tables.append(CUP, number, line("entered", name, None, None))
        for name in ("ann", "änn", 'an"n'):
            MatchTables(self.database).forget_player(name)
        names = [each.line for each in self.tables.read(CUP)]
        assert names == [
            ["entered", n, None, None] for n in ("deleted", "deleted", "anna", "deleted")
        ]

    def test_what_is_known_of_an_account(self) -> None:
        AccountTables(self.database).add_many([Account("ann", HASH, "7b")])
        assert self.tables.player("ann", "nim") == Player("7b", None)
        assert self.tables.player("eve", "nim") is None

    def test_a_database_without_them_is_upgraded(self) -> None:
        place, older = self.older()
        with closing(older):
            AccountTables(older).add_many([Account("ann", HASH)])
        with opened(place) as database:
            assert TournamentTables(database).live() == {}
            assert TournamentTables(database).player("ann", "nim") is not None


class SqliteTests(InSqlite, TournamentTablesContract, SynchronousTestCase):
    def older(self) -> tuple[str, Any]:
        path = temporary_directory(self) / "users.db"
        return str(path), SqliteDatabase.open(path, steps=shipped_steps()[:11])


class PostgresTests(InPostgres, TournamentTablesContract, SynchronousTestCase):
    def older(self) -> tuple[str, Any]:
        url = self.postgres.new_place()
        return url, PostgresDatabase.open(url, steps=shipped_steps("postgresql")[:11])

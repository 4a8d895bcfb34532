"""What the archive says of the games: which are played most, and how many minutes they take."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import Case
from tests.archive.helpers import ALICE, BEGAN, BOB, COMPUTER, archive_of, match
from tests.storage.postgres import InPostgres, InSqlite
from tictac.archive.match import Event, Match
from tictac.archive.packed import pack
from tictac.archive.reader import Reader
from tictac.archive.tables import MatchTables
from tictac.errors import NoArchive
from tictac.lobby.clock import TimeControl
from tictac.plugins.web import figures
from tictac.plugins.web.figures import LEAST, SAMPLE, WINDOW_DAYS, FigureTables, read_figures
from tictac.storage.databases import opened

DAY = 86_400


def lasting(seconds: float, name: str, game: str = "tictactoe", **fields: Any) -> Match:
    """Return a match of five moves that took so long."""
    found = match(name, *fields.pop("players", (ALICE, COMPUTER)), game=game, **fields)
    *events, end = found.events
    return found._replace(events=(*events, Event(seconds, end.fields)))


def some(game: str, *seconds: float, **fields: Any) -> list[Match]:
    """Return matches of a game that took so long."""
    return [lasting(each, f"{game[:4]}-{at}", game, **fields) for at, each in enumerate(seconds)]


class FigureTablesContract(Case):
    """What each database does; a subclass says which."""

    def new_place(self) -> str:
        raise NotImplementedError

    def setUp(self) -> None:
        super().setUp()
        self.database = self.enterContext(opened(self.new_place()))
        self.tables = FigureTables(self.database)

    def add(self, matches: list[Match]) -> None:
        MatchTables(self.database).add(list(map(pack, matches)))

    def recent(self, since: float = BEGAN - 1) -> dict[str, int]:
        """Return how many matches of each game are found, the most played game first."""
        return {game: len(some) for game, some in self.tables.recent(round(since * 1000)).items()}

    def minutes(self, *seconds: float, **fields: Any) -> int | None:
        """Return the usual minutes of new matches that took so long."""
        self.add(some("nim", *seconds, **fields))
        return self.tables.minutes(self.tables.recent(0)["nim"])

    def test_the_most_played_game_is_the_first(self) -> None:
        self.add(some("nim", *[60.0] * 6) + some("reversi", *[60.0] * 7))
        self.add(some("clue", *[60.0] * (LEAST - 1)))
        assert list(self.recent().items()) == [("reversi", 7), ("nim", 6)], "clue has too few"

    def test_older_matches_do_not_count(self) -> None:
        self.add(some("nim", *[60.0] * 6))
        self.add(some("reversi", *[60.0] * 7, began=BEGAN - DAY))
        assert self.recent() == {"nim": 6}

    def test_the_last_matches_of_all_count_and_of_a_game_some_are_read(self) -> None:
        self.patch(figures, "WINDOW", 70)
        self.add(some("reversi", *[60.0] * 10, began=BEGAN - DAY))
        self.add(some("nim", *[60.0] * (SAMPLE + 15)))
        assert self.recent(0) == {"nim": SAMPLE, "reversi": 5}

    def test_the_last_matches_of_a_game_are_read(self) -> None:
        self.add(some("nim", *range(100, 100 + SAMPLE + 3)))
        numbers = self.tables.recent(0)["nim"]
        rows = self.database.execute("SELECT number FROM matches ORDER BY ended").fetchall()
        assert sorted(numbers) == sorted(number for (number,) in rows[3:])

    def test_minutes_are_those_of_the_match_in_the_middle(self) -> None:
        assert self.minutes(100, 110, 290, 900, 5000) == 5

    def test_a_short_match_takes_a_minute(self) -> None:
        assert self.minutes(5, 6, 7, 8, 9) == 1

    def test_too_few_matches_have_no_minutes(self) -> None:
        self.add(some("reversi", 60))
        (number,) = self.database.execute("SELECT number FROM matches").fetchone()
        assert self.tables.minutes([number]) is None

    def test_matches_of_programs_have_no_minutes(self) -> None:
        assert self.minutes(0.1, 0.2, 0.3, 0.4, 2.4, players=(ALICE, BOB)) is None

    def test_matches_that_a_player_ended_have_no_minutes(self) -> None:
        assert self.minutes(60, 60, 60, 60, 60, ending="forfeited") is None

    def test_matches_over_days_have_no_minutes(self) -> None:
        assert self.minutes(60, 60, 60, 60, 60, clock=TimeControl.of_days(2)) is None


class PostgresTests(InPostgres, FigureTablesContract, SynchronousTestCase):
    pass


class SqliteTests(InSqlite, FigureTablesContract, SynchronousTestCase):
    pass


class ReadingTests(SynchronousTestCase):
    def read(self, *matches: Match) -> figures.Figures:
        clock = Clock()
        reader = Reader(archive_of(*matches), clock.seconds, clock.callLater)
        return self.successResultOf(read_figures_of(reader))

    def test_a_game_has_a_rank_and_minutes(self) -> None:
        found = some("nim", *[0.1] * 6) + some("reversi", *[300.0] * 7, began=BEGAN + 1)
        assert self.read(*found) == {"reversi": {"rank": 1, "minutes": 5}, "nim": {"rank": 2}}

    def test_old_matches_say_nothing(self) -> None:
        assert self.read(*some("nim", *[60.0] * 5, began=BEGAN - WINDOW_DAYS * DAY)) == {}

    def test_without_an_archive_it_is_refused(self) -> None:
        clock = Clock()
        reading = read_figures_of(Reader(None, clock.seconds, clock.callLater))
        self.failureResultOf(reading, NoArchive)


def read_figures_of(reader: Reader) -> Deferred[figures.Figures]:
    """Begin to read the figures a day after the matches."""
    return Deferred.fromCoroutine(read_figures(reader, BEGAN + DAY))

"""A term on a ladder: each game counts once although the process is killed; bytes and memory.

The benchmark plays a series in one process, in simulated time: an arena for each day, whose games
bots decide by lot. It writes each match of tic-tac-toe with its outcome into the archive, as the
server does. A tournament counts the outcome, and the keeper counts the tournament. After a random
number of requests to the database, the process dies: later requests never get an answer, and a new
process continues on the same database.

At the end, the archive is read by itself. Each of its matches must be in the lines of one
tournament once, and its sums by pairs and the ratings must be those of the ladder.
"""

from __future__ import annotations

import json
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Coroutine, Sequence
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from twisted.internet.defer import Deferred, execute, succeed
from twisted.internet.task import Clock

from bench.archive import some_matches
from bench.report import Reach, parser, read, run, table
from tictac.accounts.tables import Account, AccountTables
from tictac.archive.packed import new_id
from tictac.archive.tables import MatchTables
from tictac.lobby.journal import Outcome, Packed, PackedSeat
from tictac.options import MAIN
from tictac.plugins.tournament.cup import Line
from tictac.plugins.tournament.deciding import decide
from tictac.plugins.tournament.hosting.follower import Followed, Follower
from tictac.plugins.tournament.hosting.tables import TournamentTables
from tictac.plugins.tournament.ladder.keeper import Keeper
from tictac.plugins.tournament.ladder.ranking import Ranking, Sums
from tictac.plugins.tournament.ladder.series_plan import load_series
from tictac.plugins.tournament.ladder.tables import SeriesRow, SeriesTables
from tictac.storage.database import Database
from tictac.storage.databases import prepare
from tictac.storage.sqlite import SqliteDatabase
from tictac.storage.store import Stored

T = TypeVar("T")

SERIES = "term"
BEGAN = datetime(2026, 9, 1, 8, tzinfo=UTC).timestamp()
DAY = 86_400.0
IN_A_DAY = 4000
"""Games of a day."""
LIFE = 400
"""Requests to the database until a process dies, on average."""
WON, DRAWN = 0.45, 0.1


class MortalStore:
    """A database whose process dies after ``left`` requests (storage.store.Store)."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.left = inf

    def start(self) -> None:
        pass

    def ready(self) -> bool:
        return self.left > 0

    def close(self) -> Deferred[None]:
        return succeed(None)

    def ask(self, work: Callable[[Database], T], only_reads: bool = False) -> Deferred[T]:
        self.left -= 1
        return Deferred() if self.left < 0 else execute(work, self._database)


class Process:
    """A process of the server, as far as it keeps tournaments and series."""

    def __init__(self, database: Database, clock: Clock, life: float) -> None:
        self.store = MortalStore(database)
        self.tournaments = Stored(self.store, TournamentTables)
        self.matches = Stored(self.store, MatchTables)
        self.follower = Follower(self.tournaments, lambda: BEGAN + clock.seconds(), MAIN)
        series = Stored(self.store, SeriesTables)
        self.keeper = Keeper(series, self.tournaments, self.follower, clock, lambda room: None)
        self.store.left = life
        self.keeper.start()


class Term:
    """The bots of a series, and what they have played."""

    def __init__(self, path: Path, bots: int, rng: Random) -> None:
        prepare(str(path))
        self.database, self.clock, self.rng = SqliteDatabase.open(path), Clock(), rng
        self.names = [f"bot{number}" for number in range(bots)]
        AccountTables(self.database).add_many([Account(name, "hash") for name in self.names])
        plan = load_series({
            "name": "Term", "game": "tictactoe", "clock": {"initial": 30}, "night": "none",
            "hours": "06:00-23:30",
        })  # fmt: skip
        tables = SeriesTables(self.database)
        tables.make(SeriesRow(SERIES, "open", round(BEGAN), json.dumps(plan.dump())))
        for name in self.names:
            tables.enter(SERIES, name, "1.0", round(BEGAN))
        self.kinds = some_matches(rng, 200)
        self.kills, self.days = -1, 0
        self.process = self._begin()

    def _begin(self) -> Process:
        """Begin a process; what the former one waits for never comes."""
        for call in self.clock.getDelayedCalls():
            call.cancel()
        self.kills += 1
        process = Process(self.database, self.clock, self.rng.expovariate(1 / LIFE))
        self.process = process
        return process

    def finish(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Do it, in as many processes as it takes; a process may die with all that it does."""
        while True:
            found: list[T] = []
            done = Deferred.fromCoroutine(work())
            done.addCallback(found.append)
            for _ in range(1000):
                if found or not self.process.store.ready():
                    break
                self.clock.advance(0.01)
            if found:
                return found[0]
            self._begin()

    async def play_day(self, games: int) -> None:
        """Play until the arena of the day has so many games, and let it end."""
        process = self.process
        known = process.keeper.series.get(SERIES)
        while known is None or known.current is None:
            waiting: Deferred[None] = Deferred()
            self.clock.callLater(0.005, waiting.callback, None)
            await waiting
            known = process.keeper.series.get(SERIES)
        await process.follower.look()
        followed = await process.follower.get(known.current)
        for name in self.names:
            if followed.cup.number_of(name) is None:
                await self._append(followed, ["entered", name, None, None])
        while len(followed.cup.order) < games and followed.cup.phase != "over":
            await self._count(followed)
            cup = followed.cup
            if cup.phase == "open":
                await self._append(followed, ["began", 1])
                continue
            line = decide(cup, False, lambda _: inf, ())
            if line is not None:
                await self._append(followed, line)
            due = followed.cup.due()
            ending = self.rng.sample(due, max(1, len(due) // 2))
            ended = [self._end(followed, game.number) for game in ending]
            matches, outcomes = zip(*ended, strict=True)
            await process.matches.ask(MatchTables.add, matches, outcomes)
        await self._count(followed)
        if followed.cup.phase != "over":
            await self._append(followed, ["over", "time"])

    async def _count(self, followed: Followed) -> None:
        """Count the outcomes of a tournament, as the host does."""
        log = self.process.tournaments
        for outcome in await log.ask(TournamentTables.outcomes, followed.id):
            line = ["ended", outcome.game, json.loads(outcome.scores), outcome.how, outcome.match]
            await self._append(followed, line, outcome.game)

    async def _append(self, followed: Followed, line: Line, counted: int = 0) -> None:
        await self.process.follower.append(followed.id, lambda cup: line, counted)

    def _end(self, followed: Followed, number: int) -> tuple[Packed, Outcome]:
        """Return a match of a game that ends by lot."""
        self.clock.advance(0.001)
        names = followed.cup.names(followed.cup.games[number])
        at, kind = self.rng.random(), self.rng.choice(self.kinds)
        winner = 0 if at < WON else None if at < WON + DRAWN else 1
        content = kind.content.replace('["",""]', json.dumps(names, separators=(",", ":")))
        ended = BEGAN + self.clock.seconds()
        key = new_id(ended)
        seats = tuple([PackedSeat(user, key, seat, 1) for seat, user in enumerate(names)])
        packed = Packed(key, round(ended * 1000), kind.game, 0, winner, content, seats, False)
        scores = [0.5, 0.5] if winner is None else [float(seat == winner) for seat in (0, 1)]
        how = "drawn" if winner is None else "won"
        return packed, Outcome(followed.id, number, json.dumps(scores), how, key)

    def next_day(self) -> None:
        """Let the night pass."""
        self.days += 1
        self.clock.advance(self.days * DAY - self.clock.seconds())

    async def rank(self) -> dict[str, float]:
        """Return the ratings, when all tournaments are counted."""
        keeper = self.process.keeper
        known = await keeper.get(SERIES)
        await keeper.rank(known)
        return {name: each.rating for name, each in known.estimates.items()}


def check(path: Path, ratings: dict[str, float]) -> int:
    """Return the number of games, if the archive says the same as the ladder. Raises ValueError."""
    database = sqlite3.connect(path)
    players: dict[str, list[str]] = {}
    winners: dict[str, int | None] = dict(database.execute("SELECT id, winner FROM matches"))
    for key, name in database.execute(
        "SELECT id, player FROM matches JOIN match_players ON match = number ORDER BY seat"
    ):
        players.setdefault(key, []).append(name)
    tournaments = [name for (name,) in database.execute("SELECT id FROM tournaments")]
    tables = TournamentTables(SqliteDatabase(database, path))
    lines = [each.line for name in tournaments for each in tables.read(name)]
    counted = [line[4] for line in lines if line[0] == "ended"]
    if len({*counted}) != len(counted) or {*counted} != winners.keys():
        raise ValueError(f"{len(counted)} games are counted, of {len(winners)} matches")
    sums: dict[tuple[str, str], Sums] = {}
    for key, (one, other) in players.items():
        winner = winners[key]
        own = 0.5 if winner is None else float((winner == 0) == (one < other))
        more = Sums(int(own == 1), int(own == 0.5), int(own == 0), 1)
        pair = min(one, other), max(one, other)
        sums[pair] = sums.get(pair, Sums()).plus(more)
    rows = database.execute("SELECT one, other, won, drawn, lost, fresh FROM series_pairs")
    kept = {(one, other): Sums(*rest) for one, other, *rest in rows}
    if kept != sums:
        raise ValueError("the sums of the ladder aren't those of the archive")
    ranking = Ranking(sums, {})
    for _ in ranking.steps():
        pass
    off = max(abs(each.rating - ratings[name]) for name, each in ranking.estimates.items())
    if off > 0.5:
        raise ValueError(f"a rating differs by {off:.1f}")
    database.close()
    return len(winners)


def sizes(path: Path) -> list[tuple[str, int]]:
    """Return the bytes of the largest tables and indexes, if SQLite counts them."""
    try:
        rows = sqlite3.connect(path).execute(
            "SELECT name, SUM(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 8"
        )
        return [(str(name), int(size)) for name, size in rows]
    except sqlite3.OperationalError:
        return []


def resident() -> float:
    """Return the memory of this process in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def print_figures(figures: dict[str, str]) -> None:
    """Print figures as a table."""
    table(("figure", "of the term"), [[name, value] for name, value in figures.items()])


def main(arguments: Sequence[str] | None = None) -> None:
    """Play a term, compare it with its archive, and print its figures."""
    made = parser(__doc__, games=(200_000, 5000), bots=(60, 20))
    options = read(made, arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "term.db"
        term = Term(path, options.bots, Random(1))
        empty, spent, memory = path.stat().st_size, time.process_time(), list[float]()
        in_a_day = min(IN_A_DAY, options.games // 4)
        for _ in range(options.games // in_a_day):
            term.finish(lambda: term.play_day(in_a_day))
            term.next_day()
            memory.append(resident())
        ratings = term.finish(term.rank)
        spent = time.process_time() - spent
        games = check(path, ratings)
        term.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        size = path.stat().st_size - empty
        third = memory[len(memory) // 3 :]
        print_figures({
            "ms of processor time for a game": f"{1000 * spent / games:.2f}",
            "games, each counted once": f"{games}",
            "days": f"{term.days}",
            "kills": f"{term.kills}",
            "MiB of memory after a third": f"{third[0]:.1f}",
            "MiB of memory at the end": f"{memory[-1]:.1f}",
            **{f"bytes of {name} for a game": f"{each / games:.1f}" for name, each in sizes(path)},
        })  # fmt: skip
        Reach("bytes of the database for a game", 500).tell(size / games)
        Reach("memory at the end, times that after a third", 1.2).tell(memory[-1] / third[0])


if __name__ == "__main__":
    run(main)

"""A series in simulated time, on a server whose players decide their games by lot."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random
from typing import Any

from twisted.internet.task import Clock

from tests.plugins.tournament.hosting.stage import NOW, Stage
from tests.storage.memory import MemoryStore
from tictac.accounts.tables import Account
from tictac.plugins.tournament.ladder.keeper import Keeper, Known
from tictac.plugins.tournament.ladder.ranking import Sums
from tictac.plugins.tournament.ladder.series_plan import load_series
from tictac.plugins.tournament.ladder.tables import SeriesRow, SeriesTables
from tictac.plugins.tournament.plan import ABSENT
from tictac.storage.store import Stored

SERIES = "term"


def plan_json(**others: Any) -> dict[str, Any]:
    """Return a plan as an admin would send it."""
    return {"name": "Term", "game": "nim", "clock": {"initial": 60}} | others


def seconds_of(text: str) -> float:
    """Return the simulated time at a time of day in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() - NOW


class Term:
    """A server with a series; ``again`` is another process on the same database."""

    def __init__(self, *names: str, **plan: Any) -> None:
        self.store = MemoryStore([Account(name, "hash") for name in names])
        self.store.start()
        tables = SeriesTables(self.store.database)
        made = SeriesRow(SERIES, "open", 0, _text(plan_json(**plan)))
        assert tables.make(made)
        for name in names:
            tables.enter(SERIES, name, "", 0)
        self.rng = Random(1)
        self._boot(Clock())

    def _boot(self, clock: Clock) -> None:
        self.stage = Stage(self.store, clock)
        self.log = Stored(self.store, SeriesTables)
        stage = self.stage
        self.keeper = Keeper(
            self.log, stage.log, stage.follower, clock,
            lambda room: stage.registry.call_off(room, "closed"),
        )  # fmt: skip
        stage.follower.changed.append(lambda _: stage.host.look_soon())
        stage.start()
        self.keeper.start()

    def kill(self) -> None:
        """Kill the process, and begin another one on the same database."""
        self.stage.kill()
        clock = Clock()
        clock.advance(self.stage.clock.seconds())
        self._boot(clock)

    @property
    def known(self) -> Known:
        return self.keeper.series[SERIES]

    def go_to(self, text: str) -> None:
        """Let time pass until a time of day: at once, and then in steps."""
        self.stage.clock.advance(seconds_of(text) - self.stage.clock.seconds())
        self.settle()

    def settle(self, seconds: float = 12) -> None:
        self.stage.pass_time(seconds)

    def enter(self, *names: str) -> None:
        """Let players take part in the tournament of now."""
        assert self.known.current is not None
        for name in names:
            self.stage.append_line(["entered", name, None, None], self.known.current)

    def end_games(self, decide: Callable[[str, str], float] | None = None) -> int:
        """End all due games of the current tournament; return their number.

        ``decide`` returns the score of the first of two players.
        """
        followed = self.stage.follower.known.get(self.known.current or "")
        if followed is None or followed.cup.phase != "running":
            return 0
        due = followed.cup.due()
        for game in due:
            score = self.rng.choice([0.0, 0.5, 1.0])
            if decide is not None:
                score = decide(*followed.cup.names(game))
            line = ["ended", game.number, [score, 1 - score], "won", None]
            self.stage.append_line(line, followed.id)
        return len(due)

    def tables(self) -> SeriesTables:
        return SeriesTables(self.store.database)

    def folded(self) -> dict[tuple[str, str], tuple[int, int, int]]:
        """Return the sums of all games, read from the lines of all tournaments."""
        found: dict[tuple[str, str], list[int]] = {}
        for tournament in self.tables().tournaments(SERIES):
            names: list[str] = []
            seats: dict[int, list[int]] = {}
            for line in self.stage.lines(tournament):
                match list(line):
                    case ["entered", name, _, level]:
                        names.append(name if level is None else f":{level}")
                    case ["paired", _, games, _]:
                        seats |= dict(games)
                    case ["ended", number, scores, how, *_] if how != ABSENT:
                        one, other = (names[each - 1] for each in seats[number])
                        own = scores[one > other]
                        sums = found.setdefault((min(one, other), max(one, other)), [0, 0, 0])
                        sums[0 if own > 0.5 else 1 if own == 0.5 else 2] += 1
        return {pair: (sums[0], sums[1], sums[2]) for pair, sums in found.items()}

    def sums(self) -> dict[tuple[str, str], tuple[int, int, int]]:
        pairs = self.tables().pairs(SERIES)
        return {pair: Sums(*sums)[:3] for pair, sums in pairs.items()}


def _text(plan: dict[str, Any]) -> str:
    return json.dumps(load_series(plan).dump())

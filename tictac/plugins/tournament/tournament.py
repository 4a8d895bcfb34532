"""A tournament as it goes on: what is to be played next, and how everybody stands.

Everything follows from the plan and the results: made anew from these, a tournament is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Protocol

from tictac.errors import SetupError
from tictac.plugins.tournament.arena import Arena
from tictac.plugins.tournament.knockout import KnockOut
from tictac.plugins.tournament.plan import Pairing, Plan, Played, System
from tictac.plugins.tournament.results import Results
from tictac.plugins.tournament.roundrobin import RoundRobin
from tictac.plugins.tournament.sprt import Verdict, decide
from tictac.plugins.tournament.standings import Standing, rank
from tictac.plugins.tournament.swiss import Swiss


class Pairs(Protocol):
    """A system: who plays whom."""

    @property
    def total(self) -> int | None:
        """How many games there will be, as far as can be said; None: it can't."""

    def knows(self, pairing: Pairing) -> bool:
        """Whether that is a game of this tournament, as far as it has gone."""

    def note(self, played: Played) -> None:
        """A game has ended."""

    def due(
        self, running: Mapping[int, Pairing], most: int, away: Collection[str]
    ) -> list[Pairing]:
        """The games that may begin now, at most so many."""

    def byes(self) -> Collection[tuple[int, str]]:
        """Who was free in a round, though it counts as won."""

    def measures(self, results: Results) -> Mapping[str, Mapping[str, float]]:
        """By what each player is ranked, by name, what counts most first."""


class Tournament:
    """A plan, and what was played."""

    def __init__(self, plan: Plan, played: Iterable[Played] = ()) -> None:
        """Raises SetupError for a plan that is none, or results of another one."""
        plan.check()
        self.plan = plan
        self.played: list[Played] = []
        self.results = Results(plan.entries)
        self._numbers: set[int] = set()
        self._pairs: Pairs = _SYSTEMS[plan.system](plan, self.results)
        for each in played:
            self.note(each)

    def note(self, played: Played) -> None:
        """Count a game that has ended. Raises SetupError if it isn't one of these, or counted."""
        number = played.pairing.number
        if number in self._numbers or not self._pairs.knows(played.pairing):
            raise SetupError(f"game {number} of the tournament isn't the one that was to be played")
        self._numbers.add(number)
        self.played.append(played)
        self.results.note(played)
        self._pairs.note(played)

    def due(
        self,
        running: Mapping[int, Pairing],
        now: float,
        most: int = 100,
        away: Collection[str] = (),
    ) -> list[Pairing]:
        """The games that may begin now, at most ``most``, the first that should first.

        ``running`` are those under way, by number. A player may be in several: it is for the caller
        to hold back whoever plays one at a time. An arena pairs nobody who is ``away``.
        """
        ended = self.plan.ends is not None and now >= self.plan.ends
        if ended or (self.verdict and self.verdict.accepted):
            return []
        return self._pairs.due(running, most, away)

    def over(self, running: Mapping[int, Pairing], now: float) -> bool:
        """Whether nothing is under way, and nothing will be."""
        return not running and not self.due(running, now, 1)

    @property
    def total(self) -> int | None:
        """How many games there will be, as far as can be said now; None: nobody knows."""
        return self._pairs.total

    @property
    def verdict(self) -> Verdict | None:
        """How the sequential test stands, if there is one."""
        if self.plan.sprt is None:
            return None
        one, other = self.plan.entries
        return decide(self.plan.sprt, self.results.between(one, other))

    @property
    def byes(self) -> Collection[tuple[int, str]]:
        """Who was free in which round, and goes on, or has won it."""
        return self._pairs.byes()

    def standings(self) -> list[Standing]:
        """How everybody stands, the best first."""
        return rank(self.results, self._pairs.measures(self.results))


_SYSTEMS: Mapping[System, Callable[[Plan, Results], Pairs]] = {
    "round-robin": RoundRobin,
    "swiss": Swiss,
    "knock-out": KnockOut,
    "arena": Arena,
}

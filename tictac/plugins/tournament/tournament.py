"""A tournament in progress: the games that are due, and the standings.

The plan and the results decide both: a tournament made again from them is the same.
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
    """The pairings of a system."""

    @property
    def total(self) -> int | None:
        """Number of games, as far as it is known; None if it isn't."""

    def knows(self, pairing: Pairing) -> bool:
        """Return whether the system has made ``pairing`` so far."""

    def note(self, played: Played) -> None:
        """Count a finished game."""

    def due(
        self, running: Mapping[int, Pairing], most: int, away: Collection[str]
    ) -> list[Pairing]:
        """Return up to ``most`` games that may begin now."""

    def byes(self) -> Collection[tuple[int, str]]:
        """Return rounds and players with a bye, which counts as won."""

    def measures(self, results: Results) -> Mapping[str, Mapping[str, float]]:
        """Return the measures that rank each player, by name, the most important first."""


class Tournament:
    """A plan, and the finished games."""

    def __init__(self, plan: Plan, played: Iterable[Played] = ()) -> None:
        """Raise SetupError for an invalid plan, or results of another one."""
        plan.check()
        self.plan = plan
        self.played: list[Played] = []
        self.results = Results(plan.entries)
        self._numbers: set[int] = set()
        self._pairs: Pairs = _SYSTEMS[plan.system](plan, self.results)
        for each in played:
            self.note(each)

    def note(self, played: Played) -> None:
        """Count a finished game. Raise SetupError for an unknown game, or one counted before."""
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
        """Return up to ``most`` games that may begin now, in the order in which they should.

        ``running`` has the running games by number. A player may be in several games; the caller
        holds back the games of players who play one at a time. An arena pairs no player who is
        ``away``.
        """
        ended = self.plan.ends is not None and now >= self.plan.ends
        if ended or (self.verdict and self.verdict.accepted):
            return []
        return self._pairs.due(running, most, away)

    def over(self, running: Mapping[int, Pairing], now: float) -> bool:
        """Return whether no game is running, and none will begin."""
        return not running and not self.due(running, now, 1)

    @property
    def total(self) -> int | None:
        """Number of games, as far as it is known now; None if it isn't."""
        return self._pairs.total

    @property
    def verdict(self) -> Verdict | None:
        """The state of the sequential test, if there is one."""
        if self.plan.sprt is None:
            return None
        one, other = self.plan.entries
        return decide(self.plan.sprt, self.results.between(one, other))

    @property
    def byes(self) -> Collection[tuple[int, str]]:
        """Rounds and players with a bye, which counts as won."""
        return self._pairs.byes()

    def standings(self) -> list[Standing]:
        """Return the standings, the best player first."""
        return rank(self.results, self._pairs.measures(self.results))


_SYSTEMS: Mapping[System, Callable[[Plan, Results], Pairs]] = {
    "round-robin": RoundRobin,
    "swiss": Swiss,
    "knock-out": KnockOut,
    "arena": Arena,
}

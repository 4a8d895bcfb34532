"""Arena: free players play opponents near in standing, until the time is up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from tictac.plugins.tournament.plan import Pairing, Plan, Played
from tictac.plugins.tournament.results import Results


class Arena:
    """The pairings of an arena, after lichess.

    The arena pairs players once half of the players present are free, or no game runs. From the
    top of the standings, each player gets the next one that wasn't the last opponent. If the number
    is odd, the player of the latest game sits out.
    """

    total = None

    def __init__(self, plan: Plan, results: Results) -> None:
        self._plan = plan
        self._results = results
        self._last: dict[str, tuple[int, str]] = {}
        self._first: dict[str, int] = defaultdict(int)
        self._highest = self._count = 0

    def knows(self, pairing: Pairing) -> bool:
        """Return whether two players of the plan can have played ``pairing``."""
        return len(pairing.seats) == 2 and set(pairing.seats) <= set(self._plan.entries)

    def note(self, played: Played) -> None:
        """Count a finished game, whose players are free now."""
        one, other = played.pairing.seats
        self._count += 1
        self._last[one], self._last[other] = (self._count, other), (self._count, one)
        self._first[one] += 1
        self._first[other] -= 1
        self._highest = max(self._highest, played.pairing.number)

    def due(
        self, running: Mapping[int, Pairing], most: int, away: Collection[str]
    ) -> list[Pairing]:
        """Return up to ``most`` pairs of free players who aren't ``away``."""
        busy = {name for pairing in running.values() for name in pairing.seats}
        there = [name for name in self._plan.entries if name not in away or name in busy]
        free = [name for name in there if name not in busy]
        if running and 2 * len(free) < len(there):
            return []
        if len(free) % 2:
            free.remove(max(free, key=self._waiting_since))
        free.sort(key=lambda name: -self._results.points[name])
        pairs = self._pairs(free)
        if not (pairs or running) and len(free) > 1:
            pairs = [(free[0], free[1])]  # no other player is present
        if len(pairs) > most:  # the players who have waited longest
            pairs.sort(key=lambda pair: sum(map(self._waiting_since, pair)))
        number = max(self._highest, *running, 0)
        return [
            self._plan.pairing(number + nth, 0, names, 0, number + nth)
            for nth, names in enumerate(pairs[:most], 1)
        ]

    def _waiting_since(self, name: str) -> int:
        return self._last.get(name, (0, ""))[0]

    def _pairs(self, free: list[str]) -> list[tuple[str, str]]:
        found, left = [], list(free)
        while len(left) > 1:
            one = left.pop(0)
            new = [name for name in left if self._last.get(one, (0, ""))[1] != name]
            if new:
                left.remove(new[0])
                found.append(self._seated(one, new[0]))
        return found

    def _seated(self, one: str, other: str) -> tuple[str, str]:
        """Return both names, first the player who has had the first seat less often."""
        return (one, other) if self._first[one] <= self._first[other] else (other, one)

    def byes(self) -> Collection[tuple[int, str]]:
        """Return no byes: a free player of an arena wins nothing."""
        return ()

    def measures(self, results: Results) -> Mapping[str, Mapping[str, float]]:
        """Return each player's points, then points per game."""
        return {
            name: {"points": points, "points a game": points / max(1, results.played[name].games)}
            for name, points in results.points.items()
        }

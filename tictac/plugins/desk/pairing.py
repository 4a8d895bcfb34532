"""Pairs of players who wait: with the fewest repetitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import inf

STEPS = 20_000
"""The work of a search, divided by the number of players: a few milliseconds."""

NEVER = 1000
"""The cost of a pair that must not play."""

Cost = Callable[[str, str], int]
"""How often two players met; NEVER or more: they can't. Beside "", how often one was left over."""


def pair(names: Sequence[str], cost: Cost) -> tuple[list[tuple[str, str]], list[str]]:
    """Return pairs with the lowest total cost that the search finds, and the players left over.

    The search begins with the players who have the fewest new partners. With up to eight players,
    the result is the best one. In a larger group, two pairs then exchange partners as long as this
    lowers the cost. That avoids each repetition while every player has new partners in half of the
    group: if one pair repeats, another pair exists with which it can exchange partners.
    """
    players = [*names, ""] if len(names) % 2 else [*names]
    costs = {a: {b: cost(a, b) if a else cost(b, a) for b in players if b != a} for a in players}
    players.sort(key=lambda each: sum(value == 0 for value in costs[each].values()))
    least = {a: min(of.values(), default=0) for a, of in costs.items()}
    search = _Search(costs, least, STEPS // max(1, len(players)))
    search.go_on(players, [], 0)
    possible = [(a, b) for a, b in _exchanged(search.best, costs) if costs[a][b] < NEVER]
    pairs = [(a, b) for a, b in possible if a and b]
    paired = {name for both in pairs for name in both}
    return pairs, [name for name in names if name not in paired]


def _exchanged(
    pairs: list[tuple[str, str]], costs: dict[str, dict[str, int]]
) -> list[tuple[str, str]]:
    """Return pairs of the same players, of which no two lower the cost by an exchange."""
    found = list(pairs)
    changed = True
    while changed:
        changed = False
        for i, j in combinations(range(len(found)), 2):
            (a, b), (c, d) = found[i], found[j]
            now = costs[a][b] + costs[c][d]
            for one, other in (((a, c), (b, d)), ((a, d), (b, c))) if now else ():
                if costs[one[0]][one[1]] + costs[other[0]][other[1]] < now:
                    found[i], found[j] = one, other
                    changed = True
                    break
    return found


class _Search:
    """A search by branch and bound, which ends after ``steps``."""

    def __init__(self, costs: dict[str, dict[str, int]], least: dict[str, int], steps: int) -> None:
        self._costs, self._least, self._steps = costs, least, steps
        self._total = inf
        self.best: list[tuple[str, str]] = []

    def go_on(self, rest: list[str], pairs: list[tuple[str, str]], total: int) -> None:
        """Pair the rest of the players, and keep the result if it is better."""
        if total + sum(self._least[each] for each in rest) / 2 >= self._total:
            return
        if not rest:
            self.best, self._total = pairs, total
            return
        one, *others = rest
        of = self._costs[one]
        for other in sorted(others, key=of.__getitem__):
            self._steps -= 1
            if self._steps < 0 and self.best:
                return
            left = [each for each in others if each != other]
            self.go_on(left, [*pairs, (one, other)], total + of[other])

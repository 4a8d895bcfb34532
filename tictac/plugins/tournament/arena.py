"""Pair the free players of an arena, as many as possible, and each with a player of similar points.

A player becomes free with a line: the end of a game, an entry, or a return. Two players have *just
met* if the last game of each is the same game. Therefore, each player has just met at most one
other player, and four or more free players can always all be paired, except one of an odd number.
The invariant of each wave of pairings:

1. If the number is odd, the player who became free last sits out. If two players became free with
   the same game, the player with the shorter wait before that game sits out. All other players
   become free later. Therefore, the next wave includes that player, and three players rotate.
2. Two players who have just met aren't paired, unless no other player is free.
3. The pairs are the nearest by points that blocks of 2, 4, and 6 neighbors allow.

Example: p1 beat p2, and p3 beat p4. By points they are p1 p3 p2 p4, and the pairs are p1-p3 and
p2-p4. If p1 and p3 had just met, the pairs would be p1-p2 and p3-p4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf
from typing import NamedTuple

Pair = tuple[int, int]
Cost = Callable[[int, int], float]

AGAIN = 1.0
"""The cost of a repeated opponent, as a difference in points."""

_PLACE = 1e-4
"""The cost of each place between two players, which decides among equal points."""


class Form(NamedTuple):
    """The facts about a player that pairing needs.

    ``since`` is the number of the line with which the player became free, and ``before`` is its
    value before the last game. ``game`` is the last game, and ``opponent`` the opponent in it;
    ``row`` counts the successive games of these two. ``first`` is the number of games that the
    player began, minus the number that opponents began.
    """

    since: int = 0
    before: int = 0
    game: int = 0
    opponent: int = 0
    row: int = 0
    first: int = 0

    def has_just_met(self, other: Form) -> bool:
        """Return whether the last game of both players is the same game."""
        return self.game == other.game != 0

    def after(self, other: Form, game: int, opponent: int, first: int, line: int | None) -> Form:
        """Return the form after a game against ``other``, which the given ``line`` ended.

        If the opponent was absent, ``line`` is None: the player's wait continues.
        """
        row = self.row + 1 if self.has_just_met(other) else 1
        since, before = (self.since, self.before) if line is None else (line, self.since)
        return Form(since, before, game, opponent, row, self.first + first)


def pairings(free: Mapping[int, Form], points: Mapping[int, float]) -> list[Pair]:
    """Return the pairs of a wave; the list is empty if the only two players have just met."""

    def cost(one: int, other: int) -> float:
        mine, theirs = free[one], free[other]
        if mine.has_just_met(theirs):
            return inf
        again = (mine.opponent == other) + (theirs.opponent == one)
        return abs(points[one] - points[other]) + AGAIN * again

    line = sorted(free, key=lambda number: -points[number])
    if len(line) % 2 == 0:
        return _nearest(line, cost)
    # If the two others of three players have just met, another player must sit out.
    latest = sorted(line, key=lambda number: (free[number].since, free[number].before))
    waves = (_nearest([each for each in line if each != out], cost) for out in latest[::-1])
    return next(filter(None, waves), [])


def _nearest(line: Sequence[int], cost: Cost) -> list[Pair]:
    """Return the cheapest pairs of neighbors; the list is empty if a player would remain."""
    best: list[tuple[float, list[Pair]]] = [(0.0, [])]
    costs: dict[Pair, float] = {}
    for end in range(2, len(line) + 1, 2):
        cheapest, chosen, before = inf, None, 0
        for size, ways in _BLOCKS.items():
            begin = end - size
            if begin < 0:
                break
            for way in ways:
                total = best[begin // 2][0]
                for one, other in way:
                    key = begin + one, begin + other
                    if key not in costs:
                        far = cost(line[key[0]], line[key[1]])
                        costs[key] = far + _PLACE * (other - one) ** 2
                    total += costs[key]
                if total < cheapest:
                    cheapest, chosen, before = total, way, begin
        pairs = [(line[before + one], line[before + other]) for one, other in chosen or ()]
        best.append((cheapest, pairs))
    found: list[Pair] = []
    half = len(line) // 2
    if best[half][0] == inf:
        return []
    while half:
        pairs = best[half][1]
        found = pairs + found
        half -= len(pairs)
    return found


def _ways(places: Sequence[int]) -> Iterator[list[Pair]]:
    """Yield all ways to pair an even number of places."""
    if not places:
        yield []
    for nth in range(1, len(places)):
        for rest in _ways([*places[1:nth], *places[nth + 1 :]]):
            yield [(places[0], places[nth]), *rest]


_BLOCKS = {size: list(_ways(range(size))) for size in (2, 4, 6)}
"""The ways to pair 2, 4, and 6 neighbors, from which the pairs of longer lines are built."""

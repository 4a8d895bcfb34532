"""The computer for Chinese checkers: it looks for the turn that brings its pegs the furthest.

Random play-outs don't end here. A turn is worth what is left of the ways of all pegs to the tip of
the point opposite; long ways count more, so that no peg stays behind. A hole is its place from the
middle of the star, in holes to the right and rows down.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from math import hypot
from random import Random

from tictac_openspiel.adapter import Position, Spiel

BROAD = 8
"""Turns after which the level ``best`` looks for its next one."""
SURE = 0.2
"""How much more a gain now counts than one of the next turn."""
CARELESS = 0.5
"""The share of turns that a beginner takes from the better half, and not the best one."""

WAYS = ((1.0, 0.0), (-1.0, 0.0), (0.5, 1.0), (-0.5, 1.0), (0.5, -1.0), (-0.5, -1.0))

Hole = tuple[float, float]
Holes = Mapping[Hole, str]
"""The holes of the star, each with the sign of what is in it."""


def choose(game: Spiel, position: Position, level: str, rng: Random) -> str:
    """Return a move of the best turn, which may be to stop."""
    grid = game.entry.board.grid(position.text)
    holes = read(grid)
    names = dict(zip(holes, position.cells, strict=True))
    sign = position.text.split(" ")[1]
    tip = tips(game, position.seats)[int(sign) - 1]
    pegs = {hole for hole, what in holes.items() if what == sign}
    ends: dict[str, tuple[float, set[Hole]]] = {}
    if "stop" in position.moves:
        ends["stop"] = left(pegs, tip), pegs
    for peg in pegs:
        for first, end in reach(holes, peg, "stop" not in ends):
            text, after = names[peg] + names[first], (pegs - {peg}) | {end}
            found = left(after, tip)
            if text in position.moves and (text not in ends or found < ends[text][0]):
                ends[text] = found, after
    # The draw among equals keeps computers from repeating themselves.
    best = sorted(ends, key=lambda text: (ends[text][0], rng.random()))
    if level == "beginner" and rng.random() < CARELESS:
        return rng.choice(best[: -(-len(best) // 2)])
    if level == "best":
        return min(best[:BROAD], key=lambda text: _next(holes, ends[text][1], pegs, tip))
    return best[0]


def _next(holes: Holes, after: set[Hole], before: set[Hole], tip: Hole) -> float:
    """Return what is left at best after another turn, as if nobody else moved."""
    gone, come = before - after, after - before
    moved = {**holes, **dict.fromkeys(gone, "."), **dict.fromkeys(come, "x")}
    now = left(after, tip)
    gains = (far(peg, tip) - far(end, tip) for peg in after for _, end in reach(moved, peg, True))
    # Who is there gains nothing by another turn; what is gained now is sure.
    return now * (1 + SURE) - max(0.0, *gains)


def reach(holes: Holes, peg: Hole, steps: bool) -> Iterator[tuple[Hole, Hole]]:
    """Iterate over where a peg can come to in a turn: the first hole there, and the last one."""
    if steps:
        for end in (_at(peg, way) for way in WAYS):
            if holes.get(end) == ".":
                yield end, end
    first: dict[Hole, Hole] = {peg: peg}
    waiting = [peg]
    for begin in waiting:
        for way in WAYS:
            over, end = _at(begin, way), _at(begin, way, 2)
            if (
                holes.get(over, ".") != "."
                and over != peg
                and holes.get(end) == "."
                and end not in first
            ):
                first[end] = end if begin == peg else first[begin]
                waiting.append(end)
                yield first[end], end


def _at(hole: Hole, way: Hole, times: int = 1) -> Hole:
    return hole[0] + times * way[0], hole[1] + times * way[1]


def read(grid: list[list[str]]) -> dict[Hole, str]:
    """Return the holes of the seventeen rows of a star, in their order."""
    return {
        (column - (len(row) - 1) / 2, number - 8.0): sign
        for number, row in enumerate(grid)
        for column, sign in enumerate(row)
    }


def far(one: Hole, other: Hole) -> float:
    """Return the steps between two holes, to the power by which long ways count more."""
    across, down = abs(one[0] - other[0]), abs(one[1] - other[1])
    return float((down + max(0.0, across - down / 2)) ** 1.5)


def left(pegs: set[Hole], tip: Hole) -> float:
    """Return what is left of the ways of pegs to a hole."""
    return sum(far(peg, tip) for peg in pegs)


@cache
def tips(game: Spiel, seats: int) -> list[Hole]:
    """Return the outermost hole of the point that each player is to fill."""
    holes = read(game.entry.board.grid(game.start(seats, Random(0)).text))
    found = []
    for sign in "1234"[:seats]:
        home = [hole for hole, what in holes.items() if what == sign]
        x, y = (sum(each) / len(home) for each in zip(*home, strict=True))
        found.append(max(holes, key=lambda hole: hypot(hole[0] - x, hole[1] - y)))
    return found

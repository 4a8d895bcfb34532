"""The computer for hex: it looks for the shortest way between its sides, and cuts the other's.

A step of the way costs a stone that is missing. Two cells with the same two free neighbors between
them are joined already, as a bridge: if the other player takes one of these, you take the other.
Random play-outs don't see that.
"""

from __future__ import annotations

from functools import cache
from heapq import heappop, heappush
from random import Random

from tictac.game import ShouldStop
from tictac_openspiel.adapter import Position, Spiel

NEAR = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
"""The neighbors of a cell, in a circle."""

BROAD = 6
"""Moves that a search looks at in each position."""
DEEP = 8
CARELESS = 0.4
"""The share of moves in which a beginner looks nowhere."""

FAR = 1_000
Joined = tuple[tuple[int, int, int], ...]


@cache
def joined(size: int) -> tuple[tuple[Joined, ...], tuple[tuple[Joined, Joined], ...]]:
    """Return the cells that each cell is joined to, and the sides.

    Each is a cell, or a side, with the two cells that must be free for it; -1: none must be. The
    sides are those where a way of each seat begins, and where it ends.
    """

    def at(x: int, y: int) -> int:
        return y * size + x if 0 <= x < size and 0 <= y < size else -1

    cells: list[Joined] = []
    sides: list[list[list[tuple[int, int, int]]]] = [[[], []], [[], []]]
    for y in range(size):
        for x in range(size):
            found = [(at(x + dx, y + dy), -1, -1) for dx, dy in NEAR]
            for (ax, ay), (bx, by) in zip(NEAR, (*NEAR[1:], NEAR[0]), strict=True):
                over = at(x + ax + bx, y + ay + by)
                found.append((over, at(x + ax, y + ay), at(x + bx, y + by)))
            cells.append(tuple([each for each in found if each[0] >= 0]))
            for seat, (along, depth) in enumerate(((x, y), (y, x))):
                for end, row in ((0, depth), (1, size - 1 - depth)):
                    # Both cells between the second row and the side.
                    step = -1 if end == 0 else 1
                    other = along - step
                    if row == 0:
                        sides[seat][end].append((at(x, y), -1, -1))
                    elif row == 1 and 0 <= other < size:
                        one, two = (along, depth + step), (other, depth + step)
                        if seat:
                            one, two = one[::-1], two[::-1]
                        sides[seat][end].append((at(x, y), at(*one), at(*two)))
    ends = tuple([(tuple(begin), tuple(end)) for begin, end in sides])
    return tuple(cells), ends


class Cells:
    """A board: for each cell the seat of its stone, or -1."""

    def __init__(self, rows: list[str]) -> None:
        self.size = len(rows)
        self.stones = ["xo".find(sign) for sign in "".join(rows)]
        self._joined, self._sides = joined(self.size)

    def costs(self, seat: int, end: int, bridges: bool = True) -> list[int]:
        """Return the stones that are missing on the way from a side to each cell, with the cell."""
        stones = self.stones
        costs = [FAR] * len(stones)
        queue: list[tuple[int, int]] = []

        def reach(cost: int, cells: Joined) -> None:
            for cell, one, two in cells:
                stone = stones[cell]
                if stone == 1 - seat or (one >= 0 and not bridges):
                    continue
                if one >= 0 and (stones[one] >= 0 or stones[two] >= 0):
                    continue
                total = cost + (stone < 0)
                if total < costs[cell]:
                    costs[cell] = total
                    heappush(queue, (total, cell))

        reach(0, self._sides[seat][end])
        while queue:
            cost, cell = heappop(queue)
            if cost == costs[cell]:
                reach(cost, self._joined[cell])
        return costs

    def ways(self, seat: int, bridges: bool = True) -> tuple[int, list[int]]:
        """Return how many stones a seat lacks, and those of the best way over each cell."""
        begin, end = (self.costs(seat, side, bridges) for side in (0, 1))
        over = [a + b - (stone < 0) for a, b, stone in zip(begin, end, self.stones, strict=True)]
        return min(over), over

    def ranked(self, seat: int) -> list[tuple[int, int]]:
        """Return the free cells with what both seats lack over them, the best first.

        A seat whose bridges join its sides fills them.
        """
        lacks, mine = self.ways(seat)
        if lacks == 0:
            _, mine = self.ways(seat, bridges=False)
            others = [0] * len(mine)
        else:
            _, others = self.ways(1 - seat)
        free = [at for at, stone in enumerate(self.stones) if stone < 0]
        return sorted([(mine[at] + others[at], at) for at in free])

    def value(self, seat: int, depth: int, alpha: float, beta: float, stop: ShouldStop) -> float:
        """Return the value of the position for the seat to move. Raises TimeoutError."""
        if stop():
            raise TimeoutError
        mine, others = self.ways(seat)[0], self.ways(1 - seat)[0]
        if depth == 0 or not mine or not others:
            # A seat that lacks nothing wins, whoever moves.
            won = (FAR if others and not mine else 0) - (FAR if not others else 0)
            return won + others - mine + 0.5
        for _, at in self.ranked(seat)[:BROAD]:
            self.stones[at] = seat
            try:
                alpha = max(alpha, -self.value(1 - seat, depth - 1, -beta, -alpha, stop))
            finally:
                self.stones[at] = -1
            if alpha >= beta:
                break
        return alpha


def choose(game: Spiel, position: Position, level: str, stop: ShouldStop, rng: Random) -> str:
    """Return a move of hex at a level."""
    if level == "beginner" and rng.random() < CARELESS:
        return rng.choice(list(position.moves))
    cells, seat = Cells(position.text.split(" ")[0].split("/")), position.mover or 0
    names = [name for name, _ in position.game.entry.board.cells(position.text)]
    ranked = cells.ranked(seat)
    order = [at for worth, at in ranked if worth == ranked[0][0]]
    middle = (cells.size - 1) / 2
    order.sort(key=lambda at: abs(at % cells.size - middle) + abs(at // cells.size - middle))
    if level != "best":
        return names[rng.choice(order[:3])]
    order = [*order, *(at for _, at in ranked if at not in order)][: 2 * BROAD]
    try:
        for depth in range(1, DEEP + 1):
            values = dict.fromkeys(order, float("-inf"))
            alpha = float("-inf")
            for at in order:
                cells.stones[at] = seat
                try:
                    values[at] = -cells.value(1 - seat, depth, float("-inf"), -alpha, stop)
                finally:
                    cells.stones[at] = -1
                alpha = max(alpha, values[at])
            order.sort(key=lambda at: -values[at])
            if alpha >= FAR / 2:
                break
    except TimeoutError:
        pass
    return names[order[0]]

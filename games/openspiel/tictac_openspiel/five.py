"""The computer for gomoku: it counts the stones in each row of five, and looks ahead by them.

Random play-outs say little on a board of 15 lines, where each side has some hundred moves.
"""

from __future__ import annotations

from functools import cache
from random import Random

from tictac.game import ShouldStop
from tictac_openspiel.adapter import Position, Spiel

ATTACK = (1, 12, 140, 1_800, 1_000_000)
DEFEND = (0, 8, 100, 1_500, 100_000)
"""The worth of a cell in a row of five with so many stones of the mover, or of the other."""

BROAD = 8
"""Moves that a search looks at in each position."""
DEEP = 12
CARELESS = 0.4
"""The share of moves in which a beginner looks nowhere."""

Line = tuple[int, ...]


@cache
def lines_through(size: int) -> tuple[tuple[Line, ...], ...]:
    """Return for each cell the rows of five that contain it."""
    found: list[list[Line]] = [[] for _ in range(size * size)]
    for y in range(size):
        for x in range(size):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
                if 0 <= x + 4 * dx < size and y + 4 * dy < size:
                    line = tuple((y + n * dy) * size + x + n * dx for n in range(5))
                    for cell in line:
                        found[cell].append(line)
    return tuple(map(tuple, found))


class Cells:
    """A board, as a sign for each cell."""

    def __init__(self, rows: list[str]) -> None:
        self.size = len(rows)
        self.signs = list("".join(rows))
        self._through = lines_through(self.size)

    def worth(self, cell: int, mover: str) -> int:
        """Return the worth of a free cell for the mover."""
        total = 0
        for line in self._through[cell]:
            mine = others = 0
            for at in line:
                sign = self.signs[at]
                mine += sign == mover
                others += sign not in (mover, ".")
            if not others:
                total += ATTACK[mine]
            elif not mine:
                total += DEFEND[others]
        return total

    def ranked(self, mover: str) -> list[tuple[int, int]]:
        """Return the free cells with their worth, the best first."""
        free = [at for at, sign in enumerate(self.signs) if sign == "."]
        return sorted(((self.worth(at, mover), at) for at in free), key=lambda each: -each[0])

    def value(self, mover: str, depth: int, alpha: float, beta: float, stop: ShouldStop) -> float:
        """Return the value of the position for the mover. Raises TimeoutError."""
        if stop():
            raise TimeoutError
        ranked = self.ranked(mover)
        if not ranked:
            return 0
        if ranked[0][0] >= ATTACK[4]:
            return float(ATTACK[4] + depth)
        if depth == 0:
            other = "bw"[mover == "b"]
            return float(ranked[0][0] - self.ranked(other)[0][0] / 2)
        for _, at in ranked[:BROAD]:
            self.signs[at] = mover
            try:
                found = -self.value("bw"[mover == "b"], depth - 1, -beta, -alpha, stop)
            finally:
                self.signs[at] = "."
            alpha = max(alpha, found)
            if alpha >= beta:
                break
        return alpha


def choose(game: Spiel, position: Position, level: str, stop: ShouldStop, rng: Random) -> str:
    """Return a move of gomoku at a level."""
    rows = position.text.split(" ")[0].split("/")
    cells, mover = Cells(rows), "bw"[position.mover or 0]
    names = [name for name, _ in position.game.entry.board.cells(position.text)]
    if level == "beginner" and rng.random() < CARELESS:
        return rng.choice(list(position.moves))
    ranked = cells.ranked(mover)
    top = [at for worth, at in ranked if worth >= ranked[0][0] * 0.95]
    best = rng.choice(top)
    if level != "best" or ranked[0][0] >= ATTACK[4]:
        return names[best]
    order = [best, *(at for _, at in ranked[:BROAD] if at != best)]
    try:
        for depth in range(1, DEEP + 1, 2):
            values = {}
            alpha = float("-inf")
            for at in order:
                cells.signs[at] = mover
                try:
                    found = -cells.value("bw"[mover == "b"], depth, float("-inf"), -alpha, stop)
                finally:
                    cells.signs[at] = "."
                values[at] = found
                alpha = max(alpha, found)
            order.sort(key=lambda at: -values[at])
    except TimeoutError:
        pass
    return names[order[0]]

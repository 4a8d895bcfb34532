"""A typical search for Connect Four: alpha-beta on lists of lists.

The search only knows when a game is won, tries moves from the left, and remembers no boards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

Columns = list[list[str]]


class Looked(NamedTuple):
    """The depth of a search, the number of its boards, and its seconds."""

    depth: int
    nodes: int
    seconds: float


class _OutOfTimeError(Exception):
    pass


class _Search:
    def __init__(self, columns: Columns, rows: int, pops: bool) -> None:
        self.columns = columns
        self.rows = rows
        self.pops = pops
        self.nodes = 0

    def value(self, mover: str, depth: int, alpha: int, beta: int, stop: Callable[[], bool]) -> int:
        self.nodes += 1
        if self.nodes % 64 == 0 and stop():
            raise _OutOfTimeError
        other = "Y" if mover == "R" else "R"
        for side, value in ((other, -1), (mover, 1)):
            if self.has_four(side):
                return value
        if depth == 0:
            return 0
        for number, column in enumerate(self.columns):
            changed = []
            if len(column) < self.rows:
                changed.append([*column, mover])
            if self.pops and column and column[0] == mover:
                changed.append(column[1:])
            for after in changed:
                self.columns[number] = after
                try:
                    alpha = max(alpha, -self.value(other, depth - 1, -beta, -alpha, stop))
                finally:
                    self.columns[number] = column
                if alpha >= beta:
                    return alpha
        return alpha

    def has_four(self, side: str) -> bool:
        columns, rows = self.columns, self.rows
        cells = [[*column, *[""] * (rows - len(column))] for column in columns]
        for x in range(len(columns)):
            for y in range(len(columns[x])):
                if cells[x][y] != side:
                    continue
                for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    end_x, end_y = x + 3 * right, y + 3 * up
                    if (
                        end_x < len(columns)
                        and 0 <= end_y < rows
                        and all(cells[x + i * right][y + i * up] == side for i in (1, 2, 3))
                    ):
                        return True
        return False


def deepen(
    rows: Sequence[str], mover: str, pops: bool, seconds: Callable[[], float], think: float
) -> Looked:
    """Search deeper and deeper for that many seconds."""
    columns = [[cell for cell in column if cell != "."] for column in zip(*rows[::-1], strict=True)]
    search, began, depth = _Search(columns, len(rows), pops), seconds(), 0
    try:
        while True:
            search.value(mover, depth + 1, -1, 1, lambda: seconds() > began + think)
            depth += 1
    except _OutOfTimeError:
        return Looked(max(depth, 1), search.nodes, seconds() - began)

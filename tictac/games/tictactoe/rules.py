"""Rules of tic-tac-toe on any board from 3x3 to 19x19: moves and outcomes.

A position is a ``Board``: a string of ``rows * cols`` digits, left to right and top to bottom,
``0`` empty, ``1`` X, ``2`` O. A board is the whole state, because the number of marks gives the
turn. It can be compared, stored, and sent as it is: it is the ``<nine digits>`` of BOARDSTATUS in
rooms.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from tictac.errors import IllegalMove

Board = str
Mark = str

EMPTY: Mark = "0"
X: Mark = "1"
O: Mark = "2"  # noqa: E741 - the mark is called O
NAMES = {EMPTY: " ", X: "X", O: "O"}

SMALLEST, LARGEST = 3, 19


class Outcome(NamedTuple):
    """The result of a finished match.

    ``winner`` is X, O, or None for a draw. ``line`` has the winning cells; it is empty for a draw.
    """

    winner: Mark | None
    line: tuple[int, ...]


DRAW = Outcome(None, ())


def other(mark: Mark) -> Mark:
    """Return the opponent's mark."""
    return O if mark == X else X


@dataclass(frozen=True, slots=True)
class Rules:
    """A board of ``rows`` x ``cols`` on which ``strike`` in a row win; ``first`` begins.

    Cells are numbered from 0, row by row. Raises ValueError for a size outside 3..19, or a strike
    that doesn't fit both sides.
    """

    rows: int = 3
    cols: int = 3
    strike: int = 3
    first: Mark = X

    def __post_init__(self) -> None:
        for name in ("rows", "cols", "strike"):
            if not SMALLEST <= getattr(self, name) <= LARGEST:
                raise ValueError(f"{name} must be from {SMALLEST} to {LARGEST}")
        if self.strike > min(self.rows, self.cols):
            raise ValueError("strike must fit both rows and cols")
        if self.first not in (X, O):
            raise ValueError("first must be X or O")

    def initial(self) -> Board:
        """Return the empty board."""
        return EMPTY * (self.rows * self.cols)

    def to_move(self, board: Board) -> Mark:
        """Return the side to move, by counting the marks."""
        marks = len(board) - board.count(EMPTY)
        return other(self.first) if marks % 2 else self.first

    def cell(self, column: int, row: int) -> int | None:
        """Return the number of a cell; None if it is off the board."""
        if 0 <= column < self.cols and 0 <= row < self.rows:
            return row * self.cols + column
        return None

    def legal_moves(self, board: Board) -> list[int]:
        """Return the free cells in order; none once the match is over."""
        if self.outcome(board) is not None:
            return []
        return [cell for cell, mark in enumerate(board) if mark == EMPTY]

    def play(self, board: Board, cell: int | None) -> Board:
        """Return the board after the side to move has marked ``cell``.

        Raises :class:`~tictac.errors.IllegalMove` if the cell is off the board (None too) or
        occupied, or if the match is over.
        """
        if cell is None or not 0 <= cell < len(board):
            which = "that" if cell is None else f"cell {cell}"
            raise IllegalMove(f"{which} isn't on a board of {self.cols}x{self.rows}")
        if board[cell] != EMPTY:
            raise IllegalMove(f"cell {cell} is occupied by {NAMES[board[cell]]}")
        if self.outcome(board) is not None:
            raise IllegalMove(f"the match is over, so cell {cell} can't be marked")
        return board[:cell] + self.to_move(board) + board[cell + 1 :]

    def outcome(self, board: Board) -> Outcome | None:
        """Return the outcome of the match; None while it continues."""
        return _outcome(self.rows, self.cols, self.strike, board)


@lru_cache(maxsize=64)
def lines(rows: int, cols: int, strike: int) -> tuple[tuple[int, ...], ...]:
    """Return every line of ``strike`` cells: along rows, columns, and both diagonals."""
    found = []
    for row in range(rows):
        for col in range(cols):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                last_row, last_col = row + down * (strike - 1), col + right * (strike - 1)
                if last_row < rows and 0 <= last_col < cols:
                    found.append(
                        tuple((row + down * i) * cols + col + right * i for i in range(strike))
                    )
    return tuple(found)


# A 3x3 match can meet only 5,478 positions. With these cached, the outcome costs a look-up on the
# path of a move.
@lru_cache(maxsize=8192)
def _outcome(rows: int, cols: int, strike: int, board: Board) -> Outcome | None:
    line = min((run for mark in (X, O) for run in _runs(cols, strike, board, mark)), default=())
    if line:
        return Outcome(board[line[0]], line)
    return None if EMPTY in board else DRAW


def _runs(cols: int, strike: int, board: Board, mark: Mark) -> Iterator[tuple[int, ...]]:
    """Return the first line of ``strike`` cells with ``mark`` in each direction.

    The board is taken as bits, one for each cell, and one that is never set after each row. Shifted
    onto itself, a board of any size shows all its lines at once.
    """
    ends = range(0, len(board), cols)
    drawn = EMPTY.join(board[end : end + cols] for end in ends).translate(_ALONE[mark])
    bits = int(drawn[::-1], 2)
    for step in (1, cols + 1, cols + 2, cols):
        starts = bits
        for distance in range(step, step * strike, step):
            starts &= bits >> distance
        if starts:
            start = (starts & -starts).bit_length() - 1
            start, stride = start - start // (cols + 1), step - (step > 1)
            yield tuple(range(start, start + stride * strike, stride))


_ALONE = {X: str.maketrans("012", "010"), O: str.maketrans("012", "001")}
"""Translations that turn one of the marks into 1, and everything else into 0."""

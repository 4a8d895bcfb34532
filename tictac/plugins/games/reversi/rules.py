"""The rules of Reversi: a side that encloses opposing pieces in a line turns them over.

A position is the rows from the top, separated by slashes, each a string of ``.`` (empty), ``X``
and ``O``; then a space and the side to move, or ``-`` at the end: ``..../.OX./.XO./.... X``.
X has seat 0 and begins, O has seat 1.

A move is a column from ``a`` and a row from 1, the top one: ``d3``. If a side has no move, the
server skips its turn. When neither side has a move, the game is over.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from tictac.errors import IllegalMove, NotAMove
from tictac.game import DRAWN, OpenGame, Played, Result

MARKS = "XO"


class Position(NamedTuple):
    """The pieces of X and of O, and the seat to move: None once the game is over."""

    pieces: tuple[int, int]
    mover: int | None


class Reversi(OpenGame[Position]):
    """The game on a board of ``size`` x ``size``.

    The pieces are bits of an integer, row by row. After each row comes a bit that is never set, so
    that no line continues in the next row.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        cells = [(row, column) for row in range(size) for column in range(size)]
        self.bits = {f"{chr(97 + c)}{r + 1}": 1 << r * (size + 1) + c for r, c in cells}
        self.cells = sum(self.bits.values())
        self.corners = sum(1 << r * (size + 1) + c for r in (0, size - 1) for c in (0, size - 1))

    def start(self, seats: int, rng: Random) -> Position:
        """Return the first position, with two pieces of each side in the middle."""
        half = self.size // 2
        a, b, c, d = (1 << r * (self.size + 1) + half - s for r in (half - 1, half) for s in (1, 0))
        return Position((b | c, a | d), 0)

    def turn(self, position: Position) -> int | None:
        """Return the seat that moves next; None once the game is over."""
        return position.mover

    def moves(self, position: Position) -> list[str]:
        """Return the cells where a piece encloses opposing pieces, row by row."""
        can = 0 if position.mover is None else self.enclosing(*self.sides(position))
        return [text for text, bit in self.bits.items() if can & bit]

    def play(self, position: Position, move: str, rng: Random | None) -> Played[Position]:
        """Put a piece on a cell. Raises NotAMove or IllegalMove."""
        if (bit := self.bits.get(move)) is None:
            raise NotAMove(f"a move is a cell, from a1 to {list(self.bits)[-1]}, not {move!r:.40}")
        if position.mover is None:
            raise IllegalMove(f"the game is over, so {move} can't be played")
        own, theirs = self.sides(position)
        if not self.enclosing(own, theirs) & bit:
            why = "is taken" if (own | theirs) & bit else "encloses nothing"
            raise IllegalMove(f"{move} {why}")
        theirs, own = self.after(own, theirs, bit)
        mover: int | None = 1 - position.mover
        if not self.enclosing(theirs, own):
            mover = position.mover if self.enclosing(own, theirs) else None
        return Played(Position((theirs, own) if position.mover else (own, theirs), mover), move)

    def result(self, position: Position) -> Result | None:
        """Return the result: the side with more pieces at the end wins."""
        x, o = (pieces.bit_count() for pieces in position.pieces)
        return None if position.mover is not None else DRAWN if x == o else Result(int(o > x))

    def dump(self, position: Position) -> str:
        """Return the position as text."""
        x, o = position.pieces
        board = "".join("X" if x & b else "O" if o & b else "." for b in self.bits.values())
        rows = (board[at : at + self.size] for at in range(0, len(board), self.size))
        return f"{'/'.join(rows)} {'-' if position.mover is None else MARKS[position.mover]}"

    def load(self, text: str) -> Position:
        """Return the position that a text describes."""
        board, mover = text.replace("/", "").split(" ")
        drawn = list(zip(board, self.bits.values(), strict=True))
        x, o = (sum(bit for cell, bit in drawn if cell == mark) for mark in MARKS)
        return Position((x, o), None if mover == "-" else MARKS.index(mover))

    def sides(self, position: Position) -> tuple[int, int]:
        """Return the pieces of the side to move, and those of the opponent."""
        x, o = position.pieces
        return (o, x) if position.mover else (x, o)

    def enclosing(self, own: int, theirs: int) -> int:
        """Return the cells where a piece of ``own`` would enclose some of ``theirs``."""
        found = 0
        for _, behind in self._lines(own, theirs):
            found |= behind
        return found & self.cells & ~(own | theirs)

    def after(self, own: int, theirs: int, bit: int) -> tuple[int, int]:
        """Return the board after a move on the cell ``bit``, as the opponent sees it."""
        turned = 0
        for line, behind in self._lines(bit, theirs):
            turned |= line if behind & own else 0
        return theirs & ~turned, own | turned | bit

    def _lines(self, some: int, theirs: int) -> Iterator[tuple[int, int]]:
        """Yield, for each direction, the line of ``theirs`` from ``some``, and the cells behind."""
        for step in (1, self.size, self.size + 1, self.size + 2):
            up, down = theirs & some << step, theirs & some >> step
            for _ in range(self.size - 3):
                up |= theirs & up << step
                down |= theirs & down >> step
            yield up, up << step
            yield down, down >> step

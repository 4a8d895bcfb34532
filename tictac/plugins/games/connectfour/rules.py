"""The rules of Connect Four with Pop Out, on boards from 4x4 to 20x20.

Source: connect-four.md, "The game". A side drops a piece into a column that has room, or pops
one of its own pieces from the bottom of a column. Four in a row win.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, NamedTuple

from tictac.errors import IllegalMove
from tictac.plugins.games.connectfour.bitboard import Grid, grid

Side = str

RED: Side = "R"
YELLOW: Side = "Y"
EMPTY = "."
_DRAWN = str.maketrans("012", EMPTY + RED + YELLOW)

SMALLEST, LARGEST = 4, 20

DROP: Literal["DROP"] = "DROP"
POP: Literal["POP"] = "POP"


class Move(NamedTuple):
    """A drop into a column or a pop from it; the far left column is 1."""

    kind: Literal["DROP", "POP"]
    column: int

    def __str__(self) -> str:
        return f"{self.kind} {self.column}"


class Outcome(NamedTuple):
    """The end of a game: ``winner`` is RED, YELLOW, or None for a draw."""

    winner: Side | None


DRAW = Outcome(None)


class Keys(Set[int]):
    """An immutable set of integers that shares its memory with the sets derived from it.

    Therefore a record of a thousand positions doesn't need a million numbers for the earlier ones.
    """

    __slots__ = ("_places", "_size")

    def __init__(self, keys: Iterable[int] = ()) -> None:
        self._places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
        self._size = len(self._places)

    def __contains__(self, key: object) -> bool:
        return self._places.get(key, self._size) < self._size  # type: ignore[call-overload,no-any-return]

    def __iter__(self) -> Iterator[int]:
        return islice(self._places, self._size)

    def __len__(self) -> int:
        return self._size

    def __hash__(self) -> int:
        return self._hash()

    def added(self, key: int) -> Keys:
        """Return this set with ``key``, which isn't in it yet."""
        places, size = self._places, self._size
        if len(places) > size and places.get(key) != size:
            places = dict(zip(self, range(size), strict=True))  # Another set added keys.
        places[key] = size
        more = Keys()
        more._places, more._size = places, size + 1
        return more


def other(side: Side) -> Side:
    """Return the opponent."""
    return YELLOW if side == RED else RED


@dataclass(frozen=True, slots=True)
class Position:
    """A board, the side to move, and the earlier positions.

    ``red`` and ``yellow`` are the pieces as in bitboard.py. ``once`` has the :attr:`key` of each
    earlier position, ``twice`` of each position that came twice. Both stay empty where a
    repetition isn't a draw.
    """

    columns: int
    height: int
    red: int
    yellow: int
    to_move: Side
    once: Keys = field(default_factory=Keys)
    twice: Keys = field(default_factory=Keys)

    @property
    def rows(self) -> tuple[str, ...]:
        """The board, the top row first, each a string of ``.RY``."""
        # The sum of the two decimal numbers has one digit for each cell.
        stride = self.height + 1
        digits = str(int(f"{self.red:b}") + 2 * int(f"{self.yellow:b}"))
        cells = digits.zfill(self.columns * stride)[::-1].translate(_DRAWN)
        return tuple(cells[row::stride] for row in reversed(range(self.height)))

    @property
    def key(self) -> int:
        """A number for the board and the side to move."""
        board = self.grid.key(self.stones(self.to_move), self.red | self.yellow)
        return board << 1 | (self.to_move == RED)

    @property
    def grid(self) -> Grid:
        """The masks for the size of the board."""
        return grid(self.columns, self.height)

    def stones(self, side: Side) -> int:
        """Return the pieces of a side."""
        return self.red if side == RED else self.yellow


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules on a board of ``columns`` x ``rows``, with or without pops.

    With ``repetition``, a game is a draw when the same side is to move on the same board for the
    third time, including the start. Raises ValueError for a size outside 4..20.
    """

    columns: int = 7
    rows: int = 6
    pops: bool = True
    repetition: bool = False

    def __post_init__(self) -> None:
        for name in ("columns", "rows"):
            if not SMALLEST <= getattr(self, name) <= LARGEST:
                raise ValueError(f"{name} must be from {SMALLEST} to {LARGEST}")

    def initial(self) -> Position:
        """Return the empty board; red begins."""
        return Position(self.columns, self.rows, 0, 0, RED)

    def legal_moves(self, position: Position) -> list[Move]:
        """Return the drops, then the pops, each from the left; none once the game is over."""
        return [] if self.outcome(position) else self._moves(position)

    def play(self, position: Position, move: Move) -> Position:
        """Return the position after the side to move has made ``move``.

        Raises :class:`~tictac.errors.IllegalMove` if the column isn't on the board or has no room,
        if the mover has no piece there to pop, or if the game is over.
        """
        self._check(position, move)
        board, mover = position.grid, position.to_move
        if move.kind == POP:
            red, yellow = (
                board.popped(s, move.column - 1) for s in (position.red, position.yellow)
            )
        else:
            cells = board.column[move.column - 1]
            piece = board.landing(position.red | position.yellow) & cells
            red = position.red | (piece if mover == RED else 0)
            yellow = position.yellow | (piece if mover == YELLOW else 0)
        once, twice = position.once, position.twice
        if self.repetition:
            key = position.key
            if key not in once:
                once = once.added(key)
            elif key not in twice:
                twice = twice.added(key)
        return Position(self.columns, self.rows, red, yellow, other(mover), once, twice)

    def outcome(self, position: Position) -> Outcome | None:
        """Return the winner or a draw, or None while the game continues.

        A game is a draw if the side to move has no move, or if the position has come for the third
        time and repetition counts. If a pop gave both sides four in a row, the popping side wins.
        """
        popper = other(position.to_move)
        for side in (popper, position.to_move):
            if position.grid.has_four(position.stones(side)):
                return Outcome(side)
        if position.key in position.twice:
            return DRAW
        return None if self._room(position) or self._bottoms(position) else DRAW

    def _room(self, position: Position) -> int:
        """Return the cells that a drop can reach."""
        return position.grid.landing(position.red | position.yellow)

    def _bottoms(self, position: Position) -> int:
        """Return the pieces that the mover can pop."""
        if not self.pops:
            return 0
        return position.stones(position.to_move) & position.grid.bottoms

    def _moves(self, position: Position) -> list[Move]:
        room, bottoms = self._room(position), self._bottoms(position)
        columns = list(enumerate(position.grid.column, 1))
        drops = [Move(DROP, number) for number, cells in columns if room & cells]
        return drops + [Move(POP, number) for number, cells in columns if bottoms & cells]

    def _check(self, position: Position, move: Move) -> None:
        if move.kind not in (DROP, POP):
            raise IllegalMove(f"{move.kind!r} is neither a drop nor a pop")
        if not 1 <= move.column <= self.columns:
            raise IllegalMove(f"column {move.column} isn't on a board of {self.columns} columns")
        if self.outcome(position) is not None:
            raise IllegalMove(f"the game is over, so {move} can't be played")
        cells = position.grid.column[move.column - 1]
        if move.kind == DROP and not self._room(position) & cells:
            raise IllegalMove(f"column {move.column} is full")
        if move.kind == POP and not self.pops:
            raise IllegalMove(f"{move} can't be played: this game has no pops")
        if move.kind == POP and not self._bottoms(position) & cells:
            raise IllegalMove(f"there is nothing of yours to pop in column {move.column}")

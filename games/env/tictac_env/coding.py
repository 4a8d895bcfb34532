"""Positions and moves as arrays: what a seat sees, and a number for each move.

A coding of a game has a fixed list of moves, and planes for what a seat sees. A game without one
gets the characters of the view, and numbers for the moves in the order in which they are listed
now: a program can play it, but hardly learn it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.int8]


class Coding(Protocol):
    """Codes a game with its options.

    ``shape`` is that of what a seat sees, whose numbers are from 0 to ``highest``. ``moves`` are
    all moves in their order, or the maximum number of moves that can be listed at once.
    """

    shape: tuple[int, ...]
    highest: int
    moves: Sequence[str] | int

    def see(self, view: str, seat: int) -> Array:
        """Return a view of a seat as numbers, with the seat's own pieces first."""


class Board:
    """Planes of cells: one with the seat's own pieces, and one with those of the opponent.

    ``marks`` are the characters of the pieces of seats 0 and 1, row by row in the view.
    """

    highest = 1

    def __init__(self, rows: int, columns: int, marks: str, moves: Sequence[str]) -> None:
        self.shape: tuple[int, ...] = (2, rows, columns)
        self.moves: Sequence[str] | int = moves
        self._cells = rows * columns
        # For each seat the two planes of each character: one look-up codes the whole board.
        self._planes = [np.zeros((2, 256), np.int8) for _ in marks]
        for seat, planes in enumerate(self._planes):
            planes[0, ord(marks[seat])] = planes[1, ord(marks[1 - seat])] = 1

    def see(self, view: str, seat: int) -> Array:
        """Return the planes."""
        cells = np.frombuffer(view.replace("/", "").encode(), np.uint8, self._cells)
        return self._planes[seat].take(cells, 1).reshape(self.shape)


class Numbers:
    """The numbers of Nim, and zeros."""

    def __init__(self, most: int, largest: int) -> None:
        self.shape: tuple[int, ...] = (most,)
        self.highest = largest
        self.moves: Sequence[str] | int = [
            f"{at}:{amount}" for at in range(most) for amount in range(1, largest + 1)
        ]

    def see(self, view: str, seat: int) -> Array:
        """Return the numbers."""
        listed = view.partition(":")[2]
        seen = np.zeros(self.shape, np.int8)
        for at, number in enumerate(listed.split(",") if listed else ()):
            seen[at] = int(number)
        return seen


class Text:
    """The seat, the characters of its view, and zeros: for any game."""

    highest = 127

    def __init__(self, longest: int = 1023, most: int = 1024) -> None:
        self.shape: tuple[int, ...] = (1 + longest,)
        self.moves: Sequence[str] | int = most

    def see(self, view: str, seat: int) -> Array:
        """Return the characters; a question mark stands for one that isn't ASCII."""
        data = bytes([seat]) + view.encode("ascii", "replace")
        return np.frombuffer(data[: self.shape[0]].ljust(self.shape[0], b"\0"), np.int8)


def _tictactoe(rows: int, columns: int, **_: Any) -> Coding:
    moves = [f"{column}:{row}" for row in range(rows) for column in range(columns)]
    return Board(rows, columns, "12", moves)


def _connectfour(rows: int, columns: int, pops: bool, **_: Any) -> Coding:
    drops = [str(column) for column in range(1, columns + 1)]
    return Board(rows, columns, "RY", drops + [f"pop {column}" for column in drops] * pops)


def _reversi(size: str, **_: Any) -> Coding:
    letters = [chr(97 + column) for column in range(int(size))]
    cells = [f"{letter}{row}" for row in range(1, int(size) + 1) for letter in letters]
    return Board(int(size), int(size), "XO", cells)


def _nim(numbers: int, largest: int, **_: Any) -> Coding:
    return Numbers(numbers or 10, largest) if largest <= 127 else Text()


CODINGS: dict[str, Callable[..., Coding]] = {
    "tictactoe": _tictactoe,
    "connectfour": _connectfour,
    "reversi": _reversi,
    "nim": _nim,
}
"""What makes a coding from a game's options; programs can add their own."""


def coding_of(game: str, values: Mapping[str, Any]) -> Coding:
    """Return the coding of a game with these options."""
    return CODINGS[game](**values) if game in CODINGS else Text()

"""The text view of a game and the typed form of its moves: text in, text out.

A text view needs the data of rooms and no rules, so :class:`TextView` itself can show a game that
this program doesn't know: its positions and moves as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Paint = Callable[[int, str], str]
"""``paint(seat, text)`` marks ``text`` as that player's."""


def unpainted(seat: int, text: str) -> str:
    """Return ``text`` as it is (Paint)."""
    return text


Options = Mapping[str, Any]
"""The values of a game's options by their names."""


class TextView:
    """A game with these options, for a person.

    ``sides`` are the names of the seats, if any; ``usage`` is one line on how to type a move.
    ``board`` are the lines of a drawing in which changes can be marked. ``rules`` are about ten
    short sentences for a beginner. ``questions`` are words that a person can type at any time, with
    their help texts. ``names`` are those of the players, by seat, for sentences; empty: unknown.
    """

    sides: tuple[str, ...] = ()
    usage = "a move as the game writes it"
    board = slice(None)
    rules: tuple[str, ...] = ()
    questions: Mapping[str, str] = {}
    names: Sequence[str] = ()

    def __init__(self, options: Options) -> None:
        """Take ``options``, which have a value for each option of the game."""

    def lines(self, position: str, paint: Paint) -> list[str]:
        """Draw the text of a position."""
        return [position]

    def after_move(self, position: str, lines: list[str], is_mine: bool) -> list[str]:
        """Return the ``lines`` of a position to show after a move; ``is_mine``: it is my turn."""
        return lines

    def prompt(self, position: str) -> str:
        """Describe how to type a move in a position, in words that follow "A move is"."""
        return self.usage

    def describe_move(self, position: str, seat: int, move: str) -> str:
        """Describe a move by ``seat`` and its result; ``position`` isn't the end."""
        return self.recorded(move)

    def recorded(self, move: str) -> str:
        """Return a ``Played.move`` for lists of moves, with the results of chance in words."""
        return self.spell(move)

    def steps(self, position: str, move: str) -> tuple[str, ...]:
        """Return the moves that a text stands for in a position, in order. Raises NotAMove."""
        return (move,)

    def lists(self, position: str) -> bool:
        """Return whether to list the moves in a position, because the drawing doesn't show them."""
        return False

    def sides_of(self, position: str, seats: int) -> tuple[str, ...]:
        """Return the names of so many seats in a position."""
        return self.sides

    def note(self, position: str, seat: int | None) -> str:
        """Return a few words on the last move that only ``seat`` sees, to stay visible."""
        return ""

    def answer(
        self, question: str, position: str, seat: int | None, moves: Sequence[tuple[int, str]]
    ) -> list[str]:
        """Answer one of ``questions`` of ``seat``; ``moves`` are those so far, with their seats."""
        return []

    def without_line(self, position: str, seat: int) -> str:
        """Return the position without the cells of a line by which ``seat`` won."""
        return position

    def read(self, typed: str) -> str:
        """Return the text of the move that a person typed. Raises NotAMove."""
        return typed

    def spell(self, move: str) -> str:
        """Return the text of a move as :meth:`read` takes it."""
        return move


def without_lines(rows: Sequence[str], mark: str, strike: int, empty: str = ".") -> list[str]:
    """Return a board with ``empty`` cells in place of lines of at least ``strike`` ``mark``."""
    own = {
        (down, right)
        for down, row in enumerate(rows)
        for right, cell in enumerate(row)
        if cell == mark
    }
    won: set[tuple[int, int]] = set()
    for down, right in own:
        for step, aside in ((0, 1), (1, 0), (1, 1), (1, -1)):
            line = {(down + n * step, right + n * aside) for n in range(strike)}
            won |= line if line <= own else set()
    return [
        "".join(empty if (down, right) in won else cell for right, cell in enumerate(row))
        for down, row in enumerate(rows)
    ]


def lettered(rows: Sequence[str], marks: str, paint: Paint) -> list[str]:
    """Draw a board with letters for its columns and numbers for its rows, a character a cell.

    ``marks`` are those of the seats, in order.
    """
    letters = " ".join(chr(ord("a") + column) for column in range(len(rows[0])))
    return [f"    {letters}"] + [
        f"{number:2}  {' '.join(paint_cell(cell, marks, paint) for cell in row)}"
        for number, row in enumerate(rows, 1)
    ]


def paint_cell(cell: str, marks: str, paint: Paint) -> str:
    """Paint ``cell`` for the seat whose mark it is, if any."""
    seat = marks.find(cell)
    return cell if seat < 0 else paint(seat, cell)

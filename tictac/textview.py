"""How a game looks at a terminal, and how its moves are typed there: text in, text out.

A face needs what rooms send and no rules, so :class:`TextView` itself can show a game that this
program doesn't know: its positions and moves as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Paint = Callable[[int, str], str]
"""``paint(seat, text)`` marks ``text`` as that player's."""


def unpainted(seat: int, text: str) -> str:
    """Leave ``text`` as it is (Paint)."""
    return text


class TextView:
    """A game with these options, for a person.

    ``sides`` are the names of the seats, where they have some; ``usage`` says in one line how a
    move is typed. ``board`` are the lines of a drawing in which it can be marked what has changed.
    """

    sides: tuple[str, ...] = ()
    usage = "a move as the game writes it"
    board = slice(None)

    def __init__(self, options: Mapping[str, Any]) -> None:
        """``options`` has a value for each option of the game."""

    def lines(self, position: str, paint: Paint) -> list[str]:
        """Draw the text of a position."""
        return [position]

    def after_move(self, position: str, lines: list[str], is_mine: bool) -> list[str]:
        """Of the ``lines`` of a position, those to show after a move; ``is_mine`` says whose turn
        it is."""
        return lines

    def prompt(self, position: str) -> str:
        """How the move is typed that is asked for in a position."""
        return self.usage

    def told(self, position: str, seat: int, move: str) -> str:
        """A move that ``seat`` has made, and what came of it: the position, which isn't the end."""
        return self.spell(move)

    def steps(self, position: str, move: str) -> tuple[str, ...]:
        """The moves that the text of a move stands for in a position, one after the other."""
        return (move,)

    def lists(self, position: str) -> bool:
        """Whether the moves are listed in a position, as the drawing doesn't show them."""
        return False

    def sides_of(self, position: str, seats: int) -> tuple[str, ...]:
        """The names of so many seats in a position."""
        return self.sides

    def note(self, position: str, seat: int | None) -> str:
        """What the last move has told ``seat`` alone, in a few words to keep in view."""
        return ""

    def without_line(self, position: str, seat: int) -> str:
        """The position with the cells empty of a line by which ``seat`` has won."""
        return position

    def read(self, typed: str) -> str:
        """The text of the move that somebody has typed. Raises NotAMove."""
        return typed

    def spell(self, move: str) -> str:
        """The text of a move as :meth:`read` takes it."""
        return move


def without_lines(rows: Sequence[str], mark: str, strike: int, empty: str = ".") -> list[str]:
    """A board of a character a cell, whose lines of at least ``strike`` ``mark`` are ``empty``."""
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
    """A board with letters for its columns and numbers for its rows, a character a cell.

    ``marks`` are those of the seats, in order.
    """
    letters = " ".join(chr(ord("a") + column) for column in range(len(rows[0])))
    return [f"    {letters}"] + [
        f"{number:2}  {' '.join(paint_cell(cell, marks, paint) for cell in row)}"
        for number, row in enumerate(rows, 1)
    ]


def paint_cell(cell: str, marks: str, paint: Paint) -> str:
    """``cell`` as the seat's whose mark it is, if it is one."""
    seat = marks.find(cell)
    return cell if seat < 0 else paint(seat, cell)

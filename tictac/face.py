"""How a game looks at a terminal, and how its moves are typed there: text in, text out.

A face needs what rooms send and no rules, so :class:`Face` itself can show a game that this program
doesn't know: its positions and moves as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Paint = Callable[[int, str], str]
"""``paint(seat, text)`` marks ``text`` as that player's."""


class Face:
    """A game with these options, for a person.

    ``sides`` are the names of the seats, where they have some; ``usage`` says in one line how a
    move is typed.
    """

    sides: tuple[str, ...] = ()
    usage = "a move as the game writes it"

    def __init__(self, options: Mapping[str, Any]) -> None:
        """``options`` has a value for each option of the game."""

    def lines(self, position: str, paint: Paint) -> list[str]:
        """Draw the text of a position."""
        return [position]

    def read(self, typed: str) -> str:
        """The text of the move that somebody has typed. Raises NotAMove."""
        return typed

    def spell(self, move: str) -> str:
        """The text of a move as :meth:`read` takes it."""
        return move


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

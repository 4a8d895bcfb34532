"""The text view of Connect Four."""

from __future__ import annotations

import re

from tictac.errors import NotAMove
from tictac.text_view import Options, Paint, TextView, paint_cell, without_lines

STRIKE = 4

_MOVE = re.compile(r"(?:(d|drop|p|pop)\s*)?([0-9]{1,2})", re.ASCII)


class ConnectFourTextView(TextView):
    """Board with numbers from 1 for the columns."""

    sides = ("Red", "Yellow")

    def __init__(self, options: Options) -> None:
        pop = "; pop 4 takes your piece at its bottom" if options["pops"] else ""
        self.usage = f"a column: 4 drops a piece into it{pop}"
        pops = (
            "Instead of a drop, you can pop: take a piece of your own from the bottom of a column.",
            "After a pop, the pieces above it fall by one row.",
            "If a pop makes four in a row for both players, the player who popped wins.",
            "If a pop makes four in a row only for the other player, the other player wins.",
        )
        third = "If the same position comes for the third time, the game is a draw."
        is_repeated = options["pops"] and options["repetition"]
        self.rules = (
            f"The board stands upright. It has {options['columns']} columns of"
            f" {options['rows']} cells, and is empty at first.",
            "Red begins, and then the players take turns.",
            "In a turn, you drop a piece of your color into a column that isn't full.",
            "The piece falls to the lowest empty cell of the column.",
            *(pops if options["pops"] else ()),
            "The first player with four pieces in a row, a column, or a diagonal wins.",
            *([third] if is_repeated else []),
            "If the player to move has no possible move, the game is a draw.",
        )

    def lines(self, position: str, paint: Paint) -> list[str]:
        """Return the numbers of the columns, and the rows from the top."""
        rows = position.split(" ")[0].split("/")
        width = len(str(len(rows[0])))
        numbers = [str(number).rjust(width) for number in range(1, len(rows[0]) + 1)]
        margin = " " * (width - 1)
        return [" ".join(numbers)] + [
            " ".join(margin + paint_cell(cell, "RY", paint) for cell in row) for row in rows
        ]

    def without_line(self, position: str, seat: int) -> str:
        """Return the position without a line (see :class:`TextView`)."""
        rows, space, turn = position.partition(" ")
        return "/".join(without_lines(rows.split("/"), "RY"[seat], STRIKE)) + space + turn

    def read(self, typed: str) -> str:
        """Return the move for a column, with an optional action before it. Raises NotAMove."""
        if not (found := _MOVE.fullmatch(typed.strip().lower())):
            raise NotAMove(f"a move is {self.usage}")
        pops = (found[1] or "").startswith("p")
        return f"pop {int(found[2])}" if pops else str(int(found[2]))

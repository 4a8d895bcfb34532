"""The text view of Reversi."""

from __future__ import annotations

import re

from tictac.errors import NotAMove
from tictac.text_view import Options, Paint, TextView, lettered

_CELL = re.compile(r"([a-z])\s*([0-9]{1,2})", re.ASCII)


class ReversiTextView(TextView):
    """Board with letters for columns, and numbers from 1 for rows."""

    sides = ("X", "O")
    board = slice(-1)
    usage = "a cell: d3 is the fourth column and the third row"

    def __init__(self, options: Options) -> None:
        size = options["size"]
        self.rules = (
            f"The board has {size} rows and {size} columns, with four discs in the middle.",
            "The players are X and O. X begins.",
            "In a turn, you put a disc of yours on an empty cell.",
            "The new disc must enclose at least one opposing disc.",
            "Opposing discs are enclosed if they are in an unbroken line between the new disc"
            " and another disc of yours.",
            "A line is a row, a column, or a diagonal in either direction.",
            "All enclosed discs become yours, in every direction at once.",
            "If you have no possible move, the other player moves again.",
            "The game ends when neither player has a move, at the latest on a full board.",
            "The player with more discs wins. With equal numbers, the game is a draw.",
        )

    def lines(self, position: str, paint: Paint) -> list[str]:
        """Return the rows from the top, and the number of discs of each side."""
        board = position.split(" ")[0]
        counts = f"    X {board.count('X')}, O {board.count('O')}"
        return [*lettered(board.split("/"), "XO", paint), counts]

    def read(self, typed: str) -> str:
        """Return the move for a letter and a number. Raises NotAMove."""
        if not (found := _CELL.fullmatch(typed.strip().lower())):
            raise NotAMove(f"a move is {self.usage}")
        return f"{found[1]}{int(found[2])}"

"""Tic-tac-toe at a terminal."""

from __future__ import annotations

import re

from tictac.errors import NotAMove
from tictac.text_view import Options, Paint, TextView, lettered, without_lines

_CELL = re.compile(r"([a-z])\s*([0-9]{1,2})|([0-9]{1,2})[\s,]+([0-9]{1,2})", re.ASCII)
_SHOWN = str.maketrans("012", ".XO")
_MOVE = re.compile("([0-9]{1,2}):([0-9]{1,2})", re.ASCII)


class TicTacToeTextView(TextView):
    """The board as text: columns have letters, rows have numbers from 1."""

    sides = ("X", "O")
    usage = "a cell: b3, or 2 3, is the second column and the third row"

    def __init__(self, options: Options) -> None:
        self._columns, self._strike = int(options["columns"]), int(options["strike"])
        more = f" More than {self._strike} marks also win."
        self.rules = (
            f"The board has {options['rows']} rows and {self._columns} columns of empty cells.",
            f"The players are X and O. {options['first']} begins, and then they take turns.",
            "In a turn, you put your mark on an empty cell.",
            "Marks never move, and stay on the board.",
            "A line is a row, a column, or a diagonal in either direction.",
            f"The first player with {self._strike} marks side by side in a line wins."
            + more * (self._strike < max(int(options["rows"]), self._columns)),
            "If the board is full and has no such line, the game is a draw.",
        )

    def lines(self, position: str, paint: Paint) -> list[str]:
        """Return the rows from the top."""
        return lettered(self._rows(position.translate(_SHOWN)), "XO", paint)

    def without_line(self, position: str, seat: int) -> str:
        """See :class:`TextView`."""
        return "".join(without_lines(self._rows(position), "12"[seat], self._strike, "0"))

    def _rows(self, board: str) -> list[str]:
        return [board[at : at + self._columns] for at in range(0, len(board), self._columns)]

    def read(self, typed: str) -> str:
        """Return the move of a letter and a number, or of two numbers from 1. Raises NotAMove."""
        if not (found := _CELL.fullmatch(typed.strip().lower())):
            raise NotAMove(f"a move is {self.usage}")
        letter, row, column, second = found.groups()
        across = ord(letter) - ord("a") if letter else int(column) - 1
        down = int(row or second) - 1
        if min(across, down) < 0:
            raise NotAMove("columns and rows count from 1")
        return f"{across}:{down}"

    def spell(self, move: str) -> str:
        """Return the move as a letter and a number."""
        found = _MOVE.fullmatch(move)
        return f"{chr(ord('a') + int(found[1]))}{int(found[2]) + 1}" if found else move

"""Tic-tac-toe at the terminal, for clients of the rooms and the session protocol.

Source of the texts: rooms-client.md, "The client".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tictac.games.tictactoe.rules import EMPTY, NAMES, Board, O, Rules, X
from tictac.terminal.style import Style, draw_grid

RULES = Rules()

MY_TURN = "It is the current player's turn"
OPPOSING_TURN = "It is the opposing player's turn"
YOU_WON = "Congratulations, you won!"
YOU_LOST = "Sorry you lost. Good luck next time."
DRAWN = "Game ended in a draw"


def board_lines(board: Board, style: Style) -> list[str]:
    """Return the lines of ``board``, with a winning line highlighted."""
    outcome = RULES.outcome(board)
    won = outcome.line if outcome is not None else ()
    paint = {X: style.first, O: style.second}
    cells = [
        (style.winning if cell in won else paint.get(mark, str))(NAMES[mark])
        for cell, mark in enumerate(board)
    ]
    return draw_grid(cells, RULES.cols)


async def ask_move(
    ask: Callable[[str], Awaitable[str]], show: Callable[[str], None], board: Board
) -> tuple[int, int]:
    """Ask for the column and row of a free cell until they are valid; raise as ``ask``."""
    while True:
        column = await _ask_number(ask, show, "Column: ")
        row = await _ask_number(ask, show, "Row: ")
        mark = board[row * RULES.cols + column]
        if mark == EMPTY:
            return column, row
        show(f"({column}, {row}) is occupied by {NAMES[mark]}.")


async def _ask_number(
    ask: Callable[[str], Awaitable[str]], show: Callable[[str], None], prompt: str
) -> int:
    while True:
        typed = (await ask(prompt)).strip()
        if typed in ("0", "1", "2"):
            return int(typed)
        show("(Column/Row) values must be an integer between 0 and 2")

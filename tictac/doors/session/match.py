"""A session as one of its players knows it, to hold against it what the server says.

Source: session.md, "Messages".
"""

from __future__ import annotations

from tictac.doors.session.wire import CONTINUE, DRAW, PLAYER1, PLAYER1_WON, PLAYER2, PLAYER2_WON
from tictac.errors import IllegalMove
from tictac.games.tictactoe.rules import O, X
from tictac.net.client import WrongMessage
from tictac.terminal.tictactoe import RULES

_WINNERS = {X: PLAYER1_WON, O: PLAYER2_WON, None: DRAW}


class Match:
    """The board, and the player's own ``mark``; ``seat`` is what the server sent first.

    Raises :class:`~tictac.net.client.WrongMessage` for a seat that there isn't.
    """

    def __init__(self, seat: int) -> None:
        if seat not in (PLAYER1, PLAYER2):
            raise WrongMessage(f"there is no player {seat}")
        self.seat = seat
        self.mark = X if seat == PLAYER1 else O
        self.board = RULES.initial()

    @property
    def is_my_turn(self) -> bool:
        """Whether the player is to move."""
        return RULES.to_move(self.board) == self.mark

    @property
    def status(self) -> int:
        """How the match stands, as the server says it."""
        outcome = RULES.outcome(self.board)
        return CONTINUE if outcome is None else _WINNERS[outcome.winner]

    @property
    def winning(self) -> int:
        """The status by which this player has won."""
        return _WINNERS[self.mark]

    def comes_alone(self, status: int) -> bool:
        """Whether no move of the opponent leads to ``status``, which ends the match."""
        return status == self.winning or (status == DRAW and self.mark == X)

    def place(self, row: int, column: int) -> None:
        """Make a move, whose ever turn it is; raises :class:`~tictac.errors.IllegalMove`."""
        self.board = RULES.play(self.board, RULES.cell(column, row))

    def hear_move(self, status: int, row: int, column: int) -> None:
        """Note the opponent's move and what comes of it; raises WrongMessage."""
        try:
            self.place(row, column)
        except IllegalMove as refusal:
            raise WrongMessage(str(refusal)) from None
        self.hear_status(status)

    def hear_status(self, status: int) -> None:
        """Check what the server says came of the last move; raises WrongMessage."""
        if status != self.status:
            raise WrongMessage(f"status {status} where it is {self.status}")

"""The session client for a person at a terminal."""

from __future__ import annotations

from twisted.internet.error import ConnectionClosed, ConnectionDone

from tictac.errors import IllegalMove
from tictac.games.tictactoe.rules import NAMES, O, X
from tictac.net.client_connection import DecodingClient, WrongMessage
from tictac.plugins.classics import tictactoe
from tictac.plugins.classics.session import wire
from tictac.plugins.classics.tictactoe import RULES
from tictac.terminal.dialog import Dialog, Ended, lasted, see_through
from tictac.terminal.style import Style
from tictac.terminal.terminal import Terminal

_WINNERS = {X: wire.PLAYER1_WON, O: wire.PLAYER2_WON, None: wire.DRAW}


class SessionBoard:
    """The board, and the player's own ``mark``; ``seat`` is the first integer from the server.

    Raises :class:`~tictac.net.client_connection.WrongMessage` for an unknown seat.
    """

    def __init__(self, seat: int) -> None:
        if seat not in (wire.PLAYER1, wire.PLAYER2):
            raise WrongMessage(f"there is no player {seat}")
        self.seat = seat
        self.mark = X if seat == wire.PLAYER1 else O
        self.board = RULES.initial()

    @property
    def is_my_turn(self) -> bool:
        """Whether the player is to move."""
        return RULES.to_move(self.board) == self.mark

    @property
    def status(self) -> int:
        """The state of the match, as the server's status value."""
        outcome = RULES.outcome(self.board)
        return wire.CONTINUE if outcome is None else _WINNERS[outcome.winner]

    @property
    def winning(self) -> int:
        """The status with which this player wins."""
        return _WINNERS[self.mark]

    def comes_alone(self, status: int) -> bool:
        """Return whether ``status`` ends the match although no move of the opponent leads to it."""
        return status == self.winning or (status == wire.DRAW and self.mark == X)

    def place(self, row: int, column: int) -> None:
        """Make a move for the side to move; raises :class:`~tictac.errors.IllegalMove`."""
        self.board = RULES.play(self.board, RULES.cell(column, row))

    def apply_move(self, status: int, row: int, column: int) -> None:
        """Apply the opponent's move and check the status after it; raises WrongMessage."""
        try:
            self.place(row, column)
        except IllegalMove as refusal:
            raise WrongMessage(f"row {row} and column {column}: {refusal}") from None
        self.check_status(status)

    def check_status(self, status: int) -> None:
        """Check the server's status after the last move; raises WrongMessage."""
        if status != self.status:
            raise WrongMessage(f"status {status} in place of {self.status}")


HINT = "columns and rows count from 0, at the top left; QUIT leaves"
WAITING = "Waiting for other player..."
LEFT = "The connection has ended: the other player has probably left."
TOO_LATE = "The connection has ended: {who} took longer than {took}, or the other player has left."


async def play(client: DecodingClient[int], terminal: Terminal, style: Style) -> int:
    """Play one match; return the exit status of the program."""
    console = Console(client, Dialog(terminal, client.next_message), style)
    return await see_through(client, terminal, console.run())


class _Over(Exception):
    """The end of the match with ``status``, sent without a move."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Console:
    """One match, from the seat to the result."""

    def __init__(self, client: DecodingClient[int], dialog: Dialog[int], style: Style) -> None:
        self._client = client
        self._dialog = dialog
        self._style = style
        self._since = 0.0

    async def run(self) -> None:
        """Play the match to its end.

        Raises :class:`~tictac.terminal.dialog.Quit` or EOFError if this player leaves,
        :class:`~tictac.terminal.dialog.Ended` if the opponent seems to have left, and
        :class:`~tictac.net.client_connection.WrongMessage` or twisted's ConnectionClosed if the
        match can't continue.
        """
        match = SessionBoard(await self._dialog.wait(WAITING, in_queue=True))
        self._dialog.show(f"You are player {match.seat}, with {NAMES[match.mark]}.")
        self._dialog.hint(HINT)
        if match.seat == wire.PLAYER1:
            self._dialog.show(WAITING)
            # The start signal. Servers send 1; clients of this protocol don't check the value.
            await self._dialog.wait(WAITING, in_queue=True)
        try:
            await self._play_turns(match)
        except ConnectionDone:
            # When the opponent leaves, the server only closes the connection.
            raise Ended(self._guess_cause(match)) from None

    def _guess_cause(self, match: SessionBoard) -> str:
        took = self._client.seconds() - self._since
        if took < 1 or match.status != wire.CONTINUE:
            return LEFT
        who = "you" if match.is_my_turn else "the other player"
        return TOO_LATE.format(who=who, took=lasted(took))

    async def _play_turns(self, match: SessionBoard) -> None:
        self._show_turn(match)
        try:
            while match.status == wire.CONTINUE:
                await (self._take_turn(match) if match.is_my_turn else self._wait_turn(match))
            status = match.status
        except _Over as over:
            status = over.status
        results = {match.winning: tictactoe.YOU_WON, wire.DRAW: tictactoe.DRAWN}
        self._dialog.show(results.get(status, tictactoe.YOU_LOST))

    async def _take_turn(self, match: SessionBoard) -> None:
        column, row = await tictactoe.ask_move(self._ask, self._dialog.show, match.board)
        match.place(row, column)
        self._client.transport.write(wire.format_integers((row, column)))
        if match.status != wire.CONTINUE:
            match.check_status(await self._dialog.wait(tictactoe.OPPOSING_TURN))
        self._show(match)

    async def _wait_turn(self, match: SessionBoard) -> None:
        status = await self._dialog.wait(tictactoe.OPPOSING_TURN)
        if status not in (wire.CONTINUE, *wire.ENDS):
            raise WrongMessage(f"{status} isn't a status")
        if match.comes_alone(status):
            raise _Over(status)
        try:
            row, column = [await self._dialog.wait(tictactoe.OPPOSING_TURN) for _ in range(2)]
        except ConnectionClosed:
            if status in wire.ENDS:
                raise _Over(status) from None
            raise
        match.apply_move(status, row, column)
        self._show(match)

    async def _ask(self, prompt: str) -> str:
        received = await self._dialog.ask(prompt)
        if isinstance(received, str):
            return received
        if received in wire.ENDS:
            raise _Over(received)
        raise WrongMessage(f"{received} before the move")

    def _show(self, match: SessionBoard) -> None:
        for line in tictactoe.board_lines(match.board, self._style):
            self._dialog.show(line)
        if match.status == wire.CONTINUE:
            self._show_turn(match)

    def _show_turn(self, match: SessionBoard) -> None:
        self._since = self._client.seconds()
        self._dialog.show(tictactoe.MY_TURN if match.is_my_turn else tictactoe.OPPOSING_TURN)

"""The client's side of the Connect Four protocol, and a game over it.

Source: connect-four.md, "The conversation". ServerGame checks every message of the server: it must
be in step, its move must be possible, and its winner must have four in a row.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NoReturn

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionClosed

from tictac.errors import IllegalMove
from tictac.net.client_connection import ClientConnection, UnknownMessage
from tictac.net.framing import Framing
from tictac.plugins.classics.connectfour import wire
from tictac.plugins.classics.connectfour.wire import Answer, Hello, NewGame, Welcome
from tictac.plugins.games.connectfour.rules import DRAW, RED, YELLOW, Move, Outcome, Rules, Side

_WINNERS: dict[Answer, Side] = {wire.WINNER_RED: RED, wire.WINNER_YELLOW: YELLOW}


class ConnectFourClient(ClientConnection[Answer]):
    """One connection to a Connect Four server."""

    framing = Framing(mode="line", max_message=wire.MAX_LINE)

    def send(self, request: wire.Request) -> None:
        """Send ``request``."""
        self.transport.write(wire.format_line(request) + wire.END)

    def parse(self, message: bytes) -> Answer | None:
        return wire.parse_answer(message)


class Game:
    """A game of two people at one keyboard. ``people`` are the sides that play at this terminal.

    ``outcome`` is set when the game is over.
    """

    people: Collection[Side] = (RED, YELLOW)

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.position = rules.initial()
        self.outcome: Outcome | None = None

    def make(self, move: Move) -> None:
        """Make the move of a person at this terminal. Raises IllegalMove."""
        self.position = self.rules.play(self.position, move)
        self.outcome = self.rules.outcome(self.position)

    async def next_move(self) -> Move | None:
        """Wait for a move of a side that plays elsewhere, and make it.

        Returns None when the game is over; raises IllegalMove when the last move doesn't count.
        """
        return None

    def stirred(self) -> Deferred[Any]:
        """Return a Deferred that fails when the game ends by other means; callers can cancel it."""
        return Deferred()


class ServerGame(Game):
    """A game in which a server plays yellow.

    The game ends when the server reports it. A closed connection is a draw if the position is one.

    If the server sends a message out of step, everything that waits for the server fails with
    :class:`~tictac.net.client_connection.UnknownMessage`; if the connection is lost, with
    twisted's ConnectionClosed.
    """

    people = (RED,)

    def __init__(self, client: ConnectFourClient, rules: Rules) -> None:
        super().__init__(rules)
        self.begun = False
        self._before = self.position
        self._client = client

    async def begin(self, user: str) -> None:
        """Send ``user`` as the name, and request a game."""
        self._client.send(Hello(user))
        await self._expect(Welcome(user))
        self._client.send(NewGame(self.rules.columns, self.rules.rows))
        await self._expect(wire.READY)
        self.begun = True

    def make(self, move: Move) -> None:
        # After IllegalMove, nothing was sent to the server.
        after = self.rules.play(self.position, move)
        self._before, self.position = self.position, after
        self._client.send(move)

    async def next_move(self) -> Move | None:
        # If the server refuses red's move, the client undoes it.
        answer = await self._next()
        if answer is None or answer in _WINNERS:
            self._end(answer)
            return None
        if answer == wire.INVALID:
            await self._expect(wire.READY)
            self.position = self._before
            raise IllegalMove("the server doesn't take this move")
        if answer != wire.OKAY or self._has_winner():
            _refuse(answer)
        answer = await self._next()
        if answer is None:
            self._end(None)
            return None
        return await self._answered(answer)

    def stirred(self) -> Deferred[NoReturn]:
        # A server in step sends nothing while it is red's turn.
        return self._client.next_message().addCallback(_refuse)

    # Answers of the server

    async def _answered(self, answer: Answer) -> Move:
        """Make yellow's move, and handle the messages after it."""
        if not isinstance(answer, Move):
            _refuse(answer)
        try:
            self.position = self.rules.play(self.position, answer)
        except IllegalMove:
            _refuse(answer)
        verdict = await self._next()
        if verdict != wire.READY:
            self._end(verdict)
        elif self.rules.outcome(self.position) is not None:
            _refuse(verdict)
        return answer

    async def _expect(self, expected: Answer) -> None:
        answer = await self._client.next_message()
        if answer != expected:
            _refuse(answer)

    async def _next(self) -> Answer | None:
        """Return the server's next answer; None if it closed the connection after a draw."""
        try:
            return await self._client.next_message()
        except ConnectionClosed:
            if self.rules.outcome(self.position) != DRAW:
                raise
            return None

    def _end(self, verdict: Answer | None) -> None:
        """Handle the end of the game; the verdict must match the position."""
        outcome = self.rules.outcome(self.position)
        if verdict is not None and (
            outcome is None or outcome.winner is None or outcome.winner != _WINNERS.get(verdict)
        ):
            _refuse(verdict)
        self.outcome = outcome
        self._client.close()

    def _has_winner(self) -> bool:
        outcome = self.rules.outcome(self.position)
        return outcome is not None and outcome.winner is not None


def _refuse(answer: Answer) -> NoReturn:
    raise UnknownMessage(wire.format_line(answer))

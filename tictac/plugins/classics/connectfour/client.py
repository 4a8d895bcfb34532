"""The Connect Four protocol from the client's side, and a game over it.

Source: connect-four.md, "The conversation". ServerGame believes nothing: what the server
says must be in step, its moves possible, its winner have four in a row.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NoReturn

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionClosed

from tictac.errors import IllegalMove
from tictac.net.client import ClientConnection, UnknownMessage
from tictac.net.framing import Framing
from tictac.plugins.classics.connectfour import wire
from tictac.plugins.classics.connectfour.wire import Answer, Hello, NewGame, Welcome
from tictac.plugins.games.connectfour.rules import DRAW, RED, YELLOW, Move, Outcome, Rules, Side

_WINNERS: dict[Answer, Side] = {wire.WINNER_RED: RED, wire.WINNER_YELLOW: YELLOW}


class ConnectFourClient(ClientConnection[Answer]):
    """One connection to a Connect Four server."""

    framing = Framing(mode="line", max_message=wire.MAX_LINE)

    def send(self, request: wire.Request) -> None:
        """Write ``request``."""
        self.transport.write(wire.format_line(request) + wire.END)

    def parse(self, message: bytes) -> Answer | None:
        return wire.parse_answer(message)


class Game:
    """A game of two people at one keyboard. ``people`` are the sides that are asked here.

    ``outcome`` is there when it is over.
    """

    people: Collection[Side] = (RED, YELLOW)

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.position = rules.initial()
        self.outcome: Outcome | None = None

    def make(self, move: Move) -> None:
        """Make the move of somebody here. Raises IllegalMove."""
        self.position = self.rules.play(self.position, move)
        self.outcome = self.rules.outcome(self.position)

    async def next_move(self) -> Move | None:
        """Wait for the move of somebody who isn't, and make it.

        None when there is none any more; raises IllegalMove when the last one doesn't count.
        """
        return None

    def stirred(self) -> Deferred[Any]:
        """Fails when something else than what is typed ends the game; it may be cancelled."""
        return Deferred()


class ServerGame(Game):
    """A game whose yellow is played by a server.

    It ends when the server says so, never by itself. A close is a draw if the position is one.

    Everything that waits for the server fails with
    :class:`~tictac.net.client.UnknownMessage` when it says what it can't say then, and
    with twisted's ConnectionClosed when the connection is lost.
    """

    people = (RED,)

    def __init__(self, client: ConnectFourClient, rules: Rules) -> None:
        super().__init__(rules)
        self.begun = False
        self._before = self.position
        self._client = client

    async def begin(self, user: str) -> None:
        """Introduce ``user`` and ask for a game."""
        self._client.send(Hello(user))
        await self._expect(Welcome(user))
        self._client.send(NewGame(self.rules.columns, self.rules.rows))
        await self._expect(wire.READY)
        self.begun = True

    def make(self, move: Move) -> None:
        # After IllegalMove the server has heard nothing.
        after = self.rules.play(self.position, move)
        self._before, self.position = self.position, after
        self._client.send(move)

    async def next_move(self) -> Move | None:
        # When the server doesn't take red's move it is undone.
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
        # A server in step says nothing while it is red's turn.
        return self._client.next_message().addCallback(_refuse)

    # What the server says

    async def _answered(self, answer: Answer) -> Move:
        """Take yellow's move, and what follows from it."""
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
        """What the server says next; None when it has closed after a draw."""
        try:
            return await self._client.next_message()
        except ConnectionClosed:
            if self.rules.outcome(self.position) != DRAW:
                raise
            return None

    def _end(self, verdict: Answer | None) -> None:
        """Take the word for the game's end; it must be that of the position, too."""
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

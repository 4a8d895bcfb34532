"""The rooms protocol from the client's side: requests out, answers in, and the way back.

Source: rooms.md, "Messages" and "Coming back".
"""

from __future__ import annotations

from collections import deque
from functools import partial

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure

from tictac.net import client_connection, reconnector
from tictac.net.client_connection import ClientConnection, Tls, UnknownMessage
from tictac.net.framing import Framing
from tictac.protocols.rooms import wire
from tictac.protocols.rooms.wire import Ack, Join, Login

FRAMING = Framing(complete_after=0.05, incomplete_after=0, settle=False)
"""Newlines and bare messages can be mixed; the client waits for the rest of a message."""


class RoomsClient(ClientConnection[wire.Answer]):
    """One connection to a rooms server.

    Sends lines, or bare messages when ``bare`` is set: then a request must wait for the
    answer to the one before, or the server can take both for one. ``clock`` runs the timer
    that ends an answer without a newline.
    """

    framing = FRAMING

    def __init__(self, clock: IReactorTime, bare: bool = False) -> None:
        super().__init__(clock)
        self._end_of_message = b"" if bare else b"\n"

    def send(self, request: wire.Request) -> None:
        """Write ``request``; its answer comes in the order of all answers."""
        self.transport.write(wire.format_request(request) + self._end_of_message)

    def parse(self, message: bytes) -> wire.Answer | None:
        return wire.parse_answer(message)

    def is_complete(self, tail: bytes) -> bool:
        return wire.is_answer(tail)

    def split(self, data: bytes) -> list[bytes]:
        return wire.split_answers(data)

    def lineReceived(self, line: bytes) -> None:
        if line:
            super().lineReceived(line)

    def connectionLost(self, reason: Failure | None = None) -> None:  # type: ignore[override]
        # A server that doesn't end its messages can say the last one and hang up.
        if self.is_complete(self._tail):
            self.lineReceived(self._tail)
        super().connectionLost(reason)


def connect(
    reactor: IReactorTime, host: str, port: int, bare: bool = False, tls: Tls = None
) -> Deferred[RoomsClient]:
    """Connect to a rooms server by name or address; as ``client_connection.connect``."""
    return client_connection.connect(reactor, host, port, RoomsClient(reactor, bare), tls)


IN_A_MATCH = (wire.Begin, wire.InProgress, wire.BoardStatus, wire.GameEnd)
"""The messages about a match that a server can send before the answer to JOIN or CREATE."""

SEAT_TAKEN = 2
"""The status of JOIN for a room whose seats are taken."""


class RoomsReconnector(reconnector.Reconnector[RoomsClient]):
    """A person's client; :meth:`come_back` gives another."""

    async def come_back(
        self, login: Login, join: Join | None = None, early: deque[wire.Answer] | None = None
    ) -> Ack:
        """Connect again, log in, and take the place in a room (if ``join`` names one).

        The answer to the last request that was sent for that: LOGIN, if it was refused,
        or JOIN; ``early`` gets what the server says of the match before. Raises as
        :meth:`~tictac.net.reconnector.Reconnector.reconnect`, and
        :class:`~tictac.net.client_connection.UnknownMessage`.
        """

        async def take_up(client: RoomsClient, give_up: float) -> Ack:
            answer = await _ask(client, login)
            if answer.status or join is None:
                return answer
            return await self.insist(
                partial(_ask, client, join, deque() if early is None else early),
                lambda ack: ack.status == SEAT_TAKEN,
                give_up,
            )

        return await self.reconnect(take_up)


async def _ask(
    client: RoomsClient, request: Login | Join, early: deque[wire.Answer] | None = None
) -> Ack:
    client.send(request)
    while isinstance(answer := await client.next_message(), IN_A_MATCH) and early is not None:
        early.append(answer)
    if not isinstance(answer, Ack) or answer.verb != type(request).__name__.upper():
        raise UnknownMessage(wire.format_answer(answer))
    return answer

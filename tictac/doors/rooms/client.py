"""The rooms protocol from the client's side: requests out, answers in, both framings.

Source: rooms.md, "Messages".
"""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure

from tictac.doors.rooms import wire
from tictac.net import client
from tictac.net.client import ClientConnection
from tictac.net.framing import Framing

FRAMING = Framing(complete_after=0.05, incomplete_after=0, settle=False)
"""Newlines and bare messages may be mixed; what isn't complete is waited for."""


class RoomsClient(ClientConnection[wire.Answer]):
    """One connection to a rooms server.

    Sends lines, or bare messages when ``bare`` is set: then a request must wait for the
    answer to the one before, or the server may take both for one. ``clock`` runs the timer
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
        # A server that doesn't end its messages may say the last one and hang up.
        if self.is_complete(self._tail):
            self.lineReceived(self._tail)
        super().connectionLost(reason)


def connect(
    reactor: IReactorTime, host: str, port: int, bare: bool = False
) -> Deferred[RoomsClient]:
    """Connect to a rooms server by name or address; fails as ``net.client.connect``."""
    return client.connect(reactor, host, port, RoomsClient(reactor, bare))

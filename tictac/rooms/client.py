"""The rooms protocol from the client's side: requests out, answers in, both framings.

Source: rooms.md, "Framing", last paragraph.
"""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionClosed, ConnectionDone
from twisted.internet.interfaces import IReactorTime, ITCPTransport
from twisted.python.failure import Failure

from tictac.net import decoding
from tictac.net.framing import Framing, MessageReceiver
from tictac.rooms import wire
from tictac.terminal.inbox import Inbox

FRAMING = Framing(complete_after=0.05, incomplete_after=0, settle=False)
"""Newlines and bare messages may be mixed; what isn't complete is waited for."""


class UnknownMessage(Exception):
    """The server sent what isn't, or can't be now, an answer of the rooms protocol."""

    def __init__(self, message: bytes) -> None:
        super().__init__(f"unknown message {message[:100]!r}")
        self.message = message


class RoomsClient(MessageReceiver):
    """One connection to a rooms server.

    Sends lines, or bare messages when ``bare`` is set: then a request must wait for the
    answer to the one before, or the server may take both for one. ``clock`` runs the timer
    that ends an answer without a newline.
    """

    framing = FRAMING

    def __init__(self, clock: IReactorTime, bare: bool = False) -> None:
        self.clock = clock
        self._end_of_message = b"" if bare else b"\n"
        self._answers: Inbox[wire.Answer] = Inbox(self.hold, self.release)

    # What a user of it calls

    def send(self, request: wire.Request) -> None:
        """Write ``request``; its answer comes in the order of all answers."""
        self.transport.write(wire.format_request(request) + self._end_of_message)

    def next_answer(self) -> Deferred[wire.Answer]:
        """The next thing that the server says, be it asked for or not; one asker at a time.

        After the last one it fails: with :class:`UnknownMessage`, the connection then
        being closed, or with twisted's ConnectionClosed when that was lost.
        """
        return self._answers.next()

    # What Twisted calls

    def connectionMade(self) -> None:
        super().connectionMade()
        if ITCPTransport.providedBy(self.transport):
            self.transport.setTcpNoDelay(True)

    def is_complete(self, tail: bytes) -> bool:
        return wire.is_answer(tail)

    def split(self, data: bytes) -> list[bytes]:
        return wire.split_answers(data)

    def lineReceived(self, line: bytes) -> None:
        if not line:
            return
        answer = wire.parse_answer(line)
        if answer is None:
            self._give_up(line)
        else:
            self._answers.put(answer)

    def lineLengthExceeded(self, line: bytes) -> None:
        self._give_up(line)

    def connectionLost(self, reason: Failure | None = None) -> None:  # type: ignore[override]
        # A server that doesn't end its messages may say the last one and hang up.
        last = self._tail
        super().connectionLost(reason)
        if self.is_complete(last):
            self.lineReceived(last)
        error = reason.value if reason is not None else None
        self._answers.end(error if isinstance(error, ConnectionClosed) else ConnectionDone())

    def _give_up(self, message: bytes) -> None:
        self._answers.end(UnknownMessage(message))
        self.drop()


def connect(
    reactor: IReactorTime, host: str, port: int, bare: bool = False
) -> Deferred[RoomsClient]:
    """Connect to a rooms server; fails as :func:`tictac.net.decoding.connect`."""
    return decoding.connect(reactor, host, port, RoomsClient(reactor, bare))

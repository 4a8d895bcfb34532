"""What every client does with its connection: answers in, kept until they are asked for."""

from __future__ import annotations

from typing import Generic, TypeVar

from twisted.internet.defer import Deferred, fail
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol
from twisted.internet.error import ConnectionClosed, ConnectionDone
from twisted.internet.interfaces import IReactorTime, ITCPTransport
from twisted.internet.protocol import Protocol
from twisted.python.failure import Failure

from tictac.net.framing import MessageReceiver
from tictac.net.inbox import Inbox
from tictac.net.keepalive import watch_path

A = TypeVar("A")
P = TypeVar("P", bound=Protocol)

CONNECT_TIMEOUT = 30.0
"""Seconds for finding and reaching the server."""

VANISHED = 30.0
"""Seconds after which a server that has vanished without a word is noticed."""


class UnknownMessage(Exception):
    """The server sent what isn't, or can't be now, an answer of its protocol."""

    def __init__(self, message: bytes) -> None:
        super().__init__(f"unknown message {message[:100]!r}")
        self.message = message


class ClientConnection(MessageReceiver, Generic[A]):
    """The client's end of a connection, whose server says an ``A`` at a time."""

    def __init__(self, clock: IReactorTime) -> None:
        self.clock = clock
        self._connected = self._last_heard = clock.seconds()
        self._answers: Inbox[A] = Inbox(self.hold, self.release)

    def parse(self, message: bytes) -> A | None:
        """The answer in ``message``, or None when it isn't one; for a protocol to say."""
        raise NotImplementedError

    def next_answer(self) -> Deferred[A]:
        """The next thing that the server says, be it asked for or not; one asker at a time.

        After the last one it fails: with :class:`UnknownMessage`, the connection then
        being closed, or with twisted's ConnectionClosed when that was lost.
        """
        return self._answers.next()

    def connected_for(self) -> float:
        """Seconds since the connection was made."""
        return self.clock.seconds() - self._connected

    def quiet_for(self) -> float:
        """Seconds since the server last said something."""
        return self.clock.seconds() - self._last_heard

    # What Twisted calls

    def connectionMade(self) -> None:
        super().connectionMade()
        self._connected = self._last_heard = self.clock.seconds()
        if ITCPTransport.providedBy(self.transport):
            self.transport.setTcpNoDelay(True)
            watch_path(self.transport, VANISHED)

    def lineReceived(self, line: bytes) -> None:
        self._last_heard = self.clock.seconds()
        answer = self.parse(line)
        if answer is None:
            self._give_up(line)
        else:
            self._answers.put(answer)

    def lineLengthExceeded(self, line: bytes) -> None:
        self._give_up(line)

    def connectionLost(self, reason: Failure | None = None) -> None:  # type: ignore[override]
        super().connectionLost(reason)
        error = reason.value if reason is not None else None
        self._answers.end(error if isinstance(error, ConnectionClosed) else ConnectionDone())

    def _give_up(self, message: bytes) -> None:
        self._answers.end(UnknownMessage(message))
        self.drop()


def connect(reactor: IReactorTime, host: str, port: int, client: P) -> Deferred[P]:
    """Connect ``client`` to a server by name or address.

    Fails with OSError, ValueError (no possible host or port) or twisted's ConnectError.
    """
    if not 0 < port < 65536:
        return fail(ValueError(f"there is no port {port}"))
    endpoint = HostnameEndpoint(reactor, host, port, timeout=CONNECT_TIMEOUT)
    connecting: Deferred[P] = connectProtocol(endpoint, client)
    return connecting

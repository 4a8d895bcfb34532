"""The client's side of a connection: messages wait in a queue until the program asks for them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from twisted.internet.defer import Deferred, fail
from twisted.internet.endpoints import HostnameEndpoint, connectProtocol, wrapClientTLS
from twisted.internet.error import ConnectionClosed, ConnectionDone
from twisted.internet.interfaces import (
    IHandshakeListener,
    IOpenSSLClientConnectionCreator,
    IReactorTime,
    IStreamClientEndpoint,
    ITCPTransport,
)
from twisted.python.failure import Failure
from zope.interface import implementer

from tictac.net.framing import MessageReceiver
from tictac.net.inbox import Inbox
from tictac.net.keepalive import watch_path

M = TypeVar("M")
M_co = TypeVar("M_co", covariant=True)
C = TypeVar("C", bound="ClientConnection[Any]")

Tls: TypeAlias = IOpenSSLClientConnectionCreator | None
"""Twisted's options for a connection with TLS, or None."""

CONNECT_TIMEOUT = 30.0
"""Maximum seconds for finding and reaching the server."""

VANISHED = 30.0
"""Seconds after which the client notices that the server has vanished."""


class WrongMessage(Exception):
    """A message that the server can't send, or not at this point; ``str()`` names the fault."""


class UnknownMessage(WrongMessage):
    """A line that isn't a message of the protocol; ``message`` is the line."""

    def __init__(self, message: bytes) -> None:
        super().__init__(f"unknown message {message[:100]!r}")
        self.message = message


@implementer(IHandshakeListener)
class ClientConnection(MessageReceiver, Generic[M]):
    """The client's end of a connection, whose server sends messages of the type ``M``.

    Without a ``clock``, the protocol can't use timers.
    """

    _secured: Deferred[None] | None = None

    def __init__(self, clock: IReactorTime | None = None) -> None:
        self.seconds: Callable[[], float] = time.monotonic
        if clock is not None:
            self.clock, self.seconds = clock, clock.seconds
        self._connected = self._last_heard = self.seconds()
        self._inbox: Inbox[M] = Inbox(self.hold, self.release)

    def parse(self, message: bytes) -> M | None:
        """Return the message of a line, or None if there is none; the protocol overrides this."""
        raise NotImplementedError

    def next_message(self) -> Deferred[M]:
        """Return the next message of the server, requested or not; one caller at a time.

        After the last message, the Deferred fails: with :class:`WrongMessage`, or with Twisted's
        ConnectionClosed if the connection was lost.
        """
        return self._inbox.next()

    def connected_for(self) -> float:
        """Return the seconds since the connection was made."""
        return self.seconds() - self._connected

    def quiet_for(self) -> float:
        """Return the seconds since the last message of the server."""
        return self.seconds() - self._last_heard

    # What Twisted calls

    def connectionMade(self) -> None:
        super().connectionMade()
        self._connected = self._last_heard = self.seconds()
        if ITCPTransport.providedBy(self.transport):
            self.transport.setTcpNoDelay(True)
            watch_path(self.transport, VANISHED)

    def secured(self) -> Deferred[None]:
        """Fire when TLS is ready; fail like :meth:`next_message` if the connection is lost."""
        self._secured = Deferred(lambda _: self.drop())
        return self._secured

    def handshakeCompleted(self) -> None:
        self._handshake_over(None)

    def _handshake_over(self, outcome: ConnectionClosed | None) -> None:
        secured, self._secured = self._secured, None
        if secured is not None:
            secured.callback(None) if outcome is None else secured.errback(outcome)

    def lineReceived(self, line: bytes) -> None:
        self._last_heard = self.seconds()
        message = self.parse(line)
        if message is None:
            self.lineLengthExceeded(line)
        else:
            self._inbox.put(message)

    def lineLengthExceeded(self, line: bytes) -> None:
        self._inbox.end(UnknownMessage(line))
        self.drop()

    def connectionLost(self, reason: Failure | None = None) -> None:  # type: ignore[override]
        super().connectionLost(reason)
        error = reason.value if reason is not None else None
        if not isinstance(error, ConnectionClosed):
            done = ConnectionDone()
            done.__cause__ = error  # a complaint of TLS
            error = done
        self._inbox.end(error)
        self._handshake_over(error)


class Decoder(Protocol[M_co]):
    """Decodes messages from bytes."""

    def feed(self, data: bytes) -> Sequence[M_co]:
        """Return the messages that ``data`` completes."""


class DecodingClient(ClientConnection[M]):
    """A client of a binary protocol."""

    def __init__(self, decoder: Decoder[M]) -> None:
        super().__init__()
        self._decoder = decoder

    def take(self, data: bytes) -> None:
        self._last_heard = self.seconds()
        for message in self._decoder.feed(data):
            self.message_received(message)

    def message_received(self, message: M) -> None:
        """Queue a message of the server."""
        self._inbox.put(message)


def connect(reactor: IReactorTime, host: str, port: int, client: C, tls: Tls = None) -> Deferred[C]:
    """Connect ``client`` to a server by name or address; ``tls`` are Twisted's options for TLS.

    Fails with OSError, ValueError (impossible host or port), Twisted's ConnectError, or, if TLS
    isn't possible, ConnectionClosed.
    """
    if not 0 < port < 65536:
        return fail(ValueError(f"there is no port {port}"))
    endpoint: IStreamClientEndpoint = HostnameEndpoint(reactor, host, port, timeout=CONNECT_TIMEOUT)
    if tls is not None:
        secured = client.secured().addCallback(lambda _: client)
        endpoint = wrapClientTLS(tls, endpoint)
    connecting: Deferred[C] = connectProtocol(endpoint, client)
    return connecting if tls is None else connecting.addCallback(lambda _: secured)


def tls_fault(error: BaseException) -> str:
    """Return why TLS failed, as a sentence without its period; empty for other errors."""
    cause = error.__cause__
    library = type(cause).__module__.partition(".")[0]
    if library == "service_identity":
        return "the certificate of the server is for another host name: connect by the name in it"
    if "certificate verify failed" in str(cause):
        return "the certificate of the server isn't trusted; --ca FILE names one that is"
    return "the server doesn't speak TLS: try it without tls://" if library == "OpenSSL" else ""

"""The client's side of a binary protocol."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar
from typing import Protocol as Interface

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionClosed, ConnectionDone
from twisted.internet.interfaces import ITCPTransport
from twisted.internet.protocol import Protocol
from twisted.python.failure import Failure

from tictac.net.inbox import Inbox

M = TypeVar("M")
M_co = TypeVar("M_co", covariant=True)


class WrongMessage(Exception):
    """The server said what it can't say, or not now; ``str()`` says what was wrong."""


class Decoder(Interface[M_co]):
    """Makes messages of bytes."""

    def feed(self, data: bytes) -> Sequence[M_co]:
        """The messages that ``data`` completes."""


class DecodingClient(Protocol, Generic[M]):
    """A connection whose messages wait until they are asked for."""

    transport: Any  # what of ITransport, IPushProducer and ITCPTransport it provides

    def __init__(self, decoder: Decoder[M]) -> None:
        self._decoder = decoder
        self._inbox: Inbox[M] = Inbox(self._pause, self._resume)
        self.seconds: Callable[[], float] = time.monotonic
        self._heard = 0.0

    def next_message(self) -> Deferred[M]:
        """The next thing that the server says; one asker at a time.

        After the last one it fails with twisted's ConnectionClosed.
        """
        return self._inbox.next()

    def quiet_for(self) -> float:
        """Seconds since the server last said something."""
        return self.seconds() - self._heard

    def take(self, message: M) -> None:
        """Keep what the server has said."""
        self._inbox.put(message)

    def fail(self, error: Exception) -> None:
        """Ask the server for nothing more: what comes next is ``error``."""
        self._inbox.end(error)

    def close(self) -> None:
        """Send what is written, and close."""
        self.transport.loseConnection()

    def _pause(self) -> None:
        self.transport.pauseProducing()

    def _resume(self) -> None:
        self.transport.resumeProducing()

    # What Twisted calls

    def connectionMade(self) -> None:
        self._heard = self.seconds()
        if ITCPTransport.providedBy(self.transport):
            self.transport.setTcpNoDelay(True)

    def dataReceived(self, data: bytes) -> None:
        self._heard = self.seconds()
        for message in self._decoder.feed(data):
            self.take(message)

    def connectionLost(self, reason: Failure | None = None) -> None:
        error = reason.value if reason is not None else None
        self._inbox.end(error if isinstance(error, ConnectionClosed) else ConnectionDone())

"""The outgoing side of a connection: limits for unsent bytes, and gaps between messages.

A peer that reads slowly, or never, must not cost the server its memory. The transport reports when
more than its buffer (64 KiB) waits, and when the buffer is empty again. This module counts the
bytes written in between. It needs only IConsumer and IPushProducer, so it works for TCP, TLS, and
Unix sockets.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from twisted.internet.interfaces import IDelayedCall, IPushProducer, IReactorTime, ITransport
from zope.interface import implementer

TRANSPORT_BUFFER = 65536
"""Bytes that a Twisted transport buffers before it reports that."""


def _ignore(data: object = None) -> None:
    pass


@implementer(IPushProducer)
class Outlet:
    """The outgoing side of one connection.

    ``limit`` is the maximum of unsent bytes (0: no limit). A limit below the transport's own buffer
    acts like that buffer. ``on_full`` is called once, when more bytes wait. ``on_choked`` is called
    when the transport's buffer is full, and again when it is empty.

    ``write(data)`` sends as soon as the network takes it. It is the transport's own method until
    the transport is choked, because only then there is something to count.
    """

    __slots__ = (
        "_choked", "_clock", "_limit", "_on_choked", "_on_full", "_paced", "_pause", "_transport",
        "_unsent", "write",
    )  # fmt: skip

    def __init__(
        self,
        transport: ITransport,
        clock: IReactorTime,
        limit: int,
        on_full: Callable[[], None],
        on_choked: Callable[[bool], None] = _ignore,
    ) -> None:
        self._transport = transport
        self._clock = clock
        self._limit = limit
        self._on_full = on_full
        self._on_choked = on_choked
        self.write = transport.write
        self._choked = False
        self._unsent = 0
        self._paced: deque[tuple[bytes, float]] | None = None
        self._pause: IDelayedCall | None = None
        transport.registerProducer(self, True)  # type: ignore[attr-defined]

    def write_paced(self, message: bytes, gap: float) -> None:
        """Send ``message``, and nothing else for ``gap`` seconds.

        For peers that take one read for one message.
        """
        if self._pause is None:
            self.write(message)
            self._pause = self._clock.callLater(gap, self._next_paced)
            return
        if self._paced is None:
            self._paced = deque()
        self._paced.append((message, gap))
        self._count(len(message))

    def hurry(self, gap: float) -> None:
        """Send the next message within ``gap`` seconds: the peer has read the previous one."""
        pause = self._pause
        if pause is not None and pause.getTime() - self._clock.seconds() > gap:
            pause.reset(gap)

    def flush(self) -> None:
        """Write messages that wait for their gap at once, as the connection is about to close."""
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None
        if self._paced:
            self._unsent -= self._waiting()
            self.write(b"".join([message for message, _ in self._paced]))
        self._paced = None

    def close(self) -> None:
        """Unregister from the transport, which would otherwise wait for its producer to finish."""
        self.flush()
        self._limit = 0
        self._transport.unregisterProducer()  # type: ignore[attr-defined]

    def stop(self) -> None:
        """Send nothing more, and forget the connection; both would be a cycle of garbage."""
        self.write = _ignore
        self._on_full = _ignore
        self._on_choked = _ignore

    def _next_paced(self) -> None:
        self._pause = None
        if self._paced:
            message, gap = self._paced.popleft()
            self._unsent -= len(message)
            self.write_paced(message, gap)

    def _waiting(self) -> int:
        return sum(len(message) for message, _ in self._paced or ())

    def _write_choked(self, data: bytes) -> None:
        self._transport.write(data)
        self._count(len(data))

    def _count(self, size: int) -> None:
        self._unsent += size
        if self._limit and self._unsent > self._limit:
            self._limit = 0
            self._on_full()

    # IPushProducer, called by the transport

    def pauseProducing(self) -> None:
        """Count unsent bytes from now on, because the transport's buffer is full."""
        # The transport calls this at every write while the buffer is full.
        if not self._choked:
            self._choked = True
            self.write = self._write_choked
            self._on_choked(True)
            self._count(TRANSPORT_BUFFER)

    def resumeProducing(self) -> None:
        """Stop counting, except messages that wait for their gap: the buffer is empty."""
        self.write = self._transport.write
        self._unsent = self._waiting()
        if self._choked:
            self._choked = False
            self._on_choked(False)

    def stopProducing(self) -> None:
        """Drop everything, because the connection is lost."""
        self._paced = None
        if self._pause is not None:
            self._pause.cancel()
            self._pause = None

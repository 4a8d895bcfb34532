"""A TCP server transport that sends at the end of the reactor's turn.

Twisted's own only queues in ``write``: the bytes leave a turn later, after two changes of
what epoll watches, which makes seven system calls of a move that needs three and doubles
the CPU time (docs/architecture.md, "Speed"). Here what is written in a turn is sent, in
one piece for each connection, as soon as everything that was readable has been worked
off. Whatever the kernel doesn't take then, errors included, goes the normal way.

This is the only file that needs private names of Twisted; its test fails when they go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twisted.internet import tcp
from twisted.internet.interfaces import IListeningPort, IReactorTime


class Flusher:
    """Knows which transports were written to in this turn, and has them send."""

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock
        self._waiting: list[EagerServer] = []

    def add(self, transport: EagerServer) -> None:
        """Have ``transport`` send when the turn is over."""
        if not self._waiting:
            # Timed calls are made between two looks at the sockets.
            self._clock.callLater(0, self._flush)
        self._waiting.append(transport)

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        for transport in waiting:
            transport.send_now()


class EagerServer(tcp.Server):
    """``tcp.Server`` whose writes leave at the end of the turn in which they were made."""

    flusher: Flusher
    _soon: list[bytes] | None = None

    def write(self, data: bytes) -> None:
        if self._soon is not None:
            self._soon.append(data)
        elif self.dataBuffer or self._tempDataBuffer:
            super().write(data)
        elif data:
            self._soon = [data]
            self.flusher.add(self)

    def writeSequence(self, iovec: Iterable[bytes]) -> None:
        self.write(b"".join(iovec))

    def send_now(self) -> None:
        """Send what was written in this turn."""
        written, self._soon = self._soon, None
        if written is None or not self.connected or self._writeDisconnected or self._aborting:
            return
        data = written[0] if len(written) == 1 else b"".join(written)
        try:
            sent = self.socket.send(data)
        except OSError:
            # Full, or broken: in the normal way the reactor finds out which.
            sent = 0
        if sent < len(data):
            super().write(data[sent:])


def send_eagerly(port: IListeningPort, clock: IReactorTime) -> bool:
    """Let ``port`` build its connections so. False when it isn't plain TCP of Twisted's.

    ``tcp.Port.transport`` is the documented hook for what makes its connections. TLS has
    a write buffer of its own above TCP, and keeps the normal path.
    """
    if type(port) is not tcp.Port or port._type != "TCP":
        return False
    flusher = Flusher(clock)

    def connection(*arguments: Any) -> EagerServer:
        server = EagerServer(*arguments)
        server.flusher = flusher
        return server

    port.transport = connection
    return True

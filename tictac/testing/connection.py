"""Connections in memory: a protocol at one side, the test at the other."""

from __future__ import annotations

from typing import Any

from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IHalfCloseableProtocol
from twisted.internet.protocol import Protocol
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure


class FakeTransport(StringTransport):
    """A StringTransport that does more of what TCP does.

    Data waits while its protocol has paused it, and each piece is one read. After the protocol has
    closed it, no more data arrives. The test ends the connection with ``lose``: with TCP that comes
    later, never during a call of the protocol's.
    """

    def __init__(self, protocol: Protocol, host: str = "192.0.2.1") -> None:
        super().__init__(peerAddress=IPv4Address("TCP", host, 1234), lenient=True)
        self.protocol = protocol
        self.arrived: list[bytes | None] = []
        self.lost = self._delivering = False

    def arrive(self, *pieces: bytes | None) -> None:
        """Deliver pieces of data from the peer, one read each; None is the end of its input."""
        self.arrived += pieces
        if self._delivering:
            return
        self._delivering = True
        try:
            while self.arrived and self.producerState == "producing" and not self.disconnecting:
                if (data := self.arrived.pop(0)) is not None:
                    self.protocol.dataReceived(data)
                else:
                    IHalfCloseableProtocol(self.protocol).readConnectionLost()
        finally:
            self._delivering = False

    def lose(self) -> None:
        """Disconnect the protocol."""
        assert not self.lost
        self.lost = True
        if self.producer is not None:
            self.producer.stopProducing()
        self.protocol.connectionLost(Failure(ConnectionDone()))

    def take(self) -> bytes:
        """Return the bytes that were written since the last call."""
        data: bytes = self.value()
        self.clear()
        return data

    def resumeProducing(self) -> None:
        super().resumeProducing()
        # TCP reads again in its next turn; for the protocol that is the same as now.
        self.arrive()

    def unregisterProducer(self) -> None:
        # Twisted's transports allow a second call.
        self.producer = self.streaming = None


class Caller:
    """A client of the server of ``factory``, whose lines end with ``end``."""

    make_transport = FakeTransport

    def __init__(self, factory: Any, end: str = "\n", host: str = "192.0.2.1") -> None:
        self.end = end
        protocol = factory.buildProtocol(IPv4Address("TCP", host, 1234))
        self.transport = self.make_transport(protocol, host)
        protocol.makeConnection(self.transport)

    def send(self, *pieces: str | bytes) -> None:
        """Send lines, without their ends, or bytes as they are; each is one read."""
        for piece in pieces:
            data = piece if isinstance(piece, bytes) else f"{piece}{self.end}".encode()
            self.transport.arrive(data)

    def read(self) -> list[str]:
        """Return the lines received since the last call, without their ends."""
        *lines, rest = self.transport.take().decode().split(self.end)
        assert rest == "", f"the last line has no end: {rest!r}"
        return lines

    def ask(self, *pieces: str | bytes) -> list[str]:
        """Send pieces; return the lines that come back."""
        self.send(*pieces)
        return self.read()

    @property
    def protocol(self) -> Any:
        """The server's side, which might have handed the connection over to another."""
        return self.transport.protocol

    @property
    def closed(self) -> bool:
        """Whether the server has closed the connection, now or soon."""
        return bool(self.transport.disconnecting)

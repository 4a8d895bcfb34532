"""Servers that seat whoever comes, and their guests, without a network."""

from __future__ import annotations

from typing import Protocol

from twisted.internet.address import IPv4Address

from tests.helpers import FakeTransport
from tictac.net.connection import ConnectionFactory


class HasFactory(Protocol):
    """A server that a guest comes to."""

    @property
    def factory(self) -> ConnectionFactory:
        """What makes its connections."""

    def connect(self) -> Guest:
        """A new connection."""

    def expire(self, seconds: float) -> None:
        """Let so much time pass."""


class Guest:
    """The other side of a connection."""

    def __init__(self, house: HasFactory, host: str) -> None:
        self.protocol = house.factory.buildProtocol(IPv4Address("TCP", host, 1234))
        self.transport = FakeTransport(self.protocol, host)
        self.protocol.makeConnection(self.transport)

    def send(self, *pieces: bytes) -> None:
        """Let pieces of data arrive, one read each."""
        self.transport.arrive(*pieces)

    def read(self) -> bytes:
        """What has come since the last time, in one write or none."""
        writes = self.transport.take_writes()
        assert len(writes) <= 1, writes
        return b"".join(writes)

    def hang_up(self) -> None:
        """Close the connection, or take note that the server has."""
        self.transport.lose()

    @property
    def closed(self) -> bool:
        """Whether the server has closed the connection, now or soon."""
        return bool(self.transport.disconnecting)

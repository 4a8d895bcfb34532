"""Servers that seat whoever comes, and their guests, without a network."""

from __future__ import annotations

from typing import Protocol

from tests.helpers import Peer
from tictac.net.connection import ConnectionFactory


class HasFactory(Protocol):
    """A server that a guest comes to."""

    @property
    def factory(self) -> ConnectionFactory:
        """What makes its connections."""

    def connect(self) -> Guest:
        """Open a connection."""

    def expire(self, seconds: float) -> None:
        """Let so much time pass."""


class Guest(Peer):
    """The other side of a connection, which gets what comes in one write."""

    def __init__(self, house: HasFactory, host: str) -> None:
        super().__init__(house.factory, host=host)

    def take(self) -> bytes:
        """Return the data received since the last time, in one write or none."""
        writes = self.transport.take_writes()
        assert len(writes) <= 1, writes
        return b"".join(writes)

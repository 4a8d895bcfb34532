"""A session server without a network, matches to play there, and integers as bytes."""

from __future__ import annotations

from random import Random

from twisted.internet.task import Clock

from tests.tables import Guest
from tictac.lobby.registry import Registry
from tictac.net.connection import Limits
from tictac.plugins.classics.session.server import Pairs, SessionFactory

FIRST_WINS = [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)]
SECOND_WINS = [(0, 0), (1, 0), (0, 1), (1, 1), (2, 2), (1, 2)]
NOBODY_WINS = [(1, 1), (0, 0), (0, 1), (2, 1), (1, 0), (1, 2), (0, 2), (2, 0), (2, 2)]


def integers(*values: int) -> bytes:
    """Return four-byte signed big-endian integers, encoded by hand."""
    return b"".join(value.to_bytes(4, "big", signed=True) for value in values)


class SessionHouse:
    """A session server whose time is in the hands of the test."""

    def __init__(self, limits: Limits, move_timeout: float) -> None:
        self.clock = Clock()
        self.faults: list[object] = []
        self.registry = Registry(256, self.clock.seconds, self.faults.append, rng=Random(1))
        self.seating = Pairs(self.registry, move_timeout)
        self.factory = SessionFactory(
            self.clock, self.clock.seconds, limits=limits, seating=self.seating
        )
        self.endings = self.seating.endings
        self.refusals = self.factory.refusals.counts

    def connect(self, host: str = "192.0.2.1") -> Guest:
        return Guest(self, host)

    def expire(self, seconds: float) -> None:
        """Let so much time pass, and look for what has timed out."""
        self.clock.advance(seconds)
        self.seating.expire()
        self.factory.expire()

    def is_clean(self) -> bool:
        """Return whether no connection, delayed call, room, or player is left."""
        return not (
            self.factory.connections
            or self.clock.getDelayedCalls()
            or self.faults
            or self.registry.public_rooms()
            or self.registry.live_room_of
            or self.seating.running()
            or self.seating._waiting
        )


def session_house(limits: Limits | None = None, move_timeout: float = 600) -> SessionHouse:
    """Return a server with 600 seconds for a move."""
    usual = Limits(login_timeout=0, idle_timeout=0, max_connections_per_peer=0)
    return SessionHouse(limits or usual, move_timeout)

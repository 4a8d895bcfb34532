"""A Nim server without a network, and bytes as people write them."""

from __future__ import annotations

from random import Random
from typing import Any

from twisted.internet.task import Clock

from tests.tables import Guest
from tictac.lobby.registry import Registry
from tictac.net.connection import Limits
from tictac.plugins.classics.nim.server import NimFactory, Queue, terms_of
from tictac.plugins.classics.nim.wire import Types
from tictac.plugins.games.nim.rules import Deal
from tictac.testing.server import raise_fault

LIST = Deal(fixed=(24, 17, 3))
"""The game of the protocol document."""

PLAY, WIN, LOSE, EXIT = (bytes([number]) for number in (1, 4, 5, 6))


class InOrder(Random):
    """Dice that leave everything in its order: of two new players the earlier one begins."""

    def shuffle(self, x: Any) -> None:
        pass


def turn(*numbers: int) -> bytes:
    """Return the message with these numbers, encoded by hand."""
    listed = b"".join(number.to_bytes(4, "big") for number in numbers)
    return bytes([2, len(numbers)]) + listed


def move(at: int, amount: int) -> bytes:
    """Return the message that takes ``amount`` from the number at the index ``at``."""
    return bytes([3, at]) + amount.to_bytes(4, "big")


class NimHouse:
    """A server of Nim, and its lobby, whose time is in the hands of the test."""

    def __init__(self, factory: NimFactory, clock: Clock) -> None:
        self.factory = factory
        self.clock = clock
        assert isinstance(factory.seating, Queue)
        self.seating = factory.seating
        self.lobby = factory.seating.registry
        self.endings = factory.seating.endings
        self.refusals = factory.refusals.counts

    def connect(self, host: str = "192.0.2.1") -> Guest:
        return Guest(self, host)

    def expire(self, seconds: float) -> None:
        """Let so much time pass, and look for what has timed out."""
        self.clock.advance(seconds)
        self.factory.expire()
        self.seating.expire()

    def is_clean(self) -> bool:
        """Return whether no connection, delayed call, match, or player is left."""
        self.clock.advance(0)  # an address may have waited for its next turn
        kept = ("_matches", "_queue", "_winners")
        return not (
            self.factory.connections
            or self.clock.getDelayedCalls()
            or self.lobby.public_rooms()
            or any(vars(self.seating).get(name) for name in kept)
        )


def nim_house(
    count: int = 1,
    deal: Deal = LIST,
    rng: Random | None = None,
    limits: Limits | None = None,
    types: Types | None = None,
    match_timeout: float = 900,
    move_timeout: float = 60,
) -> NimHouse:
    """Return a server of Nim with 60 seconds for ``play`` and for a move."""
    clock = Clock()
    terms = terms_of(deal, move_timeout)
    lobby = Registry(0, clock.seconds, raise_fault, rng=Random(1))
    queue = Queue(lobby, terms, count, rng or InOrder(), match_timeout)
    limits = limits or Limits(login_timeout=60)
    factory = NimFactory(clock, clock.seconds, limits=limits, seating=queue, types=types or Types())
    return NimHouse(factory, clock)

"""A server without sockets: guests in its rooms, and connections to its ports."""

from __future__ import annotations

from random import Random
from typing import Any

from twisted.internet.interfaces import IReactorTime
from twisted.internet.testing import MemoryReactorClock

from tictac.lobby.events import Ended, Event
from tictac.lobby.registry import Registry
from tictac.options import Settings
from tictac.runtime import Runtime
from tictac.testing.connection import Caller


def raise_fault(culprit: object) -> None:
    """Let the test see an error of an occupant or observer (the ``on_fault`` of a Registry)."""
    raise


class Guest:
    """An occupant (lobby.interfaces.Occupant) that notes its ``events``."""

    supports_all_events = True
    whole_events = True
    closed = False

    def __init__(self, registry: Registry, user: str) -> None:
        self.registry = registry
        self.occupant_id = registry.new_occupant_id()
        self.user: str | None = user
        self.events: list[Event] = []

    def receive(self, event: Event) -> None:
        self.events.append(event)

    def wait(self) -> None:
        """Wait for nothing: the test calls when it is ready."""

    release = wait

    def close(self) -> None:
        self.closed = True

    def news(self) -> list[Event]:
        """Return the events since the last call, and forget them."""
        news, self.events = self.events, []
        return news


def play_out(name: str, *players: Guest) -> Ended:
    """Let ``players``, in the order of seats, move at random; return the end of their match.

    The first player's registry has the room ``name``.
    """
    rng, first = Random(1), players[0]
    while (room := first.registry.room(name)) is not None:
        player, before = players[room.turn or 0], room.position
        player.registry.place(player, rng.choice(room.game.moves(before)), keep=False)
        assert room.position != before, f"{player.user} couldn't move: {player.events[-1:]}"
    ended = first.events[-1]
    assert isinstance(ended, Ended)
    return ended


class Server:
    """The server with the port option ``port``, as ``tictac serve`` starts it with ``options``.

    Its ``clock`` has the time, its ``registry`` the rooms. It has no accounts and no archive.
    """

    def __init__(self, port: str, *options: str) -> None:
        from tictac.server.settings import MAKERS, Options  # late: it loads every server

        read = Options()
        read.parseOptions([f"--{port}=1", *options])
        [maker] = [each for each in MAKERS if each.port == port]
        self.clock: IReactorTime = MemoryReactorClock()
        self.registry = Registry(0, self.clock.seconds, raise_fault, rng=Random(1))
        runtime = Runtime(Settings(read), self.clock)
        runtime.registry = self.registry
        self.service: Any = maker.make(read.ports[port], runtime)
        self.service.startService()

    def connect(self, end: str = "\n", host: str = "192.0.2.1") -> Caller:
        """Connect to its first port."""
        return Caller(self.service.factories[0], end, host)

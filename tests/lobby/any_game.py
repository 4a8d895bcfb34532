"""A registry with occupants that can be told everything, and a match of Reversi."""

from __future__ import annotations

from random import Random

from twisted.internet.task import Clock as Timers
from twisted.trial.unittest import SynchronousTestCase

from tests.lobby.registry_suite import Guest
from tictac.errors import Refusal
from tictac.games.all import game_type_of
from tictac.lobby.events import Refused
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms, terms_for

REVERSI = terms_for(game_type_of("reversi"), {})


class Knowing(Guest):
    """An occupant that can be told everything."""

    supports_all_events = True

    def refused(self) -> type[Refusal]:
        """Return the class of the last refusal."""
        event = self.events[-1]
        assert isinstance(event, Refused)
        return type(event.refusal)


class AnyGameCase(SynchronousTestCase):
    rejoin_timeout: float = 0

    def setUp(self) -> None:
        self.timers = Timers()
        self.faults: list[object] = []
        self.registry = Registry(
            0, self.timers.seconds, self.faults.append, self.rejoin_timeout, rng=Random(1)
        )
        names = ("alice", "bob", "vera")
        self.alice, self.bob, self.vera = (Knowing(self.registry, name) for name in names)
        self.plain = Guest(self.registry, "paul")

    def tearDown(self) -> None:
        assert not self.faults

    def begin(self, terms: Terms = REVERSI) -> Room:
        """Begin a match of alice and bob that vera watches, and drop its events."""
        self.registry.create(self.alice, "den", terms)
        self.registry.join(self.vera, "den", "VIEWER")
        others = [Knowing(self.registry, f"guest-{seat}") for seat in range(2, terms.seats)]
        self.players = [self.alice, self.bob, *others]
        for player in self.players[1:]:
            self.registry.join(player, "den", "PLAYER")
        for guest in (*self.players, self.vera):
            guest.news()
        room = self.registry.room("den")
        assert room is not None and room.begun
        return room

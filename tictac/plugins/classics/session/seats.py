"""How a program that plays in a tournament gets its seat, by the two-player session."""

from __future__ import annotations

import time
from typing import Any

from tictac.errors import NotAMove
from tictac.lobby.events import Event
from tictac.lobby.registry import Registry
from tictac.lobby.terms import USUAL_TERMS, Terms
from tictac.net.plugin import Contestant
from tictac.plugins.classics.session.server import SessionConnection, SessionFactory


class SeatConnection(SessionConnection):
    """A connection of a contestant."""

    def receive(self, event: Event) -> None:
        super().receive(event)
        self.send()  # the other player may use another protocol, and sends nothing for this one


class Desk:
    """Where the connections of one contestant ask for its seat (server.Desk)."""

    def __init__(self, contestant: Contestant, registry: Registry) -> None:
        self._contestant, self.registry = contestant, registry

    def enter(self, player: SessionConnection) -> bool:
        """Ask for the seat; the first player is told that it waits."""
        self._contestant.come(player)
        return self._contestant.seat > 0

    def leave(self, player: SessionConnection, ending: str) -> None:
        """Give up the seat."""
        if ending == "refused":
            self._contestant.refused(NotAMove(player.why))
        self._contestant.lost(player)
        self.registry.leave(player, for_good=True)


class SeatFactory(SessionFactory):
    """What the connections of a contestant's port share."""

    connection = SeatConnection


def seats(contestant: Contestant, reactor: Any, lobby: Any) -> SeatFactory:
    """Make the factory of a contestant's port (part.ServerPlugin)."""
    seating = Desk(contestant, lobby.registry)
    return SeatFactory(reactor, time.monotonic, limits=contestant.limits, seating=seating)


def hosts(terms: Terms) -> bool:
    """Return whether the session can tell of such a match (part.ServerPlugin)."""
    return terms.game is USUAL_TERMS.game

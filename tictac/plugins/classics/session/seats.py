"""Seats of a tournament for programs that play over the two-player session."""

from __future__ import annotations

from twisted.internet.interfaces import IReactorTime

from tictac.errors import NotAMove
from tictac.lobby.events import Event
from tictac.lobby.registry import Registry
from tictac.lobby.terms import USUAL_TERMS, Terms
from tictac.net.plugin import Contestant
from tictac.net.running_time import running_time
from tictac.plugins.classics.session.server import SessionConnection, SessionFactory
from tictac.protocols.lobby.lobby import Lobby


class SeatConnection(SessionConnection):
    """A connection of a contestant."""

    def receive(self, event: Event) -> None:
        super().receive(event)
        self.send()  # An opponent with another protocol sends nothing here.


class Desk:
    """The place where a contestant's connections request its seat (server.Desk)."""

    def __init__(self, contestant: Contestant, registry: Registry) -> None:
        self._contestant, self.registry = contestant, registry

    def enter(self, player: SessionConnection) -> bool:
        """Request the seat; return False if the player is the first, and waits."""
        self._contestant.come(player)
        return self._contestant.seat > 0

    def leave(self, player: SessionConnection, ending: str) -> None:
        """Release the seat."""
        if ending == "refused":
            self._contestant.refused(NotAMove(player.why))
        self._contestant.lost(player)
        self.registry.leave(player, for_good=True)


class SeatFactory(SessionFactory):
    """The shared objects of the connections to a contestant's port."""

    connection = SeatConnection


def seats(contestant: Contestant, reactor: IReactorTime, lobby: Lobby) -> SeatFactory:
    """Make the factory of a contestant's port (ServerPlugin)."""
    seating = Desk(contestant, lobby.registry)
    return SeatFactory(reactor, running_time.seconds, limits=contestant.limits, seating=seating)


def hosts(terms: Terms) -> bool:
    """Return whether the session protocol can express such a match (ServerPlugin)."""
    return terms.game is USUAL_TERMS.game

"""Seats of a tournament for programs that play over Nim's protocol."""

from __future__ import annotations

from twisted.internet.interfaces import IReactorTime

from tictac.errors import AlreadyPlaying, NotAMove
from tictac.lobby.registry import Registry
from tictac.lobby.terms import Terms
from tictac.net.plugin import Contestant
from tictac.net.running_time import running_time
from tictac.plugins.classics.nim.server import NimConnection, NimFactory
from tictac.plugins.games.nim.game import GAME_TYPE
from tictac.protocols.lobby.lobby import Lobby


class Desk:
    """The place where a contestant's connections request its seat for a match (server.Desk)."""

    def __init__(self, contestant: Contestant, registry: Registry) -> None:
        self._contestant, self.registry = contestant, registry

    def play(self, player: NimConnection) -> None:
        """Request the seat. Raises AlreadyPlaying."""
        if player.takes_part:
            raise AlreadyPlaying("a second play")
        player.takes_part = True
        self._contestant.come(player)

    def exit(self, player: NimConnection) -> None:
        """Forfeit the match, and release the seat."""
        self.registry.forfeit(player)
        self.leave(player, "left")

    def leave(self, player: NimConnection, ending: str) -> None:
        """Release the seat."""
        if ending == "refused":
            self._contestant.refused(NotAMove(player.why))
        self._contestant.lost(player)
        self.registry.leave(player, for_good=True)

    def stay(self, player: NimConnection) -> None:
        """Do nothing: there is no other match."""

    def overdue(self, player: NimConnection, now: float) -> bool:
        """Return False: the tournament has its own clocks."""
        return False


def seats(contestant: Contestant, reactor: IReactorTime, lobby: Lobby) -> NimFactory:
    """Make the factory of a contestant's port (ServerPlugin)."""
    seating = Desk(contestant, lobby.registry)
    return NimFactory(reactor, running_time.seconds, limits=contestant.limits, seating=seating)


def hosts(terms: Terms) -> bool:
    """Return whether the protocol can express such a match (ServerPlugin)."""
    return terms.game_type is GAME_TYPE

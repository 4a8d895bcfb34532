"""The seat of a program that plays in a tournament by this protocol or the lobby's."""

from __future__ import annotations

from dataclasses import dataclass

from twisted.internet.interfaces import IReactorTime

from tictac.accounts.registration import CLOSED
from tictac.lobby.events import Event, Joined, Refused
from tictac.net.plugin import Contestant
from tictac.net.running_time import running_time
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.server import LobbyProtocol
from tictac.protocols.rooms import wire
from tictac.protocols.rooms.server import RoomsFactory, RoomsProtocol


class SeatConnection(RoomsProtocol):
    """A connection that accepts any name and password; any room is the contestant's match."""

    factory: SeatFactory
    for_good = True
    _created = False

    def disconnected(self) -> None:
        self.factory.contestant.lost(self)
        super().disconnected()

    def obey(self, request: wire.AnyRequest) -> None:
        match request:
            case wire.Register() | wire.Login():
                self.user = self.factory.contestant.name
                self.answer(wire.Ack(type(request).__name__.upper(), 0))
            case wire.Create() | wire.Join(mode="PLAYER") if not self.seated:
                self._created = isinstance(request, wire.Create)
                self.factory.contestant.come(self)
            case _:
                super().obey(request)

    def receive(self, event: Event) -> None:
        if isinstance(event, Joined):  # as the answer to its request, whichever seat it got
            event = event._replace(created=self._created)
        super().receive(event)
        if isinstance(event, Refused):
            self.factory.contestant.refused(event.refusal)


class SeatLobbyConnection(LobbyProtocol):
    """A connection of the same kind that speaks the lobby protocol (Contestant.session)."""

    registration = CLOSED
    min_password = 1
    for_good = True


@dataclass(eq=False, kw_only=True)
class SeatFactory(RoomsFactory):
    """The state that the connections of a contestant's port share."""

    connection = SeatConnection
    lobby_connection = SeatLobbyConnection
    contestant: Contestant


def seats(contestant: Contestant, reactor: IReactorTime, lobby: Lobby) -> SeatFactory:
    """Make the factory of a contestant's port (runtime.ServerPlugin)."""
    return SeatFactory(
        reactor, running_time.seconds, limits=contestant.limits,
        accounts=None,  # type: ignore[arg-type]  # no connection has an account
        lobby=lobby, registry=lobby.registry, session=contestant.session, contestant=contestant,
    )  # fmt: skip

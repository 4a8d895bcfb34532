"""Seats of a tournament for programs that play over the teletype protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tictac.lobby.events import Event, Refused
from tictac.lobby.terms import Terms
from tictac.net.framing import Framing
from tictac.net.plugin import Contestant
from tictac_teletype.server import TeletypeConnection, TeletypeFactory


class SeatConnection(TeletypeConnection):
    """A contestant's connection, which waits for its match from the start."""

    factory: SeatFactory

    def opened(self) -> None:
        self.occupant_id = self.factory.registry.new_occupant_id()
        self.factory.contestant.come(self)

    def disconnected(self) -> None:
        self.factory.contestant.lost(self)
        super().disconnected()

    def outside(self, text: str) -> None:
        self.send_text("* Please wait for your match")

    def receive(self, event: Event) -> None:
        super().receive(event)
        if isinstance(event, Refused):
            self.factory.contestant.refused(event.refusal)


@dataclass(eq=False, kw_only=True)
class SeatFactory(TeletypeFactory):
    """The shared objects of the connections to a contestant's port."""

    connection = SeatConnection
    contestant: Contestant


def seats(contestant: Contestant, reactor: Any, lobby: Any) -> SeatFactory:
    """Make the factory of a contestant's port."""
    return SeatFactory(
        reactor, reactor.seconds, Framing("line"), contestant.limits,
        registry=lobby.registry, contestant=contestant,
    )  # fmt: skip


def hosts(terms: Terms) -> bool:
    """Return whether the protocol can express a match: it can if there are two seats."""
    return terms.seats == 2

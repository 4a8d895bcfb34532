"""The server's side of XMPP's rooms: the lobby, seats in its rooms, names, and computers."""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import NamedTuple
from urllib.parse import quote

from twisted.internet.interfaces import IReactorTime

from tictac.engines.computer import ComputerOccupant, Engine
from tictac.errors import NoSuchRoom, Refusal
from tictac.lobby.events import Event, Refused
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms
from tictac.names import GUEST
from tictac.net.budget import RECEIVERS, SHARE
from tictac.net.limits import PeerRate
from tictac.options import MAIN
from tictac.plugins.xmpp.refusals import from_lobby
from tictac.protocols.lobby.wire import ALL

LONGEST_USER = 200

STANZA = 10
"""The units for each 256 bytes of a stanza: more than elsewhere, because of its XML."""

_OUT = NoSuchRoom("The room can't be reached: join it again.")

_SAYABLE = "".join(set(string.printable) - set(string.whitespace) - set(":,%"))


class User(NamedTuple):
    """The user ``name`` of an XMPP user in the lobby, and the ``person`` who pays: a bare address.

    The name can hide the address, or be cut. A room of MUG that watches is no person.
    """

    name: str
    person: str = ""


def user_of(address: str) -> str:
    """Return the user of an address: no account has that name, and every protocol can send it."""
    # GUEST and a number would be the name of a guest of the lobby protocol.
    named = address if "@" in address else f"@{address}"
    return (GUEST + quote(named, safe=_SAYABLE))[:LONGEST_USER]


def node_of(name: str) -> str:
    """Return the part before the ``@`` in the address of a lobby's room (XEP-0106 for blanks)."""
    return name.lower().replace(" ", "\\20")


def name_of(node: str) -> str:
    """Return a node as people type it in a chat."""
    return node.replace("\\20", " ")


@dataclass(frozen=True, slots=True)
class XmppSettings:
    """The settings of the service: times in seconds, and limits, of which 0 is none.

    ``server`` is a client endpoint string, ``domain`` the name of the component. After
    ``max_events`` events a room takes only moves, and twice as many moves are a draw. ``lobby`` is
    the one whose rooms are saved.
    """

    domain: str
    server: str = ""
    secret: str = ""
    max_rooms: int = 1000
    rooms_per_user: int = 10
    max_occupants: int = 50
    max_events: int = 2000
    budget: float = 8000
    budget_burst: float = 80_000
    pace: float = 1
    chat_timeout: float = 86_400
    longest_delay: float = 300
    lobby: str = MAIN


class Gateway:
    """The lobby, and the seats of XMPP users in its rooms.

    Only this service knows ``key``, which opens its private rooms. Persons pay by ``rate``. While
    seats are ``waiting`` for an answer of the lobby, the service asks for nothing. The gateway
    calls ``go_on`` when no seat waits any more.
    """

    def __init__(
        self,
        registry: Registry,
        clock: IReactorTime,
        rng: Random,
        engine: Engine,
        settings: XmppSettings,
    ) -> None:
        self.registry = registry
        self.clock = clock
        self.settings = settings
        self.key = f"{rng.getrandbits(128):x}"
        # A person gets the rate of a connection. The link can't stop reading for one person.
        units = SHARE * STANZA
        rate, burst = settings.budget / units, settings.budget_burst / units
        self.rate = PeerRate(rate, burst, clock.seconds)
        self.visitors = ALL
        """What addresses without an account can ask for (wire.Request.visitors)."""
        self.waiting: set[Seat] = set()
        self.go_on: Callable[[], object] = lambda: None
        self._rng, self._engine = rng, engine

    def computer(self, terms: Terms) -> ComputerOccupant:
        """Return a computer for a room with these terms."""
        return ComputerOccupant(self.registry, self.clock, self._rng, terms, self._engine)

    def public(self, node: str) -> Room | None:
        """Return the lobby's public room with that node, or None."""
        rooms = self.registry.public_rooms()
        return next((room for room in rooms if node_of(room.name) == node), None)


class Seat:
    """An XMPP user in a room of the lobby (lobby.interfaces.Occupant and Payer).

    ``handle_event`` gets the events; it is None if another seat of this service gets them.
    """

    supports_all_events = True
    whole_events = True
    is_guest = True
    times = 1

    def __init__(
        self, gateway: Gateway, user: User, handle_event: Callable[[Event], None] | None = None
    ) -> None:
        self.occupant_id = gateway.registry.new_occupant_id()
        self.user: str | None = user.name
        self.network = ""
        self.handle_event = handle_event
        self._gateway = gateway
        self._person = ""
        self.pay_as(user.person)
        self._asking = False
        self._refusal: Refusal | None = None

    def pay_as(self, person: str) -> None:
        """Let a person pay for what the seat asks for from now on."""
        self._person = person
        # Like an address, a domain can have any number of users, who share its limits.
        self.network = f"xmpp {person.rpartition('@')[2]}"

    def ask(self, request: Callable[..., None], *arguments: object) -> None:
        """Send a request to the registry; a later refusal comes as an event.

        Raises:
            refusals.Refused: The registry refuses at once.
        """
        self._asking = True
        try:
            request(self, *arguments)
        finally:
            self._asking = False
        refusal, self._refusal = self._refusal, None
        if refusal is not None:
            raise from_lobby(refusal)

    def leave(self) -> None:
        """Leave the room, which can hold the seat."""
        self.handle_event = None
        self._gateway.registry.leave(self)
        self.release()

    # lobby.interfaces.Occupant and Payer

    @property
    def payer(self) -> Seat | None:
        """The seat itself, if a person has it."""
        return self if self._person else None

    def pay_for(self, receivers: int) -> None:
        """Let the person pay for events that so many receive."""
        self._gateway.rate.spend(self._person, receivers // RECEIVERS / STANZA)

    def receive(self, event: Event) -> None:
        """Pass an event on, or keep it if it refuses the request under way."""
        if self._asking and isinstance(event, Refused):
            self._refusal = event.refusal
        elif self.handle_event is not None:
            self.handle_event(event)

    def wait(self) -> None:
        """Hold the requests of the service until this seat is released."""
        self._gateway.waiting.add(self)

    def release(self) -> None:
        """Let requests continue if no other seat waits."""
        self._gateway.waiting.discard(self)
        if not self._gateway.waiting:
            self._gateway.go_on()

    def close(self) -> None:
        """Leave a room that the lobby has lost, with its unanswered requests."""
        if self.handle_event is not None:
            self.handle_event(Refused(self.occupant_id, "join", _OUT))
        self.leave()

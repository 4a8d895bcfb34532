"""The server's side of XMPP's rooms: the lobby, seats in its rooms, names, and computers."""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, Protocol
from urllib.parse import quote

from twisted.internet.interfaces import IReactorTime

from tictac.engines.computer import ComputerOccupant, Engine
from tictac.errors import NoSuchRoom, Refusal
from tictac.lobby.events import Ended, Event, Refused
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms
from tictac.names import GUEST
from tictac.net.budget import RECEIVERS, SHARE
from tictac.net.limits import PeerRate
from tictac.options import MAIN
from tictac.plugins.xmpp.paging import Listing
from tictac.plugins.xmpp.refusals import Refused as NotTaken
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


class Player(Protocol):
    """A player who leaves the seat to another connection of the account."""

    def make_way(self, room: Room) -> None:
        """Leave the seat in ``room``."""


@dataclass(frozen=True, slots=True)
class XmppSettings:
    """The settings of the service: times in seconds, and limits, of which 0 is none.

    ``server`` is a client endpoint string, ``domain`` the name of the component. After
    ``max_events`` events a room takes only moves, and twice as many moves are a draw. ``page`` is
    the number of rooms in an answer. ``lobby`` is the one whose rooms are saved.
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
    page: int = 100
    chat_timeout: float = 86_400
    longest_delay: float = 300
    link_days: int = 365
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
        self.account_of: Callable[[str], str] = lambda person: ""
        self.mutes: Callable[[str, str], bool] = lambda account, user: False
        """Whether an account has blocked or muted a user."""
        """Returns the account that is linked with a bare address, or an empty text."""
        self.admit: Callable[[str, str], object] = lambda account, person: None
        """Called with an account, and its address that enters a room. Can raise a Refusal."""
        self.make_way: Callable[[Room, str], object] = lambda room, user: None
        """Called with an account that takes its seat in a room, before it does."""
        self.note_player: Callable[[str, str, Player], object] = lambda room, user, player: None
        """Called with a room, an account, and the player who takes its seat there."""
        self.rng, self._engine = rng, engine
        self._names: dict[str, dict[str, None]] = {}  # those of the lobby's rooms, by their nodes
        self.listing = Listing()
        """The public rooms of MUG and of the lobby."""
        self.hosted: set[str] = set()
        """The names of the lobby's rooms that MUG's rooms have opened."""
        for room in registry.known_rooms():
            self.room_opened(room.name, room.terms)
        registry.observers.append(self)

    # lobby.interfaces.RoomObserver: no stanza looks through all rooms

    def room_opened(self, name: str, terms: Terms) -> None:
        """Note the node of a room, and list it if it is public."""
        self._names.setdefault(node_of(name), {})[name] = None
        if terms.key is None and name not in self.hosted:
            self.listing.add((node_of(name), name))

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """Forget a room."""
        self.hosted.discard(name)
        self.listing.discard((node_of(name), name))
        names = self._names.get(node_of(name), {})
        names.pop(name, None)
        if not names:
            self._names.pop(node_of(name), None)

    def listed(self, name: str) -> Room | None:
        """Return the lobby's room of that name if lists show it."""
        live = self.registry.live_rooms.get(name)
        if live is not None and live.room.is_listed:
            return live.room
        # It has ended, or it is a match over days that has begun. Neither is listed again.
        self.listing.discard((node_of(name), name))
        return None

    def rooms(self, node: str, private: bool = False) -> list[Room]:
        """Return the lobby's rooms with that node, without a tail, the oldest first.

        These are public rooms or, if ``private``, all rooms that don't sleep.
        """
        live, names = self.registry.live_rooms, {**self._names.get(node, {}), node: None}
        found = [live[name].room for name in names if name in live]
        return [room for room in found if private or room.is_listed]

    def computer(self, terms: Terms) -> ComputerOccupant:
        """Return a computer for a room with these terms."""
        return ComputerOccupant(self.registry, self.clock, self.rng, terms, self._engine)

    def account_for(self, person: str) -> str:
        """Return the account of a person who enters a room. Raises refusals.Refused if banned."""
        account = self.account_of(person)
        if account:
            try:
                self.admit(account, person)
            except Refusal as refusal:
                raise NotTaken("forbidden", str(refusal)) from None
        return account

    def user(self, person: str) -> User:
        """Return the user of a bare address: the linked account, or a guest."""
        return User(self.account_of(person) or user_of(person), person)

    def has_muted(self, person: str, user: str) -> bool:
        """Return whether the account of a person has blocked or muted a user."""
        account = self.account_of(person)
        return bool(account) and self.mutes(account, user)

    def claim(self, room: Room, user: str) -> None:
        """Prepare a user's taking a seat in a room. Raises refusals.Refused."""
        if room.terms.rated and user.startswith(GUEST):
            why = "a rated match is between accounts: link this address with yours"
            raise NotTaken("not-allowed", why)
        self.make_way(room, user)

    def rooms_of(self, user: str) -> list[str]:
        """Return the names of the rooms in which a user has a seat."""
        registry = self.registry
        return [*registry.seats.of(user), *registry.sleepers.of(user)]

    def public(self, node: str) -> Room | None:
        """Return the lobby's public room with that node, or None."""
        return next(iter(self.rooms(node)), None)


class Seat:
    """An XMPP user in a room of the lobby (lobby.interfaces.Occupant and Payer).

    ``handle_event`` gets the events; it is None if another seat of this service gets them.
    """

    supports_all_events = True
    whole_events = True
    times = 1
    makes_way: Callable[[], None] | None = None
    """Leaves the seat; None: it is no player's, or the player keeps it."""

    def __init__(
        self, gateway: Gateway, user: User, handle_event: Callable[[Event], None] | None = None
    ) -> None:
        self.occupant_id = gateway.registry.new_occupant_id()
        self.user: str | None = user.name
        self.is_guest = user.name.startswith(GUEST)
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

    def make_way(self, room: Room) -> None:
        """Leave the seat in ``room`` to another connection of the account."""
        if self.makes_way is not None:
            self.makes_way()

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

"""All rooms of the service: finds the room that a request is for, keeps the limits.

Pure. What is typed by people (chat and ad-hoc commands) is in ``chat.py`` and ``adhoc.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tictac.doors.xmpp import directory, invitations, ownership, saving
from tictac.doors.xmpp.addresses import Address, parse
from tictac.doors.xmpp.configuration import LARGEST, Options
from tictac.doors.xmpp.events import Answered, Event, Forgotten, Session
from tictac.doors.xmpp.house import House, node_of
from tictac.doors.xmpp.invitations import COMPUTER, invite_computer
from tictac.doors.xmpp.match import ROLES, Match, rules_of
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.requests import Ask, Bounced, Discover, Enter, Stanza
from tictac.doors.xmpp.room import Room, elsewhere
from tictac.doors.xmpp.xml import TTT
from tictac.games.tictactoe.game import KIND
from tictac.lobby.events import Event as LobbyEvent
from tictac.lobby.room import Room as Table


@dataclass(frozen=True, slots=True)
class RoomLimits:
    """How much there may be of everything; 0 is any number."""

    rooms: int = 1000
    rooms_per_user: int = 10
    occupants: int = 50


class Rooms:
    """The rooms of the service at ``domain``, by their names.

    ``tell`` gets a room of which there is news that nobody here has asked for.
    """

    def __init__(
        self,
        domain: str,
        house: House,
        tell: Callable[[Room], None],
        limits: RoomLimits | None = None,
    ) -> None:
        self.domain = domain
        self.limits = limits or RoomLimits()
        self.by_name: dict[str, Room] = {}
        self.house = house
        self._tell = tell

    def __iter__(self) -> Iterator[Room]:
        return iter(self.by_name.values())

    def find(self, name: str) -> Room:
        """The room of that name. Raises Refused."""
        room = self.by_name.get(name) or self._visited(name)
        if room is None:
            raise Refused("item-not-found", "there is no such room")
        return room

    def at(self, address: str) -> Room | None:
        """The room at that address, or None."""
        return self.by_name.get(address.partition("@")[0])

    def listed(self) -> list[Room]:
        """The rooms that everybody may know of, and then those that others have made."""
        mine = [room for room in self if directory.is_listed(room) and room.owner]
        return mine + [self._visit(table) for table in self._others()]

    # Rooms of the lobby that others have made

    def _others(self) -> list[Table]:
        """The public ones that MUG can tell of."""
        mine = {room.match.table for room in self if room.owner}
        taken = {name for name, room in self.by_name.items() if room.owner}
        return [
            table
            for table in self.house.registry.public_rooms()
            if _fits(table) and table not in mine and node_of(table.name) not in taken
        ]

    def _visited(self, name: str) -> Room | None:
        found = (table for table in self._others() if node_of(table.name) == name)
        table = next(found, None)
        return None if table is None else self._visit(table)

    def _visit(self, table: Table) -> Room:
        """The room as it is seen from here; it is one of ours only once somebody enters it."""
        known = self.by_name.get(node_of(table.name))
        if known is not None and known.match.table is table:
            return known
        room = self._room(node_of(table.name), "")
        room.options = Options(name=table.name, anonymity="non-anonymous")
        room.match.follow(table)
        for role, member in zip(ROLES, table.players, strict=False):
            if member.away is None:
                nick = room.occupants.free_nick(member.user)
                room.occupants.add(elsewhere(nick, member.user, role))
        return room

    def _room(self, name: str, owner: str) -> Room:
        def hear(event: LobbyEvent) -> None:
            room.hear(event)
            self._tell(room)

        address = f"{name}@{self.domain}"
        match = Match(self.house, address, hear)
        room = Room(address, owner, match, self.limits.occupants or 1_000_000)
        return room

    def of(self, person: str) -> list[Room]:
        """The rooms that a person is in by chat."""
        return [
            room
            for room in self
            for occupant in room.occupants.persons(person)
            if any(session.via for session in occupant.sessions)
        ]

    # Requests

    def handle(self, stanza: Stanza) -> list[Event]:
        """Do what a stanza asks, if it isn't chat. Raises Refused, and nothing has changed."""
        if isinstance(stanza.request, Ask) and stanza.request.what == "wrong":
            raise stanza.request.value
        if not stanza.to.node:
            return self._at_service(stanza)
        return self.in_room(stanza.to.node, lambda: self._at_room(stanza))

    def in_room(self, name: str, act: Callable[[], list[Event]]) -> list[Event]:
        """Do something in a room, and forget it when that was its end."""
        before = self.by_name.get(name)
        awaited = before is not None and before.awaited
        events = act()
        room = self.by_name.get(name)
        if room is not None:
            self.settle(room)
            if awaited and not room.awaited:
                events.append(Forgotten(room.address))
        return events

    def settle(self, room: Room) -> None:
        """See whether a room waits for somebody in the lobby, or is over; later if that isn't
        known yet."""
        if self.house.waiting:
            self._tell(room)
            return
        if room.is_over and self.by_name.get(room.node) is room:
            del self.by_name[room.node]
            room.match.quit()
        else:
            room.settle()

    def _at_service(self, stanza: Stanza) -> list[Event]:
        match stanza.request:
            case Ask("leave") | Bounced():
                return []
            case Discover(what="info", node=None, nick=""):
                return [Answered(directory.service_info("Tic-tac-toe"))]
            case Discover(what="items", node=None, nick=""):
                listed = self.listed()
                found = ({"jid": r.address, "name": r.options.name or r.address} for r in listed)
                return [Answered(directory.items(found))]
            case Discover():
                raise Refused("item-not-found", "there is no such node")
            case Ask("ask search"):
                return [Answered(directory.search_form())]
            case Ask("search", fields):
                return [Answered(directory.search(self.listed(), fields))]
            case Ask("ping"):
                return [Answered()]
            case Enter():
                raise Refused("jid-malformed", "the name of a room is missing")
        raise Refused("service-unavailable", "that is asked of a room")

    def _at_room(self, stanza: Stanza) -> list[Event]:
        name, sender, request = stanza.to.node, stanza.sender, stanza.request
        if isinstance(request, Enter):
            return self.enter(name, Session(str(sender)), request)
        room = self.by_name.get(name)
        if request == _LEAVE:
            return [] if room is None else room.leave(str(sender))
        if isinstance(request, Bounced):
            return [] if room is None else _bounced(room, sender, request)
        room = room or self.find(name)
        if isinstance(request, Discover):
            return [Answered(directory.discovered(room, str(sender), request))]
        what, value = request if isinstance(request, Ask) else ("", None)
        if what == "ping":
            return [Answered()]
        if room.saved and what != "load":
            raise Refused("not-allowed", "the room is saved; its owner can load it")
        return self._asked(room, stanza, what, value)

    def _asked(self, room: Room, stanza: Stanza, what: str, value: Any) -> list[Event]:
        sender, person = str(stanza.sender), stanza.sender.bare
        match what:
            case "take role":
                return room.take_role(sender, value)
            case "start":
                return room.start(sender)
            case "turn":
                return room.turn(sender, value)
            case "private":
                return room.private(sender, value[0], stanza.kind, value[1])
            case "invite":
                return self.invite(room, sender, value)
            case "decline":
                return invitations.decline(room, person, *value)
            case "ask options":
                return [Answered(ownership.options(room, person))]
            case "list roles":
                return [Answered(ownership.roles(room, person, value))]
            case "list affiliations":
                return [Answered(ownership.affiliations(room, person, value))]
            case "configure":
                return [*ownership.configure(room, person, value), Answered()]
            case "cancel options":
                return [*ownership.cancel(room, person), Answered()]
            case "change roles":
                return [*ownership.give_roles(room, person, value), Answered()]
            case "change affiliations":
                self._check_owners(person, value)
                return [*ownership.affiliate(room, person, value), Answered()]
            case "save":
                return saving.save(room, person)
            case "load":
                return [*saving.load(room, person), Answered()]
        raise Refused("service-unavailable", "that isn't asked of a room")

    def enter(self, name: str, session: Session, request: Enter) -> list[Event]:
        """Enter a room, or create it."""
        room = self.by_name.get(name)
        known = room is not None and room.occupants.at(session.address) is not None
        if known and not request.mug and room is not None:
            same = room.occupants.named(request.nick)
            if same is room.occupants.at(session.address):
                return []  # away, or back: no matter of ours
        if request.game != TTT and not (known and request.game is None):
            raise Refused("bad-request", f"the game here is {TTT}")
        if room is None and self._visited(name) is None:
            return self.create(name, session, request.nick)
        return self.come_in(name, session, request.nick, request.password)

    def come_in(self, name: str, session: Session, nick: str, password: str | None) -> list[Event]:
        """Enter a room that there is. Raises Refused."""
        room = self.find(name)
        events = room.enter(session, nick, password)
        if name not in self.by_name:
            self.by_name[name] = room
            room.match.listen()
        return events

    def create(self, name: str, session: Session, nick: str) -> list[Event]:
        """A new room. Raises Refused when there are too many."""
        owner = session.address.partition("/")[0]
        if self.limits.rooms and len(self.by_name) >= self.limits.rooms:
            raise Refused("not-allowed", "there are as many rooms as there may be")
        if any(node_of(table.name) == name for table in self.house.registry.public_rooms()):
            raise Refused("conflict", f"there is a room {name} already")
        self._check_room_for(owner)
        room = self._room(name, owner)
        events = room.enter(session, nick, None)
        self.by_name[name] = room
        return events

    def _check_room_for(self, owner: str) -> None:
        owned = sum(room.owner == owner for room in self)
        if self.limits.rooms_per_user and owned >= self.limits.rooms_per_user:
            raise Refused("not-allowed", f"{owner} owns as many rooms as anybody may")

    def _check_owners(self, person: str, items: tuple[ownership.Item, ...]) -> None:
        for item in items:
            if item.affiliation == "owner" and item.jid and parse(item.jid).bare != person:
                self._check_room_for(parse(item.jid).bare)

    def invite(self, room: Room, sender: str, invitees: tuple[tuple[str, str], ...]) -> list[Event]:
        """Invite people, or the computer."""
        inviter = invitations.require_inviting(room, sender)
        people, computers = [], 0
        for to, reason in invitees:
            who = _person(to)
            if who.bare in (f"{COMPUTER}@{self.domain}", self.domain):
                computers += 1
            elif who.domain == self.domain:
                raise Refused("item-not-found", f"{to:.80} isn't a person")
            else:
                people.append((who.bare, reason))
        events = invitations.invite(room, inviter, people)
        if computers:
            events += invite_computer(room, self.domain, tuple(inviter.sessions))
        return events

    # Saved rooms

    def restore(self, name: str, data: bytes) -> None:
        """A saved room, at the start. Raises ValueError, KeyError or TypeError."""
        room = self._room(name, "")
        saving.restore(room, data)
        self.by_name[name] = room

    def running(self) -> int:
        """How many matches of our own rooms are being played, which end with the process."""
        return sum(bool(room.owner) and room.match.status == "active" for room in self)

    def interrupt(self) -> list[Event]:
        """Pause every match: nobody can be reached."""
        return [event for room in self if not room.saved for event in room.interrupt()]


def _person(to: str) -> Address:
    try:
        return parse(to.strip())
    except ValueError:
        raise Refused("item-not-found", f"{to!r:.80} isn't an address") from None


def _bounced(room: Room, sender: Address, bounced: Bounced) -> list[Event]:
    events = invitations.unreachable(room, sender.bare, bounced.id)
    return events or (room.leave(str(sender)) if bounced.gone else [])


_LEAVE = Ask("leave")


def _fits(table: Table) -> bool:
    """Whether MUG can tell of a room of the lobby."""
    terms = table.terms
    if terms.kind is not KIND or terms.door is not None or not table.players:
        return False
    rules = rules_of(terms)
    return max(rules.rows, rules.cols) <= LARGEST

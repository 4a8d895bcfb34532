"""All rooms of the service: finds the room that a request is for, keeps the limits.

Pure. What is typed by people (chat and ad-hoc commands) is in ``chat.py`` and ``adhoc.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tictac.mug import answers, directory, invitations, ownership, requests, saving
from tictac.mug.addresses import Address, parse
from tictac.mug.computer import NAME, invite_computer
from tictac.mug.events import Answered, Event, Forgotten, Session
from tictac.mug.refusals import Refused
from tictac.mug.requests import Stanza
from tictac.mug.room import Room
from tictac.mug.xml import TTT


@dataclass(frozen=True, slots=True)
class RoomLimits:
    """How much there may be of everything; 0 is any number."""

    rooms: int = 1000
    rooms_per_user: int = 10
    occupants: int = 50


class Rooms:
    """The rooms of the service at ``domain``, by their names."""

    def __init__(self, domain: str, limits: RoomLimits | None = None) -> None:
        self.domain = domain
        self.limits = limits or RoomLimits()
        self.by_name: dict[str, Room] = {}

    def __iter__(self) -> Iterator[Room]:
        return iter(self.by_name.values())

    def find(self, name: str) -> Room:
        """The room of that name. Raises Refused."""
        room = self.by_name.get(name)
        if room is None:
            raise Refused("item-not-found", "there is no such room")
        return room

    def at(self, address: str) -> Room | None:
        """The room at that address, or None."""
        return self.by_name.get(address.partition("@")[0])

    def listed(self) -> list[Room]:
        """The rooms that everybody may know of."""
        return [room for room in self if directory.is_listed(room)]

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
        if isinstance(stanza.request, requests.Wrong):
            raise stanza.request.refused
        if not stanza.to.node:
            return self._at_service(stanza)
        return self.in_room(stanza.to.node, lambda: self._at_room(stanza))

    def in_room(self, name: str, act: Callable[[], list[Event]]) -> list[Event]:
        """Do something in a room, and forget it when that was its end."""
        before = self.by_name.get(name)
        awaited = before is not None and before.awaited
        events = act()
        room = self.by_name.get(name)
        if room is not None and room.is_over:
            del self.by_name[name]
        if awaited and room is not None and not room.awaited:
            events.append(Forgotten(room.address))
        return events

    def _at_service(self, stanza: Stanza) -> list[Event]:
        match stanza.request:
            case requests.Leave() | requests.Bounced():
                return []
            case requests.Discover(what="info", node=None, nick=""):
                return [Answered(directory.service_info("Tic-tac-toe"))]
            case requests.Discover(what="items", node=None, nick=""):
                found = [
                    (room.address, room.options.name or room.address) for room in self.listed()
                ]
                return [Answered(directory.items(found))]
            case requests.Discover():
                raise Refused("item-not-found", "there is no such node")
            case requests.AskSearch():
                return [Answered(directory.search_form())]
            case requests.Search(fields=fields):
                return [Answered(directory.search(self.listed(), fields))]
            case requests.Ping():
                return [Answered()]
            case requests.Enter():
                raise Refused("jid-malformed", "the name of a room is missing")
        raise Refused("service-unavailable", "that is asked of a room")

    def _at_room(self, stanza: Stanza) -> list[Event]:
        name, sender, request = stanza.to.node, stanza.sender, stanza.request
        if isinstance(request, requests.Enter):
            return self.enter(name, Session(str(sender)), request)
        room = self.by_name.get(name)
        if isinstance(request, requests.Leave | requests.Bounced):
            return [] if room is None else _gone(room, sender, request)
        if room is None:
            raise Refused("item-not-found", "there is no such room")
        if isinstance(request, requests.Discover):
            return [Answered(answers.discovered(room, str(sender), request))]
        if isinstance(request, requests.Ping):
            return [Answered()]
        if isinstance(request, requests.Load):
            return saving.load(room, sender.bare)
        if room.saved:
            raise Refused("not-allowed", "the room is saved; its owner can load it")
        return self._played(room, stanza)

    def _played(self, room: Room, stanza: Stanza) -> list[Event]:
        """What the occupants of a room ask of it, or its owner."""
        sender, person = str(stanza.sender), stanza.sender.bare
        match stanza.request:
            case requests.TakeRole(role=role):
                return room.take_role(sender, role)
            case requests.Start():
                return room.start(sender)
            case requests.Turn(move=move):
                return room.turn(sender, move)
            case requests.Private(nick=nick, payload=payload):
                return room.private(sender, nick, stanza.kind, payload)
            case requests.Invite(invitees=invitees):
                return self.invite(room, sender, invitees)
            case requests.Decline(inviter=inviter, reason=reason):
                return invitations.decline(room, person, inviter, reason)
            case requests.AskOptions():
                return [Answered(answers.options(room, person))]
            case requests.Configure(fields=fields):
                return [*ownership.configure(room, person, fields), Answered()]
            case requests.CancelOptions():
                return [*ownership.cancel(room, person), Answered()]
            case requests.ListRoles(role=role):
                return [Answered(answers.roles(room, person, role))]
            case requests.ListAffiliations(affiliation=affiliation):
                return [Answered(answers.affiliations(room, person, affiliation))]
            case requests.ChangeRoles(items=items):
                return [*ownership.give_roles(room, person, items), Answered()]
            case requests.ChangeAffiliations(items=items):
                self._check_owners(person, items)
                return [*ownership.affiliate(room, person, items), Answered()]
            case requests.Save():
                return saving.save(room, person)
        raise Refused("service-unavailable", "that isn't asked of a room")

    def enter(self, name: str, session: Session, request: requests.Enter) -> list[Event]:
        """Enter a room, or create it."""
        room = self.by_name.get(name)
        known = room is not None and room.occupants.at(session.address) is not None
        if known and not request.mug and room is not None:
            same = room.occupants.named(request.nick)
            if same is room.occupants.at(session.address):
                return []  # away, or back: no matter of ours
        if request.game != TTT and not (known and request.game is None):
            raise Refused("bad-request", f"the game here is {TTT}")
        if room is not None:
            return room.enter(session, request.nick, request.password)
        return self.create(name, session, request.nick)

    def create(self, name: str, session: Session, nick: str) -> list[Event]:
        """A new room. Raises Refused when there are too many."""
        owner = session.address.partition("/")[0]
        limits = self.limits
        if limits.rooms and len(self.by_name) >= limits.rooms:
            raise Refused("not-allowed", "there are as many rooms as there may be")
        self._check_room_for(owner)
        room = Room(f"{name}@{self.domain}", owner, limits.occupants or 1_000_000)
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
            if who.bare in (f"{NAME}@{self.domain}", self.domain):
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
        most = self.limits.occupants or 1_000_000
        self.by_name[name] = saving.restore(f"{name}@{self.domain}", data, most)

    def interrupt(self) -> list[Event]:
        """Pause every match: nobody can be reached."""
        return [event for room in self if not room.saved for event in room.interrupt()]


def _person(to: str) -> Address:
    try:
        return parse(to.strip())
    except ValueError:
        raise Refused("item-not-found", f"{to!r:.80} isn't an address") from None


def _gone(room: Room, sender: Address, request: requests.Leave | requests.Bounced) -> list[Event]:
    if isinstance(request, requests.Leave):
        return room.leave(str(sender))
    events = invitations.unreachable(room, sender.bare, request.id)
    return events or (room.leave(str(sender)) if request.gone else [])

"""Chat commands: what a person types to the service or a room, in any XMPP client.

Source: docs/xmpp.md, "Chat".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from tictac.mug import bodies
from tictac.mug.addresses import LONGEST_NICK, is_nick, is_room_name
from tictac.mug.computer import NAME
from tictac.mug.events import Event, RoomShown, Session
from tictac.mug.forms import Fields
from tictac.mug.ownership import configure
from tictac.mug.refusals import Refused
from tictac.mug.registry import Rooms
from tictac.mug.requests import Stanza
from tictac.mug.room import Room

MOST_REMEMBERED = 10_000
MOST_LISTED = 50


class Said(NamedTuple):
    """What came of a command: events, and lines for who gave it."""

    events: list[Event]
    lines: list[str]


class Caller(NamedTuple):
    """Who gives a command, by which session, and the name of the room it was sent to."""

    session: Session
    person: str
    nick: str
    room: str = ""


def caller_of(stanza: Stanza) -> Caller:
    """Who has sent a stanza, as a chat."""
    sender = stanza.sender
    session = Session(str(sender), str(stanza.to), stanza.kind or "normal")
    nick = sender.node[:LONGEST_NICK]
    return Caller(session, sender.bare, nick if is_nick(nick) else "guest", stanza.to.node)


class ChatCommands:
    """The commands, over the rooms of the service. Each may raise Refused."""

    def __init__(self, rooms: Rooms) -> None:
        self.rooms = rooms
        self._latest: dict[str, str] = {}

    def say(self, caller: Caller, body: str) -> Said:
        """Do what ``body`` says."""
        words = body.split()
        word = words[0].lower() if words else "help"
        if len(words) == 2 and all(_is_number(each) for each in words):
            return Said(self.move(caller, int(words[0]), int(words[1])), [])
        if word in ("rooms", "new", "join") and caller.room:
            raise Refused("not-acceptable", f"Write that to {self.rooms.domain}.")
        known: dict[str, Callable[[Caller, Sequence[str]], Said]] = {
            "help": lambda caller, rest: Said([], [bodies.HELP]),
            "rooms": self._rooms,
            "new": self._new,
            "join": self._join,
            "start": lambda caller, rest: Said(self.start(caller), []),
            "board": lambda caller, rest: Said([], self.board(caller)),
            "leave": lambda caller, rest: Said(self.leave(caller), []),
            "computer": lambda caller, rest: self._invite(caller, [NAME]),
            "invite": self._invite,
        }
        if word in ("x", "o", "none"):
            return Said(self.take(caller, word), [])
        if word not in known:
            raise Refused("not-acceptable", "That isn't a command: write help.")
        return known[word](caller, words[1:])

    def has_entered(self, person: str) -> bool:
        """Whether a person has entered a room by chat, as far as is remembered."""
        return person in self._latest

    # What ad-hoc commands do too

    def new(self, caller: Caller, name: str, fields: Fields) -> list[Event]:
        """Open a room with these options, and enter it."""
        name = name.lower() or self._free_name(caller.nick)
        if not is_room_name(name):
            raise Refused("not-acceptable", "A room is named by letters a-z, digits and _ . -")
        if name in self.rooms.by_name:
            raise Refused("conflict", f"There is a room {name} already.")
        created = self.rooms.create(name, caller.session, caller.nick)
        # How the room stands is told once, when it is ready.
        events: list[Event] = [event for event in created if not isinstance(event, RoomShown)]
        try:
            events += configure(self.rooms.find(name), caller.person, fields)
        except Refused:
            del self.rooms.by_name[name]
            raise
        self._remember(caller.person, name)
        return events

    def join(self, caller: Caller, name: str, password: str | None) -> list[Event]:
        """Enter a room; a nick that somebody else has gets a tail."""
        room = self.rooms.find(name.lower().partition("@")[0])
        name = room.address.partition("@")[0]
        mine = room.occupants.at(caller.session.address)
        nick = caller.nick if mine is None else mine.nick
        while (other := room.occupants.named(nick)) and other.person != caller.person:
            nick += "_"
        events = self.rooms.in_room(name, lambda: room.enter(caller.session, nick, password))
        self._remember(caller.person, name)
        return events

    def take(self, caller: Caller, role: str) -> list[Event]:
        """Take a role."""
        return self.room(caller).take_role(caller.session.address, role)

    def start(self, caller: Caller) -> list[Event]:
        """Start the match."""
        return self.room(caller).start(caller.session.address)

    def move(self, caller: Caller, row: int, col: int) -> list[Event]:
        """Make a move; one that can't be made is explained, and that is all."""
        return self.room(caller).turn_or_explain(caller.session.address, row, col)

    def leave(self, caller: Caller) -> list[Event]:
        """Leave the room."""
        room = self.room(caller)
        self._latest.pop(caller.person, None)
        name = room.address.partition("@")[0]
        return self.rooms.in_room(name, lambda: room.leave(caller.session.address))

    def board(self, caller: Caller) -> list[str]:
        """The room, who is in it and its board."""
        room = self.room(caller)
        told = [*room.shown_to_all((caller.session,)), room.told((caller.session,))]
        return bodies.lines_for(told)[caller.session]

    def room(self, caller: Caller) -> Room:
        """The room that a command is for, of which the caller is an occupant."""
        name = caller.room or self._latest.get(caller.person, "")
        room = self.rooms.by_name.get(name)
        address = caller.session.address
        if not caller.room and (room is None or room.occupants.at(address) is None):
            room = next(reversed(self.rooms.of(caller.person)), None)
        occupant = None if room is None else room.occupants.at(address)
        if room is None or occupant is None:
            what = f"You aren't in {name or 'a room'}:"
            raise Refused("not-acceptable", f"{what} write new, or join, to {self.rooms.domain}.")
        if room.saved:
            raise Refused("not-allowed", "The room is being saved.")
        # From now on they are talked to where they have just written from.
        mine = occupant.session(address)
        if mine is not None and mine.via:
            occupant.add(caller.session)
        return room

    # What is only typed

    def _rooms(self, caller: Caller, rest: Sequence[str]) -> Said:
        listed = self.rooms.listed()
        if not listed:
            return Said([], ["There are no rooms: write new."])
        lines = [_described(room) for room in listed[:MOST_LISTED]]
        if len(listed) > MOST_LISTED:
            lines.append(f"and {len(listed) - MOST_LISTED} more")
        return Said([], lines)

    def _new(self, caller: Caller, rest: Sequence[str]) -> Said:
        if len(rest) > 4:
            raise Refused("not-acceptable", "Write new NAME ROWS COLS STRIKE.")
        numbers = dict(zip(("rows", "cols", "strike"), rest[1:], strict=False))
        fields = {f"mug/tictactoe#config_{key}": (value,) for key, value in numbers.items()}
        events = self.new(caller, rest[0] if rest else "", fields)
        name = self.room(caller).address.partition("@")[0]
        hint = f"This is {name}. Write x or o, then computer, or wait for somebody; then start."
        return Said(events, [hint])

    def _join(self, caller: Caller, rest: Sequence[str]) -> Said:
        if not rest:
            raise Refused("not-acceptable", "Write join and the name of a room.")
        return Said(self.join(caller, rest[0], " ".join(rest[1:]) or None), [])

    def _invite(self, caller: Caller, rest: Sequence[str]) -> Said:
        room = self.room(caller)
        if len(rest) != 1:
            raise Refused("not-acceptable", "Write invite and an address.")
        who = f"{NAME}@{self.rooms.domain}" if rest[0] == NAME else rest[0]
        events = self.rooms.invite(room, caller.session.address, ((who, ""),))
        return Said(events, [] if rest[0] == NAME else [f"{who} is invited."])

    def _free_name(self, nick: str) -> str:
        base = "".join(c for c in nick.lower() if is_room_name(c))[:50] or "room"
        names = (f"{base}{number or ''}" for number in range(len(self.rooms.by_name) + 2))
        return next(name for name in names if name not in self.rooms.by_name)

    def _remember(self, person: str, name: str) -> None:
        if len(self._latest) >= MOST_REMEMBERED:
            self._latest.clear()
        self._latest[person] = name


def _described(room: Room) -> str:
    rules = room.match.rules
    status = "saved" if room.saved else room.match.status
    free = " and ".join(room.free_roles()) or "none"
    name = room.address.partition("@")[0]
    return f"{name}: {status}, {rules.rows}x{rules.cols}, {len(room.occupants)} in it, free: {free}"


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) < 6

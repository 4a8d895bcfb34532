"""Chat commands: what a person types to the service or a room, in any XMPP client.

Source: docs/xmpp.md, "Chat".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import NamedTuple

from tictac.doors.xmpp import bodies
from tictac.doors.xmpp.addresses import LONGEST_NICK, is_nick, is_room_name
from tictac.doors.xmpp.events import Event, RoomShown, Session
from tictac.doors.xmpp.forms import Fields
from tictac.doors.xmpp.house import Seat, node_of
from tictac.doors.xmpp.invitations import COMPUTER
from tictac.doors.xmpp.ownership import configure
from tictac.doors.xmpp.refusals import Refused
from tictac.doors.xmpp.registry import Rooms
from tictac.doors.xmpp.requests import Stanza
from tictac.doors.xmpp.room import Room
from tictac.doors.xmpp.tables import TALK, Sitter, Tables, described, games, options_of, talk
from tictac.games.all import GAMES
from tictac.lobby.events import Mode
from tictac.lobby.room import Room as Table

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
    kind = stanza.kind if stanza.whole.name == "message" else ""
    session = Session(str(sender), str(stanza.to), kind or "normal")
    nick = sender.node[:LONGEST_NICK]
    return Caller(session, sender.bare, nick if is_nick(nick) else "guest", stanza.to.node)


class ChatCommands:
    """The commands, over MUG's rooms and those of the lobby. Each may raise Refused."""

    def __init__(self, rooms: Rooms, tables: Tables) -> None:
        self.rooms = rooms
        self.tables = tables
        self._latest: dict[str, str] = {}
        self._heard: dict[str, float] = {}

    def say(self, caller: Caller, body: str) -> Said:
        """Do what ``body`` says."""
        words = body.split()
        word, rest = (words[0].lower(), words[1:]) if words else ("help", [])
        at_service: dict[str, Callable[[Caller, Sequence[str]], Said]] = {
            "help": lambda caller, rest: Said([], [bodies.HELP]),
            "games": lambda caller, rest: Said([], games()),
            "rooms": self._rooms,
            "new": self._new,
            "join": self._join,
            "watch": self._join,
        }
        if word in at_service:
            if caller.room and word not in ("help", "games"):
                raise Refused("not-acceptable", f"Write that to {self.rooms.domain}.")
            return at_service[word](caller, words)
        text = body.strip()[len(word) :].strip()
        sitter = self.sitter(caller)
        if sitter is not None:
            return self._sitting(caller, sitter, word, text)
        return self._in_room(caller, word, rest, text)

    def _in_room(self, caller: Caller, word: str, rest: Sequence[str], text: str) -> Said:
        """What is asked of one of MUG's rooms."""
        address = caller.session.address
        match word:
            case "x" | "o" | "none":
                return Said(self.room(caller).take_role(address, word), [])
            case "start":
                return Said(self.room(caller).start(address), [])
            case "board":
                return Said([], self.board(caller))
            case "leave":
                return Said(self.leave(caller), [])
            case "computer":
                return self._invite(caller, [COMPUTER])
            case "invite":
                return self._invite(caller, rest)
            case _ if word in TALK:
                return self._talk(caller, word, text)
            case _ if len(rest) == 1 and _is_number(word) and _is_number(rest[0]):
                row, col = int(word), int(rest[0])
                return Said(self.room(caller).turn_or_explain(address, row, col), [])
        raise Refused("not-acceptable", "That isn't a command: write help.")

    # Who is silent: their clients don't say that they are gone

    def hear(self, person: str, now: float) -> None:
        """Note that somebody has said something; of who never entered a room nothing is kept."""
        if person in self._latest or person in self._heard:
            self._heard[person] = now

    def expire(self, before: float) -> Iterator[list[Event]]:
        """Let those leave who haven't been heard since ``before``; the events of each."""
        for person in [person for person, heard in self._heard.items() if heard < before]:
            del self._heard[person]
            for node in self.tables.of(person):
                self.tables.leave(person, node)
            for room in self.rooms.of(person):
                for occupant in room.occupants.persons(person):
                    for session in [session for session in occupant.sessions if session.via]:
                        yield self.rooms.in_room(room.node, partial(room.leave, session.address))

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
        name = room.node
        mine = room.occupants.at(caller.session.address)
        nick = room.occupants.free_nick(mine.nick if mine else caller.nick, caller.person)
        events = self.rooms.in_room(
            name, lambda: self.rooms.come_in(name, caller.session, nick, password)
        )
        self._remember(caller.person, name)
        return events

    def leave(self, caller: Caller) -> list[Event]:
        """Leave the room."""
        room = self.room(caller)
        self._latest.pop(caller.person, None)
        return self.rooms.in_room(room.node, lambda: room.leave(caller.session.address))

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

    # Other games

    def sitter(self, caller: Caller) -> Sitter | None:
        """The caller, in the room of the lobby that a command is for, if it is for one."""
        node = caller.room or self._latest.get(caller.person, "")
        sitter = self.tables.at(caller.person, node)
        if sitter is None and not caller.room and node not in self.rooms.by_name:
            others = (self.tables.at(caller.person, n) for n in self.tables.of(caller.person))
            sitter = next(others, None)
        if sitter is not None:
            sitter.session = caller.session
        return sitter

    def _sitting(self, caller: Caller, sitter: Sitter, word: str, text: str) -> Said:
        """What is asked of a room of the lobby."""
        room, house = sitter.room, self.rooms.house
        assert room is not None
        match word:
            case "board":
                sitter.news += sitter.standing()
            case "leave":
                self.tables.leave(caller.person, node_of(room.name))
                return Said([], ["You have left."])
            case "computer":
                sitter.invite_computer(text)
            case "start":
                sitter.seat.ask(house.registry.pause, False)
            case _ if word in TALK:
                talk(house, sitter.seat, room, word, text)
            case _:
                sitter.move(f"{word} {text}".strip())
        return Said([], sitter.read() or ([] if house.waiting else ["Nothing has changed."]))

    def open(self, caller: Caller, name: str, game: str, words: Sequence[str]) -> Said:
        """Open a room of the lobby for any game."""
        kind = GAMES.get(game)
        if kind is None:
            raise Refused("item-not-found", "There is no such game: write games.")
        values, seats = options_of(kind, words)
        name = name or self._free_name(caller.nick)[:20]
        if name in self.rooms.by_name:
            raise Refused("conflict", f"There is a room {name} already.")
        sitter = self.tables.new(caller.session, name, kind, values, seats)
        return self._seated(caller, name, sitter)

    def enter(self, caller: Caller, name: str, secret: str | None) -> Said:
        """Enter one of MUG's rooms, or play in one of the lobby."""
        try:
            self.rooms.find(name.lower().partition("@")[0])
        except Refused:
            if self.tables.find(name) is None:
                raise
            return self.play(caller, name, "PLAYER", secret)
        return Said(self.join(caller, name, secret), [])

    def names(self, watching: bool) -> list[str]:
        """The names of public rooms that can be entered, or watched by chat."""
        mine = [] if watching else [room.node for room in self.rooms.listed()]
        return mine + [node_of(table.name) for table in self._others()]

    def _others(self) -> list[Table]:
        shown = {room.match.table for room in self.rooms.listed()}
        return [t for t in self.rooms.house.registry.public_rooms() if t not in shown]

    def play(self, caller: Caller, name: str, mode: Mode, key: str | None) -> Said:
        """Play or watch in a room of the lobby."""
        room = self.tables.find(name)
        if room is None:
            raise Refused("item-not-found", "there is no such room")
        if node_of(room.name) in self.rooms.by_name:
            raise Refused("conflict", "You can see it when you join it.")
        return self._seated(caller, room.name, self.tables.enter(caller.session, room, mode, key))

    def _seated(self, caller: Caller, name: str, sitter: Sitter) -> Said:
        self._remember(caller.person, node_of(name))
        return Said([], sitter.read())

    def _talk(self, caller: Caller, word: str, text: str) -> Said:
        room = self.room(caller)
        role = room.occupant(caller.session.address).role
        seat, table = room.match.seats.get(role) if role else None, room.match.table
        if table is None or not isinstance(seat, Seat):
            raise Refused("not-allowed", "That is for players of a match.")
        talk(self.rooms.house, seat, table, word, text)
        return Said(room.drain(), [])

    # What is only typed

    def _rooms(self, caller: Caller, words: Sequence[str]) -> Said:
        lines = [_described(room) for room in self.rooms.listed()]
        lines += [described(table) for table in self._others()]
        if not lines:
            lines = ["There are no rooms: write new."]
        if len(lines) > MOST_LISTED:
            lines[MOST_LISTED:] = [f"and {len(lines) - MOST_LISTED} more"]
        return Said([], lines)

    def _new(self, caller: Caller, words: Sequence[str]) -> Said:
        name, rest = "".join(words[1:2]), words[2:]
        if rest and not _is_number(rest[0][:1]):
            return self.open(caller, name.lower(), rest[0].lower(), rest[1:])
        if len(rest) > 3:
            raise Refused("not-acceptable", "Write new NAME ROWS COLS STRIKE.")
        numbers = dict(zip(("rows", "cols", "strike"), rest, strict=False))
        fields = {f"mug/tictactoe#config_{key}": (value,) for key, value in numbers.items()}
        events = self.new(caller, name, fields)
        node = self.room(caller).node
        hint = f"This is {node}. Write x or o, then computer, or wait for somebody; then start."
        return Said(events, [hint])

    def _join(self, caller: Caller, words: Sequence[str]) -> Said:
        if len(words) < 2:
            raise Refused("not-acceptable", f"Write {words[0].lower()} and the name of a room.")
        secret = " ".join(words[2:]) or None
        if words[0].lower() == "watch":
            return self.play(caller, words[1], "VIEWER", secret)
        return self.enter(caller, words[1], secret)

    def _invite(self, caller: Caller, rest: Sequence[str]) -> Said:
        room = self.room(caller)
        if len(rest) != 1:
            raise Refused("not-acceptable", "Write invite and an address.")
        who = f"{COMPUTER}@{self.rooms.domain}" if rest[0] == COMPUTER else rest[0]
        events = self.rooms.invite(room, caller.session.address, ((who, ""),))
        return Said(events, [] if rest[0] == COMPUTER else [f"{who} is invited."])

    def _free_name(self, nick: str) -> str:
        base = "".join(c for c in nick.lower() if is_room_name(c))[:50] or "room"
        names = (f"{base}{number or ''}" for number in count())
        tables = self.rooms.house.registry.public_rooms()
        taken = {*self.rooms.by_name, *(node_of(table.name) for table in tables)}
        return next(name for name in names if name not in taken)

    def _remember(self, person: str, name: str) -> None:
        if len(self._latest) >= MOST_REMEMBERED:
            self._latest.clear()
        self._latest[person] = name


def _described(room: Room) -> str:
    rules = room.match.rules
    status = "saved" if room.saved else room.match.status
    free = " and ".join(room.free_roles()) or "none"
    size = f"{rules.rows}x{rules.cols}"
    return f"{room.node}: {status}, {size}, {len(room.occupants)} in it, free: {free}"


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdecimal() and len(word) < 6

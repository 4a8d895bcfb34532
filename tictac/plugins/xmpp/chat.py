"""Chat commands: text that people type to the service or a room in any XMPP client.

Source: docs/reference/xmpp.md, "Chat".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count

from tictac.game import GameType
from tictac.games.all import GAMES
from tictac.lobby.events import Mode
from tictac.lobby.room import Room as Table
from tictac.plugins.xmpp.addresses import LONGEST_NICK, is_nick, is_room_name
from tictac.plugins.xmpp.chat_rooms import TALK, ChatSeat, described, rules_text, talk, terms_of
from tictac.plugins.xmpp.events import ChatSession, Event, Stanza
from tictac.plugins.xmpp.fields import Fields
from tictac.plugins.xmpp.gateway import node_of
from tictac.plugins.xmpp.invitations import COMPUTER, invite
from tictac.plugins.xmpp.muc import is_command
from tictac.plugins.xmpp.own_commands import HELP as OWN_HELP
from tictac.plugins.xmpp.ownership import configure
from tictac.plugins.xmpp.paging import Found, Page
from tictac.plugins.xmpp.refusals import Refused, full
from tictac.plugins.xmpp.registry import Rooms
from tictac.plugins.xmpp.room import MugRoom

MOST_REMEMBERED = 10_000
MOST_LISTED = 50

MOST_WORDS = 6
"""Maximum words in the name of a room."""

HELP = """\
rooms - list the rooms
new [NAME [ROWS COLS [STRIKE]]] - open a room for tic-tac-toe, and enter it
new NAME GAME [OPTION=VALUE ...] - open a room for another game, and play
games - list the games with their options
rules [GAME [OPTION=VALUE ...]] - the rules of a game, or of the one in your room
join NAME [PASSWORD] - enter a room; at other games, play
watch NAME [PASSWORD] - watch another game, as in watch clue 1
x, o or none - take a role, or give it up
computer [LEVEL] - let the computer play
invite ADDRESS - invite a player
start - begin, or go on, when both roles are taken
2 3 or c2 - mark row 2, column 3; other games say how they are played
draw, decline - offer or accept a draw, or don't
takeback - the same, to take moves back
resign - resign the match
pause - interrupt the match
say TEXT - say something to the others
board - the room and its board
moves - at other games, the moves that you can make
notes, where - in Clue, what you know about the cards, and where you can go
leave - leave the room"""


class ChatCommands:
    """The commands, over MUG's rooms and those of the lobby. Each can raise Refused."""

    def __init__(self, rooms: Rooms, notify: Callable[[ChatSeat], None]) -> None:
        self.rooms = rooms
        self.own: Callable[[Stanza, str], bool] = lambda s, body: False
        """Runs a command about the sender's account, if that is one."""
        self._notify = notify
        self.seats: dict[tuple[str, str], ChatSeat] = {}  # by person and node of the room
        self._seconds = rooms.gateway.clock.seconds
        self._latest: dict[str, str] = {}
        self._last_active: dict[str, float] = {}

    def run(self, s: Stanza, body: str) -> list[Event]:
        """Run the command that a person has typed."""
        words = body.split() or ["help"]
        word, rest = words[0].lower(), words[1:]
        if not self._is_move(s, body) and self.own(s, body):
            return []  # the answer comes later
        if s.to.node and word in ("rooms", "new", "join", "watch"):
            raise Refused("not-acceptable", f"Write that to {self.rooms.domain}.")
        match word:
            case "help":
                return [s.answer(f"{HELP}\n{OWN_HELP}")]
            case "games":
                return [s.answer(*_games())]
            case "rules" if rest:
                terms = terms_of(_game_type(rest[0].lower()), rest[1:])
                return [s.answer(*rules_text(terms))]
            case "rooms":
                return [s.answer(*self._listed())]
            case "new":
                return self._new(s, rest)
            case "join" | "watch" if not rest:
                raise Refused("not-acceptable", f"Write {word} and the name of a room.")
            case "join":
                return self.enter(s, *self._named(s, rest))
            case "watch":
                name, secret = self._named(s, rest)
                return self.play(s, name, "VIEWER", secret)
        text = body.strip()[len(word) :].strip()
        chat_seat = self.chat_seat(s)
        if chat_seat is not None:
            return self._sitting(s, chat_seat, word, text)
        return self._in_room(s, word, rest, text)

    def _is_move(self, s: Stanza, body: str) -> bool:
        """Return whether ``stop`` is a move now, as in a game with dice."""
        if body.strip().lower() != "stop" or (seat := self.chat_seat(s)) is None:
            return False
        return seat.is_in and seat.room.running and "stop" in map(str.lower, seat.possible())

    def _named(self, s: Stanza, words: Sequence[str]) -> tuple[str, str | None]:
        """Split words into a room's name, which can have blanks, and a password."""
        names = (" ".join(words[:end]) for end in range(min(len(words), MOST_WORDS), 1, -1))
        rooms, person = self.rooms, s.person
        name = next((n for n in names if rooms.lobby_room(n, person) is not None), words[0])
        return name, " ".join(words[name.count(" ") + 1 :]) or None

    def _in_room(self, s: Stanza, word: str, rest: Sequence[str], text: str) -> list[Event]:
        """Run a command in one of MUG's rooms."""
        match word:
            case "rules":
                return [s.answer(*rules_text(self.room(s).match.terms))]
            case "start":
                return self.room(s).start(s.address)
            case "board":
                return self.board(s)
            case "leave":
                room = self.room(s)
                self._latest.pop(s.person, None)
                return self.rooms.in_room(room.node, lambda: room.leave(s.address))
            case _ if word == COMPUTER or [word, *rest] == ["invite", COMPUTER]:
                who = f"{COMPUTER}@{self.rooms.domain}"
                return invite(self.room(s), s.address, [(who, "")], self.rooms.present)
            case "invite":
                room = self.room(s)
                if len(rest) != 1:
                    raise Refused("not-acceptable", "Write invite and an address.")
                events = invite(room, s.address, [(rest[0], "")], self.rooms.present)
                return [s.answer(f"{rest[0]} is invited."), *events]
            case _ if word in TALK:
                return self._talk(s, word, text)
        here = self._room_of(s)
        if here is None and is_command(f"{word} {text}".strip()):
            here = self.room(s)  # which refuses
        if here is None:
            raise Refused("not-acceptable", "That isn't a command: write help.")
        if not rest and word in (*here.match.roles, "none"):
            return self.room(s).take_role(s.address, word)
        return self.room(s).turn_or_explain(s.address, " ".join([word, *rest]))

    def _talk(self, s: Stanza, word: str, text: str) -> list[Event]:
        room = self.room(s)
        role, table = room.occupant(s.address).role, room.match.table
        seat = room.match.persons().get(role) if role else None
        if word == "say" and seat is None and text:
            return room.say(s.address, text)
        if table is None or seat is None:
            raise Refused("not-allowed", "That is for players of a match.")
        talk(self.rooms.gateway, seat, table, word, text)
        return room.drain()

    # Silent chats: their clients don't report their ends

    def note_activity(self, person: str) -> None:
        """Note when a person last typed, if the person has ever entered a room."""
        if person in self._latest or person in self._last_active:
            self._last_active[person] = self._seconds()

    def expire(self, timeout: float) -> Iterator[list[Event]]:
        """Remove chats that were silent for ``timeout`` seconds; yield the events of each."""
        before = self._seconds() - timeout
        for person in [person for person, heard in self._last_active.items() if heard < before]:
            del self._last_active[person]
            for place in self._places(person):
                if self.seats[place].muc_clients:
                    self.seats[place].sessions = self.seats[place].muc_clients
                else:
                    self.seats.pop(place).leave()
            for room in self.rooms.of(person):
                for occupant in room.occupants.persons(person):
                    for session in [each for each in occupant.sessions if each.chats]:
                        yield self.rooms.in_room(room.node, partial(room.leave, session.address))

    # Commands that are also ad-hoc commands

    def new(self, s: Stanza, name: str, fields: Fields) -> list[Event]:
        """Open a room with these options, and enter it."""
        name = name.lower() or self._free_name(_nick(s))
        if not is_room_name(name):
            raise Refused("not-acceptable", "A room is named by letters a-z, digits and _ . -")
        self._require_free(name)
        # Leave out the state of the room, which `configure` sends when the room is ready.
        _, *events = self.rooms.create(name, s.session, _nick(s))
        try:
            events += configure(self.rooms.find(name), s.person, [fields])
        except Refused:
            self.rooms.drop(name)
            raise
        self._remember(s.person, name)
        return events

    def enter(self, s: Stanza, name: str, secret: str | None) -> list[Event]:
        """Enter one of MUG's rooms, or play in one of the lobby.

        A nick that another person has gets a tail.
        """
        try:
            room = self.rooms.find(node_of(name).partition("@")[0])
        except Refused:
            if self.rooms.lobby_room(name, s.person) is None:
                raise
            return self.play(s, name, "PLAYER", secret)
        name = room.node
        mine = room.occupants.at(s.address)
        nick = room.occupants.free_nick(mine.nick if mine else _nick(s), s.person)
        events = self.rooms.in_room(name, lambda: self.rooms.come_in(name, s.session, nick, secret))
        self._remember(s.person, name)
        return events

    def board(self, s: Stanza) -> list[Event]:
        """Return events that show the room, its occupants, and its board."""
        room, to = self.room(s), (s.session,)
        shown = [event for occupant in room.occupants for event in room.shown(occupant, to)]
        return [*shown, *room.state_presences(to)]

    def room(self, s: Stanza) -> MugRoom:
        """Return the room of a command, of which the sender is an occupant."""
        name, room = s.to.node or self._latest.get(s.person, ""), self._room_of(s)
        occupant = None if room is None else room.occupants.at(s.address)
        if room is None or occupant is None:
            what = f"You aren't in {name or 'a room'}:"
            raise Refused("not-acceptable", f"{what} write new, or join, to {self.rooms.domain}.")
        if room.saved:
            raise Refused("not-allowed", "The room is being saved.")
        # From now on, messages go to the client that has just written.
        mine = occupant.session(s.address)
        if mine is not None and mine.chats:
            occupant.add(s.session)
        return room

    def _room_of(self, s: Stanza) -> MugRoom | None:
        """Return the room that a command is for, or None."""
        room = self.rooms.by_name.get(s.to.node or self._latest.get(s.person, ""))
        if not s.to.node and (room is None or room.occupants.at(s.address) is None):
            room = next(reversed(self.rooms.of(s.person)), None)
        return room

    # Other games

    def chat_seat(self, s: Stanza) -> ChatSeat | None:
        """Return the sender's seat in the lobby's room that a command is for, or None."""
        node = s.to.node or self._latest.get(s.person, "")
        chat_seat = self.seats.get((s.person, node))
        if chat_seat is None and not s.to.node and node not in self.rooms.by_name:
            chat_seat = next((self.seats[each] for each in self._places(s.person)), None)
        if chat_seat is not None:
            chat_seat.write_to(s.session)
        return chat_seat

    def _sitting(self, s: Stanza, chat_seat: ChatSeat, word: str, text: str) -> list[Event]:
        """Run a command in a room of the lobby."""
        room, gateway = chat_seat.room, self.rooms.gateway
        match word:
            case "board":
                chat_seat.news += chat_seat.standing()
            case "moves":
                chat_seat.news += chat_seat.moves()
            case "rules":
                chat_seat.news += rules_text(room.terms)
            case _ if word in chat_seat.questions:
                chat_seat.news += chat_seat.answer(word)
            case "leave":
                changed = [Event(client.via, ()) for client in chat_seat.muc_clients[:1]]
                if chat_seat.without(s.address):
                    self.forget(chat_seat)
                    chat_seat.leave()
                return [s.answer("You have left."), *changed]
            case "computer":
                chat_seat.invite_computer(text)
            case "start":
                chat_seat.ask(gateway.registry.pause, False)
            case _ if word in TALK:
                talk(gateway, chat_seat, room, word, text)
            case _:
                chat_seat.move(f"{word} {text}".strip())
        lines = chat_seat.read() or ([] if gateway.waiting else ["Nothing has changed."])
        return [s.answer(*lines)]

    def open(self, s: Stanza, name: str, game: str, words: Sequence[str]) -> list[Event]:
        """Open a room of the lobby for any game."""
        terms = terms_of(_game_type(game), words)
        name = name or self._free_name(_nick(s))[:20]
        self._require_free(name)
        create = self.rooms.gateway.registry.create
        return [s.answer(*self._sit(s, s.session, node_of(name), name, create, terms).read())]

    def play(self, s: Stanza, name: str, mode: Mode, key: str | None) -> list[Event]:
        """Play or watch in a room of the lobby."""
        room = self.rooms.lobby_room(name, s.person)
        node = node_of(name) if room is None else self.rooms.node(room)
        if {node, node_of(name)} & self.rooms.by_name.keys():
            raise Refused("conflict", "You can see it when you join it.")
        if room is None:
            raise Refused("item-not-found", "there is no such room")
        join = self.rooms.gateway.registry.join
        return [s.answer(*self._sit(s, s.session, node, room.name, join, mode, key).read())]

    def sit_down(self, s: Stanza, session: ChatSession, node: str, key: str | None) -> ChatSeat:
        """Let a MUC client take the own seat in a room of the lobby, or watch. Raises Refused."""
        room, gateway = self.rooms.lobby_room(node, s.person), self.rooms.gateway
        if room is None:
            raise Refused("item-not-found", "there is no such room")
        user = gateway.user(s.person).name
        is_held = any(m.user == user and m.away is not None for m in room.players)
        mode: Mode = "PLAYER" if is_held else "VIEWER"
        return self._sit(s, session, node, room.name, gateway.registry.join, mode, key)

    def _places(self, person: str) -> list[tuple[str, str]]:
        return [place for place in self.seats if place[0] == person]

    def _sit(
        self,
        s: Stanza,
        session: ChatSession,
        node: str,
        name: str,
        request: Callable[..., None],
        *how: object,
    ) -> ChatSeat:
        limits, place = self.rooms.gateway.settings, (s.person, node)
        if place in self.seats:
            raise Refused("conflict", f"You are in {name} already.")
        if 0 < limits.rooms_per_user <= len(self._places(s.person)):
            raise Refused("not-allowed", "You are in the maximum number of rooms.")
        if 0 < limits.max_occupants <= sum(node == place[1] for _, node in self.seats):
            raise full("There is no place left.")
        chat_seat = ChatSeat(self.rooms.gateway, session, self._heard_by)
        room = self.rooms.gateway.registry.room(name)
        if room is not None and how[0] == "PLAYER":
            self.rooms.gateway.claim(room, chat_seat.user or "")
        chat_seat.ask(request, name, *how)
        if not chat_seat.over:
            # The answer can come later, when a journal has saved the request.
            self.seats[place] = chat_seat
        self._remember(*place)
        return chat_seat

    def _heard_by(self, chat_seat: ChatSeat) -> None:
        if chat_seat.over and not (chat_seat.is_in and chat_seat.muc_clients):
            self.forget(chat_seat)
        self._notify(chat_seat)

    def forget(self, chat_seat: ChatSeat) -> None:
        """Forget a seat that has been left."""
        self.seats = {at: each for at, each in self.seats.items() if each is not chat_seat}

    def names(self, watching: bool) -> list[str]:
        """Return the names of public rooms to enter or, if ``watching``, to watch by chat.

        Return none if there are more than a page has.
        """
        gateway, page = self.rooms.gateway, Page(self.rooms.gateway.settings.page or MOST_LISTED)
        found: Found[MugRoom | Table] = gateway.listing.read(page, self.rooms.listed)
        if not found.is_all:
            return []
        tables = [room for room in found.values if not isinstance(room, MugRoom)]
        mine = [room.node for room in found.values if isinstance(room, MugRoom)]
        others = [table for table in tables if not watching or self.rooms.visited_at(table) is None]
        return ([] if watching else mine) + [self.rooms.node(table) for table in others]

    # Commands that are only typed

    def _listed(self) -> list[str]:
        listing, page = self.rooms.gateway.listing, Page(MOST_LISTED)
        found: Found[MugRoom | Table] = listing.read(page, self.rooms.listed)
        lines = [self._line(room) for room in found.values]
        if not found.is_all:
            lines.append(f"and {found.total - len(lines)} more")
        return lines or ["There are no rooms: write new."]

    def _line(self, room: MugRoom | Table) -> str:
        if isinstance(room, MugRoom):
            return _described(room)
        shown = self.rooms.visited_at(room)
        return described(room, self.rooms.node(room)) if shown is None else _described(shown)

    def _new(self, s: Stanza, words: Sequence[str]) -> list[Event]:
        name, rest = "".join(words[:1]), words[1:]
        if rest and not is_number(rest[0][:1]):
            return self.open(s, name.lower(), rest[0].lower(), rest[1:])
        if len(rest) > 3:
            raise Refused("not-acceptable", "Write new NAME ROWS COLS STRIKE.")
        numbers = dict(zip(("rows", "cols", "strike"), rest, strict=False))
        fields = {f"mug/tictactoe#config_{key}": (value,) for key, value in numbers.items()}
        events = self.new(s, name, fields)
        return [s.answer(welcome(self.room(s))), *events]

    def _require_free(self, name: str) -> None:
        if name in self.rooms.by_name:
            raise Refused("conflict", f"There is a room {name} already.")

    def _free_name(self, nick: str) -> str:
        base = "".join(c for c in nick.lower() if is_room_name(c))[:50] or "room"
        names = (f"{base}{number or ''}" for number in count())
        rooms, gateway = self.rooms.by_name, self.rooms.gateway
        return next(n for n in names if n not in rooms and gateway.public(n) is None)

    def _remember(self, person: str, name: str) -> None:
        if len(self._latest) >= MOST_REMEMBERED:
            self._latest.clear()
        self._latest[person] = name


def welcome(room: MugRoom) -> str:
    """Return what the creator of a room can do there."""
    roles = " or ".join(room.match.roles)
    text = f"Write {roles}, then computer, or wait for another player; then start."
    return f"This is {room.name}. {text}"


def _nick(s: Stanza) -> str:
    nick = s.person.partition("@")[0][:LONGEST_NICK] if "@" in s.person else ""
    return nick if is_nick(nick) else "guest"


def _described(room: MugRoom) -> str:
    status = "saved" if room.saved else room.match.status
    free = " and ".join(room.free_roles()) or "none"
    size = room.match.mug.label(room.match.terms)
    return f"{room.name}: {status}, {size}, {len(room.occupants)} in it, free: {free}"


def _games() -> Iterator[str]:
    """Describe all games with their options."""
    for game_type in GAMES.values():
        options = "".join(f" {o.name}={o.default}" for o in game_type.options)
        yield f"{game_type.name}{options} - {game_type.goal}"


def _game_type(name: str) -> GameType:
    """Return the game of that name. Raises Refused."""
    if name not in GAMES:
        raise Refused("item-not-found", "There is no such game: write games.")
    return GAMES[name]


def is_number(word: str) -> bool:
    """Return whether ``word`` can be a row, a column, or their number."""
    return word.isascii() and word.isdecimal() and len(word) < 6

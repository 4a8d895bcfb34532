"""Any game of the lobby, by chat: what people do who sit in its rooms, and what they read.

Source: docs/xmpp.md, "Any game".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from tictac.doors.xmpp.addresses import bare
from tictac.doors.xmpp.events import Session
from tictac.doors.xmpp.house import House, Seat, node_of, user_of
from tictac.doors.xmpp.refusals import Refused, from_lobby, full
from tictac.doors.xmpp.registry import RoomLimits
from tictac.errors import BadOption, Refusal
from tictac.face import Face
from tictac.game import Kind, Value
from tictac.games.all import GAMES
from tictac.lobby import events
from tictac.lobby.events import Ended, Event, Joined, Left, Mode, Position
from tictac.lobby.room import Room
from tictac.lobby.terms import terms_for

TALK = ("resign", "draw", "takeback", "decline", "say", "pause")
"""What players do in the middle of a match, also in MUG's rooms."""

LONGEST_TEXT = 500

_OFFERS = {
    "offered": "offers a {0}: write {0}, or decline",
    "declined": "wants no {0}",
    "withdrawn": "offers a {0} no longer",
    "expired": "has offered a {0} for too long",
}

_WHY = {"forfeited": "has given up", "left": "has left", "timed out": "has taken too long"}


def talk(house: House, seat: Seat, room: Room, word: str, text: str) -> None:
    """Do what one of TALK says. Raises Refused."""
    registry, mine = house.registry, room.seat_of(seat.occupant_id)
    if house.max_events and len(room.record) >= house.max_events and word != "resign":
        raise Refused("resource-constraint", "too much has happened here: only moves are taken")
    match word:
        case "resign":
            seat.ask(registry.forfeit)
        case "draw" | "takeback" if room.offer is not None and room.offer.seat != mine:
            seat.ask(registry.answer, word, True)
        case "draw" | "takeback":
            seat.ask(registry.offer, word)
        case "decline":
            seat.ask(registry.answer, None, False)
        case "pause":
            seat.ask(registry.pause, True)
        case _:
            seat.ask(registry.say, " ".join(text.split())[:LONGEST_TEXT])


class Sitter:
    """Somebody who chats, in a room of the lobby. ``session`` is where they have written last.

    ``news`` are lines that they haven't read; ``tell`` is called when there are some.
    """

    def __init__(self, house: House, session: Session, tell: Callable[[Sitter], None]) -> None:
        self.session = session
        self.seat = Seat(house, user_of(bare(session.address)), self._hear)
        self.room: Room | None = None
        self.news: list[str] = []
        self._house = house
        self._tell = tell

    @property
    def number(self) -> int | None:
        """The seat, if it is a player's."""
        return None if self.room is None else self.room.seat_of(self.seat.occupant_id)

    @property
    def _face(self) -> Face:
        assert self.room is not None
        return self.room.terms.kind.face(self.room.terms.values)

    def read(self) -> list[str]:
        """The lines since the last time."""
        news, self.news = self.news, []
        return news

    def move(self, typed: str) -> None:
        """Make the move that somebody has typed. Raises Refused."""
        room, most = self.room, self._house.max_events
        assert room is not None
        if self.number is None:
            raise Refused("forbidden", "You only watch here.")
        try:
            text = self._face.read(typed)
        except Refusal as refusal:
            raise from_lobby(refusal) from None
        self.seat.ask(self._house.registry.place, text, False)
        if 0 < 2 * most <= room.moves and self.room is not None:
            # Some games could go on for years.
            self._house.registry.call_off(room.name)

    def invite_computer(self, level: str) -> None:
        """Let the computer take a seat. Raises Refused."""
        room = self.room
        assert room is not None
        levels = room.terms.kind.levels
        level = level or "".join(levels[-1:])
        if level not in levels:
            raise Refused(
                "not-acceptable", f"The computer is one of {', '.join(levels) or 'none'}."
            )
        if self.number is None or room.begun:
            raise Refused("not-allowed", "There is no seat that you can give to the computer.")
        player = self._house.computer(replace(room.terms, computer=level))
        number = sum(member.user.startswith("computer") for member in room.players) + 1
        player.user = f"{player.user} {number}" if number > 1 else player.user
        self._house.registry.join(player, room.name, "PLAYER", room.terms.key)

    # What there is to read

    def standing(self, with_board: bool = True) -> Iterator[str]:
        """The room, who plays, and its board."""
        room = self.room
        assert room is not None
        yield described(room)
        for seat, member in enumerate(room.players):
            away = ", who is away" if member.gone or member.away is not None else ""
            yield f"{self._name(seat)}{away}"
        if room.begun and with_board:
            yield from self._board(room.position)

    def _hear(self, event: Event) -> None:
        match event:
            case events.Refused(refusal=refusal, request=request):
                self.news.append(str(refusal))
                if request == "create":
                    self.room = None
            case Joined(to=to, room=name, turn=turn) if to == self.seat.occupant_id:
                self.room = self.room or self._house.registry.room(name)
                if self.room is not None:
                    # Of a match that begins right now comes word.
                    self.news += self.standing(with_board=turn is not None)
            case _ if self.room is not None:
                self.news += self._told(event)
                if isinstance(event, Ended):
                    self.room = None
        self._tell(self)

    def _told(self, event: Event) -> Iterator[str]:
        match event:
            case Joined(seat=int(seat)):
                yield f"{self._name(seat)} is here."
            case Left(seat=int(seat)):
                yield f"{self._name(seat)} is away."
            case Joined(user=user) | Left(user=user):
                yield f"{user} {'looks on' if isinstance(event, Joined) else 'has left'}."
            case events.Began():
                yield from self._board(self.room.start if self.room else None)
            case events.Placed(position=position, seat=seat, move=move):
                yield f"{self._name(seat)}: {self._spelled(position, move)}"
                yield from self._board(position)
            case events.Offered(seat=seat, what=what, state=state):
                yield f"{self._name(seat)} {_OFFERS[state].format(what)}."
            case events.Undone(seat=seat, position=position):
                yield f"{self._name(seat)} takes a move back."
                yield from self._board(position)
            case events.Paused(user=user, paused=paused):
                yield f"{user} {'interrupts the match' if paused else 'lets it go on'}."
            case events.Said(user=user, text=text):
                yield f"{user}: {' '.join(text.split())}"
            case Ended():
                yield from self._ended(event)

    def _ended(self, ended: Ended) -> Iterator[str]:
        assert self.room is not None
        if ended.move is not None:
            yield self._spelled(ended.position, ended.move)
        if self.room.begun:
            yield from self._drawn(ended.position)
        seat, why = ended.seat, _WHY.get(ended.ending)
        if seat is not None and why and len(self.room.players) == 2:
            yield f"{self._name(1 - seat)} {why}."
        if seat is not None:
            yield f"{self._name(seat)} has won."
        elif ended.ending == "closed":
            yield f"{self.room.name} is closed."
        else:
            yield "It is a draw."

    def _board(self, position: Position) -> Iterator[str]:
        yield from self._drawn(position)
        room = self.room
        assert room is not None
        turn = room.game.turn(position)
        if room.paused:
            yield "The match is interrupted: write start to go on."
        elif turn is not None and turn == self.number:
            yield f"It is your turn: {self._face.usage}."
        elif turn is not None:
            yield f"It is the turn of {self._name(turn)}."

    def _drawn(self, position: Position) -> list[str]:
        assert self.room is not None
        view = self.room.game.view(position, self.number)
        return self._face.lines(view, lambda seat, text: text)

    def _spelled(self, position: Position, move: str) -> str:
        assert self.room is not None
        return self._face.spell(self.room.game.seen(position, move, self.number))

    def _name(self, seat: int) -> str:
        assert self.room is not None
        sides, user = self._face.sides, self.room.players[seat].user
        return f"{sides[seat]} ({user})" if seat < len(sides) else user


class Tables:
    """The people who sit in rooms of the lobby by chat."""

    def __init__(self, house: House, tell: Callable[[Sitter], None], limits: RoomLimits) -> None:
        self._house = house
        self._tell = tell
        self._limits = limits
        self._sitters: dict[tuple[str, str], Sitter] = {}

    def at(self, person: str, node: str) -> Sitter | None:
        """Who sits there, if that person does."""
        return self._sitters.get((person, node))

    def of(self, person: str) -> list[str]:
        """Where a person sits."""
        return [node for sitting, node in self._sitters if sitting == person]

    def find(self, name: str) -> Room | None:
        """The room of that address, or with exactly that name."""
        public = (r for r in self._house.registry.public_rooms() if node_of(r.name) == name.lower())
        return next(public, None) or self._house.registry.room(name)

    def new(
        self,
        session: Session,
        name: str,
        kind: Kind,
        options: Mapping[str, Value],
        seats: int | None = None,
    ) -> Sitter:
        """Open a room and take its first seat. Raises Refused."""
        try:
            terms = terms_for(kind, options, seats)
        except BadOption as refusal:
            raise from_lobby(refusal) from None
        registry = self._house.registry
        return self._sit(session, name, lambda seat: seat.ask(registry.create, name, terms))

    def enter(self, session: Session, room: Room, mode: Mode, key: str | None) -> Sitter:
        """Play or watch. Raises Refused."""
        registry = self._house.registry
        return self._sit(session, room.name, lambda s: s.ask(registry.join, room.name, mode, key))

    def _sit(self, session: Session, name: str, ask: Callable[[Seat], None]) -> Sitter:
        person = bare(session.address)
        place = person, node_of(name)
        if place in self._sitters:
            raise Refused("conflict", f"You are in {name} already.")
        if 0 < self._limits.rooms_per_user <= len(self.of(person)):
            raise Refused("not-allowed", "You are in as many rooms as anybody may be.")
        if 0 < self._limits.occupants <= sum(node == place[1] for _, node in self._sitters):
            raise full("There is no place left.")
        sitter = Sitter(self._house, session, self._heard)
        ask(sitter.seat)
        if sitter.room is None:
            # Of what is decided comes word later, if it must be kept first.
            room = self._house.registry.room(name)
            if room is not None and sitter.seat.occupant_id in room.occupants():
                sitter.room = room
        self._sitters[place] = sitter
        return sitter

    def leave(self, person: str, node: str) -> None:
        """Leave a room: the seat may be held."""
        self._sitters.pop((person, node)).seat.leave()

    def _heard(self, sitter: Sitter) -> None:
        if sitter.room is None:
            gone = [place for place, each in self._sitters.items() if each is sitter]
            for place in gone:
                del self._sitters[place]
        self._tell(sitter)


def options_of(kind: Kind, words: Sequence[str]) -> tuple[dict[str, Value], int | None]:
    """The options, and the number of seats, that words like ``size=6`` name. Raises Refused."""
    known = {option.name: option for option in kind.options}
    values: dict[str, Value] = {}
    seats: int | None = None
    for word in words:
        name, _, text = word.partition("=")
        try:
            if name == "seats" and text.isdecimal() and len(text) < 4:
                seats = int(text)
            elif name in known:
                values[name] = known[name].read(text)
            else:
                kind.values({name: text})
        except BadOption as refusal:
            raise from_lobby(refusal) from None
    return values, seats


def described(room: Room) -> str:
    """A room of the lobby in a line."""
    terms = room.terms
    options = "".join(
        f" {option.name}={terms.values[option.name]}"
        for option in terms.kind.options
        if terms.values[option.name] != option.default
    )
    users = " and ".join(member.user for member in room.players)
    free = 0 if terms.door else terms.seats - len(room.players)
    waits = f", free seats: {free}" if free else ""
    return f"{node_of(room.name)}: {terms.kind.title}{options}, {users}{waits}"


def games() -> list[str]:
    """The games that there are, with their options."""
    lines = []
    for kind in GAMES.values():
        options = "".join(f" {o.name}={o.default}" for o in kind.options)
        lines.append(f"{kind.name}{options} - {kind.goal}")
    return lines

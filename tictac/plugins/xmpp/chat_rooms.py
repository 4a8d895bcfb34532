"""Any game of the lobby by chat: the commands in its rooms, and the lines that chat users read.

Source: docs/reference/xmpp.md, "Any game".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from twisted.words.xish.domish import Element

from tictac.errors import BadOption, Refusal
from tictac.game import GameType
from tictac.lobby import events
from tictac.lobby.events import Ended, Event, Joined, Left, Position
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms, terms_for
from tictac.names import is_computer
from tictac.plugins.xmpp.addresses import bare
from tictac.plugins.xmpp.events import ChatSession
from tictac.plugins.xmpp.gateway import Gateway, Seat, name_of, node_of
from tictac.plugins.xmpp.mug_games import describe_terms
from tictac.plugins.xmpp.refusals import Refused, from_lobby
from tictac.text_view import TextView, unpainted

TALK = ("resign", "draw", "takeback", "decline", "say", "pause")
"""Commands of players during a match, also in MUG's rooms."""

LONGEST_TEXT = 500

MOST_GATHERED = 50
"""Maximum lines of computers' moves in one message."""

MOST_MOVES = 100
"""Maximum moves in a list."""

_OFFERS = {
    "offered": "offers a {0}: write {0}, or decline",
    "declined": "declined the {0}",
    "withdrawn": "withdrew the {0}",
    "expired": "waited too long for the {0}",
}

_WHY = {
    "forfeited": "resigned",
    "left": "left",
    "timed out": "took too long",
    "absent": "didn't come",
}


def talk(gateway: Gateway, seat: Seat, room: Room, word: str, text: str) -> None:
    """Run one of the TALK commands. Raises Refused."""
    registry, mine, most = (
        gateway.registry,
        room.seat_of(seat.occupant_id),
        gateway.settings.max_events,
    )
    if 0 < most <= len(room.record) and word != "resign":
        raise Refused(
            "resource-constraint", f"this match has {most} events: the room takes only moves"
        )
    offered = room.offer is not None and room.offer.seat != mine
    request = (registry.answer, word, True) if offered else (registry.offer, word)
    asked: dict[str, tuple[Any, ...]] = {
        "resign": (registry.forfeit,),
        "draw": request,
        "takeback": request,
        "decline": (registry.answer, None, False),
        "pause": (registry.pause, True),
        "say": (registry.say, " ".join(text.split())[:LONGEST_TEXT]),
    }
    seat.ask(*asked[word])


class ChatSeat(Seat):
    """A user in ``room`` of the lobby, by chat or MUC.

    ``sessions`` are the chat client that wrote last, if any, and the clients in MUC, by which the
    user has a ``nick`` and is available as ``show`` says. ``news`` has lines that the user hasn't
    got yet; the seat calls ``notify`` when there are some. ``refusal`` is the first of the lobby
    that the user hasn't got yet. The seat is in no room any more when it is ``over``.

    For MUC, ``entering`` has the presences that the lobby hasn't answered yet, ``said`` the users
    and texts of talk, and ``echo`` the talk that the clients have already, until the lobby sends
    it. A viewer ``moves_up`` to a player's seat. If the lobby refuses it (``refused_seat``), the
    viewer ``returns``.
    """

    def __init__(
        self, gateway: Gateway, session: ChatSession, notify: Callable[[ChatSeat], None]
    ) -> None:
        person = bare(session.address)
        gateway.account_for(person)
        super().__init__(gateway, gateway.user(person), self._handle)
        self.person = person
        self.sessions = [session]
        self.nick = self.show = ""
        self.news: list[str] = []
        self.refusal: Refused | None = None
        self.over = self.moves_up = self.refused_seat = self.returns = False
        self.entering: list[Element] = []
        self.said: list[tuple[str, str]] = []
        self.echo: tuple[str, str] | None = None
        self._room: Room | None = None
        self._notify = notify

    @property
    def receivers(self) -> int:
        """The number of clients that get an event."""
        return len(self.sessions)

    @property
    def muc_clients(self) -> list[ChatSession]:
        """The clients in MUC."""
        return [session for session in self.sessions if session.muc]

    def muc_client(self, address: str) -> ChatSession | None:
        """Return the client in MUC at ``address``, or None."""
        return next((each for each in self.muc_clients if each.address == address), None)

    def without(self, address: str) -> bool:
        """Remove the MUC client at ``address``, or else the chat; return whether it was the last.

        A seat that is over stays only for MUC clients.
        """
        gone = self.muc_client(address)
        self.sessions = [each for each in self.sessions if each != gone and (gone or each.muc)]
        if not self.muc_clients:
            self.nick = ""
        return not (self.muc_clients if self.over else self.sessions)

    def write_to(self, session: ChatSession) -> None:
        """Send news to the chat client that wrote last, unless it gets them by MUC."""
        if self.muc_client(session.address) is None:
            self.sessions = [session, *self.muc_clients]

    @property
    def is_in(self) -> bool:
        """Whether the lobby has let the user in."""
        return self._room is not None

    @property
    def room(self) -> Room:
        """The room, after the user has joined it."""
        assert self._room is not None
        return self._room

    @property
    def number(self) -> int | None:
        """The number of a player's seat, or None for a viewer."""
        return self.room.seat_of(self.occupant_id)

    @property
    def _text_view(self) -> TextView:
        room = self.room
        text_view, users = room.terms.game_type.text_view(room.terms.values), room.players
        text_view.names = [("You" if s == self.number else m.user) for s, m in enumerate(users)]
        return text_view

    def read(self) -> list[str]:
        """Return the lines since the last call."""
        news, refused = self.news, self.take_refusal()
        self.news = []
        return news if refused is None else [*news, str(refused)]

    def take_refusal(self) -> Refused | None:
        """Return the refusal that the user hasn't got yet, if there is one."""
        refused, self.refusal = self.refusal, None
        return refused

    def make_way(self, room: Room) -> None:
        """Leave the seat in ``room`` to another connection of the account.

        MUC's clients watch from then on.
        """
        if self._room is not room or self.number is None or self.over:
            return
        again = "join" if self.muc_clients else f"join {name_of(node_of(room.name))}"
        self.news.append(f"You play in {room.name} elsewhere now. To play here, write {again}.")
        registry = self._gateway.registry
        registry.leave(self)
        if self.muc_clients:
            self.returns = True
            registry.join(self, room.name, "VIEWER", room.terms.key)
        else:
            self.over, self.handle_event = True, None
            self.release()
        self._notify(self)

    def move(self, typed: str) -> None:
        """Make a move that the user has typed. Raises Refused."""
        room, gateway = self.room, self._gateway
        if self.number is None:
            raise Refused("forbidden", "You only watch here.")
        try:
            text = self._text_view.read(typed)
            steps = self._text_view.steps(room.game.view(room.position, self.number), text)
        except Refusal as refusal:
            raise from_lobby(refusal) from None
        for step in steps:
            self.ask(gateway.registry.place, step, False)
        if 0 < 2 * gateway.settings.max_events <= room.moves and not self.over:
            # Some games have no end by their rules.
            gateway.registry.call_off(room.name)

    def possible(self) -> Iterator[str]:
        """Yield the moves that a player can type now."""
        return map(self._text_view.spell, self.room.game.moves(self.room.position))

    def reads(self, typed: str) -> bool:
        """Return whether a text is a move, possible or not."""
        try:
            self._text_view.read(typed)
        except Refusal:
            return False
        return True

    def moves(self) -> list[str]:
        """Return the legal moves in a line."""
        room = self.room
        mine = room.running and room.turn == self.number
        moves = room.game.moves(room.position) if mine else ()
        more = f", and {len(moves) - MOST_MOVES} more" if len(moves) > MOST_MOVES else ""
        spelled = ", ".join(map(self._text_view.spell, moves[:MOST_MOVES]))
        return [f"You can: {spelled}{more}." if moves else "There is nothing to list now."]

    @property
    def questions(self) -> Mapping[str, str]:
        """The questions that the game answers at any time."""
        return self._text_view.questions

    def answer(self, question: str) -> list[str]:
        """Return the answer to one of the questions."""
        room, seat = self.room, self.number
        if not room.begun:
            return ["The match hasn't begun."]
        moves = [
            (placed.seat, room.game.seen(placed.position, placed.move, seat))
            for _, placed in room.record
            if isinstance(placed, events.Placed)
        ]
        view = room.game.view(room.position, seat)
        return self._text_view.answer(question, view, seat, moves)

    def invite_computer(self, level: str) -> None:
        """Let the computer take a seat. Raises Refused."""
        room = self.room
        levels = room.terms.game_type.levels
        level = level or "".join(levels[-1:])
        if level not in levels:
            known = ", ".join(levels) or "none"
            raise Refused("not-acceptable", f"The computer is one of {known}.")
        if self.number is None or room.begun:
            raise Refused("not-allowed", "There is no seat that you can give to the computer.")
        player = self._gateway.computer(replace(room.terms, computer=level))
        number = sum(member.user.startswith("computer") for member in room.players) + 1
        player.user = f"{player.user} {number}" if number > 1 else player.user
        self._gateway.registry.join(player, room.name, "PLAYER", room.terms.key)

    # Lines to read

    def standing(self, with_board: bool = True) -> Iterator[str]:
        """Describe the room, its players, and its board."""
        room = self.room
        yield described(room)
        for seat, member in enumerate(room.players):
            away = ", who is disconnected" if member.gone or member.away is not None else ""
            yield f"{self._name(seat)}{away}"
        free = room.terms.protocol is None and len(room.players) < room.terms.seats
        if self.muc_clients and self.number is None and free:
            yield "Write join to play."
        if room.begun and with_board:
            yield from self._drawn(room.position)
            yield from self._asked(room.position)

    def _handle(self, event: Event) -> None:
        match event:
            case events.Said(user=user) if self._gateway.has_muted(self.person, user):
                return
            case events.Said(user=user, text=text) if (user, text) == self.echo:
                self.echo = None
                return
            case events.Said(user=user, text=text) if self.muc_clients:
                self.said.append((user, " ".join(text.split())))
            case events.Refused(refusal=refusal, request="join") if self.moves_up:
                self.refusal, self.refused_seat = from_lobby(refusal), True
            case events.Refused(refusal=refusal, request=request):
                self.echo = None
                self.refusal = self.refusal or from_lobby(refusal)
                self.over = self.over or request in ("create", "join")
            case Joined(to=self.occupant_id) if self.returns:
                self.returns = False
                return
            case Joined(to=self.occupant_id, room=name, turn=turn):
                self.moves_up = False
                self._room = self._room or self._gateway.registry.room(name)
                if self._room is not None:
                    # If the match begins with this player, Began follows and shows the board.
                    self.news += self.standing(with_board=turn is not None)
                    if self.number is not None:
                        self._gateway.note_player(self.room.name, self.user or "", self)
            case events.Placed() if self._room is not None and self._is_gathered(event):
                self.news.append(self._moved(event))
                return
            case _ if self._room is not None and not self.over:
                self.news += self._describe(event)
                self.over = isinstance(event, Ended)
        self._notify(self)

    def _is_gathered(self, placed: events.Placed) -> bool:
        """Return whether a computer's move waits for the next move, also a computer's.

        Otherwise, five computers would send more messages than a person can read.
        """
        if placed.turn is None or len(self.news) >= MOST_GATHERED:
            return False
        return all(is_computer(self.room.players[s].user) for s in (placed.seat, placed.turn))

    def _moved(self, placed: events.Placed) -> str:
        game, (_, _, position, seat, move, _) = self.room.game, placed
        view = game.view(position, self.number)
        text = self._text_view.describe_move(view, seat, game.seen(position, move, self.number))
        return f"{self._name(seat)}: {text}"

    def _describe(self, event: Event) -> Iterator[str]:
        match event:
            case Joined(seat=int(seat)):
                yield f"{self._name(seat)} is here."
            case Left(seat=int(seat)):
                yield f"{self._name(seat)} is disconnected."
            case Joined() | Left() if self.muc_clients:
                pass  # they see the occupants
            case Joined(user=user) | Left(user=user):
                yield f"{user} {'looks on' if isinstance(event, Joined) else 'has left'}."
            case events.Began():
                yield from self._drawn(self.room.start)
                yield from self._asked(self.room.start)
            case events.Placed(position=position, turn=turn):
                yield self._moved(event)
                view = self.room.game.view(position, self.number)
                mine = turn == self.number
                yield from self._text_view.after_move(view, self._drawn(position), mine)
                yield from self._asked(position)
            case events.Offered(what="days"):
                pass  # only accounts agree on that
            case events.Offered(seat=seat, what=what, state="offered") if seat == self.number:
                yield f"You offer a {what}."
            case events.Offered(seat=seat, what=what, state="offered") if self.number is None:
                yield f"{self._name(seat)} offers a {what}."
            case events.Offered(seat=seat, what=what, state=state):
                yield f"{self._name(seat)} {_OFFERS[state].format(what)}."
            case events.Undone(seat=seat, position=position):
                yield f"{self._name(seat)} takes a move back."
                yield from self._drawn(position)
                yield from self._asked(position)
            case events.Retimed(days=days):
                yield f"Each move can take {days} days now."
            case events.Paused(user=user, paused=paused):
                yield f"{user} {'paused the match' if paused else 'resumed the match'}."
            case events.Said(user=user, text=text):
                yield f"{user}: {' '.join(text.split())}"
            case Ended():
                yield from self._ended(event)

    def _ended(self, ended: Ended) -> Iterator[str]:
        if ended.move is not None:
            yield self._spelled(ended.position, ended.move)
        if self.room.begun:
            yield from self._drawn(ended.position)
        seat, why = ended.seat, _WHY.get(ended.ending)
        if seat is not None and why and len(self.room.players) == 2:
            yield f"{self._name(1 - seat)} {why}."
        if self.room.is_aborted(ended):
            yield "Aborted: it doesn't count, up to three in a row."
        elif seat is not None:
            yield f"{self._name(seat)} has won."
        elif ended.ending == "closed":
            yield f"{self.room.name} is closed."
        elif why:
            yield "It is over: no one won."
        else:
            yield "It is a draw."

    def _asked(self, position: Position) -> Iterator[str]:
        """Describe whose turn it is, and the possible moves."""
        turn = self.room.game.turn(position)
        if self.room.paused:
            yield "The match is interrupted: write start to go on."
        elif turn is not None and turn == self.number:
            view = self.room.game.view(position, self.number)
            if self._text_view.lists(view):
                yield from self.moves()
            yield f"It is your turn: {self._text_view.prompt(view)}."
        elif turn is not None:
            yield f"It is the turn of {self._name(turn)}."

    def _drawn(self, position: Position) -> list[str]:
        view = self.room.game.view(position, self.number)
        lines = self._text_view.lines(view, unpainted)
        # A board in one piece becomes a block of code, and an old one can be left out.
        return ["\n".join(lines)] if self.muc_clients and lines else lines

    def _spelled(self, position: Position, move: str) -> str:
        return self._text_view.recorded(self.room.game.seen(position, move, self.number))

    def _name(self, seat: int) -> str:
        room = self.room
        view = room.game.view(room.position, self.number) if room.begun else ""
        sides, user = self._text_view.sides_of(view, room.terms.seats), room.players[seat].user
        return f"{sides[seat]} ({user})" if seat < len(sides) else user


def terms_of(game_type: GameType, words: Sequence[str]) -> Terms:
    """Return the terms of a game with options like ``size=6``. Raises Refused."""
    known = {option.name: option for option in game_type.options}
    values: dict[str, object] = {}
    seats: int | None = None
    try:
        for word in words:
            name, _, text = word.partition("=")
            if name == "seats" and text.isdecimal() and len(text) < 4:
                seats = int(text)
            else:
                values[name] = known[name].read(text) if name in known else text
        return terms_for(game_type, values, seats)
    except BadOption as refusal:
        raise from_lobby(refusal) from None


def rules_text(terms: Terms) -> list[str]:
    """Return the rules of a game with the options of these terms."""
    game_type = terms.game_type
    return [game_type.goal, *game_type.text_view(terms.values).rules]


def described(room: Room, node: str = "") -> str:
    """Describe a room of the lobby in a line, named by ``node`` if that is given."""
    terms = room.terms
    users = " and ".join(member.user for member in room.players)
    free = 0 if terms.protocol else terms.seats - len(room.players)
    waits = f", free seats: {free}" if free else ""
    name = name_of(node or node_of(room.name))
    return f"{name}: {describe_terms(terms)}, {users}{waits}"

"""How the players of a tournament come in: by the lobby protocol, or by a game's own.

Each command has a port of its own on loopback, so the server knows who connects there. Whatever
name, password or room it asks for, it gets its seat in the match that is due.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Protocol, cast

from tictac.accounts.registration import CLOSED
from tictac.doors.lobby import wire as lobby_wire
from tictac.doors.lobby.lobby import Lobby
from tictac.doors.lobby.session import Session
from tictac.doors.lobby.sitter import Sitter
from tictac.doors.nim.server import NimConnection, NimFactory, Queue
from tictac.doors.rooms import wire as rooms_wire
from tictac.doors.rooms.server import RoomsFactory, RoomsProtocol
from tictac.doors.session.server import Pairs, SessionConnection, SessionFactory
from tictac.errors import AlreadyPlaying, IllegalMove, NotAMove, NotLoggedIn, Refusal
from tictac.games.all import kind
from tictac.lobby.events import Event, Joined, Refused
from tictac.lobby.interfaces import Occupant
from tictac.lobby.registry import Registry
from tictac.lobby.terms import USUAL_TERMS, Terms
from tictac.net.connection import ConnectionFactory, Limits
from tictac.tournament.running.seating import Guest

LIMITS = Limits(login_timeout=0, idle_timeout=0, budget=120_000, budget_burst=240_000, keepalive=0)
"""Of a connection of a command: it is alone at its port, and ends with its match."""

WRONG = NotAMove, IllegalMove

PLAYING = {
    "hello", "games", "lobby", "watch", "move", "resign", "offer", "accept", "decline", "say",
    "leave", "ping",
}  # fmt: skip
"""What a command may ask for besides coming in."""


class Player(Protocol):
    """What a command's connection asks of the one who plays by it."""

    name: str
    seat: int

    def come(self, guest: Guest) -> None:
        """It has asked for a seat. Raises AlreadyPlaying if another connection has."""

    def lost(self, guest: object) -> None:
        """That connection is gone."""

    def cheats(self, why: str) -> None:
        """It has made a move that can't be made."""


class Wish:
    """A request for a seat that is answered when the match begins (seating.Guest)."""

    def __init__(self, session: Session, request: lobby_wire.Request) -> None:
        self._session = session
        self._request = request
        self.waits = True

    def sit(self, room: str) -> Sitter:
        """Take the seat, which answers the request."""
        self.waits = False
        return self._session.seat(self._request, room)


class Hall(Protocol):
    """Where accounts wait for their matches."""

    def expects(self, name: str) -> bool:
        """Whether an account of that name takes part."""

    def come(self, name: str, guest: Guest) -> None:
        """It waits for a seat. Raises AlreadyPlaying if it does so elsewhere."""

    def lost(self, guest: Guest) -> None:
        """That connection is gone."""


class Waiting:
    """The one seat at a time that a connection waits for; ``lost`` hears when it is given up."""

    def __init__(self, lost: Callable[[Guest], None]) -> None:
        self._lost = lost
        self._wish: Wish | None = None

    def __bool__(self) -> bool:
        return self._wish is not None and self._wish.waits

    def begin(
        self, session: Session, request: lobby_wire.Request, come: Callable[[Guest], None]
    ) -> None:
        """Wait for a seat, and say so to ``come``. Raises AlreadyPlaying."""
        if self or session.plays:
            raise AlreadyPlaying("you have a seat in this tournament, or wait for it, already")
        wish = Wish(session, request)
        come(wish)
        self._wish = wish

    def end(self) -> None:
        """Give up the seat, or the wish for it: the connection is gone, or somebody else's."""
        if self._wish is not None:
            self._lost(self._wish)
            self._wish = None


class AccountRole:
    """The role of a person, or of a program with an account, at a tournament's server.

    A player of the tournament who seeks a match gets the one that is due.
    """

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._waiting = Waiting(hall.lost)

    def take(self, session: Session, request: lobby_wire.Request) -> bool:
        """Seat a player of the tournament (session.Role)."""
        user = session.user or ""
        match request.do:
            case "seek" if self._hall.expects(user):
                self._waiting.begin(session, request, partial(self._hall.come, user))
                return True
            case "login" | "guest" if self._waiting:
                raise AlreadyPlaying("you wait for a seat in this tournament: log out first")
            case "logout":
                self._waiting.end()
        return False

    def refused(self, refusal: Refusal) -> None:
        """Ignore it (session.Role)."""

    def gone(self) -> bool:
        """Give up the seat that it waits for; one that it has is held (session.Role)."""
        self._waiting.end()
        return False


class BotRole:
    """The role of a command: any name and password are right, and any room is that of its match."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self._waiting = Waiting(player.lost)

    def take(self, session: Session, request: lobby_wire.Request) -> bool:
        """Seat the command, whatever it asks for (session.Role)."""
        if request.do in ("login", "register", "guest"):
            guest = {"guest": True} if request.do == "guest" else {}
            session.be(self._player.name, request, **guest)
        elif request.do in ("open", "seek", "join"):
            self._waiting.begin(session, request, self._player.come)
        elif request.do not in PLAYING:
            # There may be an account of its name, which isn't its own.
            raise NotLoggedIn("a command that plays in a tournament has no account")
        else:
            return False
        return True

    def refused(self, refusal: Refusal) -> None:
        """Report a move that can't be made as cheating (session.Role)."""
        if isinstance(refusal, WRONG):
            self._player.cheats(str(refusal))

    def gone(self) -> bool:
        """Give up the seat for good (session.Role)."""
        self._waiting.end()
        return True


def account_session(hall: Hall, connection: Any, lobby: Lobby) -> Session:
    """Make the session of a connection at a tournament's server."""
    return Session(connection, lobby, AccountRole(hall))


class BotRooms(RoomsProtocol):
    """A command's connection in the rooms protocol, unless it turns out to speak that of the
    lobby."""

    factory: BotRoomsFactory
    _created = False

    def sit(self, room: str) -> Occupant:
        """(seating.Guest)"""
        return self

    def gone(self) -> None:
        self.factory.player.lost(self)
        self.factory.lobby.registry.leave(self, True)
        super().gone()

    @property
    def registration(self) -> str:
        return CLOSED

    def _obey(self, request: rooms_wire.AnyRequest) -> None:
        match request:
            case rooms_wire.Register() | rooms_wire.Login():
                self.user = self.factory.player.name
                self._answer(rooms_wire.Ack(type(request).__name__.upper(), 0))
            case rooms_wire.Create() | rooms_wire.Join(mode="PLAYER") if not self.seated:
                self._created = isinstance(request, rooms_wire.Create)
                try:
                    self.factory.player.come(self)
                except AlreadyPlaying as refusal:
                    self.close_for(refusal.code)
            case _:
                super()._obey(request)

    def receive(self, event: Event) -> None:
        if isinstance(event, Joined):
            # Who has asked to join is told so, whichever seat it got.
            event = event._replace(created=self._created)
        super().receive(event)
        if isinstance(event, Refused) and isinstance(event.refusal, WRONG):
            self.factory.player.cheats(str(event.refusal))


class BotRoomsFactory(RoomsFactory):
    """That of a command's port."""

    connection = BotRooms
    player: Player


class BotPairs(Pairs):
    """The seating of a command that speaks the two-player session."""

    def __init__(self, player: Player, registry: Registry) -> None:
        # Nothing of the other: this one makes no rooms.
        self.registry, self.player = registry, player

    def enter(self, player: SessionConnection) -> bool:
        try:
            self.player.come(cast(BotSessions, player))
        except AlreadyPlaying:
            player.drop()
        return self.player.seat > 0

    def leave(self, player: SessionConnection, ending: str) -> None:
        _left(self.player, player, ending)
        self.registry.leave(player, for_good=True)


class BotTurns(Queue):
    """The seating of a command that speaks Nim's protocol."""

    def __init__(self, player: Player, registry: Registry) -> None:
        # Nothing of the other: this one makes no rooms.
        self.registry, self.player = registry, player

    def play(self, player: NimConnection) -> None:
        if player.takes_part:
            raise AlreadyPlaying("a second play")
        player.takes_part = True
        self.player.come(cast(BotNim, player))

    def exit(self, player: NimConnection) -> None:
        self.registry.forfeit(player)
        self.leave(player, "left")

    def leave(self, player: NimConnection, ending: str) -> None:
        _left(self.player, player, ending)
        self.registry.leave(player, for_good=True)

    def stay(self, player: NimConnection) -> None:
        """It has one match."""

    def overdue(self, player: NimConnection, now: float) -> bool:
        return False


def _left(player: Player, connection: SessionConnection | NimConnection, ending: str) -> None:
    if ending == "refused":
        player.cheats(connection.why)
    player.lost(connection)


class BotSessions(SessionConnection):
    """A command's connection in the two-player session."""

    def sit(self, room: str) -> Occupant:
        """(seating.Guest)"""
        self.user = cast(BotPairs, self.factory.seating).player.name
        return self

    def receive(self, event: Event) -> None:
        super().receive(event)
        self.send()  # for the other one may come by another protocol, and doesn't see to it


class BotSessionFactory(SessionFactory):
    """That of a command's port."""

    connection = BotSessions


class BotNim(NimConnection):
    """A command's connection in Nim's protocol."""

    def sit(self, room: str) -> Occupant:
        """(seating.Guest)"""
        self.user = cast(BotTurns, self.factory.seating).player.name
        return self


class BotNimFactory(NimFactory):
    """That of a command's port."""

    connection = BotNim


def rooms_factory(player: Player, reactor: Any, lobby: Lobby) -> ConnectionFactory:
    """For a command that speaks the lobby protocol, or that of rooms."""
    factory = BotRoomsFactory(
        reactor,
        time.monotonic,
        limits=LIMITS,
        accounts=None,  # type: ignore[arg-type]  # nobody is asked who they are
        lobby=lobby,
        registry=lobby.registry,
        session=lambda connection, lobby: Session(connection, lobby, BotRole(player)),
    )
    factory.player = player
    return factory


def session_factory(player: Player, reactor: Any, lobby: Lobby) -> ConnectionFactory:
    """For one that speaks the two-player session."""
    seating = BotPairs(player, lobby.registry)
    return BotSessionFactory(reactor, time.monotonic, limits=LIMITS, seating=seating)


def nim_factory(player: Player, reactor: Any, lobby: Lobby) -> ConnectionFactory:
    """For one that speaks Nim's protocol."""
    seating = BotTurns(player, lobby.registry)
    return BotNimFactory(reactor, time.monotonic, limits=LIMITS, seating=seating)


FACTORIES: Mapping[str, Callable[[Player, Any, Lobby], ConnectionFactory]] = {
    "": rooms_factory,
    "session": session_factory,
    "nim": nim_factory,
}
"""What serves a command, by the word before it; by default it says itself what it speaks."""


def speaks(protocol: str, terms: Terms) -> bool:
    """Whether that protocol can tell of such a match."""
    if protocol == "session":
        return terms.game is USUAL_TERMS.game
    return protocol != "nim" or terms.kind is kind("nim")

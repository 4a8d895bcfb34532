"""How the players of a tournament come in: by the lobby protocol, or by a game's own.

Each command has a port of its own on loopback, so the server knows who connects there. Whatever
name, password or room it asks for, it gets its seat in the match that is due.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar, Protocol, cast

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
from tictac.lobby.registry import MemoryRegistry
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


class SeekingSession(Session):
    """A session of the lobby protocol that waits for the seat that it is given.

    The answer to its request comes when the match begins; others are answered meanwhile.
    """

    _wish: lobby_wire.Request | None = None

    def sit(self, room: str) -> Sitter:
        """(seating.Guest)"""
        wish, self._wish = self._wish, None
        assert wish is not None
        return self._come(wish, room)

    def _wait(self, request: lobby_wire.Request, come: Callable[[Guest], None]) -> None:
        is_seated = any(sitter.seat is not None for sitter in self._sitters.values())
        if self._wish is not None or is_seated:
            raise AlreadyPlaying("you have a seat in this tournament, or wait for it, already")
        come(self)
        self._wish = request


class Hall(Protocol):
    """Where accounts wait for their matches."""

    def expects(self, name: str) -> bool:
        """Whether an account of that name takes part."""

    def come(self, name: str, guest: Guest) -> None:
        """It waits for a seat. Raises AlreadyPlaying if it does so elsewhere."""

    def lost(self, guest: Guest) -> None:
        """That connection is gone."""


class AccountSession(SeekingSession):
    """That of a person, or of a program with an account: who takes part and seeks a match gets
    the one of the tournament."""

    def __init__(self, hall: Hall, connection: Any, lobby: Lobby) -> None:
        super().__init__(connection, lobby)
        self._hall = hall

    def gone(self, for_good: bool = False) -> None:
        self._hall.lost(self)
        super().gone(for_good)

    def _seek_match(self, request: lobby_wire.Request) -> None:
        user = self._connection.user or ""
        if self._hall.expects(user):
            self._wait(request, partial(self._hall.come, user))
        else:
            self._seek(request)

    def _check_outside(self) -> None:
        if self._wish is not None:
            raise AlreadyPlaying("you wait for a seat in this tournament: log out first")
        super()._check_outside()

    def _log_out(self, request: lobby_wire.Request) -> None:
        self._hall.lost(self)
        self._wish = None
        self._logout(request)

    _HANDLERS: ClassVar[Mapping[str, Callable[[Any, lobby_wire.Request], None]]] = {  # type: ignore[assignment]
        **Session._HANDLERS, "seek": _seek_match, "logout": _log_out,
    }  # fmt: skip


class BotSession(SeekingSession):
    """That of a command: any name and password are right, and any room is the one of its match."""

    def __init__(self, player: Player, connection: Any, lobby: Lobby) -> None:
        super().__init__(connection, lobby)
        self._owner = player

    def gone(self, for_good: bool = False) -> None:
        self._owner.lost(self)
        super().gone(True)

    def refuse(
        self, request_id: lobby_wire.Scalar, refusal: Refusal, at: int | None = None
    ) -> None:
        super().refuse(request_id, refusal, at)
        if isinstance(refusal, WRONG):
            self._owner.cheats(str(refusal))

    def _be_known(self, request: lobby_wire.Request) -> None:
        self._connection.user = self._owner.name
        guest = {"guest": True} if request.do == "guest" else {}
        self._answer(request, user=self._owner.name, **guest)

    def _play(self, request: lobby_wire.Request) -> None:
        self._wait(request, self._owner.come)

    def _have_no_account(self, request: lobby_wire.Request) -> None:
        # There may be an account of its name, which isn't its own.
        raise NotLoggedIn("a command that plays in a tournament has no account")

    _HANDLERS: ClassVar[Mapping[str, Callable[[Any, lobby_wire.Request], None]]] = {  # type: ignore[assignment]
        **Session._HANDLERS,
        **dict.fromkeys(Session._HANDLERS.keys() - PLAYING, _have_no_account),
        **dict.fromkeys(("login", "register", "guest"), _be_known),
        **dict.fromkeys(("open", "seek", "join"), _play),
    }


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

    def __init__(self, player: Player, registry: MemoryRegistry) -> None:
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

    def __init__(self, player: Player, registry: MemoryRegistry) -> None:
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
        session=partial(BotSession, player),
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

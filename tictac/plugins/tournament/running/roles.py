"""The roles of a tournament's players in the lobby protocol: of accounts, and of commands.

A command can also play by another protocol, whose plug-in seats it (net.plugin.Contestant). A
command gets its seat in the match that is due, with any name, password, or room.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from tictac.errors import AlreadyPlaying, NotLoggedIn, Refusal, RoomFull
from tictac.lobby.interfaces import Occupant
from tictac.plugins.tournament.hosting.request_handlers import Desk
from tictac.plugins.tournament.hosting.request_types import Play
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.room_session import RoomSession
from tictac.protocols.lobby.session import Session

PLAYING = {
    wire.Hello, wire.Games, wire.Lobby, wire.Watch, wire.Move, wire.Resign, wire.Offer, wire.Accept,
    wire.Decline, wire.Say, wire.Leave, wire.Rules, wire.Ping,
}  # fmt: skip
"""Requests of a command, except those for its seat."""


class WaitingPlayer(Protocol):
    """A player who waits for a seat."""

    def take_seat(self, room: str) -> Occupant:
        """Return the occupant for the seat in ``room``."""


class SeatRequester(Protocol):
    """The command that a BotRole serves."""

    name: str

    def wait(self, guest: WaitingPlayer) -> None:
        """Let ``guest`` wait for the seat. Raise AlreadyPlaying if another connection does."""

    def refused(self, refusal: Refusal) -> None:
        """Note a refused request."""

    def left(self, guest: WaitingPlayer) -> None:
        """Note that the connection of ``guest`` closed."""


class SeatRequest:
    """A request for a seat, answered when the match begins (WaitingPlayer)."""

    def __init__(self, session: Session, request: wire.Request) -> None:
        self._session = session
        self._request = request
        self.waits = True

    def take_seat(self, room: str) -> RoomSession:
        """Take the seat, which answers the request."""
        self.waits = False
        return self._session.seat(self._request, room)


class PlayerRole:
    """The role of a connection to the server of a tournament, with its ``desk``.

    If an account in ``names`` seeks a match, it gets its next game of the tournament. Other users
    get no seat in the tournament's rooms.
    """

    def __init__(self, desk: Desk, tournament: str, names: Collection[str]) -> None:
        self._desk, self._id, self._names = desk, tournament, names

    def take(self, session: Session, request: wire.Request) -> bool:
        """Handle a player's request for the next game; return False for other requests."""
        is_player = session.user in self._names
        match request:
            case wire.Seek() if is_player:
                self._desk.play(session, Play(self._id, id=request.id))
                return True
            case wire.Join(room=room) if room.startswith(f"{self._id}.") and not is_player:
                raise RoomFull("the seats of this room are for the players of the tournament")
        return False

    def refused(self, refusal: Refusal) -> None:
        """Ignore a refused request."""

    def disconnected(self) -> bool:
        """Return False, so that a seat in a match is held."""
        return False


class BotRole:
    """The role of a command, whose seat doesn't depend on the name, password, or room it sends."""

    def __init__(self, player: SeatRequester) -> None:
        self._player = player
        self._wish: SeatRequest | None = None

    def take(self, session: Session, request: wire.Request) -> bool:
        """Handle a login or a request for a seat; return False for other requests."""
        if type(request) in PLAYING:
            return False
        if isinstance(request, wire.Login | wire.Register | wire.Guest):
            guest = {"guest": True} if isinstance(request, wire.Guest) else {}
            session.be(self._player.name, request, **guest)
        elif isinstance(request, wire.Open | wire.Seek | wire.Join):
            if session.plays or (self._wish is not None and self._wish.waits):
                raise AlreadyPlaying("you have a seat in this tournament, or wait for it, already")
            wish = SeatRequest(session, request)
            self._player.wait(wish)
            self._wish = wish
        else:
            # An account with the command's name can exist, but it belongs to another user.
            raise NotLoggedIn("a command that plays in a tournament has no account")
        return True

    def refused(self, refusal: Refusal) -> None:
        """Pass the refusal on to the command's player."""
        self._player.refused(refusal)

    def disconnected(self) -> bool:
        """Give up the seat; return True, so that it isn't held."""
        if self._wish is not None:
            self._player.left(self._wish)
            self._wish = None
        return True

"""The roles of a tournament's players in the lobby protocol: of accounts, and of commands.

A command may also play by another protocol, whose plug-in seats it (net.plugin.Contestant). A
command gets its seat in the match that is due, with any name, password, or room.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from tictac.errors import AlreadyPlaying, NotLoggedIn, Refusal
from tictac.plugins.tournament.running.rooms import WaitingPlayer
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.room_session import RoomSession
from tictac.protocols.lobby.session import Session
from tictac.protocols.lobby.wire import Request

PLAYING = {
    "hello", "games", "lobby", "watch", "move", "resign", "offer", "accept", "decline", "say",
    "leave", "rules", "ping",
}  # fmt: skip
"""Requests of a command, except those for its seat."""


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
    """A request for a seat, answered when the match begins (rooms.WaitingPlayer)."""

    def __init__(self, session: Session, request: Request) -> None:
        self._session = session
        self._request = request
        self.waits = True

    def take_seat(self, room: str) -> RoomSession:
        """Take the seat, which answers the request."""
        self.waits = False
        return self._session.seat(self._request, room)


class WaitingArea(Protocol):
    """The accounts that wait for their matches."""

    def expects(self, name: str) -> bool:
        """Return whether the account is a player of the tournament."""

    def come(self, name: str, guest: WaitingPlayer) -> None:
        """Add an account. Raise AlreadyPlaying if it waits on another connection."""

    def lost(self, guest: WaitingPlayer) -> None:
        """Remove the account of a closed connection."""


class Waiting:
    """The one seat for which a connection waits; its end is a call of ``lost``."""

    def __init__(self, lost: Callable[[WaitingPlayer], None]) -> None:
        self._lost = lost
        self._wish: SeatRequest | None = None

    def __bool__(self) -> bool:
        return self._wish is not None and self._wish.waits

    def begin(
        self, session: Session, request: Request, come: Callable[[WaitingPlayer], None]
    ) -> None:
        """Wait for a seat, and call ``come``. Raise AlreadyPlaying for a second seat."""
        if self or session.plays:
            raise AlreadyPlaying("you have a seat in this tournament, or wait for it, already")
        wish = SeatRequest(session, request)
        come(wish)
        self._wish = wish

    def end(self) -> None:
        """Give up the seat, or the wait for it: the connection closed, or changed its account."""
        if self._wish is not None:
            self._lost(self._wish)
            self._wish = None


class AccountRole:
    """The role of a connection with an account on a tournament's server.

    A player of the tournament who seeks a match gets the match that is due.
    """

    def __init__(self, waiting_area: WaitingArea) -> None:
        self._waiting_area = waiting_area
        self._waiting = Waiting(waiting_area.lost)

    def take(self, session: Session, request: Request) -> bool:
        """Let a player of the tournament wait for a seat; return whether that was the request."""
        user = session.user or ""
        match request.do:
            case "seek" if self._waiting_area.expects(user):
                self._waiting.begin(session, request, partial(self._waiting_area.come, user))
                return True
            case "login" | "guest" if self._waiting:
                raise AlreadyPlaying("you wait for a seat in this tournament: log out first")
            case "logout":
                self._waiting.end()
        return False

    def refused(self, refusal: Refusal) -> None:
        """Ignore a refused request."""

    def disconnected(self) -> bool:
        """Give up the wait for a seat; return False, so that a seat in a match is held."""
        self._waiting.end()
        return False


class BotRole:
    """The role of a command: any name and password fit, and each room is that of its match."""

    def __init__(self, player: SeatRequester) -> None:
        self._player = player
        self._waiting = Waiting(player.left)

    def take(self, session: Session, request: Request) -> bool:
        """Log the command in, or let it wait for its seat; return whether that was the request."""
        if request.do in ("login", "register", "guest"):
            guest = {"guest": True} if request.do == "guest" else {}
            session.be(self._player.name, request, **guest)
        elif request.do in ("open", "seek", "join"):
            self._waiting.begin(session, request, self._player.wait)
        elif request.do not in PLAYING:
            # There may be an account of its name, which isn't its own.
            raise NotLoggedIn("a command that plays in a tournament has no account")
        else:
            return False
        return True

    def refused(self, refusal: Refusal) -> None:
        """Pass the refusal on to the command's player."""
        self._player.refused(refusal)

    def disconnected(self) -> bool:
        """Give up the seat; return True, so that it isn't held."""
        self._waiting.end()
        return True


def account_session(waiting_area: WaitingArea, connection: Any, lobby: Lobby) -> Session:
    """Return the session of a connection to a tournament's server."""
    return Session(connection, lobby, AccountRole(waiting_area))

"""The roles of a tournament's players in the lobby protocol: of accounts, and of commands.

A command may also play by another protocol, whose part seats it (net.plugin.Contestant). Whatever
name, password or room it asks for, it gets its seat in the match that is due.
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
"""What a command may ask for besides coming in."""


class SeatRequester(Protocol):
    """What the role of a command asks of the one who plays by it."""

    name: str

    def wait(self, guest: WaitingPlayer) -> None:
        """Let it wait for the seat. Raises AlreadyPlaying if another connection does."""

    def refused(self, refusal: Refusal) -> None:
        """Note a refused request."""

    def left(self, guest: WaitingPlayer) -> None:
        """Note that a connection is gone."""


class SeatRequest:
    """A request for a seat that is answered when the match begins (seating.Guest)."""

    def __init__(self, session: Session, request: Request) -> None:
        self._session = session
        self._request = request
        self.waits = True

    def take_seat(self, room: str) -> RoomSession:
        """Take the seat, which answers the request."""
        self.waits = False
        return self._session.seat(self._request, room)


class WaitingArea(Protocol):
    """Where accounts wait for their matches."""

    def expects(self, name: str) -> bool:
        """Whether an account of that name takes part."""

    def come(self, name: str, guest: WaitingPlayer) -> None:
        """It waits for a seat. Raises AlreadyPlaying if it does so elsewhere."""

    def lost(self, guest: WaitingPlayer) -> None:
        """That connection is gone."""


class Waiting:
    """The one seat at a time that a connection waits for; ``lost`` hears when it is given up."""

    def __init__(self, lost: Callable[[WaitingPlayer], None]) -> None:
        self._lost = lost
        self._wish: SeatRequest | None = None

    def __bool__(self) -> bool:
        return self._wish is not None and self._wish.waits

    def begin(
        self, session: Session, request: Request, come: Callable[[WaitingPlayer], None]
    ) -> None:
        """Wait for a seat, and say so to ``come``. Raises AlreadyPlaying."""
        if self or session.plays:
            raise AlreadyPlaying("you have a seat in this tournament, or wait for it, already")
        wish = SeatRequest(session, request)
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

    def __init__(self, waiting_area: WaitingArea) -> None:
        self._waiting_area = waiting_area
        self._waiting = Waiting(waiting_area.lost)

    def take(self, session: Session, request: Request) -> bool:
        """Seat a player of the tournament (session.Role)."""
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
        """Ignore it (session.Role)."""

    def disconnected(self) -> bool:
        """Give up the seat that it waits for; one that it has is held (session.Role)."""
        self._waiting.end()
        return False


class BotRole:
    """The role of a command: any name and password are right, and any room is that of its match."""

    def __init__(self, player: SeatRequester) -> None:
        self._player = player
        self._waiting = Waiting(player.left)

    def take(self, session: Session, request: Request) -> bool:
        """Seat the command, whatever it asks for (session.Role)."""
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
        """Tell the player (session.Role)."""
        self._player.refused(refusal)

    def disconnected(self) -> bool:
        """Give up the seat for good (session.Role)."""
        self._waiting.end()
        return True


def account_session(waiting_area: WaitingArea, connection: Any, lobby: Lobby) -> Session:
    """Make the session of a connection at a tournament's server."""
    return Session(connection, lobby, AccountRole(waiting_area))

"""Where the pupils of a group are: in a room, connected, or absent.

A connection of any protocol counts. All connections of the process are looked through at most once
in ``FRESH`` seconds, however many teachers ask; rooms come from the seats of a pupil alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import inf
from typing import NamedTuple, Protocol

from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.session import Session

FRESH = 2.0
"""Seconds for which the list of connections is used again."""


class Connection(Protocol):
    """A connection of a user (net.connection.ServerConnection)."""

    since: float


class Here(NamedTuple):
    """The connections of a user: the time of the first, and those of the lobby protocol."""

    since: float
    sessions: tuple[Session, ...]


class Presence:
    """The users with a connection. ``connections`` returns all of this process."""

    def __init__(
        self,
        lobby: Lobby,
        connections: Callable[[], Iterable[Connection]],
        seconds: Callable[[], float],
    ) -> None:
        self._lobby, self._connections, self._seconds = lobby, connections, seconds
        self._here: dict[str, Here] = {}
        self._made = -inf

    def look(self, fresh: bool = False) -> None:
        """Look through all connections, unless that was done a moment ago."""
        now = self._seconds()
        if not fresh and now < self._made + FRESH:
            return
        self._made, here = now, dict[str, Here]()
        for each in self._connections():
            user = getattr(each, "user", None)
            if user is None:
                continue
            session = getattr(each, "session", None)
            sessions = () if session is None else (session,)
            before = here.get(user)
            if before is None:
                here[user] = Here(each.since, sessions)
            else:
                here[user] = Here(min(before.since, each.since), before.sessions + sessions)
        self._here = here

    def room_of(self, user: str) -> Room | None:
        """Return the room where a user plays now, or else waits; matches over days don't count."""
        registry: Registry = self._lobby.registry
        rooms = [registry.room(name) for name in registry.seats.of(user)]
        live = [room for room in rooms if room is not None and not room.terms.lasting]
        return next((room for room in live if room.begun), next(iter(live), None))

    def waiting(self, user: str) -> Session | None:
        """Return the connection over which a user can be seated: one that waits for a match.

        Its client takes challenges, and therefore shows a room that comes without a request.
        """
        here = self._here.get(user)
        if here is None or self.room_of(user) is not None:
            return None
        willing = [s for s in here.sessions if "challenge" in s.takes and s.user == user]
        return next((each for each in reversed(willing) if not each.seated), None)

    def state(self, user: str) -> dict[str, object]:
        """Return where a user is: ``state``, and ``room``, ``game``, ``with``, and ``since``."""
        room = self.room_of(user)
        if room is not None:
            found: dict[str, object] = {
                "state": "playing" if room.begun else "room",
                "game": room.terms.game_type.name,
                "with": [each.user for each in room.players if each.user != user],
                "since": self._lobby.day_time(self._lobby.registry.opened(room)),
            }
            return found | ({"room": room.name} if room.terms.key is None else {})
        here = self._here.get(user)
        if here is None:
            return {"state": "away"}
        state = "waiting" if self.waiting(user) is not None else "online"
        return {"state": state, "since": self._lobby.day_time(here.since)}

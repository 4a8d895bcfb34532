"""The users who play, kept up to date as rooms change: no request searches all rooms."""

from __future__ import annotations

from collections.abc import Callable, Collection

from tictac.lobby.registry import Registry
from tictac.lobby.room import Room


class Playing:
    """The users who play in a match of ``registry`` that has begun.

    ``began`` is called with the users of a match that has just begun.
    """

    def __init__(self, registry: Registry) -> None:
        self.began: Callable[[Collection[str]], None] = lambda users: None
        self._rooms_of: dict[str, dict[str, bool]] = {}
        self._players: dict[str, set[str]] = {}
        self._changed, self._closed = registry.changed, registry.room_closed
        registry.changed, registry.room_closed = self.changed, self.room_closed

    def __contains__(self, user: str) -> bool:
        return user in self._rooms_of

    def room_of(self, user: str) -> str | None:
        """Return the public room in which a user plays."""
        rooms = self._rooms_of.get(user, {})
        return next((name for name, is_public in rooms.items() if is_public), None)

    def changed(self, room: Room) -> None:
        """Note a change of a room (Registry.changed)."""
        if self._changed is not None:
            self._changed(room)
        if not room.begun:
            return
        users = {member.user for member in room.players if not member.gone}
        before = self._players.get(room.name)
        if users == before:
            return
        self._forget(room.name)
        self._players[room.name] = users
        for user in users:
            self._rooms_of.setdefault(user, {})[room.name] = room.terms.key is None
        if before is None:
            self.began(users)

    def room_closed(self, name: str) -> None:
        """Note that a room is closed (Registry.room_closed)."""
        if self._closed is not None:
            self._closed(name)
        self._forget(name)

    def _forget(self, name: str) -> None:
        for user in self._players.pop(name, ()):
            rooms = self._rooms_of[user]
            del rooms[name]
            if not rooms:
                del self._rooms_of[user]

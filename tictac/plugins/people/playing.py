"""The users who play, as rooms change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from tictac.lobby.registry import Registry
from tictac.lobby.room import Room


class Playing:
    """The users who play in a match of ``registry`` that has begun, except over days.

    ``began`` is called with the users of a match that has just begun.
    """

    def __init__(self, registry: Registry) -> None:
        self.began: Callable[[Collection[str]], None] = lambda users: None
        self._registry = registry
        self._begun: set[str] = set()
        self._changed, self._closed = registry.changed, registry.room_closed
        registry.changed, registry.room_closed = self.changed, self.room_closed

    def __contains__(self, user: str) -> bool:
        return any(self._rooms(user))

    def room_of(self, user: str) -> str | None:
        """Return the public room in which a user plays."""
        return next((room.name for room in self._rooms(user) if room.terms.key is None), None)

    def changed(self, room: Room) -> None:
        """Note a change of a room (Registry.changed)."""
        if self._changed is not None:
            self._changed(room)
        if room.begun and not room.terms.lasting and room.name not in self._begun:
            self._begun.add(room.name)
            self.began({member.user for member in room.players if not member.gone})

    def room_closed(self, name: str) -> None:
        """Note that a room is closed (Registry.room_closed)."""
        if self._closed is not None:
            self._closed(name)
        self._begun.discard(name)

    def _rooms(self, user: str) -> Iterator[Room]:
        for name in self._registry.seats.of(user):
            room = self._registry.room(name)
            if room is not None and room.begun and not room.terms.lasting:
                yield room

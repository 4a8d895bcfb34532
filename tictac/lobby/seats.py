"""The rooms in which each user has a seat: no request searches all rooms.

Most matches begin and end before anyone asks for the seats of their players. So the registry only
notes which rooms have changed, and the next question looks at those.
"""

from __future__ import annotations

from collections.abc import Collection

from tictac.lobby.room import Room

MOST_CHANGED = 64
"""Maximum changed rooms that wait for an update of the seats."""


class Seats:
    """The names of the rooms of each user, the oldest seat first.

    Computers and players for whom a seat waits are users, too. Players who left aren't.
    """

    def __init__(self) -> None:
        self._rooms_of: dict[str, dict[str, None]] = {}
        self._users: dict[str, set[str]] = {}
        self._changed: dict[str, Room] = {}

    def of(self, user: str) -> Collection[str]:
        """Return the names of the rooms in which ``user`` has a seat."""
        self._look()
        return self._rooms_of.get(user, {}).keys()

    def next_guest(self, number: int) -> int:
        """Return the next number from which no guest with a seat has a name."""
        self._look()
        while f"guest-{number}" in self._rooms_of:
            number += 1
        return number

    def note(self, room: Room) -> None:
        """Note that the players of a room might have changed."""
        self._changed[room.name] = room
        if len(self._changed) > MOST_CHANGED:
            self._look()

    def forget(self, name: str) -> None:
        """Note that the room of that name has closed."""
        self._changed.pop(name, None)
        for user in self._users.pop(name, ()):
            self._drop(user, name)

    def _look(self) -> None:
        """Look at the rooms that have changed."""
        if not self._changed:
            return
        changed, self._changed = self._changed, {}
        for name, room in changed.items():
            users = {member.user for member in room.players if not member.gone}
            before = self._users.get(name, set())
            self._users[name] = users
            for user in users - before:
                self._rooms_of.setdefault(user, {})[name] = None
            for user in before - users:
                self._drop(user, name)

    def _drop(self, user: str, name: str) -> None:
        rooms = self._rooms_of[user]
        del rooms[name]
        if not rooms:
            del self._rooms_of[user]

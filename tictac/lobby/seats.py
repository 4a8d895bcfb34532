"""The rooms in which each user has a seat, kept up to date: no request searches all rooms."""

from __future__ import annotations

from collections.abc import Collection

from tictac.lobby.room import Room


class Seats:
    """The names of the rooms of each user, the oldest seat first, here and on other servers.

    Computers and players for whom a seat waits are users, too. Players who are gone aren't.
    """

    def __init__(self) -> None:
        self._rooms_of: dict[str, dict[str, None]] = {}
        self._users: dict[str, set[str]] = {}

    def of(self, user: str) -> Collection[str]:
        """Return the names of the rooms in which ``user`` has a seat."""
        return self._rooms_of.get(user, {}).keys()

    def next_guest(self, prefix: str, number: int) -> int:
        """Return the next number from which no guest with a seat has a name."""
        while f"guest-{prefix}{number}" in self._rooms_of:
            number += 1
        return number

    def note(self, room: Room) -> None:
        """Note the players of a room."""
        users = {member.user for member in room.players if not member.gone}
        before = self._users.get(room.name, _NO_USERS)
        if users == before:
            return
        self._users[room.name] = users
        for user in users - before:
            self._rooms_of.setdefault(user, {})[room.name] = None
        for user in before - users:
            self._drop(user, room.name)

    def forget(self, name: str) -> None:
        """Note that the room of that name has closed."""
        for user in self._users.pop(name, ()):
            self._drop(user, name)

    def _drop(self, user: str, name: str) -> None:
        rooms = self._rooms_of[user]
        del rooms[name]
        if not rooms:
            del self._rooms_of[user]


_NO_USERS: frozenset[str] = frozenset()

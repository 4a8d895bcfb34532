"""Rooms where somebody is to come back, as far as a node knows of them."""

from __future__ import annotations

from tictac.lobby.room import Room


class Held:
    """Any node that knows of such a room may end its match when the time is over."""

    def __init__(self) -> None:
        self._rooms: dict[str, tuple[float, int]] = {}  # since when, and how many

    def note(self, room: Room) -> None:
        """See whether somebody is to come back to ``room``."""
        since = room.held_since()
        if since is None:
            self.forget(room.name)
        else:
            count = sum(member.away is not None for member in room.players)
            self._rooms[room.name] = since, count

    def forget(self, name: str) -> None:
        """The room is gone."""
        self._rooms.pop(name, None)

    def due(self, now: float, timeout: float) -> list[str]:
        """The rooms to which somebody should have come back within ``timeout`` seconds."""
        return [name for name, (since, _) in self._rooms.items() if now - since >= timeout]

    def names(self) -> set[str]:
        """All of them."""
        return set(self._rooms)

    def seats(self) -> int:
        """How many seats are held."""
        return sum(count for _, count in self._rooms.values())

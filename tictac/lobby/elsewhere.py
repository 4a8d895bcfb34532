"""What a registry asks about other processes, and the answers when there are none."""

from __future__ import annotations

from typing import Any, Protocol

from tictac.lobby.events import Ending, Mode
from tictac.lobby.interfaces import Occupant
from tictac.lobby.room import Room


class Visits(Protocol):
    """The occupants of this process in rooms of other processes."""

    def take(self, occupant: Occupant, verb: str, *words: Any) -> bool:
        """Pass the request on if ``occupant`` is in a room elsewhere, and return whether it is."""

    def join(self, occupant: Occupant, name: str, mode: Mode, key: str | None) -> bool:
        """Join a room that isn't here. Return False if there are no other processes."""

    def leave(self, occupant: Occupant, for_good: bool) -> None:
        """Take a disconnected occupant out of its room."""

    def call_off(self, name: str, ending: Ending) -> None:
        """End the match of a room that isn't here."""

    def room_of(self, occupant: Occupant) -> str | None:
        """Return the name of the room elsewhere with this occupant; None if there is none."""

    def room(self, name: str) -> Room | None:
        """Return a room elsewhere with an occupant of this process, as far as it is known here."""


class Directory(Protocol):
    """The rooms elsewhere, as lists show them, and the rooms here that others list."""

    def room(self, name: str) -> Room | None:
        """Return a room elsewhere, as lists show it."""

    def count(self) -> int:
        """Return the number of rooms elsewhere."""

    def with_others(self, rooms: list[Room]) -> list[Room]:
        """Return these rooms and those elsewhere, the oldest first."""

    def made(self, room: Room) -> float | None:
        """Return when a room elsewhere was made; None if the room is here."""

    def opened_here(self, room: Room) -> None:
        """Note a new room here."""

    def changed(self, room: Room) -> None:
        """Tell other processes of a change in a room here."""

    def closed(self, name: str) -> None:
        """Note that a room of that name has closed."""


class Stay:
    """The answer without other processes: no occupant is elsewhere (Visits)."""

    def take(self, occupant: Occupant, verb: str, *words: Any) -> bool:
        return False

    def join(self, occupant: Occupant, name: str, mode: Mode, key: str | None) -> bool:
        return False

    def leave(self, occupant: Occupant, for_good: bool) -> None:
        pass

    def call_off(self, name: str, ending: Ending) -> None:
        pass

    def room_of(self, occupant: Occupant) -> str | None:
        return None

    def room(self, name: str) -> Room | None:
        return None


class Alone:
    """The answer without other processes: no room is elsewhere (Directory)."""

    def room(self, name: str) -> Room | None:
        return None

    def count(self) -> int:
        return 0

    def with_others(self, rooms: list[Room]) -> list[Room]:
        return rooms

    def made(self, room: Room) -> float | None:
        return None

    def opened_here(self, room: Room) -> None:
        pass

    def changed(self, room: Room) -> None:
        pass

    def closed(self, name: str) -> None:
        pass

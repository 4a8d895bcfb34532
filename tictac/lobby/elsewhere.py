"""What a registry asks of those who know other processes; and the plainest answer, of no others."""

from __future__ import annotations

from typing import Any, Protocol

from tictac.lobby.events import Ending, Mode
from tictac.lobby.interfaces import Occupant
from tictac.lobby.room import Room


class Visits(Protocol):
    """Who of this process's occupants sits in rooms that others decide."""

    def take(self, occupant: Occupant, verb: str, *words: Any) -> bool:
        """Pass a request on if ``occupant`` sits elsewhere; whether it does."""

    def join(self, occupant: Occupant, name: str, mode: Mode, key: str | None) -> bool:
        """Go into a room that isn't here; False: there are no others."""

    def leave(self, occupant: Occupant, for_good: bool) -> None:
        """It is gone, wherever it was."""

    def call_off(self, name: str, ending: Ending) -> None:
        """End the match of a room that isn't here."""

    def room_of(self, occupant: Occupant) -> str | None:
        """The room elsewhere in which it sits."""

    def room(self, name: str) -> Room | None:
        """A room elsewhere in which somebody sits, as far as it is known here."""


class Directory(Protocol):
    """The rooms elsewhere as lists show them, and what others hear of those here."""

    def room(self, name: str) -> Room | None:
        """What lists show of it."""

    def count(self) -> int:
        """How many there are elsewhere."""

    def with_others(self, rooms: list[Room]) -> list[Room]:
        """These and those elsewhere, oldest first."""

    def made(self, room: Room) -> float | None:
        """When a room elsewhere was made; None: it is here."""

    def opened_here(self, room: Room) -> None:
        """There is a room more."""

    def changed(self, room: Room) -> None:
        """Others have to hear of it."""

    def closed(self, name: str) -> None:
        """There is no room of that name any more."""


class Stay:
    """Nobody sits elsewhere (Visits)."""

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
    """There are no rooms elsewhere (Directory)."""

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

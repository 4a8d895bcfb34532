"""What the registry of rooms asks of those who sit in them, who watch it, and who keep matches."""

from __future__ import annotations

from typing import Any, Protocol

from tictac.lobby.events import Ended, Event, OccupantId
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms


class Occupant(Protocol):
    """Whoever can sit in a room: a connection of any kind, or the computer.

    ``occupant_id`` is unique among all occupants and never changes; ``user`` is the user
    name, read when a room is entered. ``supports_all_events``: it can tell of any game, of others
    who come and go (Joined, Left), and of what is said and offered. Who doesn't is told of plain
    rooms only.
    """

    occupant_id: OccupantId
    user: str | None

    @property
    def supports_all_events(self) -> bool:
        """Whether it can tell of everything."""

    def receive(self, event: Event) -> None:
        """Take an event. What it raises is reported and hurts nobody else."""

    def wait(self) -> None:
        """A request is under way and will be answered later: ask nothing more meanwhile.

        A registry that never waits doesn't say so.
        """

    def release(self) -> None:
        """It has been answered."""

    def close(self) -> None:
        """The registry can't serve this occupant any more."""


def rejoins_of(occupant: Occupant) -> bool:
    """Return whether a lost connection leaves the seat to the user: yes, unless ``rejoins`` denies.

    Protocols whose sources call it a forfeit at once set ``rejoins`` to False.
    """
    return bool(getattr(occupant, "rejoins", True))


class RoomObserver(Protocol):
    """Told of every room as it opens and closes, whoever is in it."""

    def room_opened(self, name: str, terms: Terms) -> None:
        """A room was created and waits for its second player."""

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """A room is gone; ``users`` are its players, the creator first."""


class Archivist(Protocol):
    """Keeps matches that have ended."""

    def pack(self, room: Room) -> Any:
        """The match that has just ended in a room, to be kept, with an ``id``; None: there was
        none."""

    def keep(self, packed: Any) -> bool:
        """Keep it some time soon, if nobody else does; whether it is going to be kept."""

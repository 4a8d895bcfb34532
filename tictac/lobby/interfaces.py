"""The interfaces that the registry needs: occupants, observers of all rooms, and the archivist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from tictac.lobby.events import Ended, Event, OccupantId
from tictac.lobby.journal import Outcome, Packed
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms


class Occupant(Protocol):
    """A user of a room: a connection of any kind, or the computer.

    ``occupant_id`` is unique among all occupants and never changes. ``user`` is the user name,
    which the registry reads when the occupant enters a room.
    """

    occupant_id: OccupantId
    user: str | None

    @property
    def supports_all_events(self) -> bool:
        """Whether the occupant can show any game, the others' joins and leaves, chat, and offers.

        An occupant without that sees only rooms with plain terms.
        """

    def receive(self, event: Event) -> None:
        """Receive an event, with views of positions and moves (:func:`takes_whole_events`).

        Exceptions are logged, and other occupants still receive the event.
        """

    def wait(self) -> None:
        """Send no further request until :meth:`release`, because an answer is under way.

        A registry that never waits doesn't call this.
        """

    def release(self) -> None:
        """Continue after :meth:`wait`."""

    def close(self) -> None:
        """Disconnect the occupant, which the registry can't serve any longer."""


def takes_whole_events(occupant: Occupant) -> bool:
    """Return whether an occupant gets positions and moves whole, as only ``whole_events`` asks.

    Such an occupant shows them by Game.view and Game.seen. The others get events whose positions
    and moves are texts that their seat, or a viewer, can see.
    """
    return bool(getattr(occupant, "whole_events", False))


def rejoins_of(occupant: Occupant) -> bool:
    """Return whether a lost connection leaves the seat to the user: yes, unless ``rejoins`` denies.

    Protocols whose sources call it a forfeit at once set ``rejoins`` to False.
    """
    return bool(getattr(occupant, "rejoins", True))


class Counted(Protocol):
    """What limits by address need to know of a client."""

    @property
    def is_guest(self) -> bool:
        """Whether the user has no account."""

    @property
    def place(self) -> str:
        """The address that limits count."""

    @property
    def times(self) -> int:
        """How many times the usual limits the address has: more if it is trusted."""


class Payer(Counted, Protocol):
    """The connection of an occupant."""

    def pay_for(self, receivers: int) -> None:
        """Pay for events that so many occupants receive."""


def payer_of(occupant: Occupant | None) -> Payer | None:
    """Return the ``payer`` of an occupant; None for one without an address, like a computer."""
    return getattr(occupant, "payer", None)


class Storage(Protocol):
    """Decides what can be stored, so that no stranger fills the disk. Moves always can.

    The payer is None for the server's own occupants.
    """

    def spend(self, who: Counted | None, size: int, spare: bool = False) -> None:
        """Count bytes that are stored for good. Raises DiskFull or TooMuchStored.

        A server can refuse ``spare`` texts, such as chat, if its disk is almost full.
        """

    def open(self, who: Counted | None, terms: Terms) -> None:
        """Count a new room of ``who``, unless it is direct. Raises DiskFull or TooMuchStored."""

    def keeps(self, room: Room, opener: Counted | None) -> bool:
        """Count the match of a room that has closed; return whether to archive the match."""

    def figures(self) -> Mapping[str, tuple[str, float]]:
        """Return metrics: for each name, its description and its present value."""

    @property
    def trouble(self) -> str:
        """The current fault in a few words; empty: none."""


class RoomObserver(Protocol):
    """An observer of all rooms."""

    def room_opened(self, name: str, terms: Terms) -> None:
        """Note that a room was created and has a free seat."""

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """Note that a room has closed; ``users`` are its players, the creator first."""


class Call(Protocol):
    """A call that is to come."""

    def cancel(self) -> object:
        """Don't call."""


class Archivist(Protocol):
    """Saves finished matches."""

    def pack(self, room: Room) -> Packed | None:
        """Return the match that has just ended in a room, or None."""

    def keep(self, packed: Packed | None, outcome: Outcome | None = None) -> bool:
        """Save a match soon, unless a journal does; return whether it will be saved.

        ``outcome`` is that of a game of a tournament. One of the two can be None.
        """

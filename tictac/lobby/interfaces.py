"""What the registry of rooms, those who sit in them and those who watch it ask of each other."""

from __future__ import annotations

from typing import Any, Protocol

from tictac.lobby.events import Agreement, Ended, Ending, Event, Mode, OccupantId
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms


class Occupant(Protocol):
    """Whoever can sit in a room: a connection of any kind, or the computer.

    ``occupant_id`` is unique among all occupants and never changes; ``user`` is the user
    name, read when a room is entered. ``knows_all``: it can tell of any game, of others who come
    and go (Joined, Left), and of what is said and offered. Who doesn't is told of plain rooms only.
    """

    occupant_id: OccupantId
    user: str | None

    @property
    def knows_all(self) -> bool:
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


class Watcher(Protocol):
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


class Registry(Protocol):
    """What occupants may ask for. Source: rooms.md, "Requests"."""

    def new_occupant_id(self) -> OccupantId:
        """An id that no other occupant has, or has had."""

    def list_rooms(self, occupant: Occupant, mode: Mode) -> None:
        """Answered with Listed."""

    def create(self, occupant: Occupant, name: str) -> None:
        """Answered with Joined or Refused."""

    def join(
        self,
        occupant: Occupant,
        name: str,
        mode: Mode,
        key: str | None = None,
        door: str | None = None,
    ) -> None:
        """Answered with Joined or Refused; everybody may get Began.

        ``door`` is the one that seats ``occupant``, if it has rooms of its own.
        """

    def place(self, occupant: Occupant, move: str | None) -> None:
        """Answered with Placed or Ended to everybody, Refused, or (a kept move) nothing."""

    def forfeit(self, occupant: Occupant) -> None:
        """Answered with Ended to everybody, with Refused, or (a viewer's) nothing."""

    def answer(self, occupant: Occupant, what: Agreement | None, accept: bool) -> None:
        """Answered with Offered, Undone or Ended to everybody, or Refused."""

    def call_off(self, name: str, ending: Ending = "drawn") -> None:
        """End the match in that room without a winner. Everybody gets Ended."""

    def leave(self, occupant: Occupant, for_good: bool = False) -> None:
        """The occupant is gone, and gets no more events.

        A player's seat is held for its user if the registry holds seats; otherwise, or if it is
        ``for_good``, this is a forfeit.
        """

    def room(self, name: str) -> Room | None:
        """The room of that name, to be looked at; None where it is elsewhere."""


class ServiceRegistry(Registry, Protocol):
    """What the server itself asks besides."""

    watchers: list[Watcher]

    @property
    def outlives(self) -> bool:
        """Whether matches go on without this process, as others have them, too."""

    def start(self) -> None:
        """Connect to where the rooms are, if they aren't here."""

    async def stop(self) -> None:
        """Finish what is under way; everybody has left."""

    def ready(self) -> bool:
        """Whether requests would be served now."""

    def expire(self, move_timeout: float, wait_timeout: float, offer_timeout: float = 0) -> None:
        """End what has stood still for so many seconds, and give up seats held for too long.

        0 is no limit; what the terms of a room say goes before ``move_timeout``. The time runs
        from the last move that was made, the beginning of the match, or the creation of the room.
        """

    def stop_holding(self) -> None:
        """This process takes nobody back any more, as it is going to stop."""

    def rooms(self) -> int:
        """How many rooms there are, but for those of doors."""

    def moves(self) -> int:
        """How many moves were made so far in rooms of no door, as far as is known here."""

    def running(self, door: str | None = None) -> int:
        """How many matches of rooms of that door (None: of no door) are being played."""

    def seats_held(self) -> int:
        """How many seats are held for players who were cut off."""

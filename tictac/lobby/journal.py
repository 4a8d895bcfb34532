"""What changed in the rooms since the last time, to be kept in one piece; and who keeps it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from tictac.lobby.record import RecordLine

FORMAT = 1
"""The version of the texts in a journal."""


class Opened(NamedTuple):
    """A room that was made: what it is called, and its terms and first position as texts."""

    name: str
    terms: str
    start: str


@dataclass(slots=True)
class Batch:
    """What happened in a turn, by the ids that the journal knows rooms by.

    ``lines`` are in their order: the room, and what a :class:`~tictac.lobby.record.RecordLine` has.
    A room that was ``closed`` isn't to be kept any more; the match that has ``ended`` there, as the
    archivist packed it, is: in the same transaction.
    """

    opened: dict[int, Opened] = field(default_factory=dict)
    lines: list[tuple[int, int, float, str]] = field(default_factory=list)
    closed: list[int] = field(default_factory=list)
    ended: dict[int, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KeptRoom:
    """A room as a journal has it."""

    room_id: int
    opened: Opened
    lines: Sequence[RecordLine]


class Journal(Protocol):
    """Keeps rooms that go on, in batches, one at a time.

    Times in lines are those of the registry's clock.
    """

    def start(self) -> list[KeptRoom]:
        """Open it: the rooms that are kept, the oldest first. Raises SetupError."""

    def new_id(self) -> int:
        """An id for a room that is made: no other one has it."""

    def commit(self, batch: Batch, done: Callable[[Collection[int]], None]) -> None:
        """Keep a batch, and call ``done`` when that is so, however long it takes.

        It gets the ids of opened rooms that aren't kept, as others have rooms of their names.
        Nothing else is asked for before.
        """

    def ready(self) -> bool:
        """Whether what is committed is kept at once."""

    def stop(self) -> None:
        """Close it."""

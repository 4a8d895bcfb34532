"""Who has asked for something at this node, and who sits at a table of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tictac.lobby.events import OccupantId, RoomEvent
from tictac.lobby.interfaces import Occupant

if TYPE_CHECKING:
    from tictac.cluster.table import Table


class Visitor:
    """An occupant that has asked for something, and the table it sits at.

    ``queue`` are its requests that wait for an earlier one of its own; ``closed``: it was
    told that it waits in vain.
    """

    __slots__ = ("closed", "gone", "id", "occupant", "queue", "table")

    def __init__(self, occupant: Occupant) -> None:
        self.occupant = occupant
        self.id = occupant.occupant_id
        self.table: Table | None = None
        self.gone = self.closed = False
        self.queue: deque[tuple[Any, ...]] = deque()


class Audience:
    """Those who are told what happens at a table; ``everybody`` as a tuple."""

    __slots__ = ("by_id", "everybody")

    def __init__(self) -> None:
        self.by_id: dict[OccupantId, Visitor] = {}
        self.everybody: tuple[Visitor, ...] = ()

    def add(self, visitor: Visitor) -> None:
        """One more."""
        self.by_id[visitor.id] = visitor
        self.everybody = tuple(self.by_id.values())

    def tell(self, event: RoomEvent, on_fault: Callable[[Visitor], None]) -> bool:
        """Tell an event to whom it is for; whether that is everybody, or somebody here.

        ``on_fault`` is called in the handler of an exception that an occupant has raised.
        """
        if event.to is None:
            audience = self.everybody
        elif event.to in self.by_id:
            audience = (self.by_id[event.to],)
        else:
            return False
        for visitor in audience:
            # As Desk.tell does, without a call for each who hears a move.
            if not visitor.gone:
                try:
                    visitor.occupant.receive(event)
                except Exception:
                    on_fault(visitor)
        return True

    def remove(self, visitor: Visitor) -> None:
        """One less, if it was there."""
        if self.by_id.pop(visitor.id, None) is not None:
            self.everybody = tuple(self.by_id.values())

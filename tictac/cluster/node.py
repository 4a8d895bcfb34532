"""What the parts of a node ask of the node that they are part of."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from tictac.cluster.link import Link
from tictac.cluster.requests import Op
from tictac.cluster.visitors import Visitor
from tictac.lobby.events import Ended, Event

if TYPE_CHECKING:
    from tictac.cluster.table import Table


class Node(Protocol):
    """What a table needs of the node that it is on."""

    id: str
    link: Link
    rejoin_timeout: float

    def now(self) -> float:
        """Redis's time, in seconds."""

    def fault(self, visitor: Visitor) -> None:
        """An occupant has raised an exception, which is being handled."""

    def tell(self, visitor: Visitor, event: Event) -> None:
        """Let an occupant receive an event."""

    def answered(self, visitor: Visitor) -> None:
        """Its request is done."""

    def redo(self, table: Table, op: Op) -> None:
        """The room of a request isn't there, or isn't any more."""

    def forget(self, table: Table, gone: bool) -> None:
        """Nobody sits there any more, or the room is ``gone``."""

    def closed(self, table: Table, ended: Ended) -> None:
        """A room ended, and it was this node that freed its name."""

    def seats_changed(self, table: Table) -> None:
        """Somebody may have taken a seat, or it may be held."""

    def ask_for_silent(self, nodes: set[str], tell: Callable[[set[str]], None]) -> None:
        """Find out which of these nodes give no sign of life."""

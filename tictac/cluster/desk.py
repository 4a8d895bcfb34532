"""Where occupants ask: one request of each is under way at a time, the others queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tictac.cluster.visitors import Visitor
from tictac.errors import Refusal
from tictac.lobby.events import Event, OccupantId, Refused
from tictac.lobby.interfaces import Occupant

Request = Callable[..., None]
"""Does a request of a visitor, which is its first argument."""


class Desk:
    """Takes requests of occupants, and sees to it that they are answered in their order.

    ``seconds`` is a monotonic clock, by which they wait at most ``timeout`` seconds (0: any
    time). ``leave`` is done for who has gone, ``on_fault`` called in the handler of an
    exception that an occupant has raised.
    """

    def __init__(
        self,
        seconds: Callable[[], float],
        timeout: float,
        leave: Request,
        on_fault: Callable[[Occupant], None],
    ) -> None:
        self._seconds = seconds
        self._timeout = timeout
        self._leave_room = leave
        self._on_fault = on_fault
        self._visitors: dict[OccupantId, Visitor] = {}
        self._busy: dict[Visitor, float] = {}  # since when; those who wait longest come first

    @property
    def idle(self) -> bool:
        """Whether everybody is answered."""
        return not self._busy

    def ask(self, occupant: Occupant, request: Request, *arguments: Any) -> None:
        """Do a request, when those of the same occupant before it are answered."""
        visitor = self._visitors.get(occupant.occupant_id)
        if visitor is None:
            visitor = self._visitors[occupant.occupant_id] = Visitor(occupant)
        if visitor in self._busy:
            visitor.queue.append((request, *arguments))
            return
        self._busy[visitor] = self._seconds()
        occupant.wait()
        request(visitor, *arguments)

    def leave(self, occupant: Occupant) -> None:
        """The occupant has gone: it asks nothing more, and is told nothing more."""
        visitor = self._visitors.pop(occupant.occupant_id, None)
        if visitor is None:
            return
        visitor.gone = True
        visitor.queue.clear()
        if visitor in self._busy:
            visitor.queue.append((self._leave,))
        else:
            self._leave_room(visitor)

    def _leave(self, visitor: Visitor) -> None:
        self.answered(visitor)
        self._leave_room(visitor)

    def tell(self, visitor: Visitor, event: Event) -> None:
        """Let an occupant receive an event, unless it has gone."""
        if visitor.gone:
            return
        try:
            visitor.occupant.receive(event)
        except Exception:
            self._on_fault(visitor.occupant)

    def answered(self, visitor: Visitor) -> None:
        """Its request is done: the next one, if there is one."""
        del self._busy[visitor]
        if visitor.queue:
            self._busy[visitor] = self._seconds()
            request, *arguments = visitor.queue.popleft()
            request(visitor, *arguments)
        elif not visitor.gone:
            visitor.occupant.release()

    def refuse(self, visitor: Visitor, request: str, refusal: Refusal) -> None:
        """Tell it that it can't have what it asked for."""
        self.tell(visitor, Refused(visitor.id, request, refusal))
        self.answered(visitor)

    def expire(self) -> None:
        """Close those who have waited for too long."""
        now = self._seconds()
        late = []
        for visitor, since in self._busy.items():
            if not self._timeout or now - since <= self._timeout:
                break
            late.append(visitor)
        for visitor in late:
            if not visitor.gone and not visitor.closed:
                visitor.closed = True
                visitor.occupant.close()

"""Requests as they are applied to a room, and batches of them on their way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tictac.cluster import keys
from tictac.cluster.visitors import Visitor
from tictac.errors import Refusal
from tictac.lobby.events import Began, Ended, Mode, OccupantId, Placed, Refused, RoomEvent
from tictac.lobby.room import Room


class Op(NamedTuple):
    """A request that is to be applied to the room.

    ``visitor`` has asked for it; if that is None nobody is answered, and ``done`` is called.
    """

    request: str
    visitor: Visitor | None
    occupant: OccupantId
    argument: Any = None
    done: Callable[[], None] | None = None


class Batch:
    """Requests on their way in one write.

    ``outcomes`` are the events that they lead to if the write succeeds as version
    ``number`` (0: there is nothing to write), ``others`` those that not only their sender
    hears. When it is ``written``, the index is brought up to date if the match ``began`` or
    ``ended``. It is ``fresh`` if the room was read on its account, and ``doubtful`` if that
    may be worth it.
    """

    number = 0
    publication = seats = kept = ""
    began = goes_on = doubtful = only_moves = False
    ended: Ended | None = None
    fresh = asked = written = False

    def __init__(self, ops: list[Op]) -> None:
        self.ops = ops
        self.outcomes: list[tuple[Op, list[RoomEvent]]] = []
        self.others: list[RoomEvent] = []

    def apply(self, room: Room, now: Callable[[], float], timeout: float) -> list[Op]:
        """Apply all to ``room``; those that come too late, as it is over by then.

        ``now`` is Redis's time, ``timeout`` how long seats are held, in seconds.
        """
        self.outcomes, self.others = [], []
        self.number, self.ended = 0, None
        self.began = self.goes_on = self.doubtful = False
        self.only_moves = True
        for op in self.ops:
            if op.request == "place":
                events = room.place(op.occupant, op.argument)
            else:
                events = _ACTIONS[op.request](room, op, now(), timeout)
                self.only_moves = False
                self.doubtful = self.doubtful or is_doubtful(op, events)
            self.outcomes.append((op, events))
            for event in events:
                if event.to != op.occupant:
                    self._note(event)
            if self.ended is not None:
                done = len(self.outcomes)
                late, self.ops = self.ops[done:], self.ops[:done]
                return late
        return []

    def _note(self, event: RoomEvent) -> None:
        """``event`` isn't for its sender alone."""
        self.others.append(event)
        if type(event) is Placed:
            self.goes_on = True
        elif type(event) is Began:
            self.began = self.goes_on = True
        elif type(event) is Ended:
            self.ended = event

    def suspects(self, room: Room, here: str) -> set[str]:
        """The other nodes at which users seem to sit who ask for a seat ``here``."""
        outside = [(op, events) for op, events in self.outcomes if is_refused(op, events)]
        users = {op.visitor.occupant.user for op, _ in outside if op.visitor is not None}
        seats = [m.occupant for m in room.players if m.user in users and m.away is None]
        return {keys.node_of(occupant) for occupant in seats} - {here}

    def viewers(self) -> list[str]:
        """The ids and user names of those who have come to watch, one after the other."""
        words: list[str] = []
        for op, _ in self.outcomes:
            if op.request == "join" and op.argument == "VIEWER" and op.visitor is not None:
                words += (op.occupant, op.visitor.occupant.user or "")
        return words


def is_refused(op: Op, events: list[RoomEvent]) -> bool:
    """Whether somebody who wanted to sit down can't."""
    return op.request == "join" and type(events[0]) is Refused


def is_seated(events: list[RoomEvent]) -> bool:
    """Whether somebody who wanted to has sat down."""
    return type(events[0]) is not Refused


def is_doubtful(op: Op, events: list[RoomEvent]) -> bool:
    """Whether it could be otherwise if the copy of the room weren't quite fresh.

    Who is refused may have heard elsewhere that there is room; who died may have sat down.
    """
    return op.request == "hold" or is_refused(op, events)


# How each is applied, but for moves


def _join(room: Room, op: Op, now: float, timeout: float) -> list[RoomEvent]:
    mode: Mode = op.argument
    assert op.visitor is not None
    try:
        return room.join(op.occupant, op.visitor.occupant.user or "", mode, timeout > 0)
    except Refusal as refusal:
        return [Refused(op.occupant, "join", refusal)]


def _forfeit(room: Room, op: Op, now: float, timeout: float) -> list[RoomEvent]:
    return room.forfeit(op.occupant)


def _leave(room: Room, op: Op, now: float, timeout: float) -> list[RoomEvent]:
    if not timeout:
        return room.leave(op.occupant)
    room.hold(op.occupant, now)
    return []


def _hold(room: Room, op: Op, now: float, timeout: float) -> list[RoomEvent]:
    """Hold the seats of everybody on nodes that are dead."""
    for member in list(room.players):
        if keys.node_of(member.occupant) in op.argument:
            room.hold(member.occupant, now)
    return []


def _unhold(room: Room, op: Op, now: float, timeout: float) -> list[RoomEvent]:
    room.unhold(op.occupant)
    return []


def _time_is_up(room: Room, op: Op, now: float, timeout: float) -> list[RoomEvent]:
    """Unless something went on meanwhile: ``argument`` is the room's number by then."""
    return room.time_is_up() if room.number == op.argument else []


def _give_up(room: Room, op: Op, now: float, timeout: float) -> list[RoomEvent]:
    """End it if nobody has come back in time."""
    since = room.held_since()
    return room.give_up_held() if since is not None and now - since >= timeout else []


_ACTIONS: dict[str, Callable[[Room, Op, float, float], list[RoomEvent]]] = {
    "join": _join,
    "forfeit": _forfeit,
    "leave": _leave,
    "hold": _hold,
    "unhold": _unhold,
    "time is up": _time_is_up,
    "give up": _give_up,
}

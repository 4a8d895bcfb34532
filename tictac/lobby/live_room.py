"""A room, who has to be told of what happens in it, and the way to them."""

from __future__ import annotations

from collections.abc import Callable

from tictac.lobby.events import (
    Began,
    Ended,
    Event,
    Joined,
    OccupantId,
    Paused,
    Placed,
    Refused,
    RoomEvent,
    Undone,
)
from tictac.lobby.interfaces import Occupant
from tictac.lobby.room import Room

Delivery = tuple[tuple[Occupant, ...], Event]
"""An event, and whom it is for."""


class Dispatcher:
    """The only way to occupants: tells each event to whom it is for, in the order of the events.

    That holds when an occupant answers an event with a new request before the others have been
    told, too. What an occupant raises goes to ``on_fault``, and hurts nobody else.
    """

    def __init__(self, on_fault: Callable[[Occupant], None]) -> None:
        self._on_fault = on_fault
        self._sending: list[Delivery] | None = None
        self._gone: set[OccupantId] = set()

    def send(self, told: list[Delivery]) -> None:
        """Tell of these events, and of all that follows from that."""
        if self._sending is not None:
            self._sending += told  # the loop below, from which this is called, comes to them
            return
        self._sending, gone = told, self._gone
        try:
            for audience, event in told:
                for occupant in audience:
                    if gone and occupant.occupant_id in gone:
                        continue
                    try:
                        occupant.receive(event)
                    except Exception:
                        self._on_fault(occupant)
        finally:
            self._sending = None
            if gone:
                gone.clear()

    def forget(self, occupant: Occupant) -> None:
        """It has gone: tell it nothing of what waits."""
        if self._sending is not None:
            self._gone.add(occupant.occupant_id)


class LiveRoom:
    """A room, the occupants behind its ids, and since when somebody is waited for.

    ``holds`` says that somebody has gone: only then may a seat be held. Of ``many`` players the
    others go on without one.
    """

    __slots__ = (
        "_simple", "clock", "everybody", "holds", "knowing", "many", "occupants", "room", "since",
    )  # fmt: skip

    def __init__(self, room: Room, since: float) -> None:
        self.room = room
        self.clock = room.clock
        self.many = room.terms.seats > 2
        self.since = since
        self.holds = False
        self.occupants: dict[OccupantId, Occupant] = {}
        self.everybody: tuple[Occupant, ...] = ()
        self.knowing: tuple[Occupant, ...] = ()
        self._simple: set[OccupantId] = set()  # those who can't tell of everything

    @property
    def players_support_all_events(self) -> bool:
        """Whether all players can tell of everything."""
        return all(self.room.seat_of(each) is None for each in self._simple)

    def seat(self, occupant: Occupant, ear: Occupant | None = None) -> None:
        """``occupant`` is told of what happens from now on: through ``ear``, which may be that of
        several, if it isn't there itself."""
        self.occupants[occupant.occupant_id] = ear = ear or occupant
        if not occupant.supports_all_events:
            self._simple.add(occupant.occupant_id)
        if ear not in self.everybody:
            self.everybody = (*self.everybody, ear)
        if ear.supports_all_events and ear not in self.knowing:
            self.knowing = (*self.knowing, ear)

    def unseat(self, occupant: Occupant) -> None:
        """``occupant`` is told nothing more."""
        del self.occupants[occupant.occupant_id]
        self._simple.discard(occupant.occupant_id)
        self.everybody = tuple(dict.fromkeys(self.occupants.values()))
        self.knowing = tuple([each for each in self.everybody if each.supports_all_events])

    def is_overdue(self, now: float, move_timeout: float, wait_timeout: float) -> bool:
        """Whether a move, or somebody, was waited for too long (0: no time is)."""
        room, clock = self.room, self.clock
        if clock is not None and room.running:
            return clock.is_out(now)
        timeout = room.terms.move_timeout if room.begun else wait_timeout
        if timeout is None:
            timeout = move_timeout if room.running else wait_timeout
        return 0 < timeout <= now - self.since

    def note(self, event: RoomEvent, now: float) -> tuple[Occupant, ...]:
        """Write ``event`` into the record, and set the clock by it; whom it is for."""
        clock = self.clock
        if type(event) is Placed:
            if clock is not None:
                clock.moved(event.turn, now)
        elif type(event) is Began or type(event) is Undone:
            if clock is not None:
                clock.turn_to(self.room.turn, now)
        elif type(event) is not Ended:
            return self._note_for_some(event, now)
        elif clock is not None:
            clock.pause(True, now)
        self.room.record.append((now, event))
        self.since = now
        return self.everybody

    def _note_for_some(self, event: RoomEvent, now: float) -> tuple[Occupant, ...]:
        if type(event) is Refused:
            # A kept move may turn out to be impossible while its player is cut off.
            to = self.occupants.get(event.to)
            return () if to is None else (to,)
        self.room.record.append((now, event))
        if type(event) is Joined:
            joined = self.occupants[event.to]
            if not self.knowing:
                return (joined,)
            # The others hear of it when they can tell it.
            return (joined, *[each for each in self.knowing if each is not joined])
        if type(event) is Paused:
            self.since = now
            if self.clock is not None:
                self.clock.pause(event.paused, now)
        return self.knowing

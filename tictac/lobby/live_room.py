"""A room with its occupants, and the delivery of events to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tictac.lobby.events import (
    Began,
    Ended,
    Event,
    Joined,
    OccupantId,
    Paused,
    Placed,
    Refused,
    Retimed,
    RoomEvent,
    Undone,
)
from tictac.lobby.interfaces import Occupant, Payer, payer_of, takes_whole_events
from tictac.lobby.record import passes
from tictac.lobby.room import Room

Delivery = tuple[tuple[Occupant, ...], Event]
"""An event, after the occupants who receive it."""


class Dispatcher:
    """Delivers all events to the occupants, each event to all of its audience before the next.

    An occupant that makes a request while it receives an event doesn't change this order. Its
    exceptions go to ``on_fault``, and the other occupants still receive the event.
    """

    def __init__(self, on_fault: Callable[[Occupant], None]) -> None:
        self._on_fault = on_fault
        self._sending: list[Delivery] | None = None
        self._gone: set[OccupantId] = set()

    def send(self, deliveries: list[Delivery]) -> None:
        """Deliver these events, and those of the requests that they lead to."""
        if self._sending is not None:
            self._sending += deliveries  # the loop below, which led to this call, delivers them
            return
        self._sending, gone = deliveries, self._gone
        try:
            for audience, event in deliveries:
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
        """Deliver nothing more to a disconnected occupant."""
        if self._sending is not None:
            self._gone.add(occupant.occupant_id)


class Listener:
    """An occupant of no room: passes what it receives to ``take`` (lobby.interfaces.Occupant)."""

    occupant_id = ""
    supports_all_events = True

    def __init__(self, user: str, take: Callable[[Event], None]) -> None:
        self.user: str | None = user
        self.receive = take

    def wait(self) -> None:
        pass

    release = close = wait


class Seeing:
    """An occupant of a room who gets events with what the seat can see, instead of whole ones."""

    __slots__ = ("_occupant", "_room", "close", "occupant_id", "release", "user", "wait")

    def __init__(self, occupant: Occupant, room: Room) -> None:
        self._occupant, self._room = occupant, room
        self.occupant_id, self.user = occupant.occupant_id, occupant.user
        self.wait, self.release, self.close = occupant.wait, occupant.release, occupant.close

    @property
    def supports_all_events(self) -> bool:
        """Whether the occupant can show any event."""
        return self._occupant.supports_all_events

    @property
    def payer(self) -> Payer | None:
        """The connection that pays."""
        return payer_of(self._occupant)

    def receive(self, event: Event) -> None:
        """Pass on a view of an event."""
        self._occupant.receive(self._view(event))

    def _view(self, event: Event) -> Event:
        game, seat = self._room.game, self._room.seat_of(self.occupant_id)
        match event:
            case Placed(position=position, move=move) | Ended(position=position, move=str(move)):
                view, seen = game.view(position, seat), game.seen(position, move, seat)
                return event._replace(position=view, move=seen)
            case Joined() | Undone() | Ended() | Refused() if event.position is not None:
                return event._replace(position=game.view(event.position, seat))
        return event


class Opener(NamedTuple):
    """The opener of a room: the ``network`` of the connection, with ``times`` the usual limits."""

    network: str
    times: int
    is_guest: bool
    user: str | None

    @classmethod
    def of(cls, occupant: Occupant) -> Opener | None:
        """Return where an occupant opens a room from; None without an address."""
        payer = payer_of(occupant)
        if payer is None:
            return None
        return cls(payer.network, payer.times, payer.is_guest, occupant.user)


class LiveRoom:
    """A room, its occupants by their ids, and the time ``since`` which it waits for a player.

    ``holds``: an occupant has disconnected, so a seat might be held. ``many``: the match has more
    than two players, so it can continue without one. ``crowded``: more than two receive its events.
    ``opener`` is where the room was opened from, if that is known. ``shows_moves``: lists change
    after moves, too, because a move can stand for a player who left, or the match takes days.
    """

    __slots__ = (
        "_crowds", "_networks", "_simple", "clock", "crowded", "everybody", "holds", "knowing",
        "many", "occupants", "opener", "room", "shows_moves", "since",
    )  # fmt: skip

    def __init__(self, room: Room, since: float) -> None:
        self.room = room
        self.clock = room.clock
        self.many = room.terms.seats > 2
        self.shows_moves = self.many or room.terms.lasting
        self.since = since
        self.holds = self.crowded = False
        self.opener: Opener | None = None
        self.occupants: dict[OccupantId, Occupant] = {}
        self.everybody: tuple[Occupant, ...] = ()
        self.knowing: tuple[Occupant, ...] = ()
        self._simple: set[OccupantId] = set()  # occupants without support for all events
        self._networks: dict[OccupantId, str] = {}
        self._crowds: list[Any] = []  # occupants for several clients, their ``receivers``

    @property
    def players_support_all_events(self) -> bool:
        """Whether all players support all events."""
        return all(self.room.seat_of(each) is None for each in self._simple)

    def seat(self, occupant: Occupant) -> None:
        """Deliver events to ``occupant`` from now on."""
        who, receiver = occupant.occupant_id, occupant
        if not takes_whole_events(occupant):
            receiver = Seeing(occupant, self.room)
        self.occupants[who] = receiver
        self.everybody = (*self.everybody, receiver)
        if occupant.supports_all_events:
            self.knowing = (*self.knowing, receiver)
        else:
            self._simple.add(who)
        if who in self.room.viewers and (payer := payer_of(occupant)) is not None:
            self._networks[who] = payer.network
        self._count()

    def unseat(self, occupant: Occupant) -> None:
        """Deliver no more events of the room to ``occupant``."""
        del self.occupants[occupant.occupant_id]
        self._simple.discard(occupant.occupant_id)
        self._networks.pop(occupant.occupant_id, None)
        self.everybody = tuple(self.occupants.values())
        self.knowing = tuple([each for each in self.everybody if each.supports_all_events])
        self._count()

    def _count(self) -> None:
        self.crowded = len(self.everybody) > 2
        if self.crowded:
            self._crowds = [each for each in self.everybody if hasattr(each, "receivers")]

    def viewers_at(self, network: str) -> int:
        """Return the number of viewers at an address."""
        return sum(self._networks.get(viewer) == network for viewer in self.room.viewers)

    def charge(self, cause: Occupant | None, deliveries: list[Delivery]) -> None:
        """Let ``cause`` pay for the receivers of events.

        For a computer or a clock, a player pays, or a viewer if there are only computers.
        """
        payer = payer_of(cause)
        if payer is None:
            players = [self.occupants.get(member.occupant) for member in self.room.players]
            payers = map(payer_of, (*players, *self.everybody))
            payer = next((each for each in payers if each is not None), None)
            if payer is None:
                return
        receivers = 0
        for audience, _ in deliveries:  # on the path of each move that somebody watches
            receivers += len(audience)
            for each in self._crowds:
                receivers += (each.receivers - 1) * (each in audience)
        payer.pay_for(receivers)

    def lost(self, ended: Ended, absent: Callable[[str, Room], Occupant]) -> list[Occupant]:
        """Return the receivers of the end for players who have left the room.

        ``absent`` returns the receiver for a user.
        """
        room = self.room
        is_closed = ended.ending == "closed" and room.decided is None
        if not (ended.cut or self.holds or self.many) or is_closed:
            return []  # all players are present, as at most ends
        lost = {m.user for m in room.players if ended.cut or m.away is not None or m.gone}
        if not lost or room.terms.protocol is not None:
            return []
        lost.difference_update(room.viewers.values())
        lost -= {m.user for m in room.players if m.occupant in self.occupants}
        return [absent(user, room) for user in lost]

    def is_overdue(self, now: float, move_timeout: float, wait_timeout: float) -> bool:
        """Return whether a move or a player is overdue, in seconds (0: no limit)."""
        room, clock = self.room, self.clock
        if clock is not None and room.running:
            return clock.is_out(now)
        if room.awaited:
            return False
        if room.terms.time is not None and room.terms.lasting:
            return room.terms.time.total <= now - self.since
        timeout = room.terms.move_timeout if room.begun else wait_timeout
        if timeout is None:
            timeout = move_timeout if room.running else wait_timeout
        return 0 < timeout <= now - self.since

    def note(self, event: RoomEvent, now: float) -> tuple[Occupant, ...]:
        """Add ``event`` to the record, set the clock, and return the occupants who receive it."""
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
            # The refused move might be an earlier one of a player who has disconnected since.
            to = self.occupants.get(event.to)
            return () if to is None else (to,)
        if type(event) is Placed or not passes(self.room, event):
            self.room.record.append((now, event))
        if type(event) is Joined:
            if event.to not in self.occupants:
                return ()  # a seat that waits for somebody
            joined = self.occupants[event.to]
            if not self.knowing:
                return (joined,)
            # Other occupants receive the event if they support all events.
            return (joined, *[each for each in self.knowing if each is not joined])
        if type(event) is Retimed and (clock := self.room.clock) is not None:
            self.clock, self.since, self.shows_moves = clock, now, True
            clock.turn_to(self.room.turn, now)
        if type(event) is Paused:
            self.since = now
            if self.clock is not None:
                self.clock.pause(event.paused, now)
        return self.knowing

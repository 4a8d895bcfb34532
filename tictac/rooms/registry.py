"""All rooms of a server, and who is in which: finds the room, delivers what happened.

A request returns nothing. Its outcome, a refusal too, comes to the occupant as an event,
so that a registry that must wait for a network can take this one's place without any
caller changing. Events reach every occupant in the order of their numbers, also when one
occupant answers an event with a new request before the others have been told.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from tictac.errors import AlreadyInRoom, NoSuchRoom, NotInRoom, Refusal, RoomExists, TooManyRooms
from tictac.games.tictactoe.rules import Board
from tictac.rooms.events import (
    Ended,
    Event,
    Listed,
    Mode,
    OccupantId,
    Placed,
    Refused,
    RoomEvent,
)
from tictac.rooms.room import Move, Room, check_room_name, check_waits_in_few


class Occupant(Protocol):
    """Whoever can sit in a room: a connection of any kind, or the house player.

    ``occupant_id`` is unique among all occupants and never changes; ``user`` is the user
    name, read when a room is entered.
    """

    occupant_id: OccupantId
    user: str | None

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

    def room_opened(self, name: str) -> None:
        """A room was created and waits for its second player."""

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """A room is gone; ``users`` are its players, the creator first."""


class Registry(Protocol):
    """What occupants may ask for. Source: rooms.md, "Requests"."""

    def new_occupant_id(self) -> OccupantId:
        """An id that no other occupant has, or has had."""

    def list_rooms(self, occupant: Occupant, mode: Mode) -> None:
        """Answered with Listed."""

    def create(self, occupant: Occupant, name: str) -> None:
        """Answered with Joined or Refused."""

    def join(self, occupant: Occupant, name: str, mode: Mode) -> None:
        """Answered with Joined or Refused; everybody may get Began."""

    def place(self, occupant: Occupant, move: Move | None) -> None:
        """Answered with Placed or Ended to everybody, Refused, or (a kept move) nothing."""

    def forfeit(self, occupant: Occupant) -> None:
        """Answered with Ended to everybody, with Refused, or (a viewer's) nothing."""

    def leave(self, occupant: Occupant) -> None:
        """The occupant is gone, and gets no more events.

        A player's seat is held for its user if the registry holds seats; otherwise this is
        a forfeit.
        """


class ServiceRegistry(Registry, Protocol):
    """What the server itself asks besides."""

    watchers: list[Watcher]
    outlives: bool
    """Whether matches go on without this process, as others have them, too."""

    def start(self) -> None:
        """Connect to where the rooms are, if they aren't here."""

    async def stop(self) -> None:
        """Finish what is under way; everybody has left."""

    def ready(self) -> bool:
        """Whether requests would be served now."""

    def expire(self, move_timeout: float, wait_timeout: float) -> None:
        """End what has stood still for so many seconds, and give up seats held for too long.

        0 is no limit. The time runs from the last move that was made, the beginning of
        the match, or the creation of the room.
        """

    def stop_holding(self) -> None:
        """This process takes nobody back any more, as it is going to stop."""

    def rooms(self) -> int:
        """How many rooms there are."""

    def boards(self) -> Sequence[Board]:
        """The positions in all rooms."""

    def running(self) -> int:
        """How many matches have begun and aren't over."""

    def seats_held(self) -> int:
        """How many seats are held for players who were cut off."""


class _Table:
    """A room, the occupants behind its ids, and since when somebody is waited for.

    ``holds`` says that somebody has gone: only then may a seat be held.
    """

    __slots__ = ("everybody", "holds", "occupants", "room", "since")

    def __init__(self, room: Room, since: float) -> None:
        self.room = room
        self.since = since
        self.holds = False
        self.occupants: dict[OccupantId, Occupant] = {}
        self.everybody: tuple[Occupant, ...] = ()

    def seat(self, occupant: Occupant) -> None:
        """``occupant`` is told of what happens from now on."""
        self.occupants[occupant.occupant_id] = occupant
        self.everybody = tuple(self.occupants.values())

    def unseat(self, occupant: Occupant) -> None:
        """``occupant`` is told nothing more."""
        del self.occupants[occupant.occupant_id]
        self.everybody = tuple(self.occupants.values())


class MemoryRegistry:
    """The registry of a single process. It never waits: events come during the request.

    There are ``max_rooms`` at most, and a user waits in ``max_rooms_per_user`` (0: any number);
    ``seconds`` tells the time, from any origin; ``on_fault`` is called in the handler of an
    exception of an occupant or watcher. Seats are held for ``rejoin_timeout`` seconds, 0: not.
    """

    outlives = False

    def __init__(
        self,
        max_rooms: int,
        seconds: Callable[[], float],
        on_fault: Callable[[Occupant | Watcher], None],
        rejoin_timeout: float = 0,
        max_rooms_per_user: int = 0,
    ) -> None:
        self.watchers: list[Watcher] = []
        self._max_rooms = max_rooms
        self._max_rooms_per_user = max_rooms_per_user
        self._seconds = seconds
        self._on_fault = on_fault
        self._rejoin_timeout = rejoin_timeout
        self._tables: dict[str, _Table] = {}
        self._table_of: dict[OccupantId, _Table] = {}
        self._outbox: deque[tuple[tuple[Occupant, ...], Event]] = deque()
        self._delivering = False
        self._gone: set[OccupantId] = set()  # those who left while others were told
        self._last_id = 0

    def start(self) -> None:
        """There is nothing to connect to (ServiceRegistry)."""

    async def stop(self) -> None:
        """Nothing is ever under way (ServiceRegistry)."""

    def ready(self) -> bool:
        """Whether requests would be served now: always."""
        return True

    def new_occupant_id(self) -> OccupantId:
        """The next number, as a string."""
        self._last_id += 1
        return str(self._last_id)

    # Requests

    def list_rooms(self, occupant: Occupant, mode: Mode) -> None:
        """Tell ``occupant`` which rooms it could join."""
        every = mode == "VIEWER"
        names = tuple(n for n, table in self._tables.items() if every or not table.room.begun)
        self._tell(occupant, Listed(occupant.occupant_id, mode, names))

    def create(self, occupant: Occupant, name: str) -> None:
        """Make a room and seat ``occupant`` as its first player."""
        try:
            self._check_outside(occupant)
            check_room_name(name)
            if name in self._tables:
                raise RoomExists(f"room {name} exists already")
            if self._max_rooms and len(self._tables) >= self._max_rooms:
                raise TooManyRooms(f"there are {self._max_rooms} rooms already")
            if most := self._max_rooms_per_user:
                check_waits_in_few(occupant.user, (t.room for t in self._tables.values()), most)
        except Refusal as refusal:
            self._refuse(occupant, "create", refusal)
            return
        table = self._tables[name] = _Table(Room(name), self._seconds())
        for watcher in self.watchers:
            self._guard(watcher, watcher.room_opened, name)
        self._enter(occupant, table, "PLAYER")

    def join(self, occupant: Occupant, name: str, mode: Mode) -> None:
        """Seat ``occupant`` in an existing room."""
        try:
            self._check_outside(occupant)
            table = self._tables.get(name)
            if table is None:
                raise NoSuchRoom(f"there is no room {name}")
            self._enter(occupant, table, mode)
        except Refusal as refusal:
            self._refuse(occupant, "join", refusal)

    def place(self, occupant: Occupant, move: Move | None) -> None:
        """Play or keep a move; None stands for a move that couldn't be read."""
        table = self._table_of.get(occupant.occupant_id)
        if table is None:
            self._refuse(occupant, "place", NotInRoom("a move needs a room"))
            return
        events = table.room.place(occupant.occupant_id, move)
        if events:
            self._apply(table, events)

    def forfeit(self, occupant: Occupant) -> None:
        """Give the match up."""
        table = self._table_of.get(occupant.occupant_id)
        if table is None:
            self._refuse(occupant, "forfeit", NotInRoom("there is no match to forfeit"))
            return
        self._apply(table, table.room.forfeit(occupant.occupant_id))

    def leave(self, occupant: Occupant) -> None:
        """Take ``occupant`` out of its room, if it is in one."""
        if self._delivering:
            self._gone.add(occupant.occupant_id)
        table = self._table_of.pop(occupant.occupant_id, None)
        if table is None:
            return
        table.unseat(occupant)
        if self._rejoin_timeout:
            table.room.hold(occupant.occupant_id, self._seconds())
            table.holds = True
        else:
            self._apply(table, table.room.leave(occupant.occupant_id))

    # What the service asks

    def expire(self, move_timeout: float, wait_timeout: float) -> None:
        """End what has stood still, and what nobody has come back to (ServiceRegistry)."""
        now = self._seconds()
        for table in list(self._tables.values()):
            timeout = move_timeout if table.room.begun else wait_timeout
            if timeout and now - table.since >= timeout:
                self._apply(table, table.room.time_is_up())
            elif table.holds and self._is_given_up(table.room, now):
                self._apply(table, table.room.give_up_held())

    def stop_holding(self) -> None:
        """Give up every seat that is held, and hold none from now on."""
        self._rejoin_timeout = 0
        for table in list(self._tables.values()):
            if table.holds:
                self._apply(table, table.room.give_up_held())

    def rooms(self) -> int:
        """How many rooms there are."""
        return len(self._tables)

    def boards(self) -> list[Board]:
        """The positions in all rooms."""
        return [table.room.board for table in self._tables.values()]

    def running(self) -> int:
        """How many matches have begun and aren't over."""
        return sum(table.room.begun for table in self._tables.values())

    def seats_held(self) -> int:
        """How many seats are held for players who were cut off."""
        rooms = [table.room for table in self._tables.values() if table.holds]
        return sum(member.away is not None for room in rooms for member in room.players)

    # How it is done

    def _check_outside(self, occupant: Occupant) -> None:
        table = self._table_of.get(occupant.occupant_id)
        if table is not None:
            raise AlreadyInRoom(f"{occupant.user} is in room {table.room.name}")

    def _enter(self, occupant: Occupant, table: _Table, mode: Mode) -> None:
        # The room may refuse. Where seats are held, who wants to sit opposite themselves is more
        # likely to come back before their loss was noticed.
        held = self._rejoin_timeout > 0
        events = table.room.join(occupant.occupant_id, occupant.user or "", mode, held)
        table.seat(occupant)
        self._table_of[occupant.occupant_id] = table
        self._apply(table, events)

    def _is_given_up(self, room: Room, now: float) -> bool:
        since = room.held_since()
        return since is not None and now - since >= self._rejoin_timeout

    def _refuse(self, occupant: Occupant, request: str, refusal: Refusal) -> None:
        self._tell(occupant, Refused(occupant.occupant_id, request, refusal))

    def _tell(self, occupant: Occupant, event: Event) -> None:
        if self._delivering:
            self._outbox.append(((occupant,), event))
        else:
            self._deliver((occupant,), event)

    def _apply(self, table: _Table, events: Sequence[RoomEvent]) -> None:
        """Note what the events change here, then deliver them all."""
        if len(events) == 1 and not self._delivering:
            event = events[0]
            self._deliver(self._note(table, event), event)
            return
        outbox = self._outbox
        outbox.extend([(self._note(table, event), event) for event in events])
        if outbox and not self._delivering:
            self._deliver(*outbox.popleft())

    def _note(self, table: _Table, event: RoomEvent) -> tuple[Occupant, ...]:
        """Note what ``event`` changes; whom it is for."""
        if type(event) is not Placed:
            if event.to is not None:
                # A kept move may turn out to be impossible while its player is cut off.
                to = table.occupants.get(event.to)
                return () if to is None else (to,)
            if type(event) is Ended:
                self._close(table, event)
        table.since = self._seconds()
        return table.everybody

    def _close(self, table: _Table, ended: Ended) -> None:
        # Before anybody hears of the end: who does may create the next room at once.
        del self._tables[table.room.name]
        table.holds = False
        for occupant_id in table.occupants:
            del self._table_of[occupant_id]
        users = tuple([member.user for member in table.room.players])
        for watcher in self.watchers:
            self._guard(watcher, watcher.room_closed, table.room.name, users, ended)

    def _deliver(self, audience: tuple[Occupant, ...], event: Event) -> None:
        """Tell ``audience`` of ``event``, and then everybody of what follows from that."""
        outbox, gone = self._outbox, self._gone
        self._delivering = True
        try:
            while True:
                for occupant in audience:
                    if gone and occupant.occupant_id in gone:
                        continue
                    try:
                        occupant.receive(event)
                    except Exception:
                        self._on_fault(occupant)
                if not outbox:
                    break
                audience, event = outbox.popleft()
        finally:
            self._delivering = False
            if gone:
                gone.clear()

    def _guard(self, watcher: Watcher, tell: Callable[..., None], *arguments: object) -> None:
        try:
            tell(*arguments)
        except Exception:
            self._on_fault(watcher)

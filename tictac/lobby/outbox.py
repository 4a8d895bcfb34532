"""Where a registry's decisions go: to occupants at once, or into a journal first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from functools import partial
from typing import Any, Protocol

from tictac.errors import RoomExists
from tictac.lobby.events import Ended, Event, Happened, Listed, OccupantId, Refused
from tictac.lobby.interfaces import Archivist, Occupant
from tictac.lobby.journal import Batch, Journal, KeptRoom, Opened
from tictac.lobby.live_room import Delivery, Dispatcher, LiveRoom
from tictac.lobby.record import dump_event, dump_terms, lines
from tictac.lobby.room import Room

Withdraw = Callable[[Room], LiveRoom]
"""Forgets a room that can't be kept."""


class Outbox(Protocol):
    """What a registry asks of it."""

    @property
    def outlives(self) -> bool:
        """Whether matches go on without this process."""

    @property
    def waits(self) -> bool:
        """Whether something is decided that isn't kept yet."""

    def start(self, withdraw: Withdraw) -> Iterable[KeptRoom]:
        """The rooms that are kept."""

    async def stop(self) -> None:
        """Keep what there is to keep."""

    def ready(self) -> bool:
        """Whether what is decided now would be told soon."""

    def decided(self, room: Room, told: list[Delivery]) -> None:
        """Tell of what has been decided in a room."""

    def answer(self, occupant: Occupant, event: Event) -> None:
        """Tell somebody alone, after all that was decided."""

    def put_away(self, room: Room, archivist: Archivist) -> str:
        """A room has closed: let its match be kept, if there was one, under the id."""

    def left(self, occupant: Occupant) -> None:
        """It is gone: tell it nothing more."""

    def knows(self, room: Room, room_id: int) -> None:
        """A room goes on that is kept."""


class Direct:
    """Tells at once, and keeps nothing (Outbox)."""

    outlives = waits = False

    def __init__(self, dispatcher: Dispatcher, seconds: Callable[[], float]) -> None:
        self._dispatcher = dispatcher

    def start(self, withdraw: Withdraw) -> Iterable[KeptRoom]:
        return ()

    async def stop(self) -> None:
        pass

    def ready(self) -> bool:
        return True

    def decided(self, room: Room, told: list[Delivery]) -> None:
        self._dispatcher.send(told)

    def answer(self, occupant: Occupant, event: Event) -> None:
        self._dispatcher.send([((occupant,), event)])

    def put_away(self, room: Room, archivist: Archivist) -> str:
        if (packed := archivist.pack(room)) is None or not archivist.keep(packed):
            return ""
        return str(packed.id)

    def left(self, occupant: Occupant) -> None:
        self._dispatcher.forget(occupant)

    def knows(self, room: Room, room_id: int) -> None:
        pass


class Journaled:
    """Commits what came of a turn of the reactor in one piece, and then tells it (Outbox).

    Rooms of doors, and those that aren't ``kept``, are in no journal. Who is going to be told
    something asks for nothing more until then. ``later(0, function)`` calls a function in the next
    turn. ``telling`` is called before what was held is told, ``sent`` after; ``ending`` before the
    journal is closed. While ``shut``, nothing is committed.
    """

    outlives = True

    def __init__(
        self,
        journal: Journal,
        later: Callable[..., Any],
        dispatcher: Dispatcher,
        seconds: Callable[[], float],
    ) -> None:
        self.shut = False
        self.telling: Callable[[], None] | None = None
        self.sent: Callable[[], None] | None = None
        self.ending: Callable[[], Awaitable[None]] | None = None
        self.since: float | None = None
        """When the commit that is under way began."""
        self._journal = journal
        self._later = later
        self._dispatcher = dispatcher
        self._direct = Direct(dispatcher, seconds)
        self._seconds = seconds
        self._withdraw: Withdraw
        self._ids: dict[Room, int] = {}
        self._batch = self._in_flight = Batch()
        self._held: list[Delivery] = []
        self._waiting: dict[Any, None] = {}
        self._told_next: dict[Any, None] = {}  # what is committed now is for them
        self._calls: list[Callable[[], None]] = []  # when all is told that waits
        self._calls_next: list[Callable[[], None]] = []
        self._left: set[OccupantId] = set()  # those who left while something was held
        self._flush: Any = None
        self._at_once = False

    @property
    def waits(self) -> bool:
        """Whether a commit is under way."""
        return self.since is not None

    @property
    def behind(self) -> bool:
        """Whether something has been decided that wasn't told."""
        return bool(self._held) or self.since is not None

    def start(self, withdraw: Withdraw) -> Iterable[KeptRoom]:
        """Open the journal. Raises SetupError."""
        self._withdraw = withdraw
        return self._journal.start()

    async def stop(self) -> None:
        """Keep what there is to keep, and close the journal."""
        if self.ending is not None:
            await self.ending()
        if self._flush is not None:
            self._cancel()
            self._commit()
        self._journal.stop()

    def ready(self) -> bool:
        return self._journal.ready()

    def left(self, occupant: Occupant) -> None:
        if self.behind:
            self._left.add(occupant.occupant_id)
        self._dispatcher.forget(occupant)

    # What is decided

    def decided(self, room: Room, told: list[Delivery]) -> None:
        if room.terms.door is not None or not room.terms.kept:
            self._dispatcher.send(told)
            return
        for each in told:
            event = each[1]
            if not isinstance(event, (Refused, Listed)):
                self._keep(room, event)
            self._hold(each)

    def answer(self, occupant: Occupant, event: Event) -> None:
        if self.behind:
            self._hold(((occupant,), event))
        else:
            self._dispatcher.send([((occupant,), event)])

    def put_away(self, room: Room, archivist: Archivist) -> str:
        room_id = self._ids.get(room)
        if room_id is None:
            return self._direct.put_away(room, archivist)
        packed = archivist.pack(room)
        if packed is None:
            return ""
        self._batch.ended[room_id] = packed
        return str(packed.id)

    # What others know of rooms here

    def knows(self, room: Room, room_id: int) -> None:
        self._ids[room] = room_id

    def id_of(self, room: Room) -> int | None:
        """What the journal knows it by; None: it is in none."""
        return self._ids.get(room)

    def is_kept(self, room: Room) -> bool:
        """Whether others may know of a room: its creation is committed."""
        room_id = self._ids.get(room)
        return room_id not in self._batch.opened and room_id not in self._in_flight.opened

    def everything(self) -> Batch:
        """All rooms that are kept, as far as they are committed."""
        batch, rooms = Batch(), {key: room for room, key in self._ids.items()}
        first: dict[int, int] = {}  # the first event of a room that isn't committed
        for under_way in (self._in_flight, self._batch):
            for room_id, number, _, _ in under_way.lines:
                first.setdefault(room_id, number)
        for room_id, room in rooms.items():
            if room_id not in self._in_flight.opened and room_id not in self._batch.opened:
                batch.opened[room_id] = opened(room)
                last = first.get(room_id, room.number + 1)
                batch.lines += [(room_id, *each) for each in lines(room) if each.number < last]
        return batch

    # When it is told

    def when_told(self, function: Callable[..., None], *words: Any) -> None:
        """Call when all is told that has been decided so far."""
        if self._held:
            self._calls.append(partial(function, *words))
        elif self.since is not None:
            self._calls_next.append(partial(function, *words))
        else:
            function(*words)

    def begin(self) -> bool:
        """Commit what is decided from now on when it ends, and not in the next turn;
        False: more is on its way with what is there."""
        if self._flush is not None or self.since is not None:
            return False
        self._at_once = True
        return True

    def end(self) -> None:
        """Commit it."""
        self._at_once = False
        self.go_on()

    def go_on(self) -> None:
        """Commit what waits."""
        if self._held and self.since is None and not self.shut:
            self._cancel()
            self._commit()

    def waiting(self) -> list[Occupant]:
        """Those who will be told something."""
        return [*self._told_next, *self._waiting]

    def reset(self) -> None:
        """Tell nobody what wasn't committed: it has never been. All rooms are others'."""
        self._cancel()
        self._held, self._waiting, self._told_next = [], {}, {}
        self._calls, self._calls_next = [], []
        self.since, self._batch = None, Batch()
        self._ids.clear()

    def _cancel(self) -> None:
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None

    def _keep(self, room: Room, event: Happened) -> None:
        """Put an event that was just noted into the batch. The first one is who made the room."""
        room_id = self._ids.get(room)
        if room_id is None:
            room_id = self._ids[room] = self._journal.new_id()
            self._batch.opened[room_id] = opened(room)
        if type(event) is Ended:
            del self._ids[room]
            self._batch.closed.append(room_id)
        else:
            at = room.record[-1][0]
            self._batch.lines.append((room_id, event.number, at, dump_event(event)))

    def _hold(self, told: Delivery) -> None:
        waiting = self._waiting
        for occupant in told[0]:
            if occupant not in waiting:
                waiting[occupant] = None
                occupant.wait()
        self._held.append(told)
        if self._flush is None and self.since is None and not self._at_once:
            self._flush = self._later(0, self._commit)

    def _commit(self) -> None:
        self._flush = None
        if self.shut:
            return
        held, self._held = self._held, []
        waiting = self._told_next = self._waiting
        calls = self._calls_next = self._calls
        self._waiting, self._calls = {}, []
        batch = self._in_flight = self._batch
        self._batch = Batch()
        self.since = self._seconds()

        def done(refused: Collection[int]) -> None:
            if refused:
                held[:] = self._without(refused, held)
            self._in_flight = Batch()
            self._tell(held, waiting, calls)
            self.since = None
            if self._held:
                self._flush = self._later(0, self._commit)

        if batch.lines or batch.closed:
            self._journal.commit(batch, done)
        else:
            done(())

    def _without(self, refused: Collection[int], held: list[Delivery]) -> list[Delivery]:
        """Forget rooms whose names others have; what there is to tell instead."""
        told, gone = list[Delivery](), set[Occupant]()
        for room, room_id in list(self._ids.items()):
            if room_id not in refused:
                continue
            del self._ids[room]
            live_room = self._withdraw(room)
            gone.update(live_room.everybody)
            for occupant in live_room.everybody:
                if room_id not in self._in_flight.opened:  # a room that went on
                    occupant.close()
                    continue
                why = RoomExists(f"room {room.name} exists already")
                told.append(((occupant,), Refused(occupant.occupant_id, "create", why)))
        # What has been decided in it since then has never been.
        batch = self._batch
        batch.lines = [each for each in batch.lines if each[0] not in refused]
        batch.closed = [room_id for room_id in batch.closed if room_id not in refused]
        batch.ended = {key: each for key, each in batch.ended.items() if key not in refused}
        self._held = [each for each in self._held if gone.isdisjoint(each[0])]
        return [each for each in held if gone.isdisjoint(each[0])] + told

    def _tell(
        self, held: list[Delivery], waiting: dict[Any, None], calls: list[Callable[[], None]]
    ) -> None:
        if self.telling is not None:
            self.telling()
        left = self._left
        if left:
            held = [
                (tuple([each for each in audience if each.occupant_id not in left]), event)
                for audience, event in held
            ]
        self._dispatcher.send(held)
        for occupant in waiting:
            if occupant.occupant_id not in left:
                occupant.release()
        for call in calls:
            call()
        if not self._held:
            left.clear()
        if self.sent is not None:
            self.sent()


def opened(room: Room) -> Opened:
    """How a room was made, for a journal."""
    return Opened(room.name, dump_terms(room.terms), room.game.dump(room.start))

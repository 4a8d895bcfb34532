"""Where a registry's decisions go: to occupants at once (`Direct`), or into a journal first.

Invariant of `Journaled`: an event in the record of a journaled room leaves the server only after
the journal has saved it, and occupants receive events in the order of the decisions. A process that
starts after a kill therefore knows every event that a player has seen. The registry doesn't wait:
it decides at once, and only the delivery is late.

1. `decided` adds the events to the batch and holds their deliveries. Refusals are held too,
   although they aren't saved: sent at once, they would overtake the events before them.
2. `_hold` makes each receiver `wait`: its connection handles no further request until `release`.
   Without that, the requests of an outage pile up in memory.
3. `_commit` runs in the next turn of the reactor, so all decisions of a turn share one transaction
   and its cost. The end of a room and the row of its match are in one batch, because the registry
   calls `put_away` right before `decided`. In two batches, a kill between them would lose the
   match or save it twice.
4. Until `done`, decisions join the next batch, and no other commit starts (`since`). A journal
   retries its batch for as long as it takes: a second one could overtake the first.
5. `done` sends everything held, then calls `release` of the receivers. If `release` came first, a
   client's next request would be decided before its last answer was sent. Requests that come of
   the delivery wait for the next batch.
6. If the journal refuses a new room, because it has an unreadable one of that name, `_without`
   removes the room's lines from the next batch, too. Otherwise the journal would get events of no
   room.
7. An occupant that disconnects (`left`) gets neither its held events nor `release`.

    place(move)      decided: line 7 in the batch, the event held; both players wait
    next turn        _commit: journal.commit(batch, done); the next batch is empty
    place(move)      of another room: into the next batch; its players wait
    done(())         both players receive event 7 and are released; the next turn commits again

If the process is killed before the commit, event 7 has never been, and no client knows it. If it is
killed afterwards, the next process restores the room with event 7, and sends it to players who
rejoin. A process that waits for its turn, or has lost it, commits nothing (`shut`).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator

from tictac.errors import RoomExists
from tictac.lobby.events import Ended, Event, Happened, Listed, OccupantId, Refused, Retimed
from tictac.lobby.interfaces import Archivist, Call, Occupant
from tictac.lobby.journal import (
    FORMAT,
    LASTING_FORMAT,
    Batch,
    Journal,
    KeptRoom,
    Opened,
    Outcome,
    Packed,
    outcome_of,
)
from tictac.lobby.live_room import Delivery, Dispatcher, LiveRoom
from tictac.lobby.record import dump_event, dump_lasting, dump_terms, lines, passes
from tictac.lobby.room import Room

Withdraw = Callable[[Room], LiveRoom]
"""Removes a room that the journal refused."""


class Direct:
    """Sends events at once, and saves nothing. :class:`Journaled` has the same methods."""

    outlives = waits = False
    epoch = 0.0

    def __init__(self, dispatcher: Dispatcher, seconds: Callable[[], float]) -> None:
        self.sleeping: Callable[[], Iterable[KeptRoom]] = tuple
        self._dispatcher = dispatcher

    def start(self, withdraw: Withdraw) -> Iterable[KeptRoom]:
        return ()

    async def stop(self) -> None:
        pass

    def ready(self) -> bool:
        return True

    def decided(self, room: Room, deliveries: list[Delivery]) -> None:
        self._dispatcher.send(deliveries)

    def answer(self, occupant: Occupant, event: Event) -> None:
        self._dispatcher.send([((occupant,), event)])

    def put_away(self, room: Room, archivist: Archivist | None) -> str:
        packed, outcome = _packed(room, archivist)
        if archivist is None or (packed is None and outcome is None):
            return ""
        return packed.id if archivist.keep(packed, outcome) and packed is not None else ""

    def left(self, occupant: Occupant) -> None:
        self._dispatcher.forget(occupant)

    def knows(self, room: Room, room_id: int) -> None:
        pass

    def lay_down(self, room: Room) -> KeptRoom | None:
        return None


class Journaled:
    """Commits the decisions of each turn of the reactor in one batch, then sends them.

    Direct rooms, and rooms that aren't ``kept``, are in no journal. ``later(0, function)`` calls a
    function in the next turn. ``ending`` is called before the journal is closed. While ``shut`` is
    set, nothing is committed.
    """

    outlives = True
    """Whether matches continue after the end of this process."""

    def __init__(
        self,
        journal: Journal,
        later: Callable[..., Call],
        dispatcher: Dispatcher,
        seconds: Callable[[], float],
    ) -> None:
        self.shut = False
        self.ending: Callable[[], Awaitable[None]] | None = None
        self.since: float | None = None
        """When the current commit began; None: no commit is running."""
        self.sleeping: Callable[[], Iterable[KeptRoom]] = tuple
        self._journal = journal
        self._later = later
        self._dispatcher = dispatcher
        self._direct = Direct(dispatcher, seconds)
        self._seconds = seconds
        self._withdraw: Withdraw
        self._ids: dict[Room, int] = {}
        self._batch = self._in_flight = Batch()
        self._held: list[Delivery] = []
        self._waiting: dict[Occupant, None] = {}
        self._receivers: dict[Occupant, None] = {}  # receivers of the running commit
        self._left: set[OccupantId] = set()  # disconnected while events were held
        self._flush: Call | None = None

    @property
    def waits(self) -> bool:
        """Whether a commit is running."""
        return self.since is not None

    @property
    def epoch(self) -> float:
        """The time of the journal at the origin of the registry's clock."""
        return self._journal.epoch

    @property
    def behind(self) -> bool:
        """Whether a decision hasn't been sent yet."""
        return bool(self._held) or self.since is not None

    def start(self, withdraw: Withdraw) -> Iterator[KeptRoom]:
        """Open the journal, and forget each room that was taken. Raises SetupError."""
        self._withdraw = withdraw
        kept = list(self._journal.start())
        kept.reverse()
        while kept:
            yield kept.pop()

    async def stop(self) -> None:
        """Save what waits, and close the journal."""
        if self.ending is not None:
            await self.ending()
        if self._flush is not None:
            self._flush.cancel()
            self._commit()
        self._journal.stop()

    def ready(self) -> bool:
        """Return whether decisions are saved and sent soon."""
        return self._journal.ready()

    def left(self, occupant: Occupant) -> None:
        """Send nothing more to an occupant that has left."""
        if self.behind:
            self._left.add(occupant.occupant_id)
        self._dispatcher.forget(occupant)

    # Decisions

    def decided(self, room: Room, deliveries: list[Delivery]) -> None:
        """Save and send the events of a room."""
        if room.terms.protocol is not None or not room.terms.kept:
            self._dispatcher.send(deliveries)
            return
        for each in deliveries:
            event = each[1]
            if not isinstance(event, (Refused, Listed)):
                self._keep(room, event)
            self._hold(each)

    def answer(self, occupant: Occupant, event: Event) -> None:
        """Send an event to one occupant, after all decisions so far."""
        if self.behind:
            self._hold(((occupant,), event))
        else:
            self._dispatcher.send([((occupant,), event)])

    def put_away(self, room: Room, archivist: Archivist | None) -> str:
        """Save the match of a room that has closed; return its id, or an empty text without one."""
        room_id = self._ids.get(room)
        if room_id is None:
            return self._direct.put_away(room, archivist)
        packed, outcome = _packed(room, archivist)
        if outcome is not None:
            self._batch.outcomes[room_id] = outcome
        if packed is None:
            return ""
        self._batch.ended[room_id] = packed
        return packed.id

    def knows(self, room: Room, room_id: int) -> None:
        """Note that a room of the journal continues here."""
        self._ids[room] = room_id

    def lay_down(self, room: Room) -> KeptRoom | None:
        """Forget a room, and return what the journal has of it; None: not everything yet."""
        if self.behind or room not in self._ids:
            return None
        return KeptRoom(self._ids.pop(room), opened(room), lines(room))

    def everything(self) -> Batch:
        """Return all rooms of the journal, up to their last committed events."""
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
        for kept in self.sleeping():
            batch.opened[kept.room_id] = kept.opened
            batch.lines += [(kept.room_id, *each) for each in kept.lines]
        return batch

    # Deliveries

    def waiting(self) -> list[Occupant]:
        """Return the occupants that have events to come."""
        return [*self._receivers, *self._waiting]

    def _keep(self, room: Room, event: Happened) -> None:
        """Add an event that was just noted to the batch, and the room with its first event."""
        room_id = self._ids.get(room)
        if room_id is None:
            room_id = self._ids[room] = self._journal.new_id()
            self._batch.opened[room_id] = opened(room)
        if type(event) is Ended:
            del self._ids[room]
            self._batch.closed.append(room_id)
        elif room.terms.lasting:
            self._keep_lasting(room, room_id, event)
        else:
            at = room.record[-1][0]
            self._batch.lines.append((room_id, event.number, at, dump_event(event)))

    def _keep_lasting(self, room: Room, room_id: int, event: Happened) -> None:
        if type(event) is Retimed:
            self._move(room, room_id)
        elif not passes(room, event):
            text = dump_lasting(event, room.turn)
            self._batch.lines.append((room_id, event.number, room.record[-1][0], text))

    def _move(self, room: Room, room_id: int) -> None:
        """Write a room again with its new terms, because those of a room never change."""
        self._batch.closed.append(room_id)
        self._batch.lines = [each for each in self._batch.lines if each[0] != room_id]
        room_id = self._ids[room] = self._journal.new_id()
        self._batch.opened[room_id] = opened(room)
        self._batch.lines += [(room_id, *each) for each in lines(room)]

    def _hold(self, delivery: Delivery) -> None:
        waiting = self._waiting
        for occupant in delivery[0]:
            if occupant not in waiting:
                waiting[occupant] = None
                occupant.wait()
        self._held.append(delivery)
        if self._flush is None and self.since is None:
            self._flush = self._later(0, self._commit)

    def _commit(self) -> None:
        self._flush = None
        if self.shut:
            return
        held, self._held = self._held, []
        waiting = self._receivers = self._waiting
        self._waiting = {}
        batch = self._in_flight = self._batch
        self._batch = Batch()
        self.since = self._seconds()

        def done(refused: Collection[int]) -> None:
            if refused:
                held[:] = self._without(refused, held)
            self._in_flight = Batch()
            self._send(held, waiting)
            self.since = None
            if self._held:
                self._flush = self._later(0, self._commit)

        if batch.lines or batch.closed:
            self._journal.commit(batch, done)
        else:
            done(())

    def _without(self, refused: Collection[int], held: list[Delivery]) -> list[Delivery]:
        """Remove refused rooms; return what to send instead of their events."""
        deliveries, gone = list[Delivery](), set[Occupant]()
        for room, room_id in list(self._ids.items()):
            if room_id not in refused:
                continue
            del self._ids[room]
            live_room = self._withdraw(room)
            gone.update(live_room.everybody)
            for occupant in live_room.everybody:
                if room_id not in self._in_flight.opened:  # a room restored from the journal
                    occupant.close()
                    continue
                why = RoomExists(f"room {room.name} exists already")
                deliveries.append(((occupant,), Refused(occupant.occupant_id, "create", why)))
        # Its later decisions are void, too.
        batch = self._batch
        batch.lines = [each for each in batch.lines if each[0] not in refused]
        batch.closed = [room_id for room_id in batch.closed if room_id not in refused]
        batch.ended = {key: each for key, each in batch.ended.items() if key not in refused}
        kept = {key: each for key, each in batch.outcomes.items() if key not in refused}
        batch.outcomes = kept
        self._held = [each for each in self._held if gone.isdisjoint(each[0])]
        return [each for each in held if gone.isdisjoint(each[0])] + deliveries

    def _send(self, held: list[Delivery], waiting: dict[Occupant, None]) -> None:
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
        if not self._held:
            left.clear()


Outbox = Direct | Journaled
"""Where a registry sends its decisions."""


def _packed(room: Room, archivist: Archivist | None) -> tuple[Packed | None, Outcome | None]:
    """Return the match in a room that has closed, and the outcome of a game of a tournament."""
    packed = None if archivist is None else archivist.pack(room)
    return packed, outcome_of(room, packed and packed.id)


def opened(room: Room) -> Opened:
    """Return the data from which a journal can make the room again."""
    version = LASTING_FORMAT if room.terms.lasting else FORMAT
    return Opened(room.name, dump_terms(room.terms), room.game.dump(room.start), version)

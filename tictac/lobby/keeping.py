"""Rooms that outlive their process: nobody is told what happened before a journal keeps it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from random import Random
from typing import Any

from tictac.errors import RoomExists
from tictac.lobby.events import Ended, Event, Happened, Listed, OccupantId, Refused
from tictac.lobby.interfaces import Archivist, Occupant
from tictac.lobby.journal import Batch, Journal, KeptRoom, Opened
from tictac.lobby.record import dump_event, dump_terms, load_terms, restore
from tictac.lobby.registry import MemoryRegistry
from tictac.lobby.room import Room
from tictac.lobby.table import Table, Told


class KeepingRegistry(MemoryRegistry):
    """A registry whose rooms, but for those of doors and those that aren't ``kept``, are in
    ``journal``.

    Rooms are decided at once, as ever. What came of it in one turn of the reactor is committed
    together, and then told. Who is going to be told something asks for nothing more until then.

    ``later(0, function)`` calls a function in the next turn; ``on_lost`` is called in the handler
    of an exception with the name of a kept room that can't be read. For the rest see
    :class:`~tictac.lobby.registry.MemoryRegistry`.
    """

    outlives = True

    def __init__(
        self,
        journal: Journal,
        later: Callable[..., Any],
        on_lost: Callable[[str], None],
        max_rooms: int,
        seconds: Callable[[], float],
        on_fault: Callable[[Any], None],
        rejoin_timeout: float = 0,
        max_rooms_per_user: int = 0,
        dice: Random | None = None,
    ) -> None:
        super().__init__(max_rooms, seconds, on_fault, rejoin_timeout, max_rooms_per_user, dice)
        self._journal = journal
        self._later = later
        self._on_lost = on_lost
        self._ids: dict[Room, int] = {}
        self._batch = self._in_flight = Batch()
        self._held: list[Told] = []
        self._waiting: dict[Occupant, None] = {}
        self._told_next: dict[Occupant, None] = {}  # what is committed now is for them
        self._left: set[OccupantId] = set()  # those who left while something was held
        self._flush: Any = None
        self._committing_since: float | None = None

    def start(self) -> None:
        """Open the journal, and let its rooms go on. Raises SetupError."""
        for kept in self._journal.start():
            try:
                self._restore(kept)
            except ValueError:
                self._on_lost(kept.opened.name)

    def _restore(self, kept: KeptRoom) -> None:
        name, terms_text, start_text = kept.opened
        if name in self._tables:
            raise ValueError(f"there is a room {name} already")
        terms, now = load_terms(terms_text), self._seconds()
        start = terms.game.load(start_text)
        room = restore(name, terms, start, kept.lines, self._dice, now)
        self._go_on(room, kept.room_id)
        self._announce(name, room.terms)

    def _go_on(self, room: Room, room_id: int) -> None:
        """Let a room be one of this registry's."""
        table = self._tables[room.name] = Table(room, self._seconds())
        table.holds = True
        self._ids[room] = room_id

    async def stop(self) -> None:
        """Keep what there is to keep, and close the journal."""
        if self._flush is not None:
            self._flush.cancel()
            self._commit()
        self._journal.stop()

    def ready(self) -> bool:
        """Whether moves are kept."""
        return self._journal.ready()

    def stop_holding(self) -> None:
        """Hold seats all the more: their players come back to the next process."""

    def expire(self, move_timeout: float, wait_timeout: float, offer_timeout: float = 0) -> None:
        """End what has stood still, unless nothing is kept just now."""
        if self._committing_since is None:
            super().expire(move_timeout, wait_timeout, offer_timeout)

    def leave(self, occupant: Occupant, for_good: bool = False) -> None:
        """Take ``occupant`` out of its room; it is told nothing more."""
        if self._is_behind():
            self._left.add(occupant.occupant_id)
        super().leave(occupant, for_good)

    # Deciding now, telling later

    def _is_behind(self) -> bool:
        """Whether something has been decided that wasn't told."""
        return bool(self._held) or self._committing_since is not None

    def _send(self, room: Room, told: list[Told]) -> None:
        if room.terms.door is not None or not room.terms.kept:
            super()._send(room, told)
            return
        for each in told:
            event = each[1]
            if not isinstance(event, (Refused, Listed)):
                self._keep(room, event)
            self._hold(each)

    def _put_away(self, room: Room, archivist: Archivist) -> str:
        room_id = self._ids.get(room)
        if room_id is None:
            return super()._put_away(room, archivist)
        packed = archivist.pack(room)
        if packed is None:
            return ""
        self._batch.ended[room_id] = packed
        return str(packed.id)

    def _tell(self, occupant: Occupant, event: Event) -> None:
        if self._is_behind():
            self._hold(((occupant,), event))
        else:
            super()._tell(occupant, event)

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

    def _hold(self, told: Told) -> None:
        waiting = self._waiting
        for occupant in told[0]:
            if occupant not in waiting:
                waiting[occupant] = None
                occupant.wait()
        self._held.append(told)
        if self._flush is None and self._committing_since is None:
            self._flush = self._later(0, self._commit)

    def _commit(self) -> None:
        self._flush = None
        held, self._held = self._held, []
        waiting = self._told_next = self._waiting
        self._waiting = {}
        batch = self._in_flight = self._batch
        self._batch = Batch()
        self._committing_since = self._seconds()

        def done(refused: Collection[int]) -> None:
            if refused:
                held[:] = self._without(refused, held)
            self._in_flight = Batch()
            self._tell_held(held, waiting)
            self._committing_since = None
            if self._held:
                self._flush = self._later(0, self._commit)

        if batch.lines or batch.closed:
            self._journal.commit(batch, done)
        else:
            done(())

    def _without(self, refused: Collection[int], held: list[Told]) -> list[Told]:
        """Forget rooms whose names others have; what there is to tell instead."""
        told, gone = list[Told](), set[Occupant]()
        for room, room_id in list(self._ids.items()):
            if room_id not in refused:
                continue
            del self._ids[room]
            table = self._tables.pop(room.name)
            self._forget(room.name)
            for occupant_id in table.occupants:
                del self._table_of[occupant_id]
            gone.update(table.everybody)
            for occupant in table.everybody:
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

    def _tell_held(self, held: list[Told], waiting: dict[Occupant, None]) -> None:
        left = self._left
        if left:
            held = [
                (tuple([each for each in audience if each.occupant_id not in left]), event)
                for audience, event in held
            ]
        self._post.send(held)
        for occupant in waiting:
            if occupant.occupant_id not in left:
                occupant.release()
        if not self._held:
            left.clear()


def opened(room: Room) -> Opened:
    """How a room was made, for a journal."""
    return Opened(room.name, dump_terms(room.terms), room.game.dump(room.start))

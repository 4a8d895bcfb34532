"""One room at one node: requests in, writes out, and what others have written.

Requests are applied to the node's copy of the room by the same code as in memory, and
written with a check that nobody else has written meanwhile; if somebody has, they are
applied again to what is there now. Nobody is told before the write has been answered.
Whether a write was made whose answer was lost is found out by reading the room.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from tictac.cluster import codec, copy, keys, requests, scripts
from tictac.cluster.codec import Publication
from tictac.cluster.copy import Copy
from tictac.cluster.link import Link
from tictac.cluster.requests import Batch, Op
from tictac.cluster.visitors import Audience, Visitor
from tictac.rooms.events import Began, Ended, Event, Placed, RoomEvent

AT_ONCE = 64
"""Requests that are applied in one write."""

EARLY = 64
"""Publications that may come while the table is busy; after more it reads the room."""


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

    def failed(self, why: Any) -> None:
        """Redis has answered with an error."""


class Table:
    """A room, and who sits there at this node.

    ``origin`` marks what is written from here. A table that isn't ``local`` has no
    occupants and doesn't listen: it serves one look at the room. With a ``maker`` the room
    is about to be made; it is called when nothing of it is missed.
    """

    __slots__ = (
        "_again",
        "_batch",
        "_busy",
        "_early",
        "_lost",
        "_maker",
        "_own",
        "_when_closed",
        "audience",
        "copy",
        "listening",
        "local",
        "name",
        "node",
        "origin",
        "pending",
    )

    def __init__(
        self,
        node: Node,
        name: str,
        origin: str,
        local: bool,
        maker: Callable[[], None] | None = None,
    ) -> None:
        self.node = node
        self.name = name
        self.origin = origin
        self.local = local
        self.listening = not local
        self.copy: Copy | None = None
        self.pending: deque[Op] = deque()
        self.audience = Audience()
        self._own = origin + " "
        self._maker = maker
        self._when_closed: list[Callable[[], None]] = []
        self._batch: Batch | None = None
        self._early: list[str] = []
        self._busy = False  # something else than a batch is under way
        self._again = False
        self._lost = not node.link.up

    # Who sits here

    def is_player(self, visitor: Visitor) -> bool:
        """Whether one who sits here has a seat at the board."""
        return self.copy is not None and self.copy.room.seat_of(visitor.id) is not None

    def seat(self, visitor: Visitor) -> None:
        """``visitor`` is told of what happens from now on."""
        visitor.table = self
        self.audience.add(visitor)

    def unseat(self, visitor: Visitor) -> None:
        """``visitor`` is told nothing more."""
        visitor.table = None
        self.audience.remove(visitor)

    def leave_viewer(self, visitor: Visitor) -> None:
        """A viewer has gone, which changes nothing for anybody else."""
        if self.copy is not None:
            self.copy.room.viewers.pop(visitor.id, None)
        data = scripts.command("HDEL", keys.viewers(self.name), visitor.id)
        self.node.link.send(data, ignore)
        self.go_on()

    # What is under way

    @property
    def idle(self) -> bool:
        """Whether nothing is."""
        waits = self._batch is not None or self._busy or self._maker is not None
        return not waits and not self.pending

    def submit(self, op: Op) -> None:
        """Apply a request when those before it are done."""
        self.pending.append(op)
        if self._batch is None:
            self.go_on()

    def go_on(self) -> None:
        """Do what is next, unless something is under way."""
        if self._batch is not None or self._busy or not self.listening or self._maker is not None:
            return
        if self.copy is None or self._again:
            self._read()
        elif self._early:
            early, self._early = self._early, []
            for text in early:
                self.published(text)
            self.go_on()
        elif self.pending:
            pending = self.pending
            ops = [pending.popleft()]
            while pending and len(ops) < AT_ONCE:
                ops.append(pending.popleft())
            self._batch = batch = Batch(ops)
            self._attempt(self.copy, batch)
        elif not self.audience.everybody:
            self.node.forget(self, False)

    def heard(self) -> None:
        """Nothing that is published is missed from now on."""
        self.listening = True
        if self._maker is not None:
            self._maker()
        elif self._lost:
            self._resume()
        else:
            # What was written before that is met by the first write, which is checked.
            self.go_on()

    def _resume(self) -> None:
        """Ask again for what was under way when the link was lost."""
        self._busy = self._lost = False
        self._early = []
        batch = self._batch
        if batch is not None and batch.written:
            self._again = True
            self._update_index(batch)
        elif self.copy is not None or self.pending:
            self._read()

    def open(self) -> None:
        """Read the room; meanwhile the table begins to listen."""
        self._read()

    def down(self) -> None:
        """The link is lost."""
        self.listening = False
        self._lost = True

    def check(self) -> None:
        """Read the room again as soon as nothing is under way."""
        self._again = True
        self.go_on()

    def give_up(self) -> None:
        """End the match if somebody should have come back by now."""
        if self.idle:
            self.submit(Op("give up", None, ""))

    def check_closed(self, closed: Callable[[], None]) -> None:
        """See whether the room is still there, and call when it isn't."""
        self._when_closed.append(closed)
        self.check()

    def made(self, copy: Copy, again: bool) -> None:
        """This is the room that was made; ``again``: it isn't certain that it is still so."""
        self._maker = None
        self.copy = copy
        self._again = again
        self.go_on()

    def unmade(self) -> None:
        """There is no room."""
        self._maker = None
        self._end(())

    # Applying and writing

    def _attempt(self, copy: Copy, batch: Batch) -> None:
        room, node = copy.room, self.node
        number, seats, kept = room.number, copy.seats, copy.kept
        batch.outcomes, batch.others = [], []
        batch.ended, batch.began = None, False
        doubtful = moves = False
        for op in batch.ops:
            if op.request == "place":
                events = room.place(op.occupant, op.argument)
                moves = True
            else:
                events = requests.apply(room, op, node.now(), node.rejoin_timeout)
                doubtful = doubtful or requests.is_doubtful(op, events)
            batch.outcomes.append((op, events))
            for event in events:
                if event.to != op.occupant:
                    self._note_event(copy, batch, event)
            if batch.ended is not None:
                self._put_back(batch)
                break
        if not moves or len(batch.ops) > 1:
            seats = codec.seats_text(room)
        if kept or room.kept[0] or room.kept[1]:
            kept = codec.kept_text(room)
        batch.seats, batch.kept = seats, kept
        if number == room.number and seats == copy.seats and kept == copy.kept:
            self._nothing_changed(copy, batch, doubtful)
        else:
            node.link.send(copy.write(batch), self._on_written)

    def _note_event(self, copy: Copy, batch: Batch, event: RoomEvent) -> None:
        """``event`` isn't for its sender alone."""
        batch.others.append(event)
        if type(event) is Placed:
            copy.since = self.node.now()
        elif type(event) is Began:
            batch.began = True
            copy.since = self.node.now()
        elif type(event) is Ended:
            batch.ended = event

    def _put_back(self, batch: Batch) -> None:
        """The room is over: what is left comes too late."""
        done = len(batch.outcomes)
        self.pending.extendleft(reversed(batch.ops[done:]))
        del batch.ops[done:]

    def _nothing_changed(self, copy: Copy, batch: Batch, doubtful: bool) -> None:
        if doubtful and not batch.fresh:
            self._read()
        elif doubtful and not batch.asked and (suspects := self._suspects(copy, batch)):
            batch.asked = True
            self.node.ask_for_silent(suspects, self._hold_silent)
        else:
            self._tell(batch)

    def _suspects(self, copy: Copy, batch: Batch) -> set[str]:
        """The other nodes on which users seem to sit who ask for a seat here."""
        users = {op.visitor.occupant.user for op in batch.ops if op.visitor is not None}
        seats = [m for m in copy.room.players if m.user in users and m.away is None]
        return {keys.node_of(member.occupant) for member in seats} - {self.node.id}

    def _hold_silent(self, silent: set[str]) -> None:
        """The seats of users who ask for them are held: their nodes seem to have gone."""
        batch, copy = self._batch, self.copy
        assert batch is not None and copy is not None
        if silent:
            batch.ops.insert(0, Op("hold", None, "", silent))
        self._attempt(copy, batch)

    def _on_written(self, reply: Any) -> None:
        batch = self._batch
        if reply == 1:
            assert batch is not None
            self._written(batch)
        elif isinstance(reply, list):
            self._take(reply)
        else:
            self.node.failed(reply)

    def _written(self, batch: Batch) -> None:
        """The write has been made: the index is next, and then everybody is told."""
        copy = self.copy
        assert copy is not None
        if batch.ended is not None or batch.began:
            batch.written = True
            self._update_index(batch)
        else:
            self._tell(batch)

    def _update_index(self, batch: Batch) -> None:
        copy = self.copy
        assert copy is not None
        number = codec.number_of(copy.token)
        words = (self.name, number, keys.room(self.name), batch.publication)
        script = scripts.BEGUN if batch.ended is None else scripts.GONE
        self.node.link.send(scripts.call(script, INDEX_KEYS, *words), self._on_index)

    def _on_index(self, reply: Any) -> None:
        batch = self._batch
        assert batch is not None
        if not isinstance(reply, int):
            self.node.failed(reply)
            return
        if batch.ended is not None and reply == 1:
            self.node.closed(self, batch.ended)
        self._tell(batch)

    # Telling

    def _tell(self, batch: Batch) -> None:
        """Everybody here hears of what was done, and who asked for it may go on."""
        copy, node = self.copy, self.node
        assert copy is not None
        seats_changed = batch.seats != copy.seats
        if batch.number:
            copy.written(batch)
        audience = self.audience if batch.ended is None else self._close()
        for op, events in batch.outcomes:
            visitor = op.visitor
            if op.request == "join" and not requests.is_refused(op, events):
                assert visitor is not None
                if batch.ended is None:
                    self.seat(visitor)
                else:
                    audience.add(visitor)
            for event in events:
                self._tell_of(event, op, audience)
        self._batch = None
        for op in batch.ops:
            if op.visitor is not None:
                node.answered(op.visitor)
            elif op.done is not None:
                op.done()
        if batch.ended is not None:
            self._redo()
            return
        if seats_changed or not self.local:
            node.seats_changed(self)
        self.go_on()

    def _tell_of(self, event: RoomEvent, op: Op, audience: Audience) -> None:
        if event.to is None:
            self._tell_all(event, audience)
        elif event.to == op.occupant:
            if op.visitor is not None:
                self.node.tell(op.visitor, event)
        elif event.to in audience.by_id:
            self.node.tell(audience.by_id[event.to], event)

    def _tell_all(self, event: RoomEvent, audience: Audience) -> None:
        for visitor in audience.everybody:
            if not visitor.gone:
                try:
                    visitor.occupant.receive(event)
                except Exception:
                    self.node.fault(visitor)

    def _tell_others(self, events: Sequence[RoomEvent], audience: Audience) -> None:
        """Of what was written elsewhere."""
        for event in events:
            if event.to is None:
                self._tell_all(event, audience)
            elif event.to in audience.by_id:
                self.node.tell(audience.by_id[event.to], event)

    def _close(self) -> Audience:
        """The room is gone; who sat there, and is out before anybody hears of it."""
        audience, self.audience = self.audience, Audience()
        for visitor in audience.everybody:
            visitor.table = None
        self.listening = False
        self.node.forget(self, True)
        return audience

    def _redo(self) -> None:
        """What came too late is asked again, of whatever has the room's name now."""
        pending, self.pending = self.pending, deque()
        for op in pending:
            if op.done is not None:
                op.done()
            self.node.redo(self, op)
        when_closed, self._when_closed = self._when_closed, []
        for closed in when_closed:
            closed()

    # Reading

    def _read(self) -> None:
        self._busy = True
        self._again = False
        data = scripts.command("HGETALL", keys.room(self.name))
        self.node.link.send(data, self._on_read)

    def _on_read(self, reply: Any) -> None:
        self._busy = False
        if isinstance(reply, list):
            self._take(reply)
        else:
            self.node.failed(reply)

    def _take(self, reply: list[bytes]) -> None:
        """Take over the room as it is now."""
        value = codec.read_room(self.name, reply)
        batch, mine = self._batch, self.copy
        if value is None or (mine is not None and value.version.token != mine.token):
            self._missed_the_end()
            return
        if mine is None:
            self.copy = mine = copy.new_copy(self.origin, value)
        elif batch is not None and mine.is_written(value, batch):
            # Only the answer was lost; others may have written since.
            self._again = True
            self._written(batch)
            return
        else:
            self._tell_others(mine.take(value), self.audience)
        self.node.seats_changed(self)
        if batch is not None:
            batch.fresh = True
            self._attempt(mine, batch)
        else:
            self.go_on()

    # What others have written

    def published(self, text: str) -> None:
        """Somebody has written to the room: a hint, which may come late, twice, or not."""
        if text.startswith(self._own):
            return
        copy = self.copy
        if self._batch is not None or self._busy or copy is None:
            if len(self._early) < EARLY:
                self._early.append(text)
            else:
                self._again = True
            return
        placed = copy.follow_move(text)
        if placed is not None:
            self._tell_all(placed, self.audience)
            return
        publication = codec.read_publication(text)
        token, number = publication.version
        if token != copy.token or number <= copy.version:
            return
        if number != copy.version + 1:
            self._read()
            return
        self._follow(copy, publication)

    def _follow(self, copy: Copy, publication: Publication) -> None:
        events = publication.events
        if events and type(events[-1]) is Ended:
            self._end(events)
            return
        copy.follow(publication)
        self._tell_others(events, self.audience)
        if publication.seats is not None:
            self.node.seats_changed(self)

    def _end(self, events: Sequence[RoomEvent]) -> None:
        """The room ended elsewhere."""
        audience = self._close()
        self._tell_others(events, audience)
        batch, self._batch = self._batch, None
        if batch is not None:
            self.pending.extendleft(reversed(batch.ops))
        self._redo()

    # The room is gone, and nobody has said so

    def _missed_the_end(self) -> None:
        if self.copy is None:
            self._end(())
            return
        self._busy = True
        data = scripts.command("GET", keys.ended(self.name, self.copy.token))
        self.node.link.send(data, self._on_ended)

    def _on_ended(self, reply: Any) -> None:
        self._busy = False
        if reply is None:
            # Nobody knows any more how it ended: who sits here has to come again.
            for visitor in self.audience.everybody:
                visitor.occupant.close()
            self._end(())
        elif isinstance(reply, bytes):
            self._take_record(codec.read_publication(reply.decode("ascii")))
        else:
            self.node.failed(reply)

    def _take_record(self, record: Publication) -> None:
        batch = self._batch
        mine = batch is not None and (self.origin, batch.number)
        if batch is not None and mine == (record.origin, record.version.number):
            self._written(batch)
            return
        # Who has ended it may have died before the name was free.
        self._busy = True
        number = codec.number_of(record.version.token)
        words = (self.name, number, keys.room(self.name), "")

        def freed(reply: Any) -> None:
            self._busy = False
            if not isinstance(reply, int):
                self.node.failed(reply)
                return
            ended = record.events[-1]
            if reply == 1 and type(ended) is Ended:
                self.node.closed(self, ended)
            self._end(record.events)

        self.node.link.send(scripts.call(scripts.GONE, INDEX_KEYS, *words), freed)


INDEX_KEYS = (keys.CLAIMS, keys.ORDER, keys.OPEN)


def ignore(reply: Any) -> None:
    """It doesn't matter what Redis says."""

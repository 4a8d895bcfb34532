"""One room at one node: requests in, writes out, and what others have written.

Requests are applied to the node's copy of the room by the same code as in memory, and
written with a check that nobody else has written meanwhile; if somebody has, they are
applied again to what is there now. Nobody is told before the write has been answered.
Whether a write was made whose answer was lost is found out by reading the room.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from tictac.cluster import codec, copy, keys, requests, scripts
from tictac.cluster.codec import Publication
from tictac.cluster.copy import Copy
from tictac.cluster.index import find_end, free_name, note_begun
from tictac.cluster.link import ignore
from tictac.cluster.node import Node
from tictac.cluster.requests import Batch, Op
from tictac.cluster.visitors import Audience, Visitor
from tictac.lobby.events import Ended, RoomEvent

AT_ONCE = 64
"""Requests that are applied in one write."""

EARLY = 64
"""Publications that may come while the table is busy; after more it reads the room."""


class Table:
    """A room, and who sits there at this node.

    ``origin`` marks what is written from here. A table that isn't ``local`` has no
    occupants and doesn't listen: it serves one look at the room. With a ``maker`` the room
    is about to be made; it is called when nothing of it is missed.
    """

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
        self.node.link.send(scripts.command("HDEL", keys.viewers(self.name), visitor.id), ignore)
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
            self.read()
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
            self.read()

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
        self.end(())

    # Applying and writing

    def _attempt(self, copy: Copy, batch: Batch) -> None:
        node = self.node
        late = batch.apply(copy.room, node.now, node.rejoin_timeout)
        self.pending.extendleft(reversed(late))
        if batch.goes_on:
            copy.since = node.now()
        if copy.is_changed_by(batch):
            node.link.send(copy.write(batch), self._on_written)
        else:
            self._nothing_changed(copy, batch)

    def _nothing_changed(self, copy: Copy, batch: Batch) -> None:
        if batch.doubtful and not batch.fresh:
            self.read()
        elif not batch.asked and (suspects := batch.suspects(copy.room, self.node.id)):
            batch.asked = True
            self.node.ask_for_silent(suspects, self._hold_silent)
        else:
            self._tell(batch)

    def _hold_silent(self, silent: set[str]) -> None:
        """The seats of users who ask for them are held: their nodes seem to have gone."""
        batch, copy = self._batch, self.copy
        assert batch is not None and copy is not None
        if silent:
            batch.ops.insert(0, Op("hold", None, "", silent))
        self._attempt(copy, batch)

    def _on_written(self, reply: Any) -> None:
        if reply == 1:
            assert self._batch is not None
            self._written(self._batch)
        else:
            self._take(dict(zip(reply[::2], reply[1::2], strict=True)))

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
        copy, node = self.copy, self.node
        assert copy is not None
        words = (node.link, self.name, copy.token, batch.publication)
        if batch.ended is None:
            note_begun(*words, lambda: self._tell(batch))
        else:
            free_name(*words, lambda freed: self._freed(batch, freed))

    def _freed(self, batch: Batch, freed: bool) -> None:
        if freed and batch.ended is not None:
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
            if op.request == "join" and requests.is_seated(events):
                assert op.visitor is not None
                op.visitor.table = self if batch.ended is None else None
                audience.add(op.visitor)
            for event in events:
                if not audience.tell(event, node.fault) and event.to == op.occupant:
                    assert op.visitor is not None
                    node.tell(op.visitor, event)
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

    def look(self) -> None:
        """Read the room at once, not only when it is listened to; unless that is under way."""
        if not self._busy:
            self.read()

    def read(self) -> None:
        """Read the room; a new table may begin to listen meanwhile."""
        self._busy = True
        self._again = False
        self.node.link.send(scripts.command("HGETALL", keys.room(self.name)), self._on_read)

    def _on_read(self, fields: dict[bytes, bytes]) -> None:
        self._busy = False
        self._take(fields)

    def _take(self, fields: dict[bytes, bytes]) -> None:
        """Take over the room as it is now."""
        value = codec.read_room(self.name, fields)
        batch, mine = self._batch, self.copy
        if value is None or (mine is not None and value.version.token != mine.token):
            self._look_for_end()
            return
        if mine is None:
            self.copy = mine = copy.new_copy(self.origin, value)
        elif batch is not None and mine.is_written(value, batch):
            # Only the answer was lost; others may have written since.
            self._again = True
            self._written(batch)
            return
        else:
            for event in mine.take(value):
                self.audience.tell(event, self.node.fault)
        self.node.seats_changed(self)
        if batch is not None:
            batch.fresh = True
            self._attempt(mine, batch)
        else:
            self.go_on()

    # What others have written

    def published(self, text: str) -> None:
        """Somebody has written to the room: a hint, which may come late, twice, or not."""
        copy = self.copy
        if self._batch is not None or self._busy or copy is None:
            if len(self._early) < EARLY:
                self._early.append(text)
            else:
                self._again = True
            return
        placed = copy.follow_move(text)
        if placed is not None:
            self.audience.tell(placed, self.node.fault)
            return
        publication = codec.read_publication(text)
        token, number = publication.version
        if token != copy.token or number <= copy.version:
            return
        if number != copy.version + 1:
            self.read()
            return
        self._follow(copy, publication)

    def _follow(self, copy: Copy, publication: Publication) -> None:
        events = publication.events
        if events and type(events[-1]) is Ended:
            self.end(events)
            return
        copy.follow(publication)
        for event in events:
            self.audience.tell(event, self.node.fault)
        if publication.seats is not None:
            self.node.seats_changed(self)

    def end(self, events: Sequence[RoomEvent]) -> None:
        """The room ended elsewhere."""
        audience = self._close()
        for event in events:
            audience.tell(event, self.node.fault)
        batch, self._batch = self._batch, None
        if batch is not None:
            self.pending.extendleft(reversed(batch.ops))
        self._redo()

    # The room is gone, and nobody has said so

    def _look_for_end(self) -> None:
        if self.copy is None:
            self.end(())
            return
        self._busy = True
        find_end(self.node.link, self.name, self.copy.token, self._on_end_found)

    def _on_end_found(self, record: Publication | None, freed: bool) -> None:
        self._busy = False
        batch = self._batch
        if record is None:
            # Nobody knows any more how it ended: who sits here has to come again.
            for visitor in self.audience.everybody:
                visitor.occupant.close()
            self.end(())
            return
        ended = record.events[-1]
        if freed and type(ended) is Ended:
            self.node.closed(self, ended)
        writer = record.origin, record.version.number
        if batch is not None and writer == (self.origin, batch.number):
            self._tell(batch)
        else:
            self.end(record.events)

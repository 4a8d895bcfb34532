"""One room as one node sees it: requests in, writes out, and what others have written.

The room code is the same as in memory. Requests are applied to the node's copy, and written
with a check that nobody else has written meanwhile; if somebody has, they are applied again
to what is there now. Nobody is told before the write has been answered. A reply that was
lost is found out about by reading: each write leaves its request's id in the room.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from tictac.cluster import codec, keys, scripts
from tictac.cluster.codec import LOGGED, Publication, Value, Version
from tictac.cluster.link import Link
from tictac.errors import Refusal
from tictac.rooms.events import Began, Ended, Event, Mode, OccupantId, Placed, Refused, RoomEvent
from tictac.rooms.registry import Occupant
from tictac.rooms.room import Room

AT_ONCE = 64
"""Requests that are applied in one write."""

EARLY = 64
"""Publications that may come while the table is busy; after more it reads the room."""

KEEPS_ENDED = 60_000
"""Milliseconds that Redis remembers how a room ended."""


class Visitor:
    """An occupant that has asked for something, and the table it sits at."""

    __slots__ = ("gone", "id", "occupant", "queue", "table")

    def __init__(self, occupant: Occupant) -> None:
        self.occupant = occupant
        self.id = occupant.occupant_id
        self.table: Table | None = None
        self.gone = False
        self.queue: deque[tuple[Any, ...]] = deque()


class Op(NamedTuple):
    """A request that is to be applied to the room; ``visitor`` is None if nobody waits."""

    request: str
    visitor: Visitor | None
    occupant: OccupantId
    argument: Any = None
    done: Callable[[], None] | None = None


class Batch:
    """Requests on their way in one write.

    ``outcomes`` are the events that they lead to if the write succeeds as ``version``. The
    write is made out (``written`` is false), and then, if the match has begun or is over,
    the index is brought up to date. One that ``creates`` the room holds a claim to the name.
    """

    __slots__ = (
        "asked",
        "began",
        "creates",
        "ended",
        "fresh",
        "kept",
        "number",
        "ops",
        "others",
        "outcomes",
        "publication",
        "request",
        "seats",
        "viewers",
        "written",
    )

    def __init__(self, ops: list[Op], request: str, creates: bool = False) -> None:
        self.ops = ops
        self.creates = creates
        self.asked = False
        self.request = request
        self.outcomes: list[tuple[Op, list[RoomEvent]]] = []
        self.others: list[RoomEvent] = []
        self.viewers: list[str] = []
        self.number = 0
        self.publication = self.seats = self.kept = ""
        self.began = False
        self.ended: Ended | None = None
        self.fresh = False
        self.written = False


class Node(Protocol):
    """What a table needs of the node that it is on."""

    id: str
    link: Link
    rejoin_timeout: float

    def now(self) -> float:
        """Redis's time, in seconds."""

    def new_request(self) -> str:
        """An id for a request, which no other of this node has."""

    def tell(self, visitor: Visitor, event: Event) -> None:
        """Let an occupant receive an event."""

    def answered(self, visitor: Visitor) -> None:
        """Its request is done."""

    def redo(self, table: Table, op: Op, there_was_one: bool) -> None:
        """The room of a request isn't there, or isn't any more."""

    def forget(self, table: Table, gone: bool) -> None:
        """Nobody sits there any more, or the room is ``gone``."""

    def opened(self, table: Table) -> None:
        """A room was made here."""

    def closed(self, table: Table, ended: Ended) -> None:
        """A room ended, and it was this node that took its name away."""

    def seats_changed(self, table: Table) -> None:
        """Somebody may have taken a seat, or it may be held."""

    def ask_for_dead(self, nodes: set[str], tell: Callable[[set[str]], None]) -> None:
        """Find out which of these nodes are dead."""

    def failed(self, why: Any) -> None:
        """Redis has answered with an error."""


class Table:
    """A room, and who sits there at this node.

    ``origin`` is what the table's writes are marked with. A table that isn't ``local`` has
    no occupants and doesn't listen: it serves one look at the room.
    """

    __slots__ = (
        "_again",
        "_batch",
        "_early",
        "_index_keys",
        "_kept",
        "_key",
        "_keys",
        "_mark",
        "_reading",
        "_seats",
        "begun",
        "everybody",
        "listening",
        "local",
        "name",
        "node",
        "occupants",
        "origin",
        "pending",
        "room",
        "since",
        "token",
        "version",
        "when_closed",
    )

    def __init__(self, node: Node, name: str, origin: str, local: bool) -> None:
        self.node = node
        self.name = name
        self.origin = origin
        self.local = local
        self.listening = not local
        self.room: Room | None = None
        self.token = ""
        self.version = 0
        self.since = 0.0
        self.begun = False
        self.pending: deque[Op] = deque()
        self.occupants: dict[OccupantId, Visitor] = {}
        self.everybody: tuple[Visitor, ...] = ()
        self.when_closed: list[Callable[[], None]] = []
        self._mark = f"r:{origin}"
        self._key = keys.room(name)
        self._keys = (self._key, keys.viewers(name))
        self._seats = self._kept = ""
        self._batch: Batch | None = None
        self._early: list[str] = []
        self._reading = False
        self._again = False

    # Who sits here

    def seat(self, visitor: Visitor) -> None:
        """``visitor`` is told of what happens from now on."""
        visitor.table = self
        self.occupants[visitor.id] = visitor
        self.everybody = tuple(self.occupants.values())

    def unseat(self, visitor: Visitor) -> None:
        """``visitor`` is told nothing more."""
        visitor.table = None
        if self.occupants.pop(visitor.id, None) is not None:
            self.everybody = tuple(self.occupants.values())

    def is_player(self, visitor: Visitor) -> bool:
        """Whether one who sits here has a seat at the board."""
        return self.room is not None and self.room.seat_of(visitor.id) is not None

    @property
    def idle(self) -> bool:
        """Whether nothing is under way."""
        return self._batch is None and not self._reading and not self.pending

    def down(self) -> None:
        """The link is lost."""
        self.listening = False

    def leave_viewer(self, visitor: Visitor) -> None:
        """A viewer has gone, which changes nothing for anybody else."""
        if self.room is not None:
            self.room.viewers.pop(visitor.id, None)
        data = scripts.command("HDEL", self._keys[1], visitor.id)
        self.node.link.send(data, _ignore)
        self.go_on()

    # Requests

    def submit(self, op: Op) -> None:
        """Apply a request when those before it are done."""
        self.pending.append(op)
        self.go_on()

    def go_on(self) -> None:
        """Do what is next, unless something is under way."""
        if self._batch is not None or self._reading or not self.listening:
            return
        if self.room is None or self._again:
            self._read()
        elif self._early:
            early, self._early = self._early, []
            for text in early:
                self.published(text)
            self.go_on()
        elif self.pending:
            pending = self.pending
            ops = [pending.popleft() for _ in range(min(len(pending), AT_ONCE))]
            self._batch = Batch(ops, self.node.new_request())
            self._attempt(self._batch)
        elif not self.occupants:
            self.node.forget(self, False)

    def heard(self) -> None:
        """Nothing that is published is missed from now on."""
        self.listening = True
        self.resume()

    def resume(self) -> None:
        """Ask again for whatever was under way when the link was lost."""
        self._reading = False
        self._early = []
        batch = self._batch
        if batch is not None and batch.creates:
            self._again = True
            self._send_creation()
        elif batch is not None and batch.written:
            self._again = True
            self._update_index(batch)
        elif self.room is not None or self.pending or batch is not None:
            self._read()

    def give_up(self) -> None:
        """End the match if somebody should have come back by now."""
        if self.idle:
            self.submit(Op("give up", None, ""))

    def check(self) -> None:
        """Read the room again as soon as nothing is under way."""
        self._again = True
        self.go_on()

    # Creating

    def create(self, visitor: Visitor, token: str) -> None:
        """Make the room as soon as nothing of it is missed; its name is claimed."""
        op = Op("join", visitor, visitor.id, "PLAYER")
        self.token, self.version, self.since = token, 1, self.node.now()
        self.room = Room(self.name)
        self._batch = batch = Batch([op], self.node.new_request(), creates=True)
        batch.outcomes = [(op, _join(self.room, op, self.node))]
        self._note()
        batch.seats = self._seats

    def _send_creation(self) -> None:
        room = self.room
        assert room is not None
        number = codec.number_of(self.token)
        version = f"{self.token}.{self.version}"
        position = codec.position_text(room, self.since)
        fields = ("v", version, "p", position, "s", self._seats)
        send = self.node.link.send
        send(scripts.call(scripts.CREATE, self._keys, number, self.token, *fields), _ignore)
        index = (keys.CLAIMS, keys.ORDER, keys.OPEN)
        send(scripts.call(scripts.CONFIRM, index, self.name, number, "1"), self._on_confirmed)

    def _on_confirmed(self, reply: Any) -> None:
        batch = self._batch
        assert batch is not None
        if reply == 1:
            batch.creates = False
            self.node.opened(self)
            self._tell(batch)
        elif reply == 0:
            # This node seemed dead when it claimed the name, and was cleared up after.
            data = scripts.call(scripts.DISCARD, self._keys, self.token)
            self.node.link.send(data, _ignore)
            for op in batch.ops:
                if op.visitor is not None:
                    op.visitor.occupant.close()
                    self.node.answered(op.visitor)
            self._batch = None
            self._end(())
        else:
            self.node.failed(reply)

    # Applying and writing

    def _attempt(self, batch: Batch) -> None:
        room = self.room
        assert room is not None
        number, node = room.number, self.node
        seats, kept = self._seats, self._kept
        batch.outcomes, batch.others, batch.viewers = [], [], []
        batch.ended, batch.began = None, False
        refused = goes_on = False
        for op in batch.ops:
            request = op.request
            if request == "place":
                events = room.place(op.occupant, op.argument)
                goes_on = True
            else:
                events = _ACTIONS[request](room, op, node)
                refused = refused or _is_refused(op, events)
            batch.outcomes.append((op, events))
            for event in events:
                if event.to != op.occupant:
                    self._note_event(batch, event)
            if batch.ended is not None:
                self._put_back(batch)
                break
        if not goes_on or len(batch.ops) > 1:
            seats = codec.seats_text(room)
        if kept or room.kept[0] or room.kept[1]:
            kept = codec.kept_text(room)
        batch.seats, batch.kept = seats, kept
        if number == room.number and seats == self._seats and kept == self._kept:
            self._nothing_changed(batch, refused)
        else:
            self._write(batch)

    def _note_event(self, batch: Batch, event: RoomEvent) -> None:
        """``event`` isn't for its sender alone."""
        batch.others.append(event)
        kind = type(event)
        if kind is Placed:
            self.since = self.node.now()
        elif kind is Began:
            batch.began = True
            self.since = self.node.now()
        elif kind is Ended:
            batch.ended = event  # type: ignore[assignment]

    def _put_back(self, batch: Batch) -> None:
        """The room is over: what is left comes too late."""
        done = len(batch.outcomes)
        self.pending.extendleft(reversed(batch.ops[done:]))
        del batch.ops[done:]

    def _nothing_changed(self, batch: Batch, refused: bool) -> None:
        if refused and not batch.fresh:
            # Who is refused here may have heard from elsewhere that the room is free.
            self._read()
        elif refused and not batch.asked and (suspects := self._suspects(batch)):
            batch.asked = True
            self.node.ask_for_dead(suspects, self._bury)
        else:
            self._tell(batch)

    def _suspects(self, batch: Batch) -> set[str]:
        """The other nodes on which users seem to sit who ask for a seat here."""
        assert self.room is not None
        users = {op.visitor.occupant.user for op in batch.ops if op.visitor is not None}
        seats = [m for m in self.room.players if m.user in users and m.away is None]
        return {keys.node_of(member.occupant) for member in seats} - {self.node.id}

    def _bury(self, dead: set[str]) -> None:
        """The seats of users who ask for them are held: their nodes have gone."""
        batch = self._batch
        if batch is None:
            return
        if dead:
            batch.ops.insert(0, Op("hold", None, "", dead))
        self._attempt(batch)

    def _write(self, batch: Batch) -> None:
        room, number, token = self.room, self.version + 1, self.token
        assert room is not None
        batch.number = number
        expected, version = f"{token}.{self.version}", f"{token}.{number}"
        position = codec.position_text(room, self.since)
        more: list[str] = []
        text = f"{version} {self.origin} {batch.request}\n{position}"
        if batch.seats != self._seats:
            text += "\ns" + batch.seats
            more += ("s", batch.seats)
        if batch.kept != self._kept:
            text += "\nk" + batch.kept
            more += ("k", batch.kept)
        for event in batch.others:
            text += "\n" + codec.event_text(event)
        batch.publication = text
        if batch.ended is not None:
            names = (*self._keys, keys.ended(self.name, token))
            data = scripts.call(scripts.END, names, expected, text, str(KEEPS_ENDED))
        else:
            viewers = _viewers(batch)
            words = (version, position, text, f"l{number % LOGGED}", self._mark, batch.request)
            heard = "" if batch.began else "1"
            if viewers:
                count = str(len(more))
                call = (scripts.WRITE, self._keys, expected, heard, *words, count, *more, *viewers)
            elif more:
                call = (scripts.WRITE, self._keys[:1], expected, heard, *words, *more)
            else:
                call = (scripts.WRITE, self._keys[:1], expected, heard, *words)
            data = scripts.call(*call)
        self.node.link.send(data, self._on_written)

    def _on_written(self, reply: Any) -> None:
        if reply == 1:
            assert self._batch is not None
            self._applied(self._batch)
        elif isinstance(reply, list):
            self._take(reply)
        else:
            self.node.failed(reply)

    def _applied(self, batch: Batch) -> None:
        """The write has been made: the index is next, and then everybody is told."""
        room = self.room
        assert room is not None
        self.version = batch.number
        self._seats, self._kept = batch.seats, batch.kept
        self.begun = room.begun
        batch.written = True
        if batch.ended is not None or batch.began:
            self._update_index(batch)
        else:
            self._tell(batch)

    def _update_index(self, batch: Batch) -> None:
        number = codec.number_of(self.token)
        words = (self.name, number, self._key, batch.publication)
        if batch.ended is not None:
            data = scripts.call(scripts.GONE, (keys.CLAIMS, keys.ORDER, keys.OPEN), *words)
        else:
            data = scripts.call(scripts.BEGUN, (keys.CLAIMS, keys.OPEN), *words)
        self.node.link.send(data, self._on_index)

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
        tell = self.node.tell
        audience = self.everybody
        if batch.ended is not None:
            audience = self._close()
        for op, events in batch.outcomes:
            visitor = op.visitor
            if op.request == "join" and visitor is not None and type(events[0]) is not Refused:
                if batch.ended is None:
                    self.seat(visitor)
                    audience = self.everybody
                else:
                    audience = (*audience, visitor)
            for event in events:
                if event.to is None:
                    for each in audience:
                        tell(each, event)
                else:
                    to = visitor if event.to == op.occupant else self.occupants.get(event.to)
                    if to is not None:
                        tell(to, event)
        self._batch = None
        for op in batch.ops:
            if op.visitor is not None:
                self.node.answered(op.visitor)
            elif op.done is not None:
                op.done()
        if batch.ended is not None:
            self._redo()
        else:
            self.node.seats_changed(self)
            self.go_on()

    def _close(self) -> tuple[Visitor, ...]:
        """The room is gone; who sat there, and is out before anybody hears of it."""
        audience = self.everybody
        for visitor in audience:
            visitor.table = None
        self.occupants = {}
        self.everybody = ()
        self.listening = False
        self.node.forget(self, True)
        return audience

    def _redo(self) -> None:
        pending, self.pending = self.pending, deque()
        for op in pending:
            if op.done is not None:
                op.done()
            self.node.redo(self, op, bool(self.token))
        for closed in self.when_closed:
            closed()
        self.when_closed = []

    # Reading

    def _read(self) -> None:
        self._reading = True
        self._again = False
        self.node.link.send(scripts.command("HGETALL", self._key), self._on_read)

    def _on_read(self, reply: Any) -> None:
        self._reading = False
        if isinstance(reply, list):
            self._take(reply)
        else:
            self.node.failed(reply)

    def _take(self, reply: list[bytes]) -> None:
        """Take over the room as it is now."""
        value = codec.read_room(self.name, reply)
        if value is None or (self.token and value.version.token != self.token):
            self._missed_the_end()
            return
        batch = self._batch
        if batch is not None and value.applied.get(self.origin) == batch.request:
            # It was written, only the answer was lost; others may have written since.
            self._again = True
            self._applied(batch)
            return
        self._catch_up(value)
        if batch is not None:
            batch.fresh = True
            self._attempt(batch)
        else:
            self.go_on()

    def _catch_up(self, value: Value) -> None:
        """Tell those who sit here what they have missed."""
        room, before = value.room, self.room
        missed: list[RoomEvent] = []
        if self.token:
            missed = self._missed(value)
        if before is not None:
            room.viewers = before.viewers
        self.room = room
        self.token, self.version = value.version
        self.since = value.since
        self._note()
        for event in missed:
            self._tell_all(event)
        self.node.seats_changed(self)

    def _missed(self, value: Value) -> list[RoomEvent]:
        room = value.room
        versions = range(self.version + 1, value.version.number + 1)
        if all(number in value.log for number in versions):
            publications = [codec.read_publication(value.log[number]) for number in versions]
            return [event for publication in publications for event in publication.events]
        # The log doesn't go back so far: at least the board is right again.
        events: list[RoomEvent] = []
        if room.begun and not self.begun:
            first, second = room.players
            events.append(Began(room.number, None, first.user, second.user))
        marks = [cell for cell, mark in enumerate(room.board) if mark != "0"]
        if marks:
            events.append(Placed(room.number, None, room.board, marks[-1]))
        return events

    def _note(self) -> None:
        room = self.room
        assert room is not None
        self._seats, self._kept = codec.seats_text(room), codec.kept_text(room)
        self.begun = room.begun

    def _tell_all(self, event: RoomEvent) -> None:
        if event.to is not None:
            visitor = self.occupants.get(event.to)
            if visitor is not None:
                self.node.tell(visitor, event)
            return
        for visitor in self.everybody:
            self.node.tell(visitor, event)

    # What others have written

    def published(self, text: str) -> None:
        """Somebody has written to the room: a hint, which may come late, twice, or not."""
        if text.split(" ", 2)[1] == self.origin:
            return
        if self._batch is not None or self._reading or self.room is None:
            if len(self._early) < EARLY:
                self._early.append(text)
            else:
                self._again = True
            return
        publication = codec.read_publication(text)
        token, number = publication.version
        if token != self.token or number <= self.version:
            return
        if number != self.version + 1:
            self._read()
            return
        self._follow(publication)

    def _follow(self, publication: Publication) -> None:
        room = self.room
        assert room is not None
        self.version += 1
        self.since = codec.set_position(room, publication.position)
        if publication.seats is not None:
            codec.set_seats(room, publication.seats)
            self._seats = publication.seats
        if publication.kept is not None:
            codec.set_kept(room, publication.kept)
            self._kept = publication.kept
        self.begun = room.begun
        events = publication.events
        if events and type(events[-1]) is Ended:
            self._end(events)
            return
        for event in events:
            self._tell_all(event)
        if publication.seats is not None:
            self.node.seats_changed(self)
        if self.pending:
            self.go_on()

    def _end(self, events: tuple[RoomEvent, ...]) -> None:
        """The room ended elsewhere."""
        audience = self._close()
        by_id = {visitor.id: visitor for visitor in audience}
        for event in events:
            told = audience if event.to is None else [by_id[event.to]] if event.to in by_id else ()
            for visitor in told:
                self.node.tell(visitor, event)
        batch, self._batch = self._batch, None
        if batch is not None:
            self.pending.extendleft(reversed(batch.ops))
        self._redo()

    # The room is gone, and nobody has said so

    def _missed_the_end(self) -> None:
        if not self.token:
            self._end(())
            return
        self._reading = True
        data = scripts.command("GET", keys.ended(self.name, self.token))
        self.node.link.send(data, self._on_ended)

    def _on_ended(self, reply: Any) -> None:
        self._reading = False
        if reply is None:
            self._lose()
        elif isinstance(reply, bytes):
            self._take_record(codec.read_publication(reply.decode("ascii")))
        else:
            self.node.failed(reply)

    def _take_record(self, record: Publication) -> None:
        batch = self._batch
        if batch is not None and (record.origin, record.request) == (self.origin, batch.request):
            self._applied(batch)
            return
        # Who has ended it may have died before the name was free.
        self._reading = True
        number = codec.number_of(self.token)
        data = scripts.call(
            scripts.GONE,
            (keys.CLAIMS, keys.ORDER, keys.OPEN),
            *(self.name, number, self._key, ""),
        )

        def freed(reply: Any) -> None:
            self._reading = False
            if not isinstance(reply, int):
                self.node.failed(reply)
                return
            ended = record.events[-1]
            if reply == 1 and type(ended) is Ended:
                self.node.closed(self, ended)
            self._end(record.events)

        self.node.link.send(data, freed)

    def _lose(self) -> None:
        """Nobody knows any more how it ended: who sits here has to come again."""
        for visitor in self.everybody:
            visitor.occupant.close()
        self._end(())


def _ignore(reply: Any) -> None:
    pass


def _is_refused(op: Op, events: list[RoomEvent]) -> bool:
    return op.request == "join" and type(events[0]) is Refused


def _viewers(batch: Batch) -> list[str]:
    """The ids and user names of those who have come to watch."""
    words: list[str] = []
    for op, events in batch.outcomes:
        if op.request == "join" and op.argument == "VIEWER" and op.visitor is not None:
            words += (op.occupant, op.visitor.occupant.user or "")
    return words


def _join(room: Room, op: Op, node: Node) -> list[RoomEvent]:
    mode: Mode = op.argument
    assert op.visitor is not None
    try:
        return room.join(op.occupant, op.visitor.occupant.user or "", mode)
    except Refusal as refusal:
        return [Refused(op.occupant, "join", refusal)]


def _forfeit(room: Room, op: Op, node: Node) -> list[RoomEvent]:
    return room.forfeit(op.occupant)


def _leave(room: Room, op: Op, node: Node) -> list[RoomEvent]:
    if not node.rejoin_timeout:
        return room.leave(op.occupant)
    room.hold(op.occupant, node.now())
    return []


def _hold_nodes(room: Room, op: Op, node: Node) -> list[RoomEvent]:
    """Hold the seats of everybody on nodes that are dead."""
    for member in list(room.players):
        if keys.node_of(member.occupant) in op.argument:
            room.hold(member.occupant, node.now())
    return []


def _unhold(room: Room, op: Op, node: Node) -> list[RoomEvent]:
    room.unhold(op.occupant)
    return []


def _time_is_up(room: Room, op: Op, node: Node) -> list[RoomEvent]:
    """Unless something went on meanwhile: ``argument`` is the number then."""
    return room.time_is_up() if room.number == op.argument else []


def _give_up(room: Room, op: Op, node: Node) -> list[RoomEvent]:
    """End it if nobody has come back in time."""
    since = room.held_since()
    over = since is not None and node.now() - since >= node.rejoin_timeout
    return room.give_up_held() if over else []


_ACTIONS: dict[str, Callable[[Room, Op, Node], list[RoomEvent]]] = {
    "join": _join,
    "forfeit": _forfeit,
    "leave": _leave,
    "hold": _hold_nodes,
    "unhold": _unhold,
    "time is up": _time_is_up,
    "give up": _give_up,
}

"""The journal of rooms in PostgreSQL, for the process that has the lease.

Invariant: each batch is committed once, and only while this process has the lease: no other one has
begun a term. One batch is under way at a time, and `done` follows its commit. What players know is
committed, except in a database that came back older than it was.

1. A batch is one transaction. Its first statement (`statements.py`) locks the row of the active
   process of the lobby and raises the batch number in that row by one. If another process is
   active, or the number isn't the one before, the statement fails, and PostgreSQL undoes the
   transaction. So a process that slept commits nothing.
2. The transaction deletes rooms that ended before it inserts new ones, because a new room can have
   the name of an ended one.
3. If a room that can't be read has a name already, PostgreSQL keeps no row of the new room, but its
   lines. `_orphans` has such rooms until the next batch deletes the lines.
4. `_keep_done` counts the batch before it calls `done`, because `done` can commit the next batch.
5. After a lost connection, `_look` reads process, term, and number under the lock of the row, so it
   waits for a transaction of the lost connection. Everything else waits for the answer. If the
   number is one higher, the batch was committed, and `present` returns which of its new rooms
   exist. If the term is an earlier one, or the number another one, the database is older than what
   players know.
6. `_rewriting` stays set until the answer to `_write_again` has come. If that answer is lost, the
   number alone would look as if nothing had happened.
7. After an upgrade of the schema, this process goes on while its connections last, because a step
   drops nothing that the version before uses. Accounts refuse a new connection to a newer schema,
   so a process that looks, after a lost connection or as a standby, ends.
8. A term that is later, or another process in this term, means that the turn is over, even if that
   process has ended: its moves must not be written over.

    commit(batch)         number 7 -> 8 is under way
    connection lost       batches and requests wait; another connection is made
    look: mine, 7         batch 8 is sent again
    look: mine, 8         batch 8 was committed: present, done(refused), next batch
    look: a later term    batch 8 is forgotten; lost()
    look: mine, 5         the database is older: again, clear, open, lines; then batch 8
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from tictac.lobby.journal import FORMATS, LASTING_FORMAT, Batch, KeptRoom, Opened, epoch_of
from tictac.lobby.record import PackedRecord, RecordLine
from tictac.options import MAIN
from tictac.plugins.postgres.libpq import PgConnection, QueryError, Rows, Step
from tictac.plugins.postgres.statements import NOT_HELD, SEPARATOR, STATEMENTS, archived, array
from tictac.reactor import Reactor
from tictac.storage.address import Address
from tictac.storage.outages import Outage
from tictac.storage.store import StoreAwayError

_log = Logger()

Outcome = Sequence[Rows] | QueryError

_VERSION: Step = ("version", ())
_NEWER = "a newer version of tictac has upgraded the database"

_DEADLOCK = ("40P01", "40001")
_BAD_VALUE = ("22", "23")
"""Beginnings of SQLSTATEs: of transactions to repeat, and of values that PostgreSQL refuses."""


class Sign(NamedTuple):
    """A sign of life of the active process, which gives one within so many ``seconds``.

    ``process`` is empty if that process has ended in order.
    """

    process: str
    term: int
    beat: int
    seconds: float


class _Request:
    """A request that waits for the database; making it twice does no harm."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self.answer: Deferred[Sequence[Rows]] = Deferred()
        self.alarm: IDelayedCall | None = None


class PostgresJournal:
    """A :class:`~tictac.lobby.journal.Journal` of ``lobby``, in the up-to-date database at ``url``.

    Another process can take over ``lease`` seconds after the last sign of life of this one.
    Requests wait up to ``timeout`` seconds; 0 is no limit. ``seconds`` is the registry's clock.
    """

    def __init__(
        self,
        url: str,
        reactor: Reactor,
        lease: float,
        timeout: float,
        seconds: Callable[[], float],
        lobby: str = MAIN,
    ) -> None:
        """Prepare a connection. Raises SetupError if the URL is invalid."""
        address = Address.parse(url)
        self.everything: Callable[[], Batch] | None = None
        """Returns the committed state of all rooms; None before all rooms are read."""
        self.lost: Callable[[str], None] | None = None
        """Called when another process is active: what wasn't committed is lost."""
        self.renewed_at = 0.0
        """When this process was last known to have the lease."""
        self._reactor = reactor
        self._process = ""
        self._lease = lease
        self._timeout = timeout
        self._seconds = seconds
        self._lobby = lobby
        self._outage = Outage(reactor, f"rooms in {address}", timeout)
        patience = max(lease, timeout / 2, 1.0)
        self._link = PgConnection(
            reactor, address, self._outage, STATEMENTS, patience, self._up, self._down
        )
        self._last_id = secrets.randbits(62)
        self.epoch = 0.0
        self._term = 0  # 0: this process isn't active
        self._settled = False
        self._requests: dict[_Request, None] = {}
        self._version = 0  # of the schema, which this process has just checked when it connects
        self._number = 0  # of the last committed batch
        self._under_way: tuple[Batch, Callable[[Collection[int]], None]] | None = None
        self._orphans: set[int] = set()  # refused rooms whose lines are in the database
        self._rewriting = False
        self._refused: set[int] = set()  # rooms refused when all were written again
        self._renewing: IDelayedCall | None = None
        self._is_asking = False

    # journal.Journal

    def start(self) -> list[KeptRoom]:
        """Return no rooms: :meth:`read` gave them to the registry when the turn came."""
        return []

    def stop(self) -> None:
        """Close the connection; requests under way fail."""
        self._link.stop()
        self._stop_renewing()
        for request in list(self._requests):
            self._give_up(request)

    def new_id(self) -> int:
        """Return the next id; the first one is random."""
        self._last_id += 1
        return self._last_id

    def ready(self) -> bool:
        """Return whether this process is active, and the database answers."""
        return self._term > 0 and self._settled

    def commit(self, batch: Batch, done: Callable[[Collection[int]], None]) -> None:
        """Commit a batch, now or when the database answers again, while the turn lasts."""
        self._under_way = batch, done
        if self._settled and self._term:
            self._send()

    # The lease

    def connect(self, process: str) -> None:
        """Begin to connect, as a process of that name, which no other process has had."""
        self._process = process
        self._link.start()

    async def whose(self) -> Sign:
        """Return the latest sign of life of the active process."""
        lobby = (self._lobby,)
        steps = ("enter", lobby), ("whose", lobby), _VERSION
        _, [(process, term, beat, seconds)], found = await self._ask(*steps)
        self._version = self._version or _number(found)
        if _number(found) > self._version:
            self._over(_NEWER)
        return Sign(str(process), int(term or 0), int(beat or 0), float(seconds or 0))

    async def take(self, last: Sign) -> bool:
        """Take the lease, and keep it, if that is still the last sign of life; return whether."""
        words = (self._process, str(last.term), str(last.beat), str(self._lease), self._lobby)
        [taken] = await self._ask(("take", words))
        if not taken:
            return False
        [(term, at)] = taken
        self.epoch = epoch_of(float(at or 0) - self._seconds())
        self._term, self._number = int(term or 0), 0
        self.renewed_at = self._reactor.seconds()
        self._renew()
        return True

    async def read(self, after: int) -> list[KeptRoom | int]:
        """Return the next rooms after that id; the id alone if another version saved the room."""
        words = str(after), self._lobby, str(round(self.epoch * 1000))
        [rows] = await self._ask(("read", words))
        kept = list[KeptRoom | int]()
        for room_id, version, name, terms, start, *columns in rows:
            if (number := int(version or 0)) in FORMATS:
                opened = Opened(str(name), str(terms), str(start), number)
                found = self._lines(number, *[text or "" for text in columns])
                kept.append(KeptRoom(int(room_id or 0), opened, found))
            else:
                why = "another version of tictac saved the room {room!r}; skipping it"
                _log.error(why, room=name)
                kept.append(int(room_id or 0))
        return kept

    def _lines(self, version: int, numbers: str, times: str, texts: str) -> Iterable[RecordLine]:
        if version == LASTING_FORMAT:  # there can be thousands
            return PackedRecord(numbers, times, texts)
        lines = zip(numbers.split(), times.split(), texts.split("\n"), strict=False)
        return [RecordLine(int(n), float(at) - self.epoch, text) for n, at, text in lines]

    async def set_aside(self, room_id: int) -> None:
        """Keep an unreadable room under a name that no room can have."""
        await self._ask(("aside", (str(room_id),)))

    async def release(self) -> None:
        """End the lease at once; nothing is committed afterwards."""
        self._stop_renewing()
        if self._term:
            self._term = 0
            await self._ask(("release", (self._process, self._now())))

    def _now(self) -> str:
        return str(self._seconds() + self.epoch)

    def _stop_renewing(self) -> None:
        if self._renewing is not None and self._renewing.active():
            self._renewing.cancel()

    def _renew(self) -> None:
        self._stop_renewing()
        self._renewing = self._reactor.callLater(self._lease / 4, self._renew)
        if self._settled and not self._is_asking:
            self._is_asking = True
            self._link.ask([("renew", (self._process, self._now()))], self._renewed)

    def _renewed(self, outcome: Outcome) -> None:
        self._is_asking = False
        if not self._term:
            return
        if isinstance(outcome, QueryError):
            self._failed(outcome, lambda: None)
        elif outcome[0]:
            self.renewed_at = self._reactor.seconds()
        else:
            self._settled = False
            self._look()

    # Batches

    def _send(self) -> None:
        assert self._under_way is not None
        self._link.ask(self._steps(self._under_way[0]), self._committed)

    def _steps(self, batch: Batch) -> list[Step]:
        closed = set(batch.closed)
        opened = [(key, each) for key, each in batch.opened.items() if key not in closed]
        lines = [each for each in batch.lines if each[0] not in closed] if closed else batch.lines
        gone = closed.difference(batch.opened) | self._orphans
        values = (self._process, str(self._number + 1), *self._columns(lines))
        steps: list[Step] = [("batch", (*values, array(gone))) if gone else ("moves", values)]
        if opened:
            steps.append(self._opening(opened))
        if batch.ended:
            steps.append(("archive", archived(batch.ended.values())))
        if batch.outcomes:
            steps.append(("outcomes", (json.dumps([*batch.outcomes.values()]),)))
        return steps

    def _opening(self, opened: list[tuple[int, Opened]]) -> Step:
        names, terms, starts, formats = zip(*[each for _, each in opened], strict=True)
        texts = [SEPARATOR.join(column) for column in (names, terms, starts)]
        return "open", (array(formats), array([key for key, _ in opened]), *texts, self._lobby)

    def _columns(self, lines: Iterable[tuple[int, int, float, str]]) -> tuple[str, ...]:
        rooms, numbers, times, texts = zip(*lines, strict=True) if lines else ((), (), (), ())
        epoch = self.epoch
        at = array([time + epoch for time in times])
        return array(rooms), array(numbers), at, SEPARATOR.join(texts)

    def _committed(self, outcome: Outcome) -> None:
        if isinstance(outcome, QueryError):
            if outcome.state.startswith(_BAD_VALUE) and outcome.state != NOT_HELD:
                self._keep_one_by_one(outcome)
            else:
                self._failed(outcome, self._send)
            return
        kept = {int(key or 0) for (key,) in outcome[1]} if len(outcome) > 1 else ()
        self._keep_done(kept)

    def _keep_done(self, kept: Collection[int]) -> None:
        assert self._under_way is not None
        (batch, done), self._under_way = self._under_way, None
        self._number += 1
        self.renewed_at = self._reactor.seconds()
        self._orphans = set(batch.opened).difference(kept, batch.closed)
        refused, self._refused = self._orphans | self._refused, set()
        done(refused)

    def _keep_one_by_one(self, error: QueryError) -> None:
        """Commit each room alone, so that only the room that the database refuses ends."""
        assert self._under_way is not None
        (batch, done), self._under_way = self._under_way, None
        rooms = {*batch.opened, *batch.closed, *[line[0] for line in batch.lines]}
        if len(rooms) == 1:
            _log.error("the database refuses a room: {why}; the room ends", why=error)
            self._orphans |= rooms
            done(rooms)
            return
        # Rooms that ended first: new rooms can have their names.
        left, refused = sorted(rooms, key=lambda room: room not in batch.closed), set[int]()

        def keep_next(just_refused: Collection[int]) -> None:
            refused.update(just_refused)
            if left:
                self.commit(_only(left.pop(0), batch), keep_next)
            else:
                done(refused)

        keep_next(())

    def _failed(self, error: QueryError, again: Callable[[], object]) -> None:
        """Look up whose turn it is, repeat the transaction, or make another connection."""
        if error.state == NOT_HELD:
            self._settled = False
            self._look()
        elif error.state in _DEADLOCK:
            again()
        else:
            self._link.fail(str(error))

    # Connections that come and go

    def _up(self) -> None:
        if self._term:
            self._look()
        else:
            self._go_on()

    def _down(self) -> None:
        self._settled = self._is_asking = False

    def _look(self) -> None:
        lobby = (self._lobby,)
        self._link.ask([("enter", lobby), ("look", lobby), _VERSION], self._looked)

    def _looked(self, outcome: Outcome) -> None:
        if isinstance(outcome, QueryError):
            self._failed(outcome, self._look)
            return
        process, term, number = outcome[1][0]
        later = int(term or 0) - self._term
        before, after = str(self._number), str(self._number + 1)
        if _number(outcome[2]) > self._version:
            self._over(_NEWER)
        elif later > 0 or (later == 0 and process != self._process):
            self._over("another process has taken over")
        elif later < 0 or self._rewriting or number not in (before, after):
            self._write_again()
        elif number == before:
            self._go_on()
        else:
            assert self._under_way is not None
            ask = ("present", (array(self._under_way[0].opened),))
            self._link.ask([ask], self._found)

    def _found(self, outcome: Outcome) -> None:
        """Count the last batch as committed; ``outcome`` has those of its new rooms that exist."""
        if isinstance(outcome, QueryError):
            self._failed(outcome, self._look)
        else:
            self._keep_done({int(key or 0) for (key,) in outcome[0]})
            self._go_on()

    def _go_on(self) -> None:
        self._settled = True
        self._link.settled()
        for request in list(self._requests):
            self._ask_for(request)
        if self._under_way is not None and self._term:
            self._send()
        if self._term:
            self.renewed_at = self._reactor.seconds()
            self._renew()

    def _write_again(self) -> None:
        """Write all rooms again, because the database is older than what players know."""
        if self.everything is None:
            self._over("the database came back older while the rooms were read")
            return
        self._rewriting = True
        batch = self.everything()
        numbers = (str(self._term), str(self._number), str(self._lease))
        steps: list[Step] = [
            ("again", (self._process, *numbers, self._lobby, self._now())),
            ("clear", (array(FORMATS), self._lobby)),
        ]
        if batch.opened:
            opening = self._opening(list(batch.opened.items()))
            steps += [opening, ("lines", self._columns(batch.lines))]

        def written(outcome: Outcome) -> None:
            if isinstance(outcome, QueryError):
                self._failed(outcome, self._write_again)
                return
            kept = {int(key or 0) for (key,) in outcome[2]} if batch.opened else set()
            self._refused |= set(batch.opened) - kept
            self._rewriting = False
            _log.error(
                "the database is older than the rooms of this server:"
                " rooms saved: {kept}; rooms ended: {refused}",
                kept=len(kept),
                refused=len(self._refused),
            )
            self._go_on()

        self._link.ask(steps, written)

    def _over(self, why: str) -> None:
        self._term, self._under_way = 0, None
        self._stop_renewing()
        self._settled = False
        if self.lost is not None:
            self.lost(why)

    # Other requests

    def _ask(self, *steps: Step) -> Deferred[Sequence[Rows]]:
        request = _Request(steps)
        self._requests[request] = None
        if self._timeout:
            request.alarm = self._reactor.callLater(self._timeout, self._give_up, request)
        if self._settled:
            self._ask_for(request)
        return request.answer

    def _ask_for(self, request: _Request) -> None:
        def answered(outcome: Outcome) -> None:
            if isinstance(outcome, QueryError) and outcome.state in _DEADLOCK:
                self._link.ask(request.steps, answered)
            elif request in self._requests:
                self._forget(request)
                if isinstance(outcome, QueryError):
                    request.answer.errback(outcome)
                else:
                    request.answer.callback(outcome)

        self._link.ask(request.steps, answered)

    def _give_up(self, request: _Request) -> None:
        self._forget(request)
        self._outage.refused += 1
        request.answer.errback(StoreAwayError())

    def _forget(self, request: _Request) -> None:
        del self._requests[request]
        if request.alarm is not None and request.alarm.active():
            request.alarm.cancel()


def _only(room: int, batch: Batch) -> Batch:
    """Return the part of a batch that is about one room."""
    opened = {room: batch.opened[room]} if room in batch.opened else {}
    lines = [each for each in batch.lines if each[0] == room]
    ended = {room: batch.ended[room]} if room in batch.ended else {}
    outcomes = {room: batch.outcomes[room]} if room in batch.outcomes else {}
    return Batch(opened, lines, [room] if room in batch.closed else [], ended, outcomes)


def _number(rows: Rows) -> int:
    """Return the only value of a statement."""
    return int(rows[0][0] or 0)

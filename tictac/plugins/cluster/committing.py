"""The journal of a node's rooms in PostgreSQL.

Invariant: each batch is committed once, and only while the node has no heir. One batch is under way
at a time, and `done` follows its commit. What players know is committed, except in a database that
came back older than it was.

1. A batch is one transaction. Its first statement (`statements.py`) locks the node's row and raises
   the batch number in that row by one. If there is an heir, or the number isn't the one before, the
   statement fails, and PostgreSQL undoes the transaction. So a node that slept commits nothing.
2. The transaction deletes rooms that ended before it inserts new ones, because a new room can have
   the name of an ended one. It inserts rooms in the order of their names: two nodes that insert the
   same names in different orders would wait for each other.
3. If another node has a name already, PostgreSQL keeps no row of that room, but the room's lines.
   `_orphans` has such rooms until the next batch deletes the lines.
4. `_keep_done` counts the batch before it calls `done`, because `done` can commit the next batch.
5. After a lost connection, `_look` reads heir and number under the lock of the row, so it waits for
   a transaction of the lost connection. Everything else waits for the answer. If the number is one
   higher, the batch was committed, and `present` returns which of its new rooms exist. If there is
   no row, or the number is another one, the database is older than what players know.
6. `_rewriting` stays set until the answer to `_write_again` has come. If that answer is lost, the
   number alone would look as if nothing had happened, and rooms whose names others have by then
   would never be refused.
7. `_fence` forgets the batch and is settled before it calls `fenced`, because the node then joins
   again over this connection.

    commit(batch)         number 7 -> 8 is under way
    connection lost       batches and requests wait; another connection is made
    look: no heir, 7      batch 8 is sent again
    look: no heir, 8      batch 8 was committed: present, done(refused), next batch
    look: heir B          batch 8 is forgotten; fenced()
    look: no heir, 5      the database is older: again, holding, clear, open, lines; then batch 8
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger

from tictac.accounts.address import Address
from tictac.accounts.outages import Outage
from tictac.accounts.store import StoreAwayError
from tictac.lobby.journal import FORMAT, Batch, KeptRoom, Opened
from tictac.plugins.cluster.libpq import PgConnection, QueryError, Rows, Step
from tictac.plugins.cluster.statements import NOT_HELD, SEPARATOR, STATEMENTS, archived, array
from tictac.plugins.cluster.store import Node, StoreListener

_log = Logger()

Outcome = Sequence[Rows] | QueryError

_DEADLOCK = ("40P01", "40001")
_BAD_VALUE = ("22", "23")
"""Beginnings of SQLSTATEs: of transactions to repeat, and of values that PostgreSQL refuses."""


class _Request:
    """A request that waits for the database; making it twice does no harm."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self.answer: Deferred[Sequence[Rows]] = Deferred()
        self.alarm: Any = None


class Committing:
    """The journal and the other requests of one connection to the database at ``url``.

    See :class:`~tictac.plugins.cluster.postgres.PostgresStore`.
    """

    def __init__(
        self, url: str, reactor: Any, lease: float, timeout: float, seconds: Callable[[], float]
    ) -> None:
        """Prepare a connection. Raises SetupError if the URL is invalid."""
        address = Address.parse(url)
        self._reactor = reactor
        self._lease = lease
        self._timeout = timeout
        self._seconds = seconds
        self._outage = Outage(reactor, f"rooms in {address}", timeout)
        patience = max(lease, timeout / 2, 1.0)
        self._link = PgConnection(
            reactor, address, self._outage, STATEMENTS, patience, self._up, self._down
        )
        self._last_id = secrets.randbits(62)
        self._epoch = 0.0
        self._node: Node | None = None
        self._watcher: StoreListener | None = None
        self._settled = False
        self._requests: dict[_Request, None] = {}
        self._number = 0  # of the last committed batch
        self._under_way: tuple[Batch, Callable[[Collection[int]], None]] | None = None
        self._orphans: set[int] = set()  # refused rooms whose lines are in the database
        self._rewriting = False
        self._refused: set[int] = set()  # rooms refused when all were written again
        self._renewing = False

    # journal.Journal

    def start(self) -> list[KeptRoom]:
        """Begin to connect; ``join`` gives the rooms."""
        self._link.start()
        return []

    def stop(self) -> None:
        """Close the connection; requests under way fail."""
        self._link.stop()
        for request in list(self._requests):
            self._give_up(request)

    def new_id(self) -> int:
        """Return the next id; the first one is random."""
        self._last_id += 1
        return self._last_id

    def ready(self) -> bool:
        """Return whether this is a living node whose database answers."""
        return self._node is not None and self._settled

    def commit(self, batch: Batch, done: Callable[[Collection[int]], None]) -> None:
        """Commit a batch, now or when the database answers again, unless the node is fenced."""
        self._under_way = batch, done
        if self._settled and self._node is not None:
            self._send()

    def _send(self) -> None:
        assert self._under_way is not None
        self._link.ask(self._steps(self._under_way[0]), self._committed)

    def _steps(self, batch: Batch) -> list[Step]:
        assert self._node is not None
        me, closed = self._node.node_id, set(batch.closed)
        opened = [(key, each) for key, each in batch.opened.items() if key not in closed]
        lines = [each for each in batch.lines if each[0] not in closed] if closed else batch.lines
        gone = closed.difference(batch.opened) | self._orphans
        values = (me, str(self._number + 1), str(self._lease), *self._columns(lines))
        steps: list[Step] = [("batch", (*values, array(gone))) if gone else ("moves", values)]
        if opened:
            steps.append(self._opening(opened))
        if batch.ended:
            steps.append(("archive", archived(batch.ended.values())))
        if batch.outcomes:
            steps.append(("outcomes", (json.dumps([*batch.outcomes.values()]),)))
        return steps

    def _columns(self, lines: Iterable[tuple[int, int, float, str]]) -> tuple[str, ...]:
        rooms, numbers, times, texts = zip(*lines, strict=True) if lines else ((), (), (), ())
        epoch = self._epoch
        at = array([time + epoch for time in times])
        return array(rooms), array(numbers), at, SEPARATOR.join(texts)

    def _opening(self, opened: list[tuple[int, Opened]]) -> Step:
        assert self._node is not None
        # In the same order on every node: otherwise two nodes could wait for each other.
        opened.sort(key=lambda each: each[1].name)
        names, terms, starts = zip(*[each for _, each in opened], strict=True)
        texts = [SEPARATOR.join(column) for column in (names, terms, starts)]
        keys = array([key for key, _ in opened])
        return "open", (self._node.node_id, str(FORMAT), keys, *texts)

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
        self._orphans = set(batch.opened).difference(kept, batch.closed)
        refused, self._refused = self._orphans | self._refused, set()
        done(refused)

    def _keep_one_by_one(self, error: QueryError) -> None:
        """Commit each room alone, so that only the room that the database refuses ends."""
        assert self._under_way is not None
        (batch, done), self._under_way = self._under_way, None
        rooms = {*batch.opened, *batch.closed, *[line[0] for line in batch.lines]}
        if len(rooms) == 1:
            _log.error("the database refuses a room: {why}; it ends", why=error)
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
        """Look up the node's row, repeat the transaction, or make another connection."""
        if error.state == NOT_HELD:
            self._settled = False
            self._look()
        elif error.state in _DEADLOCK:
            again()
        else:
            self._link.fail(str(error))

    # Connections that come and go

    def _up(self) -> None:
        if self._node is None:
            self._go_on()
        else:
            self._look()

    def _down(self) -> None:
        self._settled = self._renewing = False

    def _look(self) -> None:
        assert self._node is not None
        self._link.ask([("look", (self._node.node_id,))], self._looked)

    def _looked(self, outcome: Outcome) -> None:
        if isinstance(outcome, QueryError):
            self._failed(outcome, self._look)
            return
        if not outcome[0]:
            self._write_again()  # the database is from before this node joined
            return
        heir, number = outcome[0][0]
        under_way = self._under_way
        if heir is not None:
            self._fence()
        elif self._rewriting or number not in (str(self._number), str(self._number + 1)):
            self._write_again()
        elif number == str(self._number):
            self._go_on()
        else:
            assert self._node is not None and under_way is not None
            ask = ("present", (self._node.node_id, array(under_way[0].opened)))
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
        if self._under_way is not None and self._node is not None:
            self._send()

    def _write_again(self) -> None:
        """Write all rooms again, because the database is older than what players know."""
        assert self._node is not None and self._watcher is not None
        self._rewriting = True
        batch, me = self._watcher.everything(), self._node.node_id
        keys = array(batch.opened)
        steps: list[Step] = [
            ("again", (*described(self._node, self._lease), str(self._number))),
            ("holding", (me,)),
            ("clear", (me, keys)),
        ]
        if batch.opened:
            steps += [self._opening(list(batch.opened.items()))]
            steps += [("lines", (me, *self._columns(batch.lines)))]

        def written(outcome: Outcome) -> None:
            if isinstance(outcome, QueryError):
                self._failed(outcome, self._write_again)
                return
            kept = {int(key or 0) for (key,) in outcome[3]} if batch.opened else set()
            self._refused |= set(batch.opened) - kept
            self._rewriting = False
            _log.error(
                "the database is older than what players have seen:"
                " {kept} rooms are written again, {refused} have ended",
                kept=len(kept),
                refused=len(self._refused),
            )
            self._go_on()

        self._link.ask(steps, written)

    def _fence(self) -> None:
        watcher, self._watcher = self._watcher, None
        self._node = self._under_way = None
        self._orphans, self._refused, self._rewriting = set(), set(), False
        self._go_on()
        if watcher is not None:
            watcher.fenced()

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


def described(node: Node, lease: float) -> tuple[str, ...]:
    """Return the values of a node's row."""
    versions = " ".join(map(str, node.versions))
    return node.node_id, node.endpoint, node.settings, node.secret, str(lease), versions

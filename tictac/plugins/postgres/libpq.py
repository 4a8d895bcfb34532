"""A connection to PostgreSQL that the reactor reads and writes, without waiting for libpq.

A thread with an ordinary connection costs a third of the moves. Statements are prepared once and
sent in a pipeline; those of one :meth:`PgConnection.ask` are one transaction. After a lost
connection, a thread of the reactor's pool makes another one, with growing delays.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import psycopg
from psycopg import pq
from psycopg.conninfo import make_conninfo
from twisted.internet.interfaces import IDelayedCall, IReadWriteDescriptor
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from tictac.reactor import Reactor
from tictac.storage.address import Address
from tictac.storage.outages import Outage, delay_after

_log = Logger()

Rows = list[tuple[str | None, ...]]
Step = tuple[str, Sequence[str]]
"""The name of a statement, and its values."""

_SETTINGS = (
    "SET plan_cache_mode = force_generic_plan",
    "SET jit = off",
    # Plans are made once, while tables can be empty.
    "SET enable_seqscan = off",
    # A transaction that has waited for a lock sees the row as it is then.
    "SET default_transaction_isolation = 'read committed'",
    # Acknowledged commits are on disk, whatever the server's default; stronger settings stay.
    "SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') = 'off'",
)


Connection: TypeAlias = psycopg.AsyncConnection[tuple[Any, ...]]


class QueryError(Exception):
    """The database refused a transaction and changed nothing."""

    def __init__(self, state: str, why: str) -> None:
        super().__init__(why)
        self.state = state


class _Asked:
    """A transaction under way, with its results so far."""

    __slots__ = ("done", "error", "rows", "since")

    def __init__(self, done: Callable[[Sequence[Rows] | QueryError], None], since: float) -> None:
        self.done = done
        self.since = since
        self.rows: list[Rows] = []
        self.error: QueryError | None = None


@implementer(IReadWriteDescriptor)
class PgConnection:
    """A connection to a database, made again whenever it is lost.

    It calls ``up`` when it is connected, and ``down`` when it is lost: unanswered transactions are
    then forgotten. The owner calls :meth:`settled` after ``up``, when it has recovered.
    """

    def __init__(
        self,
        reactor: Reactor,
        address: Address,
        outage: Outage,
        statements: Mapping[str, str],
        patience: float,
        up: Callable[[], None],
        down: Callable[[], None],
    ) -> None:
        """Prepare a connection, which ``patience`` seconds of silence end."""
        self._reactor = reactor
        self._address = address
        self._outage = outage
        self._statements = statements
        self._patience = patience
        self._up = up
        self._down = down
        self._connection: pq.abc.PGconn | None = None
        self._made: Connection | None = None
        self._fileno = -1
        self._connecting = False
        self._asked: deque[_Asked] = deque()
        self._in_vain = 0
        self._next: IDelayedCall | None = None
        self._watching: Any = None
        self._open = False

    def start(self) -> None:
        """Begin to connect."""
        self._open = True
        self._watch()
        self._connect()

    def stop(self) -> None:
        """Close the connection, and forget unanswered transactions."""
        self._open = False
        self._close()
        for call in (self._next, self._watching):
            if call is not None and call.active():
                call.cancel()

    def settled(self) -> None:
        """Note that the owner has recovered: the outage is over."""
        self._in_vain = 0
        self._outage.ends()

    def ask(
        self, steps: Sequence[Step], done: Callable[[Sequence[Rows] | QueryError], None]
    ) -> None:
        """Execute steps in one transaction; ``done`` gets the rows of each, or the error."""
        connection = self._connection
        if connection is None:
            return  # the connection has just been lost
        self._asked.append(_Asked(done, self._reactor.seconds()))
        try:
            for name, values in steps:
                connection.send_query_prepared(
                    name.encode(), [value.encode("utf-8", "replace") for value in values]
                )
            connection.pipeline_sync()
            self._flush(connection)
        except psycopg.Error as error:
            self.fail(_summary(str(error)))

    def fail(self, why: str) -> None:
        """Close this connection, and make another one."""
        was_up = self._connection is not None and not self._connecting
        self._close()
        if not self._open:
            return
        self._in_vain += 1
        # The first lost connection isn't an outage yet, if the next attempt succeeds.
        first = was_up and self._in_vain == 1
        delay = 0 if first else delay_after(self._in_vain)
        if not first:
            self._outage.begins(why)
        self._next = self._reactor.callLater(delay, self._connect)

    # Connecting

    def _connect(self) -> None:
        pool = self._reactor.getThreadPool()
        connected = deferToThreadPool(self._reactor, pool, self._make)
        connected.addCallbacks(self._connected, lambda why: self.fail(_summary(str(why.value))))

    def _make(self) -> Connection:
        """Connect, in a thread, and give up on a server that doesn't answer.

        Only psycopg's asyncio looks up hosts without stopping all other threads.

        Raises:
            psycopg.Error: There is no connection.
        """
        timeout = max(2, round(self._patience))
        conninfo = make_conninfo(
            self._address.conninfo, client_encoding="UTF8", connect_timeout=timeout
        )
        return asyncio.run(psycopg.AsyncConnection.connect(conninfo))

    def _connected(self, made: Connection) -> None:
        connection = made.pgconn
        if not self._open:
            connection.finish()
        else:
            self._made = made  # closes the connection when it is collected
            self._connection, self._connecting = connection, True
            # A descriptor of our own. libpq closes its own at any time, and the reactor would then
            # take another connection with the same number for this one.
            self._fileno = os.dup(connection.socket)
            self._prepare(connection)

    def _prepare(self, connection: pq.abc.PGconn) -> None:
        connection.nonblocking = 1
        connection.enter_pipeline_mode()
        self._asked.append(_Asked(self._prepared, self._reactor.seconds()))
        # The backend of a dead client doesn't wait longer than this for a lock.
        for setting in (*_SETTINGS, f"SET lock_timeout = {round(self._patience * 1000)}"):
            connection.send_query_params(setting.encode(), None)
        for name, text in self._statements.items():
            connection.send_prepare(name.encode(), text.encode())
        connection.pipeline_sync()
        self._reactor.addReader(self)
        self._flush(connection)

    def _prepared(self, outcome: Sequence[Rows] | QueryError) -> None:
        if isinstance(outcome, QueryError):
            self.fail(str(outcome))
        else:
            self._connecting = False
            self._up()

    # IReadWriteDescriptor, called by the reactor

    def fileno(self) -> int:
        """Return a duplicate of the connection's socket."""
        return self._fileno

    def logPrefix(self) -> str:
        """Return the prefix of log lines about this connection."""
        return "libpq"

    def doRead(self) -> None:
        """Read the bytes from the server."""
        connection = self._connection
        if connection is None:
            return
        try:
            connection.consume_input()
            while self._asked and connection is self._connection and not connection.is_busy():
                self._take(connection.get_result())
        except psycopg.Error as error:
            if connection is self._connection:
                self.fail(_summary(str(error)))

    def doWrite(self) -> None:
        """Send as much as the socket takes now."""
        connection = self._connection
        if connection is None:
            return
        try:
            if self._flush(connection):
                self._reactor.removeWriter(self)
        except psycopg.Error as error:
            self.fail(_summary(str(error)))

    def connectionLost(self, reason: Failure) -> None:
        """Make another connection, because the reactor found that this one is lost."""
        if self._connection is not None:
            self.fail(reason.getErrorMessage())

    def _flush(self, connection: pq.abc.PGconn) -> bool:
        """Send as much as the socket takes; return whether that was all. Raises psycopg.Error."""
        if connection.flush() != 0:
            self._reactor.addWriter(self)
            return False
        if connection.status == pq.ConnStatus.BAD:
            raise psycopg.OperationalError(
                _summary((connection.error_message or b"").decode("utf-8", "replace"))
            )
        return True

    def _take(self, result: pq.abc.PGresult | None) -> None:
        if result is None:
            return  # the end of a step
        asked, status = self._asked[0], result.status
        if status == pq.ExecStatus.PIPELINE_SYNC:
            self._asked.popleft()
            asked.done(asked.rows if asked.error is None else asked.error)
        elif status in (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK):
            asked.rows.append(_rows(result))
        elif status == pq.ExecStatus.FATAL_ERROR:
            state = (result.error_field(pq.DiagnosticField.SQLSTATE) or b"").decode()
            why = result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or result.error_message
            asked.error = QueryError(state, _summary(why.decode("utf-8", "replace")))

    def _watch(self) -> None:
        """End a connection that doesn't answer."""
        self._watching = self._reactor.callLater(self._patience / 4, self._watch)
        latest = self._reactor.seconds() - self._patience
        if self._asked and self._asked[0].since <= latest:
            self.fail(f"it hasn't answered for {self._patience:g} s")

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        self._reactor.removeReader(self)
        self._reactor.removeWriter(self)
        os.close(self._fileno)
        connection.finish()
        self._asked.clear()
        if not self._connecting:
            self._down()
        self._connecting = False


def _rows(result: pq.abc.PGresult) -> Rows:
    value, columns = result.get_value, range(result.nfields)
    return [
        tuple([None if (v := value(row, column)) is None else v.decode() for column in columns])
        for row in range(result.ntuples)
    ]


def _summary(message: str) -> str:
    """Return a message of libpq in one line, without its hints."""
    lines = message.splitlines()
    lines = [" ".join(line.split()) for line in lines]
    return " ".join(line for line in lines if not line.startswith("Is the server running"))

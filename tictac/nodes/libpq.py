"""A connection to PostgreSQL that is one of the reactor's: libpq, never waited for, no thread.

A thread with an ordinary connection costs a third of the moves. Statements are prepared once and
sent in a pipeline; those of one :meth:`Link.ask` are one transaction. When the connection is lost
another one is made, with growing delay.
"""

from __future__ import annotations

import os
import socket
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from ipaddress import ip_address
from typing import Any

import psycopg
from psycopg import pq
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from twisted.internet.interfaces import IReadWriteDescriptor
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.python.failure import Failure
from zope.interface import implementer

from tictac.accounts.address import Address
from tictac.accounts.outages import Outage
from tictac.accounts.waiting import FIRST_DELAY, LONGEST_DELAY

_log = Logger()

Rows = list[tuple[str | None, ...]]
Step = tuple[str, Sequence[str]]
"""The name of a statement, and its values."""

_SETTINGS = (
    "SET plan_cache_mode = force_generic_plan",
    "SET jit = off",
    # Plans are made once, while tables may be empty.
    "SET enable_seqscan = off",
    # Who has waited for a lock sees the row as it is then.
    "SET default_transaction_isolation = 'read committed'",
    # What is acknowledged is on disk, whatever the server's default; stronger ones may stay.
    "SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') = 'off'",
)


class QueryError(Exception):
    """The database refused a transaction, of which nothing is done."""

    def __init__(self, state: str, why: str) -> None:
        super().__init__(why)
        self.state = state


class _Asked:
    """A transaction under way: what has come of it."""

    __slots__ = ("done", "error", "rows", "since")

    def __init__(self, done: Callable[[Sequence[Rows] | QueryError], None], since: float) -> None:
        self.done = done
        self.since = since
        self.rows: list[Rows] = []
        self.error: QueryError | None = None


@implementer(IReadWriteDescriptor)
class Link:
    """The way to a database.

    ``up`` is called when there is a connection, ``down`` when it is gone: what was asked for is
    forgotten then. Whoever is called by ``up`` says :meth:`settled` when all is well.
    """

    def __init__(
        self,
        reactor: Any,
        address: Address,
        outage: Outage,
        statements: Mapping[str, str],
        patience: float,
        up: Callable[[], None],
        down: Callable[[], None],
    ) -> None:
        """``patience`` is how many seconds of silence end a connection."""
        self._reactor = reactor
        self._address = address
        self._outage = outage
        self._statements = statements
        self._patience = patience
        self._up = up
        self._down = down
        self._connection: pq.abc.PGconn | None = None
        self._fileno = -1
        self._connecting = False
        self._since = 0.0
        self._asked: deque[_Asked] = deque()
        self._in_vain = 0
        self._next: Any = None
        self._watching: Any = None
        self._open = False

    def start(self) -> None:
        """Begin to connect."""
        self._open = True
        self._watch()
        self._connect()

    def stop(self) -> None:
        """Close it; what was asked for is forgotten."""
        self._open = False
        self._close()
        for call in (self._next, self._watching):
            if call is not None and call.active():
                call.cancel()

    def settled(self) -> None:
        """Everything is as it was."""
        self._in_vain = 0
        self._outage.ends()

    def ask(
        self, steps: Sequence[Step], done: Callable[[Sequence[Rows] | QueryError], None]
    ) -> None:
        """Do these steps in one transaction; ``done`` gets the rows of each."""
        connection = self._connection
        if connection is None:
            return  # it was lost just now
        self._asked.append(_Asked(done, self._reactor.seconds()))
        try:
            for name, values in steps:
                connection.send_query_prepared(
                    name.encode(), [value.encode("utf-8", "replace") for value in values]
                )
            connection.pipeline_sync()
            self._flush(connection)
        except psycopg.Error as error:
            self.fail(in_one_line(error))

    def fail(self, why: str) -> None:
        """Have done with this connection, and make another one."""
        was_up = self._connection is not None and not self._connecting
        self._close()
        if not self._open:
            return
        self._in_vain += 1
        # A connection that was there has ended. That isn't an outage yet, if there is another.
        first = was_up and self._in_vain == 1
        delay = 0 if first else min(LONGEST_DELAY, FIRST_DELAY * 2 ** min(self._in_vain - 1, 10))
        if not first:
            self._outage.begins(why)
        self._next = self._reactor.callLater(delay, self._connect)

    # Connecting

    def _connect(self) -> None:
        self._since = self._reactor.seconds()
        self._connecting = True
        conninfo = self._address.conninfo
        if _names_hosts(conninfo):
            pool = self._reactor.getThreadPool()
            found = deferToThreadPool(self._reactor, pool, with_addresses, conninfo)
            found.addCallbacks(self._begin, self._unknown)
        else:
            self._begin(conninfo)

    def _unknown(self, failure: Failure) -> None:
        failure.trap(OSError)
        if self._open:
            self.fail(str(failure.value))

    def _begin(self, conninfo: str) -> None:
        if not self._open:
            return
        # Kerberos would be asked for without a question, and waited for.
        if "gssencmode" not in conninfo_to_dict(conninfo):
            conninfo = make_conninfo(conninfo, gssencmode="disable")
        conninfo = make_conninfo(conninfo, client_encoding="UTF8")
        self._connection = pq.PGconn.connect_start(conninfo.encode())
        if self._connection.status == pq.ConnStatus.BAD:
            self.fail(_said(self._connection.error_message))
        else:
            self._hold(self._connection)
            self._reactor.addWriter(self)

    def _hold(self, connection: pq.abc.PGconn) -> None:
        """Have a descriptor of our own of the connection's socket: libpq closes its own by itself,
        and the reactor would take another connection that gets its number for this one."""
        self._fileno = os.dup(connection.socket)

    def _let_go(self) -> None:
        if self._fileno != -1:
            self._reactor.removeReader(self)
            self._reactor.removeWriter(self)
            os.close(self._fileno)
            self._fileno = -1

    def _go_on_connecting(self) -> None:
        connection = self._connection
        assert connection is not None
        # At its next host it takes another socket.
        self._let_go()
        state = connection.connect_poll()
        if state == pq.PollingStatus.FAILED:
            self.fail(_said(connection.error_message))
            return
        self._hold(connection)
        if state == pq.PollingStatus.READING:
            self._reactor.addReader(self)
        elif state == pq.PollingStatus.WRITING:
            self._reactor.addWriter(self)
        else:
            self._prepare(connection)

    def _prepare(self, connection: pq.abc.PGconn) -> None:
        connection.nonblocking = 1
        connection.enter_pipeline_mode()
        self._asked.append(_Asked(self._prepared, self._reactor.seconds()))
        # Backends whose client has gone don't wait on for a lock that somebody holds for long.
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

    # Of the reactor (IReadWriteDescriptor)

    def fileno(self) -> int:
        """The connection's socket; it changes while it connects."""
        return self._fileno

    def logPrefix(self) -> str:
        """What log lines are marked with that come from here."""
        return "libpq"

    def doRead(self) -> None:
        """Take what has come."""
        connection = self._connection
        if connection is None:
            return
        try:
            if self._connecting and not self._asked:
                self._go_on_connecting()
                return
            connection.consume_input()
            while self._asked and connection is self._connection and not connection.is_busy():
                self._take(connection.get_result())
        except psycopg.Error as error:
            if connection is self._connection:
                self.fail(in_one_line(error))

    def doWrite(self) -> None:
        """Send what the socket takes now."""
        connection = self._connection
        if connection is None:
            return
        try:
            if self._connecting and not self._asked:
                self._go_on_connecting()
            elif self._flush(connection):
                self._reactor.removeWriter(self)
        except psycopg.Error as error:
            self.fail(in_one_line(error))

    def connectionLost(self, reason: Failure) -> None:
        """The reactor has found out first."""
        if self._connection is not None:
            self.fail(reason.getErrorMessage())

    def _flush(self, connection: pq.abc.PGconn) -> bool:
        """Send what the socket takes; whether that was all. Raises psycopg.Error."""
        if connection.flush() != 0:
            self._reactor.addWriter(self)
            return False
        if connection.status == pq.ConnStatus.BAD:
            raise psycopg.OperationalError(_said(connection.error_message))
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
            asked.error = QueryError(state, _said(why))

    def _watch(self) -> None:
        """End a connection that is there, and says nothing."""
        self._watching = self._reactor.callLater(self._patience / 4, self._watch)
        latest = self._reactor.seconds() - self._patience
        since = self._since if self._connecting else latest + 1
        if self._asked:
            since = self._asked[0].since
        if self._connection is not None and since <= latest:
            self.fail(f"it hasn't answered for {self._patience:g} s")

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        self._let_go()
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


def _said(message: bytes | None) -> str:
    """What libpq says, which is often more than a line."""
    lines = (message or b"").decode("utf-8", "replace").splitlines()
    lines = [" ".join(line.split()) for line in lines]
    return " ".join(line for line in lines if not line.startswith("Is the server running"))


def in_one_line(error: psycopg.Error) -> str:
    """What it says."""
    return _said(str(error).encode())


def _hosts(conninfo: str) -> tuple[list[str], list[str]]:
    parts = conninfo_to_dict(conninfo)
    if "hostaddr" in parts or "host" not in parts:
        return [], []
    hosts, ports = str(parts["host"]).split(","), str(parts.get("port", "")).split(",")
    return hosts, ports * len(hosts) if len(ports) == 1 else ports


def _is_name(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return not host.startswith(("/", "@")) and host != ""
    return False


def _names_hosts(conninfo: str) -> bool:
    return any(map(_is_name, _hosts(conninfo)[0]))


def with_addresses(conninfo: str) -> str:
    """The same with the addresses of hosts, which libpq would look up, and block. This does, too.

    Raises OSError when none is known.
    """
    hosts, addresses, ports = [], [], []
    trouble: OSError | None = None
    for host, port in zip(*_hosts(conninfo), strict=True):
        found = [""]
        if _is_name(host):
            try:
                infos = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
            except OSError as error:
                trouble = error
                continue
            found = [str(info[4][0]) for info in infos]
        elif host and not host.startswith(("/", "@")):
            found = [host]
        hosts += [host] * len(found)
        addresses += found
        ports += [port] * len(found)
    if not hosts and trouble is not None:
        raise trouble
    lists = {"host": hosts, "hostaddr": addresses, "port": ports}
    return make_conninfo(conninfo, **{name: ",".join(each) for name, each in lists.items()})

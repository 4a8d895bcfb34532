"""Stores in a PostgreSQL database: one connection each, in a thread of Twisted's adbapi.

One is enough, because hashing limits the rate of logins. One connection keeps requests
in order and costs the server little. This module is imported only for such a database.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from threading import Lock
from typing import NoReturn, TypeVar

import psycopg
from twisted.enterprise import adbapi
from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool

from tictac.errors import SetupError
from tictac.storage.address import Address
from tictac.storage.database import Database
from tictac.storage.outages import Trouble
from tictac.storage.postgres import (
    PATIENCE,
    Connection,
    PostgresDatabase,
    connect,
    explain,
    in_one_line,
    is_lost,
)
from tictac.storage.retry_queue import LostError, RetryQueue
from tictac.storage.store import StoreAwayError, StoreClosedError
from tictac.storage.workers import thread_pool

T = TypeVar("T")

_PROBE = "SELECT 1 FROM users LIMIT 1"


class _Connection(adbapi.Connection):
    """The connection that adbapi gives to a function in its thread."""

    def rollback(self) -> None:
        """Do nothing: autocommit leaves nothing open, and a lost connection would fail again."""


class ConnectionPool(adbapi.ConnectionPool):
    """A thread with one connection, which is reopened when lost."""

    connectionFactory = _Connection

    def __init__(
        self, reactor: IReactorTime, address: Address, timeout: float, threads: ThreadPool
    ) -> None:
        self._threads = threads
        self._address = address
        self._timeout = timeout
        self._guard = Lock()
        self._handle: socket.socket | None = None
        # In a running reactor, this starts the thread already.
        super().__init__("psycopg", cp_reactor=reactor, cp_min=0, cp_max=1)

    def start(self) -> None:
        """Start the thread, unless it runs. The first request connects."""
        self.threadpool = self._threads
        super().start()

    def ask(self, work: Callable[[Database], T], unsure: bool) -> Deferred[T]:
        """Call `work` with the database in the thread (see Database for `unsure`).

        Fails with LostError if there is no connection, or it breaks.
        """
        asked: Deferred[T] = self.runWithConnection(self._call, work, unsure)
        return asked

    def cut(self) -> None:
        """Break the connection off, from outside the thread that might wait for it."""
        with self._guard:
            if self._handle is not None:
                with suppress(OSError):  # already disconnected
                    self._handle.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection and end the thread, which must be idle."""
        super().close()
        self._hold(None)

    # In the thread

    def connect(self) -> Connection:
        """Return the connection, opened if needed. Raises LostError."""
        connection: Connection | None = self.connections.get(self.threadID())
        if connection is None:
            try:
                connection = connect(self._address, self._timeout)
            except SetupError as error:
                raise LostError(str(error), begun=False) from None
            self.connections[self.threadID()] = connection
            self._hold(connection)
        return connection

    def disconnect(self, conn: Connection) -> None:
        """Drop the connection."""
        self._hold(None)
        super().disconnect(conn)

    def _call(self, _: adbapi.Connection, work: Callable[[Database], T], unsure: bool) -> T:
        connection = self.connect()
        try:
            return work(PostgresDatabase(connection, self._address, unsure))
        except psycopg.Error as error:
            if not is_lost(connection, error):
                raise
            self.disconnect(connection)
            raise LostError(f"{self._address} is lost: {in_one_line(error)}", begun=True) from None

    def _hold(self, connection: Connection | None) -> None:
        """Duplicate the socket, so that its number isn't reused the moment it closes."""
        with self._guard:
            if self._handle is not None:
                self._handle.close()
            self._handle = socket.socket(fileno=os.dup(connection.fileno())) if connection else None


class PostgresStore:
    """A :class:`~tictac.storage.store.Store` in a PostgreSQL database.

    Requests wait while the database is unavailable; see
    :class:`~tictac.storage.retry_queue.RetryQueue`. Starting doesn't wait for it.
    """

    def __init__(
        self,
        url: str,
        what: str,
        reactor: IReactorTime,
        *,
        timeout: float = PATIENCE,
        pool: Callable[[int, str], ThreadPool] = thread_pool,
    ) -> None:
        """Parse the URL. Raises SetupError if it is malformed.

        Args:
            what: the content, as the thread and log lines call it.
            timeout: seconds that a request waits; 0 is no limit.
            pool: makes a pool of that many threads, with a name.
        """
        self._address = Address.parse(url)
        self._what = what
        self._trouble = Trouble(what, self._address)
        self._reactor = reactor
        self._timeout = timeout
        self._new_threads = pool
        self._line: RetryQueue | None = None
        self._pool: ConnectionPool | None = None

    def start(self) -> None:
        """Connect in the background, and accept requests."""
        threads = self._new_threads(1, self._what)
        self._pool = pool = ConnectionPool(self._reactor, self._address, self._timeout, threads)
        self._line = RetryQueue(
            self._reactor,
            f"{self._what} in {self._address}",
            self._timeout,
            lambda unsure: pool.ask(lambda d: d.execute(_PROBE), unsure),
            pool.cut,
        )
        pool.start()
        self._line.start()

    def ready(self) -> bool:
        """Return whether the database answers."""
        return self._line is not None and self._line.ready()

    def close(self) -> Deferred[None]:
        """Finish all requests if the database is available, and disconnect."""
        line, pool, self._line, self._pool = self._line, self._pool, None, None
        if line is None or pool is None:
            return succeed(None)
        return line.close().addCallback(lambda _: pool.close())

    def ask(self, work: Callable[[Database], T], only_reads: bool = False) -> Deferred[T]:
        """Call `work` in the thread."""
        line, pool = self._line, self._pool
        if line is None or pool is None:
            return fail(StoreClosedError())
        asked = line.run(lambda unsure: pool.ask(work, unsure))
        return asked.addCallbacks(partial(self._answered, only_reads), self._fail)

    def _answered(self, only_read: bool, result: T) -> T:
        if not only_read:
            self._trouble.ends()
        return result

    def _fail(self, failure: Failure) -> NoReturn:
        """Raise a StoreAwayError for a fault of the database, such as a full disk or a lock."""
        if isinstance(failure.value, psycopg.OperationalError):
            self._trouble.begins(explain(self._address, failure.value))
            raise StoreAwayError
        failure.raiseException()

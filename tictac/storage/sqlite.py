"""Accounts in an SQLite file: direct for the operator's commands, in a thread for the server."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from sqlite3 import DatabaseError
from typing import NoReturn, Self, TypeVar

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.interfaces import IReactorFromThreads
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool

from tictac.errors import SetupError
from tictac.storage.database import Database
from tictac.storage.file_guard import FileGuard
from tictac.storage.opening import create_file, explain, explained, open_file
from tictac.storage.outages import Trouble
from tictac.storage.retry_queue import LostError
from tictac.storage.store import StoreAwayError, StoreClosedError
from tictac.storage.upgrades import Steps, shipped_steps, transaction
from tictac.storage.workers import Workers, thread_pool

_log = Logger()

T = TypeVar("T")

BUSY_TIMEOUT = 5.0
"""Seconds that a request waits for another program's lock before it fails."""


class SqliteDatabase:
    """An open SQLite file (storage.database.Database) that fails with sqlite3.Error.

    Changes are on disk when `execute` returns.
    """

    taken = sqlite3.IntegrityError
    unsure = False

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Take a connection that :func:`~tictac.storage.opening.open_file` returned."""
        self._connection = connection
        self._path = path

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        create: bool = True,
        busy_timeout: float = BUSY_TIMEOUT,
        steps: Steps | None = None,
    ) -> Self:
        """Open the file at `path`, upgraded if it is older. Raises SetupError with the reason.

        Args:
            create: make the file if it doesn't exist.
            busy_timeout: seconds.
            steps: the schema; None is the one of this release.
        """
        file, steps = _checked(path), steps or shipped_steps()
        if create:
            create_file(file, steps)
        return cls(open_file(file, busy_timeout, steps), file)

    @property
    def changes(self) -> int:
        """The number of changed rows, also by statements that were undone."""
        return self._connection.total_changes

    def explained(self) -> AbstractContextManager[None]:
        """Turn SQLite errors in the body into a SetupError."""
        return explained(self._path, (sqlite3.Error,))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def execute(self, statement: str, values: Sequence[object] = (), /) -> sqlite3.Cursor:
        """Run a statement."""
        return self._connection.execute(statement, values)

    def transaction(self) -> AbstractContextManager[None]:
        """Do all of the body or none of it."""
        return transaction(self._connection)


def create_database(path: str | os.PathLike[str], fill: Callable[[SqliteDatabase], object]) -> None:
    """Create a database with what ``fill`` writes, or nothing; leave an existing one alone.

    Raises SetupError if the file can't be created, and what ``fill`` raises.
    """
    file = _checked(path)
    create_file(file, shipped_steps(), lambda new: fill(SqliteDatabase(new, file)))


class SqliteStore:
    """A :class:`~tictac.storage.store.Store` in an SQLite file.

    One thread runs one request after the other, each durable on its own (WAL, synchronous=FULL). It
    stores some 2,000 new accounts a second; hashing their passwords manages 8.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        what: str,
        reactor: IReactorFromThreads,
        *,
        busy_timeout: float = BUSY_TIMEOUT,
        pool: Callable[[int, str], ThreadPool] = thread_pool,
    ) -> None:
        """Create a store for the file at `path`; `start` opens it.

        Args:
            what: the content, as the thread and log lines call it.
            busy_timeout: seconds that a request waits for another program's lock.
            pool: makes a pool of that many threads, with a name.
        """
        self._path = path
        self._what = what
        self._busy_timeout = busy_timeout
        self._database: SqliteDatabase | None = None
        self._guard: FileGuard | None = None
        self._away = self._looking = False
        self._trouble = Trouble(what, path)
        self._changes = 0
        self._workers = Workers(reactor, 1, lambda: pool(1, what))

    def start(self) -> None:
        """Open the file, created or upgraded if needed. Raises SetupError."""
        self._database = SqliteDatabase.open(self._path, busy_timeout=self._busy_timeout)
        self._guard = FileGuard(Path(self._path))
        self._away = False
        self._workers.start()

    def ready(self) -> bool:
        """Return whether the store is open and its file existed at the last check; check again."""
        if self._database is None or self._guard is None:
            return False
        if not self._looking:
            self._looking = True
            looking = self._workers.run(self._guard.require).addCallbacks(self._back, self._gone)
            looking.addBoth(self._looked)
        return not self._away

    def close(self) -> Deferred[None]:
        """Finish all requests, and close the file."""
        database, self._database = self._database, None
        if database is None:
            return succeed(None)
        return Deferred.fromCoroutine(self._close(database))

    def ask(self, work: Callable[[Database], T], only_reads: bool = False) -> Deferred[T]:
        """Call `work` in the thread."""
        if self._database is None:
            return fail(StoreClosedError())
        if only_reads:
            return self._workers.run(work, self._database).addErrback(self._unread)
        writing = self._workers.run(self._write, work, self._database)
        return writing.addCallbacks(self._back, self._gone)

    def _write(self, work: Callable[[Database], T], database: Database) -> T:
        """Check before and after a change that the file wasn't deleted."""
        assert self._guard is not None
        self._guard.require()
        result = work(database)
        self._guard.require()
        return result

    def _back(self, result: T) -> T:
        if self._database is not None and self._changes != self._database.changes:
            self._trouble.ends()
        if self._away:
            self._away = False
            _log.info("{what} in {path}: the file is in place", what=self._what, path=self._path)
        return result

    def _gone(self, failure: Failure) -> NoReturn:
        if failure.check(LostError) is None:
            self._fail(failure)
        if not self._away:
            self._away = True
            _log.error(
                "{what}: {why}; nothing is saved until it is restored",
                what=self._what,
                why=failure.value,
            )
        raise StoreAwayError

    def _unread(self, failure: Failure) -> NoReturn:
        if self._away and failure.check(sqlite3.Error):
            raise StoreAwayError  # the outage has a log line already
        self._fail(failure)

    def _fail(self, failure: Failure) -> NoReturn:
        """Raise a StoreAwayError for a fault of the file, such as a full disk or a lock."""
        error = failure.value
        if not isinstance(error, sqlite3.OperationalError) and type(error) is not DatabaseError:
            failure.raiseException()  # of the program
        if self._database is not None:
            self._changes = self._database.changes
        self._trouble.begins(explain(Path(self._path), error))
        raise StoreAwayError

    def _looked(self, outcome: object) -> None:
        self._looking = False

    async def _close(self, database: SqliteDatabase) -> None:
        try:
            await self._workers.run(database.close)  # the last job in the queue
        finally:
            await self._workers.stop()


def _checked(path: str | os.PathLike[str]) -> Path:
    """Refuse a path that SQLite wouldn't take for a file."""
    if os.fspath(path) == ":memory:":
        raise SetupError(":memory: isn't supported: accounts need a file")
    return Path(path)

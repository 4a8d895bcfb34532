"""Accounts in an SQLite file: at once for the operator's commands, in a thread for the server."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, ClassVar, NoReturn, Self, TypeVar

from twisted.internet.defer import Deferred, fail, succeed
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.accounts.asked import Asked, AskedAccounts, AskedArchive, AskedRooms
from tictac.accounts.opening import create_file, explain, open_file
from tictac.accounts.outages import LostError
from tictac.accounts.presence import Presence
from tictac.accounts.store import Account, StoreAwayError, StoreClosedError
from tictac.accounts.tables import Tables
from tictac.accounts.upgrades import Steps, shipped_steps, transaction
from tictac.accounts.workers import FromThreads, Pool, Workers, thread_pool
from tictac.errors import SetupError

_log = Logger()

T = TypeVar("T")

_READING = (
    Tables.get,
    Tables.changes,
    Tables.rooms,
    Tables.find_matches,
    Tables.get_match,
)

BUSY_TIMEOUT = 5.0
"""Seconds that a request waits for another program's lock before it fails."""


class Database(Tables):
    """An open SQLite file. Its changes are on disk when its methods return.

    It fails with sqlite3.Error.
    """

    taken = sqlite3.IntegrityError

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Take a connection that :func:`~tictac.accounts.opening.open_file` gave."""
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
        """Open the file at `path`, upgraded if it is older.

        Args:
            create: make it if it doesn't exist.
            busy_timeout: seconds.
            steps: the schema; None is the one of this release.

        Raises:
            SetupError: it can't be used, and why.
        """
        file, steps = _checked(path), steps or shipped_steps()
        if create:
            create_file(file, steps)
        return cls(open_file(file, busy_timeout, steps), file)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn what SQLite raises in the body into a SetupError."""
        try:
            yield
        except sqlite3.Error as error:
            raise explain(self._path, error) from error

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        return self._connection.execute(statement, values)

    def _transaction(self) -> AbstractContextManager[None]:
        return transaction(self._connection)


def create_database(path: str | os.PathLike[str], accounts: Iterable[Account]) -> None:
    """Make a database with these accounts; leave one alone that exists by then.

    It appears with all accounts in it, or not at all.

    Raises:
        SetupError: it can't be made.
        UserExists: two accounts have the same name.
    """
    file = _checked(path)
    create_file(file, shipped_steps(), lambda new: Database(new, file).add_many(accounts))


class SqliteStore(Asked):
    """A store in an SQLite file, asked from the reactor's thread.

    One thread does everything, one request after the other, each durable on its own (WAL,
    synchronous=FULL). A subclass says what the thread is called.
    """

    name: ClassVar[str]

    def __init__(
        self,
        path: str | os.PathLike[str],
        reactor: FromThreads,
        *,
        busy_timeout: float = BUSY_TIMEOUT,
        pool: Callable[[int, str], Pool] = thread_pool,
    ) -> None:
        """
        Args:
            busy_timeout: seconds that a request waits for another program's lock.
            pool: makes a pool of that many threads, with a name.
        """
        self._path = path
        self._busy_timeout = busy_timeout
        self._database: Database | None = None
        self._presence: Presence | None = None
        self._away = self._looking = False
        self._workers = Workers(reactor, 1, lambda: pool(1, self.name))

    def start(self) -> None:
        """Open the file, made or upgraded if need be. Raises SetupError."""
        self._database = Database.open(self._path, busy_timeout=self._busy_timeout)
        self._presence = Presence(Path(self._path))
        self._away = False
        self._workers.start()

    def ready(self) -> bool:
        """Whether it is open, and its file was there at the last look; then it looks again."""
        if self._database is None or self._presence is None:
            return False
        if not self._looking:
            self._looking = True
            looking = self._workers.run(self._presence.require).addCallbacks(self._back, self._gone)
            looking.addBoth(self._looked)
        return not self._away

    def close(self) -> Deferred[None]:
        """Finish what was asked for, and close the file."""
        database, self._database = self._database, None
        if database is None:
            return succeed(None)
        return Deferred.fromCoroutine(self._close(database))

    def _run(self, method: Callable[..., T], *args: object) -> Deferred[T]:
        if self._database is None:
            return fail(StoreClosedError())
        if method in _READING:
            reading = self._workers.run(method, self._database, *args)
            return reading.addErrback(self._unread)
        writing = self._workers.run(self._write, method, self._database, *args)
        return writing.addCallbacks(self._back, self._gone)

    def _write(self, method: Callable[..., T], database: Database, *args: object) -> T:
        """Before anybody hears that something is kept, see that it isn't in a deleted file."""
        assert self._presence is not None
        self._presence.require()
        result = method(database, *args)
        self._presence.require()
        return result

    def _back(self, result: T) -> T:
        if self._away:
            self._away = False
            _log.info("{what} in {path}: the file is back", what=self.name, path=self._path)
        return result

    def _gone(self, failure: Failure) -> NoReturn:
        if failure.check(LostError) is None:
            failure.raiseException()
        if not self._away:
            self._away = True
            _log.error(
                "{what}: {why}; nothing is kept until it is back", what=self.name, why=failure.value
            )
        raise StoreAwayError

    def _unread(self, failure: Failure) -> NoReturn:
        if self._away and failure.check(sqlite3.Error):
            raise StoreAwayError  # of which there is a line already
        failure.raiseException()

    def _looked(self, outcome: object) -> None:
        self._looking = False

    async def _close(self, database: Database) -> None:
        try:
            await self._workers.run(database.close)  # the last in the line
        finally:
            await self._workers.stop()


class SqliteAccounts(AskedAccounts, SqliteStore):
    """An :class:`~tictac.accounts.store.AccountStore` in an SQLite file.

    Some 2,000 new accounts a second, where hashing their passwords manages 8.
    """

    name = "accounts"


class SqliteRooms(AskedRooms, SqliteStore):
    """A :class:`~tictac.accounts.saved.RoomStore` in the file of the accounts, with a thread of
    its own."""

    name = "saved rooms"


class SqliteArchive(AskedArchive, SqliteStore):
    """An :class:`~tictac.archive.store.Archive`, likewise."""

    name = "matches"


def _checked(path: str | os.PathLike[str]) -> Path:
    """Refuse what SQLite would take for something else than a file."""
    if os.fspath(path) == ":memory:":
        raise SetupError(":memory: isn't supported: accounts need a file")
    return Path(path)

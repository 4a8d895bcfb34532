"""Accounts in an SQLite file: at once for the operator's commands, in a thread for the server."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import ClassVar, Generic, Self, TypeVar

from twisted.internet.defer import Deferred, fail, succeed

from tictac.accounts.opening import create_file, open_file
from tictac.accounts.store import Account, StoreClosedError
from tictac.accounts.upgrades import Steps, shipped_steps, transaction
from tictac.accounts.workers import FromThreads, Pool, Workers, thread_pool
from tictac.errors import NoSuchUser, SetupError, UserExists

T = TypeVar("T")
D = TypeVar("D", bound="Database")

BUSY_TIMEOUT = 5.0
"""Seconds that a request waits for another program's lock before it fails."""


class Database:
    """An open file of accounts. Its methods block; every change is on disk when they return.

    Besides what is said at each, they raise sqlite3.Error when the file can't be read or
    written, or is locked for longer than the timeout; then nothing has changed.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Take a connection that :func:`~tictac.accounts.opening.open_file` gave."""
        self._connection = connection

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
        return cls(open_file(file, busy_timeout, steps))

    def get(self, name: str) -> Account | None:
        """Find the account called `name`."""
        row = self._connection.execute(
            "SELECT name, password_hash FROM users WHERE name = ?", (name,)
        ).fetchone()
        return Account(*row) if row else None

    def accounts(self) -> list[Account]:
        """Give all accounts, in the order of their names' characters."""
        rows = self._connection.execute("SELECT name, password_hash FROM users ORDER BY name")
        return [Account(*row) for row in rows]

    def add(self, account: Account) -> None:
        """Keep a new account. Raises UserExists when the name is taken."""
        self.add_many([account])

    def add_many(self, accounts: Iterable[Account]) -> None:
        """Keep all of these new accounts, or none of them.

        Raises:
            UserExists: the name of one is taken, or two have the same; its text has the name.
        """
        with transaction(self._connection):
            for account in accounts:
                self._insert(account)

    def replace_hash(self, name: str, old: str, new: str) -> bool:
        """Give `name` the hash `new` if it is still `old`; tell whether it was."""
        changed = self._connection.execute(
            "UPDATE users SET password_hash = ? WHERE name = ? AND password_hash = ?",
            (new, name, old),
        )
        return changed.rowcount == 1

    def set_hash(self, name: str, new: str) -> None:
        """Give `name` the hash `new`. Raises NoSuchUser."""
        self._require_one(name, "UPDATE users SET password_hash = ? WHERE name = ?", (new, name))

    def remove(self, name: str) -> None:
        """Forget the account called `name`. Raises NoSuchUser."""
        self._require_one(name, "DELETE FROM users WHERE name = ?", (name,))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _insert(self, account: Account) -> None:
        values = (account.name, account.password_hash)
        try:
            self._connection.execute(
                "INSERT INTO users (name, password_hash) VALUES (?, ?)", values
            )
        except sqlite3.IntegrityError:
            raise UserExists(f"there is a user {account.name} already") from None

    def _require_one(self, name: str, statement: str, values: tuple[str, ...]) -> None:
        if self._connection.execute(statement, values).rowcount != 1:
            raise NoSuchUser(f"there is no user {name!a}")


def check_database(path: str | os.PathLike[str]) -> None:
    """Make sure that the accounts at `path` can be used: make or upgrade the file if need be.

    Nothing stays open, so that a program may fork afterwards.

    Raises:
        SetupError: they can't be used, and why.
    """
    Database.open(path).close()


def create_database(path: str | os.PathLike[str], accounts: Iterable[Account]) -> None:
    """Make a database with these accounts; leave one alone that exists by then.

    It appears with all accounts in it, or not at all.

    Raises:
        SetupError: it can't be made.
        UserExists: two accounts have the same name.
    """
    create_file(_checked(path), shipped_steps(), lambda new: Database(new).add_many(accounts))


class SqliteStore(Generic[D]):
    """A store in an SQLite file, asked from the reactor's thread.

    One thread does everything, one request after the other, each durable on its own (WAL,
    synchronous=FULL). A subclass says how the file is seen, and what the thread is called.
    """

    seen_as: type[D]
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
        self._database: D | None = None
        self._workers = Workers(reactor, 1, lambda: pool(1, self.name))

    def start(self) -> None:
        """Open the file, made or upgraded if need be. Raises SetupError."""
        self._database = self.seen_as.open(self._path, busy_timeout=self._busy_timeout)
        self._workers.start()

    def close(self) -> Deferred[None]:
        """Finish what was asked for, and close the file."""
        database, self._database = self._database, None
        if database is None:
            return succeed(None)
        return Deferred.fromCoroutine(self._close(database))

    def _run(self, method: Callable[..., T], *args: object) -> Deferred[T]:
        if self._database is None:
            return fail(StoreClosedError())
        return self._workers.run(method, self._database, *args)

    async def _close(self, database: Database) -> None:
        try:
            await self._workers.run(database.close)  # the last in the line
        finally:
            await self._workers.stop()


class SqliteAccounts(SqliteStore[Database]):
    """An :class:`~tictac.accounts.store.AccountStore` in an SQLite file.

    Some 2,000 new accounts a second, where hashing their passwords manages 8.
    """

    seen_as = Database
    name = "accounts"

    def get(self, name: str) -> Deferred[Account | None]:
        """Find the account called `name`."""
        return self._run(Database.get, name)

    def add(self, account: Account) -> Deferred[None]:
        """Keep a new account, on disk; fails with UserExists when the name is taken."""
        return self._run(Database.add, account)

    def replace_hash(self, name: str, old: str, new: str) -> Deferred[bool]:
        """Give `name` the hash `new` if it is still `old`."""
        return self._run(Database.replace_hash, name, old, new)


def _checked(path: str | os.PathLike[str]) -> Path:
    """Refuse what SQLite would take for something else than a file."""
    if os.fspath(path) == ":memory:":
        raise SetupError(":memory: isn't supported: accounts need a file")
    return Path(path)

"""A store for as long as the process lasts."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from weakref import finalize

from twisted.internet.defer import Deferred, execute, fail, succeed

from tictac.accounts.tables import Account, AccountTables
from tictac.storage.database import Database
from tictac.storage.sqlite import SqliteDatabase
from tictac.storage.store import StoreClosedError
from tictac.storage.upgrades import shipped_steps, upgrade

T = TypeVar("T")

MEMORY = ":memory:"


class MemoryStore:
    """A :class:`~tictac.storage.store.Store` in memory, whose Deferreds have fired.

    What it holds survives `close` and a new `start`, as a file would. ``database`` is for what
    another process does.
    """

    def __init__(self, accounts: Iterable[Account] = ()) -> None:
        # The garbage collector may close it in another thread.
        connection = sqlite3.connect(MEMORY, isolation_level=None, check_same_thread=False)
        connection.deserialize(_empty())
        finalize(self, connection.close)
        self.database = SqliteDatabase(connection, Path(MEMORY))
        AccountTables(self.database).add_many(accounts)
        self._open = False

    def start(self) -> None:
        """Take requests."""
        self._open = True

    def ready(self) -> bool:
        """Return whether the store takes requests."""
        return self._open

    def close(self) -> Deferred[None]:
        """Refuse requests."""
        self._open = False
        return succeed(None)

    def ask(self, work: Callable[[Database], T], only_reads: bool = False) -> Deferred[T]:
        """Call `work` at once."""
        return execute(work, self.database) if self._open else fail(StoreClosedError())


class SlowStore(MemoryStore):
    """A store whose requests the test answers."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Deferred[Any]] = []

    def ask(self, work: Callable[[Database], T], only_reads: bool = False) -> Deferred[T]:
        """Note that something is asked."""
        self.asked.append(Deferred())
        return self.asked[-1]


@cache
def _empty() -> bytes:
    """Return a database without accounts; upgrading one takes longer than a test."""
    connection = sqlite3.connect(MEMORY, isolation_level=None)
    upgrade(connection, Path(MEMORY), shipped_steps(), lambda: connection)
    content = connection.serialize()
    connection.close()
    return content

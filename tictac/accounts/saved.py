"""Rooms that are kept: in the file of the accounts, or for as long as the process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from twisted.internet.defer import Deferred, fail, succeed

from tictac.accounts.sqlite import Database, SqliteStore
from tictac.accounts.store import StoreClosedError

T = TypeVar("T")


class RoomStore(Protocol):
    """Bytes by the name of a room, asked from the reactor's thread, which is never blocked.

    The promises are those of :class:`~tictac.accounts.store.AccountStore`: requests take effect
    in their order, a Deferred always fires, and what was kept stays when it has.
    """

    def start(self) -> None:
        """Open the store. Raises SetupError."""

    def close(self) -> Deferred[None]:
        """Take no more requests; fires when those made before are done."""

    def all(self) -> Deferred[dict[str, bytes]]:
        """Give everything that is kept."""

    def put(self, name: str, content: bytes) -> Deferred[None]:
        """Keep `content`, in place of what has that name."""

    def remove(self, name: str) -> Deferred[None]:
        """Keep nothing of that name."""


class MemoryRooms:
    """A :class:`RoomStore` in a dict; what it holds survives `close` and a new `start`."""

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}
        self._open = False

    def start(self) -> None:
        """Take requests."""
        self._open = True

    def close(self) -> Deferred[None]:
        """Refuse requests."""
        self._open = False
        return succeed(None)

    def all(self) -> Deferred[dict[str, bytes]]:
        """Give everything that is kept."""
        return self._do(lambda: dict(self._contents))

    def put(self, name: str, content: bytes) -> Deferred[None]:
        """Keep `content`."""
        return self._do(lambda: self._contents.update({name: content}))

    def remove(self, name: str) -> Deferred[None]:
        """Keep nothing of that name."""
        return self._do(lambda: (self._contents.pop(name, None), None)[1])

    def _do(self, work: Callable[[], T]) -> Deferred[T]:
        return succeed(work()) if self._open else fail(StoreClosedError())


class RoomDatabase(Database):
    """An open file of accounts, as far as it holds saved rooms. Its methods block."""

    def rooms(self) -> dict[str, bytes]:
        """Give all rooms."""
        rows = self._connection.execute("SELECT name, content FROM saved_rooms ORDER BY name")
        return {name: bytes(content) for name, content in rows}

    def put_room(self, name: str, content: bytes) -> None:
        """Keep a room, in place of one that has its name."""
        self._connection.execute(
            "INSERT INTO saved_rooms (name, content) VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET content = excluded.content",
            (name, content),
        )

    def remove_room(self, name: str) -> None:
        """Forget a room, if it is kept."""
        self._connection.execute("DELETE FROM saved_rooms WHERE name = ?", (name,))


class SqliteRooms(SqliteStore[RoomDatabase]):
    """A :class:`RoomStore` in the file of the accounts, with a thread of its own."""

    seen_as = RoomDatabase
    name = "saved rooms"

    def all(self) -> Deferred[dict[str, bytes]]:
        """Give everything that is kept."""
        return self._run(RoomDatabase.rooms)

    def put(self, name: str, content: bytes) -> Deferred[None]:
        """Keep `content`, on disk when the Deferred fires."""
        return self._run(RoomDatabase.put_room, name, content)

    def remove(self, name: str) -> Deferred[None]:
        """Keep nothing of that name."""
        return self._run(RoomDatabase.remove_room, name)

"""The interface of a store: tables in a database that never block the reactor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, Generic, ParamSpec, Protocol, TypeVar

from twisted.internet.defer import Deferred

from tictac.storage.database import Database

P = ParamSpec("P")
T = TypeVar("T")
Tables = TypeVar("Tables")
Method = TypeVar("Method", bound=Callable[..., object])

_only_read = set[Callable[..., object]]()


class StoreClosedError(Exception):
    """The store isn't started, or is closed."""


class StoreAwayError(Exception):
    """A store's server was unavailable for too long, or its database has a fault.

    The log has one line about that already. A request to a server might have been carried out all
    the same, if only the answer was lost.
    """


class Store(Protocol):
    """A database that the reactor's thread asks without blocking.

    * Requests take effect in the order in which they were made.
    * A Deferred always fires. If the store itself fails (a full disk, a lock that another program
      doesn't release, a server that is unavailable for too long), it fails with
      :class:`StoreAwayError`, and nothing changed. Before `start` and after `close`, it fails with
      :class:`StoreClosedError`.
    * When the Deferred of a change fires, the change is as safe as the store can make it: a killed
      process or a power cut doesn't lose a change on disk.
    * A request can be canceled. If it has begun, the store carries it out all the same.
    """

    def start(self) -> None:
        """Open the store. Raises SetupError, which names the file and the fault."""

    def ready(self) -> bool:
        """Return whether requests would be served now."""

    def close(self) -> Deferred[None]:
        """Refuse new requests; fire when the others are done and the store is closed.

        This does nothing if the store is closed or was never started.
        """

    def ask(self, work: Callable[[Database], T], only_reads: bool = False) -> Deferred[T]:
        """Call `work` with the open database, where blocking is allowed; fire with the outcome.

        `only_reads`: `work` is marked as :func:`reading`.
        """


def reading(method: Method) -> Method:
    """Mark a method of tables that changes nothing, and promises nothing.

    If the file is deleted, a store still answers such a method from the file that it has open.
    """
    _only_read.add(method)
    return method


class Stored(Generic[Tables]):
    """Tables of one type in a store: `Stored(store, AccountTables).ask(AccountTables.get, name)`.

    The methods of the tables define the requests and their outcomes.
    """

    def __init__(self, store: Store, tables: Callable[[Database], Tables]) -> None:
        self._store = store
        self._tables = tables

    def ask(
        self, method: Callable[Concatenate[Tables, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> Deferred[T]:
        """Call a method of the tables; fire with its outcome (see :class:`Store`)."""

        def work(database: Database) -> T:
            return method(self._tables(database), *args, **kwargs)

        return self._store.ask(work, method in _only_read)

"""What a store promises: tables in a database, asked without blocking the reactor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Concatenate, Generic, NamedTuple, ParamSpec, Protocol, TypeVar

from twisted.internet.defer import Deferred

from tictac.accounts.bans import Ban
from tictac.accounts.database import Database

P = ParamSpec("P")
T = TypeVar("T")
Tables = TypeVar("Tables")
Method = TypeVar("Method", bound=Callable[..., object])

_only_read = set[Callable[..., object]]()


@dataclass(frozen=True, slots=True)
class Account:
    """One user: a name that :func:`~tictac.accounts.names.check_user_name` accepts, a bcrypt hash
    (60 ASCII characters), which stays out of `repr()` and so out of logs, and a group, if any."""

    name: str
    password_hash: str = field(repr=False)
    group: str = ""
    admin: bool = False
    """Whether it looks after the server."""


class Changes(NamedTuple):
    """What other processes want servers to know of accounts.

    ``last`` numbers it, ``ended`` are the accounts whose connections are to end, and why, as the
    code of a refusal; ``bans`` are all there are, None: as before.
    """

    last: int
    ended: list[tuple[str, str]]
    bans: list[Ban] | None


class StoreClosedError(Exception):
    """A store was used before :meth:`Store.start` or after `close`."""


class StoreAwayError(Exception):
    """A store couldn't be asked in time: its server is away. That is in the log already, once.

    What was asked for may have been done all the same, when only the answer was lost.
    """


class Store(Protocol):
    """A database, asked from the reactor's thread, which is never blocked.

    * Requests take effect in the order in which they were made.
    * A Deferred always fires. When the store itself fails (a full disk, a lock that another
      program doesn't give up) that is a failure with whatever exception tells why, and nothing
      has changed. Before `start` and after `close` it is :class:`StoreClosedError`, while a
      server that it depends on is away for longer than it waits :class:`StoreAwayError`.
    * When the Deferred of a change fires, the change is as safe as the store can make it: on disk
      neither a killed process nor a power cut loses it any more.
    * A request may be cancelled. One that has begun is then carried out all the same.
    """

    def start(self) -> None:
        """Open the store.

        Raises:
            SetupError: it can't be used; the text says which file, and why.
        """

    def ready(self) -> bool:
        """Tell whether requests would be served now."""

    def close(self) -> Deferred[None]:
        """Take no more requests; fires when those made before are done and all is closed.

        Closing what is closed, or was never started, does nothing.
        """

    def ask(self, work: Callable[[Database], T], only_reads: bool = False) -> Deferred[T]:
        """Call `work` with the open database, where it may block; fires with its outcome.

        Args:
            only_reads: `work` is marked as :func:`reading`.
        """


def reading(method: Method) -> Method:
    """Mark a method of tables that changes nothing, and promises nothing.

    A store answers it even while its file is gone, from the file that it has open.
    """
    _only_read.add(method)
    return method


class Stored(Generic[Tables]):
    """Tables of one kind in a store: `Stored(store, AccountTables).ask(AccountTables.get, name)`.

    Their methods say what can be asked for, and what comes of it.
    """

    def __init__(self, store: Store, tables: Callable[[Database], Tables]) -> None:
        self._store = store
        self._tables = tables

    def ask(
        self, method: Callable[Concatenate[Tables, P], T], /, *args: P.args, **kwargs: P.kwargs
    ) -> Deferred[T]:
        """Call a method of the tables; fires with its outcome (see :class:`Store`)."""

        def work(database: Database) -> T:
            return method(self._tables(database), *args, **kwargs)

        return self._store.ask(work, method in _only_read)

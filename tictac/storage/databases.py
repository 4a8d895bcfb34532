"""Choose a database by its place: the path of an SQLite file or the URL of a PostgreSQL database.

Modules that only PostgreSQL needs are loaded only for such a URL.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from tictac.errors import SetupError
from tictac.reactor import Reactor
from tictac.storage.database import Database
from tictac.storage.sqlite import SqliteDatabase, SqliteStore
from tictac.storage.store import Store

if TYPE_CHECKING:
    from tictac.storage.postgres import PostgresDatabase


def is_url(place: str) -> bool:
    """Return whether `place` is the URL of a PostgreSQL database and not a file."""
    return place.startswith(("postgresql:", "postgres:"))


def shown(place: str) -> str:
    """Return `place` without its password. Raises SetupError."""
    if not is_url(place):
        return place
    _require_psycopg()
    from tictac.storage.address import Address

    return str(Address.parse(place))


@contextmanager
def opened(place: str, *, create: bool = True) -> Iterator[Database]:
    """Open the database at `place` for the body, create or upgrade it if needed. It blocks.

    With `create` off, the database must exist. Raises SetupError if it is unusable or fails later.
    """
    with closing(_open(place, create)) as database, database.explained():
        yield database


def check_place(place: str) -> None:
    """Create or upgrade the accounts at `place` if needed. Raises SetupError if they are unusable.

    The check leaves nothing open, so that a program can fork afterwards.
    """
    _open(place, create=True).close()


def store_at(place: str, what: str, reactor: Reactor, timeout: float) -> Store:
    """Return a store of the database at `place`, with a thread of its own.

    Args:
        what: the content, as log lines call it.
        timeout: seconds that a request waits for an unavailable server; 0: forever.

    Raises SetupError if `place` is malformed.
    """
    if is_url(place):
        _require_psycopg()
        from tictac.storage.postgres_store import PostgresStore

        return PostgresStore(place, what, reactor, timeout=timeout)
    return SqliteStore(place, what, reactor)


def _open(place: str, create: bool) -> SqliteDatabase | PostgresDatabase:
    if is_url(place):
        _require_psycopg()
        from tictac.storage.postgres import PostgresDatabase

        return PostgresDatabase.open(place, create=create)
    return SqliteDatabase.open(place, create=create)


def _require_psycopg() -> None:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise SetupError(
            "accounts in PostgreSQL need a package that isn't installed: pip install '.[postgres]'"
        ) from None

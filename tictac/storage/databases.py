"""Choose a database by its location: the path of an SQLite file, or the URL of a PostgreSQL one.

Modules that only PostgreSQL needs are loaded only for such a URL.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tictac.errors import SetupError
from tictac.reactor import Reactor
from tictac.storage.database import Database
from tictac.storage.sqlite import SqliteDatabase, SqliteStore
from tictac.storage.store import Store

if TYPE_CHECKING:
    from tictac.storage.postgres import PostgresDatabase


def is_url(location: str) -> bool:
    """Return whether `location` is the URL of a PostgreSQL database and not a file."""
    return location.startswith(("postgresql:", "postgres:"))


def shown(location: str) -> str:
    """Return `location` without its password. Raises SetupError."""
    if not is_url(location):
        return location
    _require_psycopg()
    from tictac.storage.address import Address

    return str(Address.parse(location))


@contextmanager
def opened(location: str, *, create: bool = True) -> Iterator[Database]:
    """Open the database at `location` for the body, create or upgrade it if needed. It blocks.

    With `create` off, the database must exist. Raises SetupError if it is unusable or fails later.
    """
    if not create and not is_url(location) and not Path(location).exists():
        raise SetupError(
            f"{location} doesn't exist: run this in the server's folder, or name the database by"
            " --database"
        )
    with closing(_open(location, create)) as database, database.explained():
        yield database


@contextmanager
def opened_or_made(location: str) -> Iterator[Database]:
    """Open the database as `opened` does, and say on standard error afterwards if it is new.

    A command in a wrong folder makes one that nobody wants. Raises SetupError.
    """
    is_new = not is_url(location) and not Path(location).exists()
    with opened(location) as database:
        yield database
    if is_new:
        print(f"made a new database: {Path(location).absolute()}", file=sys.stderr)


def prepare(location: str) -> None:
    """Create or upgrade the database at `location` if needed. Raises SetupError if it is unusable.

    The check leaves nothing open, so that a program can fork afterwards.
    """
    _open(location, create=True).close()


def store_at(location: str, what: str, reactor: Reactor, timeout: float) -> Store:
    """Return a store of the database at `location`, with a thread of its own.

    Args:
        what: the content, as log lines call it.
        timeout: seconds that a request waits for an unavailable server; 0: forever.

    Raises SetupError if `location` is malformed.
    """
    if is_url(location):
        _require_psycopg()
        from tictac.storage.postgres_store import PostgresStore

        return PostgresStore(location, what, reactor, timeout=timeout)
    return SqliteStore(location, what, reactor)


def _open(location: str, create: bool) -> SqliteDatabase | PostgresDatabase:
    if is_url(location):
        _require_psycopg()
        from tictac.storage.postgres import PostgresDatabase

        return PostgresDatabase.open(location, create=create)
    return SqliteDatabase.open(location, create=create)


def _require_psycopg() -> None:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise SetupError(
            "accounts in PostgreSQL need a package that isn't installed: pip install '.[postgres]'"
        ) from None

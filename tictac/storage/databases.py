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
def opened(location: str, *, create: bool = True, names_new: bool = False) -> Iterator[Database]:
    """Open the database at `location` for the body, create or upgrade it if needed. It blocks.

    With `create` off, the database must exist. With `names_new`, standard error names a new one:
    the command might run in a wrong folder. Raises SetupError if it is unusable or fails later.
    """
    is_new = not is_url(location) and not Path(location).exists()
    if is_new and not create:
        where = "run this in the server's folder, or name the database by --database"
        raise SetupError(f"{location} doesn't exist: {where}")
    with closing(_open(location, create)) as database, database.explained():
        yield database
    if is_new and names_new:
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

"""Where accounts are kept, as an operator says it: the path of an SQLite file or the URL of a
PostgreSQL database. What only PostgreSQL needs is loaded for such a URL alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from tictac.accounts.database import Database
from tictac.accounts.sqlite import SqliteDatabase, SqliteStore
from tictac.accounts.store import Store
from tictac.errors import SetupError

if TYPE_CHECKING:
    from tictac.accounts.postgres import PostgresDatabase


def is_url(place: str) -> bool:
    """Whether `place` means a PostgreSQL database and not a file."""
    return place.startswith(("postgresql:", "postgres:"))


def shown(place: str) -> str:
    """`place` without the password that it may hold. Raises SetupError."""
    if not is_url(place):
        return place
    _require_psycopg()
    from tictac.accounts.address import Address

    return str(Address.parse(place))


@contextmanager
def opened(place: str, *, create: bool = True) -> Iterator[Database]:
    """Open the database at `place` for the body, made or upgraded if need be. It blocks.

    Args:
        create: make it if it doesn't exist.

    Raises:
        SetupError: it can't be used, or fails on the way, and why.
    """
    with closing(_open(place, create)) as database, database.explained():
        yield database


def check_place(place: str) -> None:
    """Make sure that the accounts at `place` can be used: make or upgrade them if need be.

    Nothing stays open, so that a program may fork afterwards.

    Raises:
        SetupError: they can't be used, and why.
    """
    _open(place, create=True).close()


def store_at(place: str, what: str, reactor: Any, timeout: float) -> Store:
    """Make a store of the database at `place`, with a thread of its own.

    Args:
        what: what is kept there, as log lines call it.
        timeout: seconds that a request waits for a server that is away; 0: for ever.

    Raises:
        SetupError: the place isn't one.
    """
    if is_url(place):
        _require_psycopg()
        from tictac.accounts.pool import PostgresStore

        return PostgresStore(place, what, reactor, timeout=timeout)
    return SqliteStore(place, what, reactor)


def _open(place: str, create: bool) -> SqliteDatabase | PostgresDatabase:
    if is_url(place):
        _require_psycopg()
        from tictac.accounts.postgres import PostgresDatabase

        return PostgresDatabase.open(place, create=create)
    return SqliteDatabase.open(place, create=create)


def _require_psycopg() -> None:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise SetupError(
            "accounts in PostgreSQL need a package that isn't installed: pip install '.[postgres]'"
        ) from None

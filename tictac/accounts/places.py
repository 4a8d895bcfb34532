"""Where accounts are kept, as an operator says it: the path of an SQLite file or the URL of a
PostgreSQL database. What only PostgreSQL needs is loaded for such a URL alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

from tictac.accounts.saved import RoomStore
from tictac.accounts.sqlite import Database, SqliteAccounts, SqliteArchive, SqliteRooms
from tictac.accounts.store import AccountStore
from tictac.accounts.tables import Tables
from tictac.errors import SetupError
from tictac.ratings.store import Ratings


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
def opened(place: str, *, create: bool = True) -> Iterator[Tables]:
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


def account_store(place: str, reactor: Any, timeout: float) -> AccountStore:
    """Make the store of the accounts at `place`; `timeout` is how many seconds a request waits
    for a server that is away (0: for ever). Raises SetupError."""
    if is_url(place):
        _require_psycopg()
        from tictac.accounts.pool import PostgresAccounts

        return PostgresAccounts(place, reactor, timeout=timeout)
    return SqliteAccounts(place, reactor)


def room_store(place: str, reactor: Any, timeout: float) -> RoomStore:
    """Make the store of the saved rooms at `place`, likewise. Raises SetupError."""
    if is_url(place):
        _require_psycopg()
        from tictac.accounts.pool import PostgresRooms

        return PostgresRooms(place, reactor, timeout=timeout)
    return SqliteRooms(place, reactor)


def archive(place: str, reactor: Any, timeout: float) -> Ratings:
    """Make the archive of matches at `place`, likewise. Raises SetupError."""
    if is_url(place):
        _require_psycopg()
        from tictac.accounts.pool import PostgresArchive

        return PostgresArchive(place, reactor, timeout=timeout)
    return SqliteArchive(place, reactor)


def _open(place: str, create: bool) -> Tables:
    if is_url(place):
        _require_psycopg()
        from tictac.accounts.postgres import PostgresDatabase

        return PostgresDatabase.open(place, create=create)
    return Database.open(place, create=create)


def _require_psycopg() -> None:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise SetupError(
            "accounts in PostgreSQL need a package that isn't installed: pip install '.[postgres]'"
        ) from None

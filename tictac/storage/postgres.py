"""Accounts in a PostgreSQL database. Imported only when such a database is used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Self, TypeAlias

import psycopg
from psycopg.sql import SQL

from tictac.errors import SetupError
from tictac.storage.address import Address
from tictac.storage.upgrades import Steps, pending_steps, recorded_version, shipped_steps

Row: TypeAlias = tuple[Any, ...]
Connection: TypeAlias = psycopg.Connection[Row]

PATIENCE = 5.0
"""Maximum seconds for connecting, and for any statement."""

UPGRADE_PATIENCE = 60.0
"""Seconds to wait for another process that is upgrading the schema."""

_LOCK = 0x746963746163
"""The advisory lock under which the schema is upgraded: an arbitrary, unused number."""

_LOST = ("08", "57P", "25006")
"""Prefixes of SQLSTATEs that make a connection useless: the connection failed, the server
stopped, or the server became read-only."""


class PostgresDatabase:
    """An open connection (storage.database.Database) that fails with psycopg.Error.

    It commits changes when `execute` returns.
    """

    taken = psycopg.errors.UniqueViolation

    def __init__(self, connection: Connection, address: Address, unsure: bool = False) -> None:
        """Take a connection that :func:`connect` returned."""
        self._connection = connection
        self._address = address
        self.unsure = unsure

    @classmethod
    def open(cls, url: str, *, create: bool = True, steps: Steps | None = None) -> Self:
        """Connect to the database at `url`, upgraded if it is older.

        `create`: make missing tables. `steps`: the schema; None is the one of this release. Raises
        SetupError with the reason if the database is unusable.
        """
        address = Address.parse(url)
        return cls(connect(address, create=create, steps=steps), address)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn PostgreSQL errors in the body into a SetupError."""
        try:
            yield
        except psycopg.Error as error:
            raise explain(self._address, error) from error

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def execute(self, statement: str, values: Sequence[object] = (), /) -> psycopg.Cursor[Row]:
        """Run a statement."""
        return self._connection.execute(SQL(statement.replace("?", "%s")), values)

    def transaction(self) -> AbstractContextManager[object]:
        """Do all of the body or none of it."""
        return self._connection.transaction()


def connect(
    address: Address, timeout: float = PATIENCE, *, create: bool = True, steps: Steps | None = None
) -> Connection:
    """Connect to a database, checked, up to date and durable.

    The connection is in autocommit mode, and in any one thread at a time. It blocks.

    Args:
        timeout: seconds for connecting, and for each later statement; a statement waits half of it
            for a lock. 0 is no limit.
        create: make the tables if there are none.
        steps: the schema; None is the one of this release.

    Raises SetupError with the reason, but never the password, if the database is unusable.
    """
    try:
        connection = psycopg.connect(
            address.conninfo,
            autocommit=True,
            # Prepared statements don't survive poolers or another process's upgrade.
            prepare_threshold=None,
            # The minimum of libpq is 2.
            connect_timeout=max(2, round(timeout)) if timeout else 0,
        )
    except psycopg.Error as error:
        raise SetupError(f"{address} can't be used: {in_one_line(error)}") from None
    try:
        _prepare(connection, address, timeout, create, steps or shipped_steps("postgresql"))
    except psycopg.Error as error:
        connection.close()
        raise explain(address, error) from error
    except BaseException:
        connection.close()
        raise
    return connection


def explain(address: Address, error: psycopg.Error) -> SetupError:
    """Describe the fault of a database in one line."""
    if isinstance(error, psycopg.errors.LockNotAvailable):
        return SetupError(f"{address} is locked by another program")
    return SetupError(f"{address} can't be used: {in_one_line(error)}")


def in_one_line(error: psycopg.Error) -> str:
    """Return the message of PostgreSQL or libpq, often several lines, as one line."""
    if error.diag.message_primary:
        return error.diag.message_primary
    lines = [" ".join(line.split()) for line in str(error).splitlines()]
    return " ".join(line for line in lines if not line.startswith("Is the server running"))


def is_lost(connection: Connection, error: psycopg.Error) -> bool:
    """Return whether a connection is useless after this error."""
    return connection.closed or (error.sqlstate or "").startswith(_LOST)


def _prepare(
    connection: Connection, address: Address, timeout: float, create: bool, steps: Steps
) -> None:
    _require_unicode(connection, address)
    # In a stricter level, the second read of the version would see the state before the lock.
    connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
    _set(connection, "lock_timeout", UPGRADE_PATIENCE)
    upgrade(connection, address, steps, create)
    _set(connection, "statement_timeout", timeout)
    # A statement that meets a lock fails alone, before the requests behind it wait too long.
    _set(connection, "lock_timeout", timeout / 2)
    # Acknowledged changes are on disk, whatever the server's default; stricter values can stay.
    connection.execute(
        "SELECT set_config('synchronous_commit', 'on', false)"
        " WHERE current_setting('synchronous_commit') = 'off'"
    )


def _set(connection: Connection, setting: str, seconds: float) -> None:
    connection.execute("SELECT set_config(%s, %s, false)", (setting, str(round(seconds * 1000))))


def _require_unicode(connection: Connection, address: Address) -> None:
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise SetupError(f"{address} can't be used: its encoding is {encoding} and not UTF8")


def upgrade(connection: Connection, address: Address, steps: Steps, create: bool = True) -> None:
    """Apply the steps that a database lacks, all or none of them.

    If several processes start at once, one upgrades and the others wait. The upgrade is one
    transaction, so it needs no copy, unlike a file.

    Raises SetupError if the database is newer than `steps`, another program's, or empty without
    `create`. Raises psycopg.Error if a step fails; then nothing changed.
    """
    if not create and _version_of(connection, address) == 0:
        raise SetupError(f"{address} holds no accounts: there are no tables yet")
    if _pending(connection, address, steps):
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            # Read again under the lock: another process might have upgraded meanwhile.
            for step in _pending(connection, address, steps):
                connection.execute(SQL(step))
            connection.execute("UPDATE schema_version SET version = %s", (len(steps),))


def _pending(connection: Connection, address: Address, steps: Steps) -> Steps:
    return pending_steps(_version_of(connection, address), steps, address)


def _version_of(connection: Connection, address: Address) -> int:
    found = connection.execute(
        "SELECT tablename FROM pg_catalog.pg_tables WHERE schemaname = current_schema()"
    )
    return recorded_version({n for (n,) in found}, lambda: _versions(connection), address)


def _versions(connection: Connection) -> list[object]:
    try:
        return [row for (row,) in connection.execute("SELECT version FROM schema_version")]
    except psycopg.errors.UndefinedColumn:
        return []  # a table of that name, without that column

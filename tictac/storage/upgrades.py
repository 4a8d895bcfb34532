"""The schema's steps, and upgrades of a database by them.

A step is one SQL script; the first fills an empty database. The database stores the number of the
last applied step. This module is for SQLite; `postgres.py` does the same for PostgreSQL.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from importlib import resources
from pathlib import Path

from tictac.errors import SetupError
from tictac.storage.files import publish, temporary_beside

Steps = Sequence[str]

_TABLES = {"schema_version", "users"}


def shipped_steps(dialect: str | None = None) -> Steps:
    """Return the steps of this release, in order, from `schema/`.

    `dialect` is a folder in there; its files replace those of the same names.
    """
    folder = resources.files("tictac.storage").joinpath("schema")
    folders = [folder] if dialect is None else [folder, folder.joinpath(dialect)]
    files = {f.name: f for each in folders for f in each.iterdir() if f.name.endswith(".sql")}
    return [files[name].read_text("utf-8") for name in sorted(files)]


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Do all of the body or none of it, holding the write lock from the start.

    Raises sqlite3.OperationalError if the lock isn't free within the connection's timeout.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:  # SQLite itself ends it after some errors
            connection.execute("ROLLBACK")


def version_of(connection: sqlite3.Connection, path: Path) -> int:
    """Return the number of applied steps; 0 for an empty file.

    Raises SetupError if the database belongs to another program.
    """
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    return recorded_version({n for (n,) in found}, lambda: _recorded_versions(connection), path)


def recorded_version(
    tables: Collection[str], versions: Callable[[], list[object]], location: object
) -> int:
    """Return the number of applied steps; 0 for a database without tables.

    Args:
        tables: the names of all its tables.
        versions: reads the table of that name.
        location: the database's name in messages.

    Raises SetupError if the database belongs to another program.
    """
    if not tables:
        return 0
    found = versions() if _TABLES.issubset(tables) else []
    if len(found) != 1 or not isinstance(found[0], int) or found[0] < 1:
        raise SetupError(f"{location} is a database of another program")
    return found[0]


def pending_steps(version: int, steps: Steps, location: object) -> Steps:
    """Return the steps that a database of this version lacks.

    Raises SetupError if the database is newer than `steps`.
    """
    if version > len(steps):
        raise SetupError(
            f"{location} was made by a newer version of this program: "
            f"its schema is {version}, known are those up to {len(steps)}"
        )
    return steps[version:]


def upgrade(
    connection: sqlite3.Connection,
    path: Path,
    steps: Steps,
    connect: Callable[[], sqlite3.Connection],
) -> None:
    """Apply the steps that a database lacks, all or none of them.

    First the file is copied to `<name>.v<version>.backup`, unless it is empty. `connect` makes a
    second connection to the same file.

    Raises SetupError if the version is newer than `steps`. Raises OSError or sqlite3.Error if
    copying or writing fails; then nothing changed.
    """
    if _pending(connection, path, steps):
        with transaction(connection):
            # Read again under the lock: another process might have upgraded meanwhile.
            pending = _pending(connection, path, steps)
            if 0 < len(pending) < len(steps):
                _back_up(connect, path, version_of(connection, path))
            for step in pending:
                _run_script(connection, step)
            connection.execute("UPDATE schema_version SET version = ?", (len(steps),))


def _pending(connection: sqlite3.Connection, path: Path, steps: Steps) -> Steps:
    return pending_steps(version_of(connection, path), steps, path)


def _recorded_versions(connection: sqlite3.Connection) -> list[object]:
    try:
        return [row for (row,) in connection.execute("SELECT version FROM schema_version")]
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
            raise
        return []  # a table of that name, without that column


def _back_up(connect: Callable[[], sqlite3.Connection], path: Path, version: int) -> None:
    """Copy the file as it was before the transaction that is open on another connection."""
    with temporary_beside(path) as temporary:
        with closing(connect()) as source, closing(sqlite3.connect(temporary)) as target:
            source.backup(target)
        publish(temporary, path.with_name(f"{path.name}.v{version}.backup"))


def _run_script(connection: sqlite3.Connection, script: str) -> None:
    """Run a script statement by statement: `executescript` would commit first."""
    statement = ""
    for piece in re.split("(?<=;)", script):
        statement += piece  # incomplete if that semicolon is part of a text or comment
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""
    if statement.strip():
        raise ValueError(f"the script ends in the middle of a statement: {statement.strip()}")

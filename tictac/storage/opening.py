"""Open the database file, and explain in one line why it is unusable."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from tictac.errors import SetupError
from tictac.storage.files import publish_new, temporary_beside
from tictac.storage.upgrades import Steps, upgrade, version_of

PATIENCE = 5.0
"""Maximum seconds that opening waits for another program's lock."""

TOO_LONG = 32 << 20
"""Bytes to which the file of the write-ahead log is shortened (disk.py)."""

_WHY = {
    sqlite3.SQLITE_NOTADB: "isn't an SQLite database",
    sqlite3.SQLITE_CORRUPT: "is damaged: {error}",
    sqlite3.SQLITE_BUSY: "is locked by another program",
    sqlite3.SQLITE_LOCKED: "is locked by another program",
    sqlite3.SQLITE_READONLY: "can't be written",
    sqlite3.SQLITE_CANTOPEN: "can't be opened",
}


def explain(path: Path, error: sqlite3.Error | OSError) -> SetupError:
    """Describe in one line the fault of the database at `path`."""
    if isinstance(error, OSError):
        return SetupError(f"{path} can't be used: {error.strerror or error}")
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    why = _WHY.get(code, "can't be used: {error}")
    return SetupError(f"{path} {why.format(error=error)}")


def fault_of(connection: sqlite3.Connection, only: Collection[str] = ()) -> str:
    """Return the damage of a database in one line; empty: none. Raises sqlite3.Error.

    The check skips matches, because there can be gigabytes of them, or reads ``only`` some tables.
    """
    tables = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'match%'"
    ).fetchall()
    for (table,) in tables:
        if only and table not in only:
            continue
        (found,) = connection.execute(f'PRAGMA quick_check("{table}")').fetchone()
        if found != "ok":
            return " ".join(str(found).split())
    return ""


@contextmanager
def explained(
    path: Path, errors: tuple[type[sqlite3.Error | OSError], ...] = (sqlite3.Error, OSError)
) -> Iterator[None]:
    """Turn errors of SQLite and the system in the body into a SetupError."""
    try:
        yield
    except errors as error:
        raise explain(path, error) from error


def open_file(path: Path, busy_timeout: float, steps: Steps) -> sqlite3.Connection:
    """Open a database that exists (or an empty file), checked, up to date and durable.

    The connection is in autocommit mode, and in any one thread at a time. `busy_timeout` is the
    seconds that a statement waits for another program's lock.

    Raises SetupError if the file is unreadable, read-only, damaged, locked, newer than `steps`, or
    from another program.
    """
    with explained(path):
        _require_file(path)
        return _opened(path, busy_timeout, steps)


def create_file(
    path: Path, steps: Steps, fill: Callable[[sqlite3.Connection], object] | None = None
) -> None:
    """Create a database, whole or not at all; leave one alone that exists by then.

    `fill` adds the first content. Raises SetupError if the directory is missing or read-only, or
    the disk is full.
    """
    with explained(path):
        if path.exists():
            return
        if not path.parent.is_dir():
            raise SetupError(f"{path} can't be made: its directory doesn't exist")
        _require_no_remains(path)
        with temporary_beside(path) as temporary, suppress(FileExistsError):
            with closing(_opened(temporary, PATIENCE, steps)) as connection:
                if fill is not None:
                    fill(connection)
                _gather(connection)
            publish_new(temporary, path)


def _require_no_remains(path: Path) -> None:
    """Refuse leftover files, whose content SQLite would put into the new database."""
    for ending in ("-wal", "-journal"):
        remains = Path(f"{path.resolve()}{ending}")
        if remains.exists() and not path.exists():
            raise SetupError(f"{path} is missing but {remains} isn't: restore it, or remove both")


def _gather(connection: sqlite3.Connection) -> None:
    """Merge all content into the file itself; closing also would, but would hide a full disk."""
    (busy, _, _) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        raise sqlite3.OperationalError("it couldn't be written whole")


def _require_file(path: Path) -> None:
    if not path.exists():
        raise SetupError(f"{path} doesn't exist")
    if not path.is_file():
        raise SetupError(f"{path} isn't a file")


def _opened(path: Path, busy_timeout: float, steps: Steps) -> sqlite3.Connection:
    connection = _connect(path, min(busy_timeout, PATIENCE))
    try:
        _prepare(connection, path, steps)
        connection.execute(f"PRAGMA busy_timeout = {round(busy_timeout * 1000)}")
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(path: Path, timeout: float) -> sqlite3.Connection:
    # mode=rw: if the file vanishes in between, SQLite must not create a new one.
    address = f"{path.absolute().as_uri()}?mode=rw"
    return sqlite3.connect(
        address, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False
    )


def _prepare(connection: sqlite3.Connection, path: Path, steps: Steps) -> None:
    version_of(connection, path)  # refuses files of other programs before anything is written
    _require_sound(connection, path)
    _require_writable(connection)
    _make_durable(connection)
    upgrade(connection, path, steps, lambda: _connect(path, PATIENCE))


def _require_sound(connection: sqlite3.Connection, path: Path) -> None:
    if fault := fault_of(connection):
        raise SetupError(f"{path} is damaged: {fault}")


def _require_writable(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    # BEGIN alone would succeed on a read-only file.
    connection.execute("CREATE TABLE write_check (it INTEGER)")
    connection.execute("ROLLBACK")


def _make_durable(connection: sqlite3.Connection) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise sqlite3.NotSupportedError("its file system doesn't allow a write-ahead log")
    connection.execute("PRAGMA synchronous = FULL")
    # Some builds of SQLite leave deleted rows readable in the file.
    connection.execute("PRAGMA secure_delete = ON")
    connection.execute(f"PRAGMA journal_size_limit = {TOO_LONG}")

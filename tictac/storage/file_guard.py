"""Check that the files of an open SQLite database are still the ones that were opened.

SQLite goes on writing to a file that was deleted, and into one that another program overwrote.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tictac.storage.files import identity_of
from tictac.storage.opening import fault_of
from tictac.storage.retry_queue import LostError

TABLES = "users", "taken_names"
"""The check for damage. While it reads rooms, the write-ahead log can't restart."""


class FileGuard:
    """Watches a database file and its write-ahead log, from the thread of the database.

    It opens the file only through SQLite: another close of the file would drop SQLite's locks.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._log = Path(f"{path.resolve()}-wal")
        self._file = identity_of(path)
        self._content: tuple[int, int] | None = None
        self._wal: tuple[int, int] | None = None

    def require(self) -> None:
        """Check that the file exists and, if its content changed, is sound. Raises LostError."""
        self._require_same(self._path, self._file)
        # The log exists from the first request to the close of the last connection.
        self._wal = self._wal or identity_of(self._log)
        if self._wal:
            self._require_same(self._log, self._wal)
        try:
            found = self._path.stat()
        except OSError:
            raise LostError(f"{self._path} is missing", begun=True) from None
        content = found.st_size, found.st_mtime_ns
        # The file changes when its log is merged into it, every few hundred registrations.
        if content != self._content:
            self._require_sound(found.st_size)
            self._content = content

    def _require_same(self, path: Path, known: tuple[int, int] | None) -> None:
        found = identity_of(path)
        if found is None:
            raise LostError(f"{path} is missing", begun=True)
        if found != known:
            raise LostError(f"{path} has been replaced", begun=True)

    def _require_sound(self, size: int) -> None:
        # SQLite would delete the log of an empty file.
        if size == 0:
            raise LostError(f"{self._path} has been emptied", begun=True)
        address = f"{self._path.absolute().as_uri()}?mode=ro"
        try:
            with closing(sqlite3.connect(address, uri=True)) as connection:
                fault = fault_of(connection, TABLES)
                connection.execute("SELECT name FROM taken_names LIMIT 1").fetchone()
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise
            fault = " ".join(str(error).split())
        if fault:
            raise LostError(f"{self._path} has been overwritten: {fault}", begun=True)

"""The journal of rooms in the SQLite file of the accounts, written in the reactor's own turn.

A thread would cost a third of the moves (benchmarks.md). So nothing here may wait. If another
program holds the lock, the journal retries soon. A commit survives the end of the process, also by
kill -9, but not every power cut (WAL, synchronous=NORMAL). The fsync happens in a thread, where
disk.py merges the write-ahead log.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Collection
from itertools import groupby
from pathlib import Path

from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from tictac.accounts.opening import explain, open_file
from tictac.accounts.upgrades import shipped_steps, transaction
from tictac.archive.tables import insert
from tictac.lobby.journal import FORMAT, Batch, KeptRoom, Opened
from tictac.lobby.record import RecordLine

_log = Logger()

BUSY, AWAY = 0.001, 0.2
"""Seconds until a batch is retried: after another program's lock, and after a failure."""

_OPEN = "INSERT INTO rooms (id, format, name, terms, start) VALUES (?, ?, ?, ?, ?)"
_NOTE = "INSERT INTO room_events (room, number, at, event) VALUES (?, ?, ?, ?)"
_CLOSE = "DELETE FROM rooms WHERE id = ?"
_FORGET = "DELETE FROM room_events WHERE room = ?"


class SqliteJournal:
    """A :class:`~tictac.lobby.journal.Journal` in the up-to-date file at ``path``.

    ``seconds`` is the registry's clock, ``later`` calls a function after so many seconds. While
    ``waits`` returns True, nothing is written.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        seconds: Callable[[], float],
        later: Callable[..., IDelayedCall],
        waits: Callable[[], bool] = bool,
    ) -> None:
        self._path = Path(path)
        self._later = later
        self._waits = waits
        self._epoch = time.time() - seconds()
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._again: IDelayedCall | None = None
        self._away = False
        self._last_id = 0

    def start(self) -> list[KeptRoom]:
        """Open the file and read the rooms (lobby.journal.Journal)."""
        connection = open_file(self._path, 0, shipped_steps())
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        self._connection, self._file = connection, self._found()
        try:
            return self._read(connection)
        except sqlite3.Error as error:
            raise explain(self._path, error) from error

    def _read(self, connection: sqlite3.Connection) -> list[KeptRoom]:
        events = connection.execute("SELECT room, number, at, event FROM room_events ORDER BY 1, 2")
        lines = {
            room: [RecordLine(number, at - self._epoch, text) for _, number, at, text in rows]
            for room, rows in groupby(events, key=lambda row: row[0])
        }
        rooms = connection.execute("SELECT id, format, name, terms, start FROM rooms ORDER BY 1")
        kept = []
        for room_id, version, *opened in rooms:
            self._last_id = room_id
            if version == FORMAT:
                kept.append(KeptRoom(room_id, Opened(*opened), lines.get(room_id, [])))
            else:
                why = "another version of tictac saved the room {room!r}; skipping it"
                _log.error(why, room=opened[0])
        return kept

    def new_id(self) -> int:
        """Return an id that no room had since the file was opened (lobby.journal.Journal)."""
        self._last_id += 1
        return self._last_id

    def ready(self) -> bool:
        """Return whether the last batch was saved (lobby.journal.Journal)."""
        return not self._away

    def commit(self, batch: Batch, done: Callable[[Collection[int]], None]) -> None:
        """Save a batch, now or as soon as possible (lobby.journal.Journal)."""
        self._again = None
        if self._waits():
            self._again = self._later(BUSY, self.commit, batch, done)
            return
        try:
            self._write(batch)
        except (sqlite3.Error, OSError) as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            busy = code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not busy and not self._away:
                self._away = True
                why = explain(self._path, error)
                _log.error("rooms: cannot save moves, so holding them: {why}", why=why)
            delay = BUSY if busy and not self._away else AWAY
            self._again = self._later(delay, self.commit, batch, done)
            return
        if self._away:
            self._away = False
            _log.info("rooms: {path} is back", path=self._path)
        done(())

    def stop(self) -> None:
        """Close the file; unsaved batches are lost (lobby.journal.Journal)."""
        if self._again is not None:
            self._again.cancel()
            self._again = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _write(self, batch: Batch) -> None:
        if self._connection is None or self._found() != self._file:
            raise FileNotFoundError(0, "it has gone")
        many, epoch = self._connection.executemany, self._epoch
        closed = set(batch.closed)
        opened = [
            (room, FORMAT, *as_text) for room, as_text in batch.opened.items() if room not in closed
        ]
        lines = [
            (room, number, at + epoch, text)
            for room, number, at, text in batch.lines
            if room not in closed
        ]
        over = [(room,) for room in closed.difference(batch.opened)]
        rows = ((_OPEN, opened), (_NOTE, lines), (_CLOSE, over), (_FORGET, over))
        with transaction(self._connection):
            for statement, values in rows:
                if values:
                    many(statement, values)
            insert(self._connection.execute, list(batch.ended.values()), batch.outcomes.values())

    def _found(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

"""The journal of rooms in the SQLite file of the accounts, written in the reactor's own turn.

A thread would cost a third of the moves (benchmarks.md). So nothing here can wait. If another
program holds the lock, the journal retries soon. A commit survives the end of the process, also by
kill -9, but not every power cut (WAL, synchronous=NORMAL). The fsync happens in a thread, where
disk.py merges the write-ahead log.

Invariant: of the processes that use the file, one restores, saves, and ends its rooms.

1. The process has a lock beside the file (`file_lock.py`) before it calls `start`.
2. `start` writes a new random number into the file (`PRAGMA user_version`), in a transaction, and
   reads the rooms afterwards. A former owner can't commit after that, and what it committed before
   is read. So no move is lost if the lock failed, for example because its file was removed.
3. Each batch checks in its own transaction that the number is still that of this process, and that
   the file has the last saved line: a backup of the same process has the same number. Both can only
   have changed if another connection wrote (`PRAGMA data_version`), so most batches ask only that.
4. On a full disk, `start` can't write the number. Then the first batch checks that the file has
   still the number and the rooms that `start` found, and writes the new number.
5. A copy that is written into the open file changes nothing that SQLite looks at. But the file
   itself changes only by a checkpoint, and each one writes a higher count into it, in the bits of
   the number that don't name the owner (disk.py). So each batch looks at the time of the file, and
   after a change at the count. That reads the file beside SQLite, by a descriptor that stays open:
   a close would drop SQLite's locks.
6. A former owner commits nothing, and never again: its rooms belong to the other process. A file
   or log that was removed or replaced is different: no other process has it, so moves wait for it.

    A: start              lock, number 7, rooms
    lock file removed     A continues
    B: start              lock of a new file, number 9, rooms with all events that A sent
    A: commit             finds 9, so it saves and sends nothing, and `lost` ends A
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Callable, Collection
from contextlib import suppress
from itertools import groupby
from math import inf
from operator import attrgetter, itemgetter
from pathlib import Path
from sys import intern

from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger

from tictac.archive.tables import insert
from tictac.lobby.journal import FORMAT, LASTING_FORMAT, Batch, KeptRoom, Opened, epoch_of
from tictac.lobby.record import PackedRecord, RecordLine
from tictac.storage.disk import COUNTER
from tictac.storage.files import identity_of
from tictac.storage.opening import PATIENCE, explain, explained, open_file
from tictac.storage.upgrades import shipped_steps, transaction

_log = Logger()

BUSY, AWAY = 0.001, 0.2
"""Seconds until a batch is retried: after another program's lock, and after a failure."""

SIGN = 2.0
"""Seconds between two signs of life, and the most that a clock gets back after kill -9."""

_END = inf, iter(())

_OPEN = "INSERT INTO rooms (id, format, name, terms, start) VALUES (?, ?, ?, ?, ?)"
_NOTE = "INSERT INTO room_events (room, number, at, event) VALUES (?, ?, ?, ?)"
_CLOSE = "DELETE FROM rooms WHERE id = ?"
_FORGET = "DELETE FROM room_events WHERE room = ?"
_SIGN = "UPDATE served SET at = ? WHERE EXISTS (SELECT 1 FROM rooms)"
_LAST = "SELECT max(at, (SELECT ifnull(max(at), 0) FROM room_events)) FROM served"
_FIND = "SELECT 1 FROM room_events WHERE room = ? AND number = ?"

_ROOMS = "SELECT id, format, name, terms, start FROM rooms WHERE format <> ? ORDER BY 1"
_EVENTS = """SELECT room, number, at, event FROM rooms CROSS JOIN room_events ON room = id
    WHERE format <> ? ORDER BY id, number"""
# There can be thousands of matches over days. Their lines are columns, in the order of the key.
_LASTING = """SELECT id, name, terms, start, group_concat(number, ' '),
    group_concat(CAST(round(at * 1000) AS INTEGER) - ?, ' '), group_concat(event, char(10))
    FROM rooms CROSS JOIN room_events ON room = id WHERE format = ? GROUP BY id"""

# Rooms never change, ids only grow, and lines are only added: these three show any change.
_STATE = """SELECT (SELECT count(*) FROM rooms), (SELECT max(id) FROM rooms),
    (SELECT count(*) FROM room_events)"""

MISSING = "is missing; move the same file back, or see monitor.md before you stop the server"
REPLACED = "was replaced; move the former file back, or restart the server to use this one"

# IOERR: no space for the index of the log (`-shm`).
_NO_SPACE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)


class NotOwnerError(Exception):
    """The rooms in the file aren't those of this process any more."""


class SqliteJournal:
    """A :class:`~tictac.lobby.journal.Journal` in the up-to-date file at ``path``.

    ``seconds`` is the registry's clock, ``later`` calls a function after so many seconds. While
    ``waits`` returns True, nothing is written. ``lost`` is called once, with the reason, when
    another process has the rooms.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        seconds: Callable[[], float],
        later: Callable[..., IDelayedCall],
        waits: Callable[[], bool] = bool,
        lost: Callable[[str], object] = str,
    ) -> None:
        self._path = Path(path)
        self._log_path = Path(f"{self._path.resolve()}-wal")
        self._lost: Callable[[str], object] | None = lost
        self._term = secrets.randbits(31 - COUNTER)
        self._owner = self._term
        self._version = 0
        self._state: tuple[int, ...] = ()
        self._last: tuple[int, int] | None = None  # room and number of the line saved last
        self._later = later
        self._waits = waits
        self._seconds = seconds
        self.epoch = 0.0
        self._connection: sqlite3.Connection | None = None
        self._files: dict[Path, tuple[int, int] | None] = {}
        self._descriptor = -1
        self._number = self._changed = 0  # as the file itself has them, without its log
        self._again: IDelayedCall | None = None
        self._signing: IDelayedCall | None = None
        self._away = False
        self._last_id = 0

    def start(self) -> list[KeptRoom]:
        """Open the file and read the rooms (lobby.journal.Journal)."""
        connection = open_file(self._path, PATIENCE, shipped_steps())
        self._connection = connection
        with explained(self._path):
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA wal_autocheckpoint = 0")
            self._owner = self._owner_in(connection)
            try:
                with transaction(connection):
                    connection.execute(f"PRAGMA user_version = {self._term << COUNTER}")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF not in _NO_SPACE:
                    raise
            else:
                self._owner = self._term
            connection.execute("PRAGMA busy_timeout = 0")
            connection.execute("BEGIN")
            kept, self._state = self._read(connection), connection.execute(_STATE).fetchone()
            connection.execute("COMMIT")
            with suppress(sqlite3.OperationalError):  # it isn't worth a start that fails
                connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            self._descriptor = os.open(self._path, os.O_RDONLY)
            self._number = self._number_in_file()
            self._changed = os.fstat(self._descriptor).st_mtime_ns
            self._files = {path: identity_of(path) for path in (self._path, self._log_path)}
            self._signing = self._later(SIGN, self._keep_signing)
            return kept

    def _read(self, connection: sqlite3.Connection) -> list[KeptRoom]:
        (last,) = connection.execute(_LAST).fetchone()
        epoch = self.epoch = epoch_of(last - self._seconds())
        (self._last_id,) = connection.execute("SELECT ifnull(max(id), 0) FROM rooms").fetchone()
        events = connection.execute(_EVENTS, (LASTING_FORMAT,))
        groups = groupby(events, key=itemgetter(0))
        of, rows = next(groups, _END)
        kept = []
        for room_id, version, *texts in connection.execute(_ROOMS, (LASTING_FORMAT,)):
            while of < room_id:
                of, rows = next(groups, _END)
            found = rows if of == room_id else ()
            if version == FORMAT:
                lines = [RecordLine(number, at - epoch, text) for _, number, at, text in found]
                kept.append(KeptRoom(room_id, Opened(*texts), lines))
            else:
                why = "another version of tictac saved the room {room!r}; skipping it"
                _log.error(why, room=texts[0])
        for room_id, name, terms, start, *columns in connection.execute(
            _LASTING, (round(epoch * 1000), LASTING_FORMAT)
        ):
            opened = Opened(name, intern(terms), intern(start), LASTING_FORMAT)
            kept.append(KeptRoom(room_id, opened, PackedRecord(*columns)))
        return sorted(kept, key=attrgetter("room_id"))

    def new_id(self) -> int:
        """Return an id that no room had since the file was opened (lobby.journal.Journal)."""
        self._last_id += 1
        return self._last_id

    def ready(self) -> bool:
        """Return whether the last batch was saved (lobby.journal.Journal)."""
        return not self._away and self._lost is not None

    def commit(self, batch: Batch, done: Callable[[Collection[int]], None]) -> None:
        """Save a batch, now or as soon as possible (lobby.journal.Journal)."""
        self._again = None
        if self._lost is None:
            return
        if self._waits():
            self._again = self._later(BUSY, self.commit, batch, done)
            return
        try:
            self._write(batch)
        except NotOwnerError as error:
            lost, self._lost = self._lost, None
            lost(f"rooms: {error}")
            return
        except (sqlite3.Error, OSError) as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            busy = code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
            if not busy and not self._away:
                self._away = True
                why = explain(self._path, error)
                _log.error("rooms: cannot save moves: {why}; holding the moves", why=why)
            delay = BUSY if busy and not self._away else AWAY
            self._again = self._later(delay, self.commit, batch, done)
            return
        if self._away:
            self._away = False
            _log.info("rooms: {path} is in place: saving moves", path=self._path)
        done(())

    def stop(self) -> None:
        """Save the time, and close the file; unsaved batches are lost (lobby.journal.Journal)."""
        if self._signing is not None:
            self._signing.cancel()
            self._signing = None
            self._sign()
        if self._again is not None:
            self._again.cancel()
            self._again = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _keep_signing(self) -> None:
        self._signing = self._later(SIGN, self._keep_signing)
        self._sign()

    def _sign(self) -> None:
        """Save the time, unless a batch waits, or this process hasn't written its number yet."""
        if self._lost is None or self._again is not None or self._waits():
            return
        if self._owner == self._term:
            with suppress(sqlite3.Error, OSError, NotOwnerError):  # the next batch reports it
                self._write(Batch())

    def _write(self, batch: Batch) -> None:
        for path, known in self._files.items():
            if (found := identity_of(path)) != known:
                raise FileNotFoundError(0, f"{path.name} {REPLACED if found else MISSING}")
        if self._connection is None:
            raise FileNotFoundError(0, MISSING)
        many, epoch = self._connection.executemany, self.epoch
        closed = set(batch.closed)
        opened = [
            (room, each.format, *each[:3])
            for room, each in batch.opened.items()
            if room not in closed
        ]
        lines = [
            (room, number, at + epoch, text)
            for room, number, at, text in batch.lines
            if room not in closed
        ]
        over = [(room,) for room in closed.difference(batch.opened)]
        sign = [] if lines else [(self._seconds() + epoch,)]
        rows = ((_OPEN, opened), (_NOTE, lines), (_CLOSE, over), (_FORGET, over), (_SIGN, sign))
        with transaction(self._connection):
            self._require_own(self._connection)
            self._require_unchanged()
            for statement, values in rows:
                if values:
                    many(statement, values)
            insert(self._connection.execute, list(batch.ended.values()), batch.outcomes.values())
        self._owner = self._term
        if lines or over:
            self._last = lines[-1][:2] if lines else None

    def _require_own(self, connection: sqlite3.Connection) -> None:
        """Check in a transaction that the rooms are still those of this process."""
        (version,) = connection.execute("PRAGMA data_version").fetchone()
        if version == self._version and self._owner == self._term:
            return
        if self._owner_in(connection) != self._owner:
            raise NotOwnerError(f"another process has taken over {self._path}")
        if self._last and not connection.execute(_FIND, self._last).fetchone():
            raise NotOwnerError(f"{self._path} is older than the moves that players know")
        if self._owner != self._term:
            if connection.execute(_STATE).fetchone() != self._state:
                raise NotOwnerError(f"another process has taken over {self._path}")
            connection.execute(f"PRAGMA user_version = {self._term << COUNTER}")
        self._version = version

    def _require_unchanged(self) -> None:
        """Check that only checkpoints have changed the file."""
        changed = os.fstat(self._descriptor).st_mtime_ns
        if changed == self._changed:
            return
        number = self._number_in_file()
        is_next = (number - self._number) % (1 << COUNTER) < 1 << COUNTER - 1
        if number >> COUNTER != self._term or not is_next:
            is_first = number >> COUNTER == self._term != self._number >> COUNTER
            if number != self._number and not is_first:
                raise NotOwnerError(f"another program has overwritten {self._path}")
        self._number, self._changed = number, changed

    def _number_in_file(self) -> int:
        # "The Database Header" of SQLite's file format: the user version.
        return int.from_bytes(os.pread(self._descriptor, 4, 60))

    def _owner_in(self, connection: sqlite3.Connection) -> int:
        (number,) = connection.execute("PRAGMA user_version").fetchone()
        return int(number) >> COUNTER

"""The space that a database file takes on its disk: its write-ahead log, and the free space.

Invariant: the write-ahead log stays within a few MiB of ``LONG``, also if the server never rests.

SQLite restarts the log only if a write begins while everything in the log is in the file and no
reader uses the log. Under a steady load, a checkpoint that lets writers go on (PASSIVE) never
reaches that state: some frame is always newer. So `checkpoint` takes two steps, in a thread:

1. PASSIVE copies almost everything into the file, with the fsync of both, while moves go on.
2. RESTART takes the lock of the writers for the few frames since. The journal's next transaction is
   refused as busy, and retried a millisecond later; stores wait. With that lock, RESTART waits up
   to ``HELD`` seconds for readers of the log. New readers don't use the log then: all is in the
   file. So the next write restarts the log.

If the disk is so slow that the log has twice as much before PASSIVE is done, the journal waits for
the checkpoint (`is_behind`).

In the other order, moves would wait for the whole copy. With TRUNCATE instead of RESTART, they
would wait for the file system, then and at each growth of the log. As it is, the log file keeps its
space, in which moves go on when the disk is full. After a long reader, such as a backup, the next
write shortens the log file to ``TOO_LONG`` (``journal_size_limit``, opening.py).

The size of the log file doesn't show how much of it is in use. But each frame has the random salts
of the log's header, and those of frames from an earlier time differ (`used`). Source: "WAL-Index
and WAL File Format", sqlite.org. The lock and the log are those of the file, so connections of
other processes count, too. An example::

    0.0 s   look: 8.1 MiB are used: checkpoint
            PASSIVE copies 8.1 MiB; meanwhile moves add 0.2 MiB
            RESTART copies 0.2 MiB; moves wait for some milliseconds
    0.1 s   0.5 MiB are used
    9.0 s   a backup reads: RESTART gives up after 20 ms, and the next look tries again
    9.5 s   the backup still reads: PASSIVE leaves so much that RESTART is skipped
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.logs import LIMITED
from tictac.storage.files import identity_of
from tictac.storage.opening import TOO_LONG
from tictac.storage.upgrades import transaction

_log = Logger(observer=LIMITED)

MIB = 1 << 20

LONG = 8 * MIB
"""Used bytes of a log that is merged into the file."""

HEADER, FRAME_HEADER = 32, 24
"""Bytes before the frames of a log, and before the page in each frame."""

LOOKS_EVERY = 0.1
"""Seconds between two looks at the log."""

MOST_LEFT = 100
"""Frames that PASSIVE can leave; with more, a reader needs the log, and RESTART would fail."""

HELD = 0.02
"""Maximum seconds for which writers wait for readers of the log."""

COUNTER = 15
"""Bits of ``PRAGMA user_version`` that count the checkpoints. The others name the owner of the
rooms (journal.py)."""


def checkpoint(path: Path) -> bool:
    """Merge the log; return whether the next write restarts it. Raises sqlite3.Error.

    The new count becomes part of the file. So a copy of the file from before is recognized.
    """
    address = f"{path.absolute().as_uri()}?mode=rw"
    with closing(
        sqlite3.connect(address, uri=True, timeout=HELD, isolation_level=None)
    ) as connection:
        with suppress(sqlite3.OperationalError), transaction(connection):  # the disk can be full
            (number,) = connection.execute("PRAGMA user_version").fetchone()
            count = (number + 1) % (1 << COUNTER)
            connection.execute(f"PRAGMA user_version = {number >> COUNTER << COUNTER | count}")
        busy, frames, merged = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if busy or frames - merged > MOST_LEFT:  # busy: another program merges it
            return False
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
    return not busy


def used(log: Path) -> int:
    """Return the bytes of a log that are in use. Raises OSError.

    Reading the log by other ways than SQLite is harmless, because SQLite has no lock on this file.
    """
    with log.open("rb") as file:
        header = file.read(HEADER)
        if len(header) < HEADER:
            return 0
        frame, salts = FRAME_HEADER + int.from_bytes(header[8:12]), header[16:24]
        least, most = 0, (os.fstat(file.fileno()).st_size - HEADER) // frame
        while least < most:  # a binary search: used frames are the first ones
            middle = (least + most) // 2
            if os.pread(file.fileno(), 8, HEADER + middle * frame + 8) == salts:
                least = middle + 1
            else:
                most = middle
    return HEADER + least * frame


def free_bytes(folder: Path) -> int:
    """Return the free bytes of the disk with this folder. Raises OSError."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


class Disk:
    """Keeps the log of the database at ``path`` short, and notices when its disk is almost full.

    ``reserve`` is in bytes. ``in_thread`` calls a function with arguments where blocking is
    allowed. ``free`` returns the free bytes of the disk of a folder.
    """

    def __init__(
        self,
        clock: IReactorTime,
        path: str | os.PathLike[str],
        reserve: int,
        in_thread: Callable[..., Deferred[bool]],
        free: Callable[[Path], int] = free_bytes,
    ) -> None:
        self.log_size = self.free = 0
        """Used bytes of the write-ahead log, and free bytes of the disk, at the last look."""
        self.low = False
        """Whether less than the reserve is free."""
        self._path = Path(path).resolve()  # SQLite's log is beside the file itself
        self._log_path = Path(f"{self._path}-wal")
        self._clock = clock
        self._reserve = reserve
        self._in_thread = in_thread
        self._free_bytes = free
        self._file: tuple[int, int] | None = None
        self._merging = self._warned = False
        self._merged_at = 0  # when a merged log was written last, in nanoseconds
        self._looking = LoopingCall(self._look)
        self._looking.clock = clock

    def start(self) -> None:
        """Look at the disk from now on."""
        self._file = identity_of(self._path)
        self._looking.start(LOOKS_EVERY)

    def stop(self) -> None:
        """Look no more."""
        if self._looking.running:
            self._looking.stop()

    def is_behind(self) -> bool:
        """Return whether writers must wait for a checkpoint, because the log grows too fast."""
        return self._merging and self.log_size > 2 * LONG

    def figures(self) -> Mapping[str, tuple[str, float]]:
        """Return the metrics: for each name, its description and its present value."""
        return {
            "database_log_bytes": ("Size of the write-ahead log.", self.log_size),
            "disk_free_bytes": ("Free space on the disk of the database.", self.free),
        }

    @property
    def trouble(self) -> str:
        """The current fault in a few words; empty: none."""
        faults = []
        if self.low:
            faults.append(f"{self.free // MIB} MiB of disk are free")
        if self._warned:
            faults.append(f"the write-ahead log has {self.log_size // MIB} MiB")
        return "; ".join(faults)

    def _look(self) -> None:
        with suppress(OSError):
            self.free = self._free_bytes(self._path.parent)
        self.log_size = 0
        with suppress(OSError):  # there is no log before the first request
            self.log_size = used(self._log_path)
        self._judge_free()
        self._judge_log()
        long = MIB if self.low else LONG  # a merged log leaves its space to further moves
        if self.log_size < long or self._merging:
            return
        file = identity_of(self._path)
        if file is None or file != self._file:
            return  # another file's log would end up in this one
        if self._written_at() == self._merged_at:
            return  # no write has restarted the log yet
        self._merging = True
        self._in_thread(checkpoint, self._path).addErrback(_not_merged).addCallback(self._merged)

    def _judge_free(self) -> None:
        low = self.free < self._reserve
        if low is self.low:
            return
        self.low = low
        words = {"path": self._path, "free": self.free // MIB}
        if low:
            _log.error(
                "{path}: {free} MiB of disk are free: refusing chat, registrations, and rooms of"
                " guests, and archiving no unrated matches against the computer",
                **words,
            )
        else:
            _log.info("{path}: {free} MiB of disk are free: accepting everything", **words)

    def _judge_log(self) -> None:
        if self._warned is (self.log_size > TOO_LONG):
            return
        self._warned = not self._warned
        words = {"path": self._log_path, "size": self.log_size // MIB}
        if self._warned:
            _log.warn("{path} has {size} MiB: a program reads it, or the disk is slow", **words)
        else:
            _log.info("{path} has {size} MiB: the log is short", **words)

    def _merged(self, begins_anew: bool) -> None:
        self._merging = False
        if begins_anew:
            self._merged_at = self._written_at()

    def _written_at(self) -> int:
        with suppress(OSError):
            return self._log_path.stat().st_mtime_ns
        return 0


def _not_merged(failure: Failure) -> bool:
    failure.trap(sqlite3.Error)  # a lock, or a full disk: the next checkpoint catches up
    return False

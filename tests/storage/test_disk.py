"""The write-ahead log stays short under a load without a pause, and a full disk is noticed."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.task import Clock
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tictac.archive.room_journal import BUSY, SqliteJournal
from tictac.lobby.journal import Batch, Opened
from tictac.storage import disk
from tictac.storage.databases import prepare
from tictac.storage.disk import LOOKS_EVERY, MIB, Disk, checkpoint, used
from tictac.storage.file_guard import FileGuard

RESERVE = 100 * MIB
LONG = 256 * 1024


class DiskCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.path = temporary_directory(self) / "users.db"
        self.log = Path(f"{self.path}-wal")
        prepare(str(self.path))
        self.clock = Clock()
        self.free = 2 * RESERVE
        self.journal = SqliteJournal(self.path, self.clock.seconds, self.clock.callLater)
        self.journal.start()
        self.addCleanup(self.journal.stop)
        self.disk = Disk(self.clock, self.path, RESERVE, maybeDeferred, lambda _: self.free)
        self.disk.start()
        self.addCleanup(self.disk.stop)
        self.patch(disk, "LONG", LONG)
        self.room = self.saved = 0

    def write(self) -> None:
        """Save an event of a room; each room has some."""
        batch = Batch()
        if self.room % 10 == 0:
            self.room = self.journal.new_id() * 10
            batch.opened[self.room] = Opened(f"room {self.room}", "", "")
        batch.lines.append((self.room // 10 * 10, self.room % 10, 0.0, "x" * 500))
        self.room += 1
        self.saved += 1
        self.journal.commit(batch, lambda refused: None)

    def play(self, times: int) -> int:
        """Save events without a pause; return the largest size of the log file."""
        largest = 0
        for _ in range(times):
            self.write()
            self.clock.advance(LOOKS_EVERY / 5)
            largest = max(largest, self.log.stat().st_size)
        return largest

    def read(self) -> sqlite3.Connection:
        """Return a connection that reads what the file has now."""
        reader = sqlite3.Connection(self.path, isolation_level=None)
        self.addCleanup(reader.close)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM room_events").fetchone()
        return reader

    def count(self) -> int:
        with closing(sqlite3.connect(self.path)) as connection:
            found: int = connection.execute("SELECT count(*) FROM room_events").fetchone()[0]
            return found


class Busy:
    """A connection whose PASSIVE checkpoint a write overtakes, as a write of another thread does.

    A reader keeps the checkpoint from seeing that write. RESTART has the lock of the writers.
    """

    def __init__(self, connection: sqlite3.Connection, case: DiskCase) -> None:
        self._connection = connection
        self._case = case

    def execute(self, statement: str) -> sqlite3.Cursor:
        if "PASSIVE" not in statement:
            return self._connection.execute(statement)
        with closing(self._case.read()):
            self._case.write()
            return self._connection.execute(statement)

    def close(self) -> None:
        self._connection.close()

    @property
    def in_transaction(self) -> bool:
        return self._connection.in_transaction


class LogTests(DiskCase):
    def test_it_stays_short_though_writes_overtake_each_checkpoint(self) -> None:
        connect = sqlite3.connect

        def connect_beside(*arguments: Any, **options: Any) -> Any:
            return Busy(connect(*arguments, **options), self)

        with patch("tictac.storage.disk.sqlite3.connect", connect_beside):
            largest = self.play(150)
        assert LONG < largest < 2 * LONG
        assert self.count() == self.saved > 150

    def test_it_stays_short_beside_readers_that_come_and_go(self) -> None:
        largest = 0
        for _ in range(4):
            with closing(self.read()):
                largest = max(largest, self.play(20))
            largest = max(largest, self.play(20))
        assert largest < 3 * LONG
        assert self.count() == self.saved

    def test_a_reader_lets_it_grow_and_its_end_lets_it_begin_anew(self) -> None:
        reader = self.read()
        assert self.play(80) > 2 * LONG
        reader.close()
        self.clock.advance(LOOKS_EVERY)
        self.write()
        assert used(self.log) < LONG

    def traced(self, work: Callable[[], object]) -> list[str]:
        """Return the statements of new connections while ``work`` runs."""
        statements: list[str] = []
        connect = sqlite3.connect

        def connect_traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
            connection: sqlite3.Connection = connect(*arguments, **options)
            connection.set_trace_callback(statements.append)
            return connection

        with patch("sqlite3.connect", connect_traced):
            work()
        return statements

    def test_moves_dont_wait_in_vain_for_a_long_reader(self) -> None:
        self.read()
        self.play(100)
        self.patch(disk, "MOST_LEFT", 10)
        statements = self.traced(lambda: checkpoint(self.path))
        assert [each for each in statements if "checkpoint" in each] == [
            "PRAGMA wal_checkpoint(PASSIVE)"
        ]

    def test_the_check_for_other_files_holds_it_only_to_read_accounts(self) -> None:
        statements = self.traced(FileGuard(self.path).require)
        checked = [each for each in statements if "quick_check" in each]
        assert len(checked) == 2 and all("users" in c or "taken_names" in c for c in checked)

    def test_it_stays_short_when_the_name_is_a_link(self) -> None:
        link = self.path.parent / "link.db"
        link.symlink_to(self.path)
        self.disk.stop()
        self.disk = Disk(self.clock, link, RESERVE, maybeDeferred, lambda _: self.free)
        self.disk.start()
        self.addCleanup(self.disk.stop)
        assert self.play(2000) < 2 * LONG

    def test_a_merged_log_isnt_merged_again(self) -> None:
        self.play(100)
        with patch("tictac.storage.disk.checkpoint", wraps=checkpoint) as merging:
            self.patch(disk, "LONG", 0)
            self.clock.pump([LOOKS_EVERY] * 5)
            assert merging.call_count == 1
            self.write()
            self.clock.pump([LOOKS_EVERY] * 5)
            assert merging.call_count == 2

    def test_the_log_of_another_file_stays(self) -> None:
        reader = self.read()
        self.play(100)
        copy = self.path.with_name("copy")
        shutil.copy(self.path, copy)
        copy.rename(self.path)
        reader.close()
        with patch("tictac.storage.disk.checkpoint") as merging:
            self.patch(disk, "LONG", 0)
            self.clock.advance(1)
        merging.assert_not_called()

    def test_what_is_used_of_it_is_what_sqlite_has_in_it(self) -> None:
        for times in (1, 20, 3):
            for _ in range(times):
                self.write()
            with closing(sqlite3.connect(self.path)) as connection:
                _, frames, _ = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                assert used(self.log) == 32 + frames * (24 + 4096)
                connection.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
        self.write()
        assert used(self.log) < self.log.stat().st_size
        self.log.write_bytes(b"")
        assert used(self.log) == 0

    def test_a_log_that_is_too_long_gets_a_line(self) -> None:
        self.patch(disk, "TOO_LONG", 2 * LONG)
        reader = self.read()
        with capturedLogs() as logs:
            self.play(80)
            assert self.disk.trouble.startswith("the write-ahead log has ")
            reader.close()
            self.clock.advance(LOOKS_EVERY)
            self.write()
            self.clock.advance(LOOKS_EVERY)
        long, short = [str(formatEvent(line)) for line in logs]
        assert "a program reads it" in long and "the log is short" in short
        assert self.disk.trouble == ""

    def test_the_journal_waits_for_a_checkpoint_that_is_too_slow(self) -> None:
        self.disk.stop()
        merged: list[Deferred[bool]] = []

        def in_thread(*_: object) -> Deferred[bool]:
            merged.append(Deferred())
            return merged[-1]

        slow = Disk(self.clock, self.path, RESERVE, in_thread, lambda _: self.free)
        slow.start()
        self.addCleanup(slow.stop)
        self.journal._waits = slow.is_behind
        self.play(100)
        assert slow.is_behind() and used(self.log) < 3 * LONG
        before = self.count()
        merged[-1].callback(True)
        assert not slow.is_behind()
        self.clock.advance(BUSY)
        assert self.count() > before


class FreeSpaceTests(DiskCase):
    def test_less_than_the_reserve_is_noticed_and_more_too(self) -> None:
        with capturedLogs() as logs:
            self.free = RESERVE - 1
            self.clock.advance(LOOKS_EVERY)
            assert self.disk.low and self.disk.trouble == "99 MiB of disk are free"
            self.free = RESERVE
            self.clock.advance(LOOKS_EVERY)
            assert not self.disk.low and self.disk.trouble == ""
        low, high = [str(formatEvent(line)) for line in logs]
        assert "99 MiB of disk are free: refusing chat" in low
        assert "100 MiB of disk are free" in high

    def test_a_file_without_a_log_has_a_disk_too(self) -> None:
        path = temporary_directory(self) / "users.db"
        new = Disk(self.clock, path, RESERVE, maybeDeferred, lambda _: self.free)
        with self.assertNoLogs():
            new.start()
        new.stop()
        assert (new.low, new.log_size, new.free) == (False, 0, 2 * RESERVE)

    def test_the_metrics_have_both_sizes(self) -> None:
        self.play(10)
        self.clock.advance(LOOKS_EVERY)
        figures = self.disk.figures()
        assert figures["database_log_bytes"][1] == used(self.log)
        assert figures["disk_free_bytes"][1] == 2 * RESERVE

    def test_a_log_is_merged_earlier_while_less_than_the_reserve_is_free(self) -> None:
        self.patch(disk, "LONG", 100 * MIB)
        self.free = 0
        assert MIB < self.play(150) < 1.2 * MIB

    def test_what_a_full_disk_holds_goes_on_by_itself(self) -> None:
        """SQLite's own limit stands for the disk's: SQLITE_FULL comes of either."""
        connection = self.journal._connection
        assert connection is not None
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        saved: list[object] = []
        batch = Batch({70: Opened("den", "", "")}, [(70, 1, 0.0, "x" * 50_000)])
        with capturedLogs() as logs:
            self.journal.commit(batch, saved.append)
            self.clock.pump([1] * 3)
            assert saved == [] and not self.journal.ready()
            connection.execute("PRAGMA max_page_count = 1000000")
            self.clock.advance(1)
        assert len(saved) == 1 and self.journal.ready() and self.count() == 1
        assert "database or disk is full" in str(formatEvent(logs[0]))

    def test_a_server_starts_on_a_full_disk(self) -> None:
        """A limit on the size of files stands for the disk; only the index of the log is new."""
        self.play(50)
        folder = self.path.parent / "killed"
        folder.mkdir()
        for file in (self.path, self.log):
            shutil.copy(file, folder)
        program = (
            "import resource, sys\n"
            "from pathlib import Path\n"
            "from tictac.archive.room_journal import BUSY, SqliteJournal\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))\n"
            "journal = SqliteJournal(Path(sys.argv[1]), lambda: 0.0, lambda *words: None)\n"
            "print(len(journal.start()))\n"
        )
        assert self.path.stat().st_size > 40_000
        done = subprocess.run(
            [sys.executable, "-c", program, str(folder / "users.db")],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (done.stdout, done.returncode) == ("5\n", 0), done.stderr

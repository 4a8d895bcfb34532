"""Locks in files, of this process and of others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import needs_linux
from tictac.errors import SetupError
from tictac.storage.file_lock import FileLock, HeldError, lock_beside

HOLDER = """
import sys
from pathlib import Path
from tictac.storage.file_lock import FileLock
lock = FileLock.take(Path(sys.argv[1]))
lock.write("the first")
print(flush=True)
sys.stdin.read()
"""


def test_one_has_it_and_the_next_one_reads_who(tmp_path: Path) -> None:
    lock = FileLock.take(tmp_path / "lock")
    lock.write("the first one\nhere")
    with pytest.raises(HeldError, match=r"^the first one here$"):
        FileLock.take(tmp_path / "lock")
    lock.write("it")
    assert lock.path.read_text() == "it"
    lock.release()
    FileLock.take(tmp_path / "lock").remove()
    assert not list(tmp_path.iterdir())


def test_a_killed_process_has_none_and_its_text_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stdout.readline()
        with pytest.raises(HeldError, match="the first"):
            FileLock.take(path)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert path.read_text() == "the first"
        FileLock.take(path).release()


@needs_linux
def test_a_program_that_the_holder_starts_does_not_get_it(tmp_path: Path) -> None:
    lock = FileLock.take(tmp_path / "lock")
    script = "import glob, os; print(*map(os.path.realpath, glob.glob('/proc/self/fd/*')))"
    open_files = subprocess.run(
        [sys.executable, "-c", script], close_fds=False, capture_output=True, text=True
    ).stdout
    assert open_files and str(lock.path) not in open_files
    lock.release()


def test_a_removed_file_is_no_lock_of_its_path(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first = FileLock.take(path)
    path.unlink()
    second = FileLock.take(path)
    first.release()
    with pytest.raises(HeldError):
        FileLock.take(path)
    second.release()


def test_what_cannot_be_a_lock_says_why(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "users.db.x.lock")
    with pytest.raises(SetupError, match=r"users.db.x.lock can't be locked: it isn't a file$"):
        lock_beside(tmp_path / "users.db", ".x.lock")
    with pytest.raises(SetupError, match=r"users.db.x.lock can't be locked: No such file"):
        lock_beside(tmp_path / "nowhere" / "users.db", ".x.lock")


def test_it_is_beside_the_file_by_whatever_path(tmp_path: Path) -> None:
    path = tmp_path / "users.db"
    path.touch()
    (tmp_path / "link.db").symlink_to(path)
    (tmp_path / "way").symlink_to(tmp_path)
    lock = lock_beside(path, ".x.lock")
    for name in ("link.db", "way/users.db", "way/link.db"):
        with pytest.raises(HeldError, match=rf"^pid {os.getpid()} on \S+ since \S+ \S+ UTC$"):
            lock_beside(tmp_path / name, ".x.lock")
    lock_beside(path, ".y.lock").release()
    lock.release()


def test_a_database_of_two_names_is_refused(tmp_path: Path) -> None:
    """Each name would have a write-ahead log of its own."""
    path = tmp_path / "users.db"
    path.touch()
    os.link(path, tmp_path / "again.db")
    with pytest.raises(SetupError, match="has a second name, a hard link"):
        lock_beside(path, ".x.lock")

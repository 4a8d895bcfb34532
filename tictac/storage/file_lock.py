"""Locks in files, which the kernel releases at the end of the process, however it ends.

Invariant: of all processes of a machine, at most one holds the lock of a path.

1. The lock is flock(2) of a file beside the data. A number in a file isn't a lock: after a power
   failure, or in another container, an unrelated process has that number.
2. `take` opens the file close-on-exec. Otherwise, an engine process would inherit the lock, and
   keep it after the server was killed.
3. The descriptor survives the forks of twistd, so there is one lock from the check at a terminal to
   the end of the daemon. An fcntl(2) lock wouldn't survive them.
4. After flock, `take` compares the file with the path. If the former holder removed the file
   meanwhile, this process has the lock of a file without a name, and tries again.
5. Only the holder removes a file, and releases its lock afterwards.
6. The text in the file only names the holder. A process that is refused reads it, perhaps before a
   new holder has written its own.

    A: open, flock                     A holds the lock
    B: open, flock: taken              B is refused, and quotes A's text
    A: kill -9                         the kernel closes A's descriptor
    B: open, flock, same file          B holds the lock
"""

from __future__ import annotations

import fcntl
import os
import socket
import stat
import time
import weakref
from contextlib import suppress
from pathlib import Path

from tictac.errors import SetupError

LONGEST = 200
"""Bytes of a holder's text that an error message quotes."""


class HeldError(Exception):
    """Another process holds the lock; `str()` is its text."""


class FileLock:
    """A held lock. The process releases it with :meth:`release`, or by its end."""

    def __init__(self, path: Path, handle: int) -> None:
        """Keep the lock of an open file; use :meth:`take`."""
        self.path = path
        self._handle = handle
        self.release = weakref.finalize(self, os.close, handle)
        """Releases the lock, if it is held."""

    @classmethod
    def take(cls, path: Path) -> FileLock:
        """Take the lock of `path`, and create the file if needed. Raises HeldError, or OSError."""
        while True:
            flags = os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC
            lock = cls(path, os.open(path, flags, 0o600))
            try:
                if not stat.S_ISREG(os.fstat(lock._handle).st_mode):
                    raise OSError(0, "it isn't a file")
                fcntl.flock(lock._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(lock._handle), path.stat()):
                    return lock
            except BlockingIOError:
                text = os.pread(lock._handle, LONGEST, 0).decode("utf-8", "replace")
                lock.release()
                raise HeldError(" ".join(text.split())) from None
            except FileNotFoundError:
                pass  # the former holder has removed it
            except OSError:
                lock.release()
                raise
            lock.release()

    def write(self, text: str) -> None:
        """Replace the text of the file. A full disk leaves it empty."""
        os.ftruncate(self._handle, 0)
        with suppress(OSError):
            os.pwrite(self._handle, text.encode(), 0)

    def sign(self) -> None:
        """Name this process in the file."""
        since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
        self.write(f"pid {os.getpid()} on {socket.gethostname()} since {since}\n")

    def remove(self) -> None:
        """Remove the file, if that is allowed, and release the lock."""
        with suppress(OSError):
            if self.release.alive:
                self.path.unlink()
        self.release()


def lock_beside(database: str | os.PathLike[str], ending: str) -> FileLock:
    """Take the lock of that ending beside an SQLite database, and name this process in it.

    The lock is beside the file itself, also if `database` is a symbolic link. Raises HeldError, or
    SetupError.
    """
    file = Path(database).resolve()
    path = file.with_name(f"{file.name}{ending}")
    if file.exists() and file.stat().st_nlink > 1:
        # Each name would have a lock, and a write-ahead log, of its own.
        raise SetupError(f"{database} has a second name, a hard link: remove one, or copy the file")
    try:
        lock = FileLock.take(path)
    except OSError as error:
        raise SetupError(f"{path} can't be locked: {error.strerror}") from error
    lock.sign()
    return lock

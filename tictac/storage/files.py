"""Durable files that appear whole or not at all, and reads that never block."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO, TypeVar

from tictac.errors import SetupError

T = TypeVar("T")

DATABASE_NAME = "users.db"
"""The usual file of the accounts."""


@contextmanager
def temporary_beside(path: Path) -> Iterator[Path]:
    """Give an empty private file in the directory of `path` and remove it at the end.

    Raises OSError if the directory is missing or read-only.
    """
    handle, name = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".new", dir=path.parent)
    os.close(handle)
    try:
        yield Path(name)
    finally:
        for ending in ("", "-wal", "-shm"):
            Path(name + ending).unlink(missing_ok=True)


def publish_new(temporary: Path, path: Path) -> None:
    """Publish a finished file durably under a free name.

    This makes a link, because a rename would silently replace another process's file. Raises
    FileExistsError if the name is taken, or OSError if the disk or the file system can't do it.
    """
    _flush(temporary)
    os.link(temporary, path)
    _flush(path.parent)


def publish(temporary: Path, path: Path) -> None:
    """Replace any file of that name with a finished one, durably. Raises OSError."""
    _flush(temporary)
    temporary.replace(path)
    _flush(path.parent)


def write_anew(path: Path, write: Callable[[TextIO], T], database: str) -> T:
    """Let `write` replace the file at `path`, but never `database`; return its result.

    Raises SetupError if the file can't be written; the previous file then stays.
    """
    try:
        if path.exists() and Path(database).exists() and path.samefile(database):
            raise SetupError(f"{path} is the database itself")
        with temporary_beside(path) as temporary:
            with temporary.open("w", encoding="utf-8") as file:
                result = write(file)
            publish(temporary, path)
    except OSError as error:
        raise SetupError(f"{path} can't be written: {error.strerror}") from error
    return result


def read_regular(path: Path) -> bytes:
    """Read a regular file while a server runs; a FIFO, for instance, would block the server.

    Raises OSError if the file is unreadable or isn't a regular file.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "it isn't a regular file", str(path))
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(handle)


def identity_of(path: Path) -> tuple[int, int] | None:
    """Return the device and the inode of a file, which no other file has; None: it is missing."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

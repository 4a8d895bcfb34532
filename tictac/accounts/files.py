"""Files that appear whole or not at all, and stay when the power fails; files that make nobody
wait."""

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


@contextmanager
def temporary_beside(path: Path) -> Iterator[Path]:
    """Give an empty file in the directory of `path`, for the user alone; at the end it is gone.

    Raises:
        OSError: the directory is missing or can't be written.
    """
    handle, name = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".new", dir=path.parent)
    os.close(handle)
    try:
        yield Path(name)
    finally:
        for ending in ("", "-wal", "-shm"):
            Path(name + ending).unlink(missing_ok=True)


def publish_new(temporary: Path, path: Path) -> None:
    """Let a finished file appear under a name that is free, durably.

    A link and not a renaming, which would silently replace what another process made there.

    Raises:
        FileExistsError: the name isn't free (any more).
        OSError: the disk or the file system doesn't do it.
    """
    _flush(temporary)
    os.link(temporary, path)
    _flush(path.parent)


def publish(temporary: Path, path: Path) -> None:
    """Let a finished file take the place of whatever has its name, durably.

    Raises:
        OSError: it can't.
    """
    _flush(temporary)
    temporary.replace(path)
    _flush(path.parent)


def write_anew(path: Path, write: Callable[[TextIO], T], database: str) -> T:
    """Let `write` fill a file that takes the place of whatever has its name, but of `database`.

    Returns what it gave.

    Raises:
        SetupError: it can't be written; then what was there is still there.
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
    """Read a file while a server runs. A FIFO, for instance, would stop it until somebody writes.

    Raises:
        OSError: it can't be read, or isn't a regular file.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "it isn't a regular file", str(path))
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(handle)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

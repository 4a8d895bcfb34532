"""What Linux tells of the other end of a connection on this machine: elsewhere nothing is known."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from stat import S_ISSOCK
from typing import Any, NamedTuple

_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")


class OtherEnd(NamedTuple):
    """The socket at the other end: how many bytes its program hasn't read, and its number."""

    unread: int
    inode: str


def other_end(own_port: int, port: int) -> OtherEnd | None:
    """Return the socket of ``port`` that is connected to ``own_port``, if it is on this machine."""
    ends = f":{port:04X}", f":{own_port:04X}"
    for table in _TABLES:
        with suppress(OSError):
            for line in Path(table).read_text().splitlines():
                # Number, own address, other address, state, bytes to send and to read, …, inode.
                fields = line.split(maxsplit=10)
                if fields[1].endswith(ends[0]) and fields[2].endswith(ends[1]):
                    return OtherEnd(int(fields[4].partition(":")[2], 16), fields[9])
    return None


def has_read_all(transport: Any) -> bool | None:
    """Whether the program at the other end has read what was sent to it; None if unknown."""
    own, other = getattr(transport.getHost(), "port", 0), getattr(transport.getPeer(), "port", 0)
    end = other_end(own, other)
    return None if end is None else end.unread == 0


def is_strangers(own_port: int, port: int, pid: int) -> bool:
    """Whether the socket of ``port`` is known to be of a process that ``pid`` hasn't started."""
    end = other_end(own_port, port)
    is_owned = False
    for owner in _owners(end.inode) if end is not None and end.inode != "0" else ():
        if _descends(owner, pid):
            return False
        is_owned = True
    return is_owned


def _owners(inode: str) -> Iterator[int]:
    """Yield the processes that have a socket, mostly the latest first: it began the connection."""
    names = [each.name for each in Path("/proc").iterdir() if each.name.isdecimal()]
    for process in sorted(map(int, names), reverse=True):
        with suppress(OSError), os.scandir(f"/proc/{process}/fd") as files:
            if any(_is_socket(file, inode) for file in files):
                yield process


def _is_socket(file: os.DirEntry[str], inode: str) -> bool:
    with suppress(OSError):
        found = file.stat()
        return S_ISSOCK(found.st_mode) and str(found.st_ino) == inode
    return False


def _descends(process: int, ancestor: int) -> bool:
    while process not in (0, ancestor):
        try:
            stat = Path(f"/proc/{process}/stat").read_text(errors="replace")
        except OSError:
            return False
        # Behind the name in parentheses: the state, the parent, ….
        process = int(stat.rpartition(")")[2].split()[1])
    return process == ancestor

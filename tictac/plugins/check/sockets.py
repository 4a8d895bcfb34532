"""Information about the other end of a local connection, from Linux's sock_diag and /proc.

On other systems, and for remote connections, each function returns that it doesn't know.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from stat import S_ISSOCK
from struct import Struct
from typing import Any, NamedTuple

_REQUEST, _ANSWER = Struct("=IHHIIBBBBI2s2s16s16sI8s"), Struct("=4xH10x4x48x4xII4xI")
"""The structs of sock_diag(7): nlmsghdr with inet_diag_req_v2, and nlmsghdr with inet_diag_msg.

From the answer, ``_ANSWER`` reads the type, the bytes to read and to send, and the inode.
"""

_SOCK_DIAG, _BY_FAMILY, _REQUESTED, _ANY_STATE, _ANY_COOKIE = 4, 20, 1, 0xFFFFFFFF, b"\xff" * 8


class OtherEnd(NamedTuple):
    """The socket at the other end of a connection.

    ``unread`` bytes are in its receive buffer, and ``unsent`` bytes in its send buffer.
    """

    unread: int
    unsent: int
    inode: int


def other_end(own: Any, other: Any) -> OtherEnd | None:
    """Return the socket at ``other`` that is connected to ``own``; None if unknown.

    Both arguments are Twisted addresses.
    """
    with suppress(AttributeError, OSError):
        family = socket.AF_INET6 if ":" in own.host else socket.AF_INET
        ports = [each.port.to_bytes(2) for each in (other, own)]
        hosts = [socket.inet_pton(family, each.host) for each in (other, own)]
        request = _REQUEST.pack(
            _REQUEST.size, _BY_FAMILY, _REQUESTED, 0, 0, family, socket.IPPROTO_TCP, 0, 0,
            _ANY_STATE, *ports, *hosts, 0, _ANY_COOKIE,
        )  # fmt: skip
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _SOCK_DIAG) as kernel:
            kernel.send(request)
            answer = kernel.recv(4096)
        kind, unread, unsent, inode = _ANSWER.unpack_from(answer.ljust(_ANSWER.size, b"\0"))
        if kind == _BY_FAMILY:
            return OtherEnd(unread, unsent, inode)
    return None


def has_read_all(transport: Any) -> bool | None:
    """Return whether the program at the other end has read all data; None if unknown."""
    end = other_end(transport.getHost(), transport.getPeer())
    return None if end is None else end.unread == 0


def is_from_other_process(own: Any, other: Any, pid: int) -> bool:
    """Return whether another process than ``pid`` and its descendants has the socket at ``other``.

    Return False if the process is unknown.
    """
    end = other_end(own, other)
    is_owned = False
    for owner in _owners(end.inode) if end is not None and end.inode else ():
        if _descends(owner, pid):
            return False
        is_owned = True
    return is_owned


def _owners(inode: int) -> Iterator[int]:
    """Yield the ids of processes that have a socket, the highest id first: mostly the newest."""
    names = [each.name for each in Path("/proc").iterdir() if each.name.isdecimal()]
    for process in sorted(map(int, names), reverse=True):
        with suppress(OSError), os.scandir(f"/proc/{process}/fd") as files:
            if any(_is_socket(file, inode) for file in files):
                yield process


def _is_socket(file: os.DirEntry[str], inode: int) -> bool:
    with suppress(OSError):
        found = file.stat()
        return S_ISSOCK(found.st_mode) and found.st_ino == inode
    return False


def _descends(process: int, ancestor: int) -> bool:
    while process not in (0, ancestor):
        try:
            stat = Path(f"/proc/{process}/stat").read_text(errors="replace")
        except OSError:
            return False
        # The state and the parent follow the name, which is in parentheses.
        process = int(stat.rpartition(")")[2].split()[1])
    return process == ancestor

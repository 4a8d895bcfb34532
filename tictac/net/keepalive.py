"""Keep-alives: the system notices a peer that has vanished without a word (no FIN, no RST).

Sources: RFC 1122, 4.2.3.6 (keep-alives); RFC 5482 (user timeout); tcp(7) of Linux.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from functools import lru_cache

PROBES = 3
"""Unanswered keep-alives after which a silent peer counts as gone."""

IDLE_SHARE = 0.5
"""The part of the time that passes in silence before the first keep-alive."""

LONGEST = 32_767
"""Maximum seconds that Linux allows for each time of keep-alives."""


def watch_path(transport: object, seconds: float) -> None:
    """Let ``transport`` be lost ``seconds`` after its peer has vanished; 0: never.

    A silent peer gets keep-alives, and it has that long to acknowledge data. Options that
    the system doesn't know keep their own times.
    """
    connection = socket_below(transport) if seconds else None
    if connection is None or connection.family not in (socket.AF_INET, socket.AF_INET6):
        return
    with suppress(OSError):  # the connection might be lost already
        for level, option, value in _options(seconds):
            connection.setsockopt(level, option, value)


@lru_cache
def _options(seconds: float) -> list[tuple[int, int, int]]:
    """Return the options that this system knows: level, option, value."""
    values = {
        "TCP_KEEPIDLE": _whole(seconds * IDLE_SHARE),
        "TCP_KEEPINTVL": _whole(seconds * (1 - IDLE_SHARE) / PROBES),
        "TCP_KEEPCNT": PROBES,
        "TCP_USER_TIMEOUT": 1000 * _whole(seconds),  # milliseconds
    }
    known = [(getattr(socket, name, None), value) for name, value in values.items()]
    return [
        (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
        *((socket.IPPROTO_TCP, option, value) for option, value in known if option is not None),
    ]


def _whole(seconds: float) -> int:
    return min(max(round(seconds), 1), LONGEST)


def socket_below(transport: object) -> socket.socket | None:
    """Return the socket below ``transport``, through TLS and proxies; None if there is none."""
    while transport is not None:
        handle = transport.getHandle() if hasattr(transport, "getHandle") else None
        if isinstance(handle, socket.socket):
            return handle
        transport = getattr(transport, "transport", None)
    return None

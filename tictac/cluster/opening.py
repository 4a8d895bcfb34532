"""From options to a registry of rooms in Redis; what can't work is found out before a start.

txredisapi comes with the extra ``redis``, and is imported only for ``--rooms``.
"""

from __future__ import annotations

import secrets
import socket
import time
from collections.abc import Callable
from typing import Any

from twisted.internet.endpoints import HostnameEndpoint

from tictac.cluster.address import Address
from tictac.cluster.scripts import command
from tictac.errors import SetupError
from tictac.rooms.registry import Occupant, ServiceRegistry, Watcher


def check_redis(address: Address, timeout: float) -> None:
    """Reach it once, before twistd forks. It blocks for up to ``timeout`` seconds (0: 5).

    Raises SetupError with a line that says what is wrong.
    """
    try:
        import txredisapi  # noqa: F401
    except ImportError:
        raise SetupError(
            "--rooms needs packages that aren't installed: pip install '.[redis]'"
        ) from None
    commands = [*address.greeting(), command("EVAL", "return 'tictac'", "0")]
    place = address.host, address.port
    try:
        with socket.create_connection(place, timeout or 5) as connection:
            connection.sendall(b"".join(commands))
            with connection.makefile("rb") as replies:
                _expect(replies, len(commands))
    except (OSError, ValueError) as error:
        raise SetupError(f"--rooms: {address} doesn't serve: {error}") from None


def _expect(replies: Any, count: int) -> None:
    """Read replies to so many commands. Raises ValueError for anything that isn't wanted."""
    for _ in range(count - 1):
        line = replies.readline(1000)
        if line != b"+OK\r\n":
            raise ValueError(_shown(line))
    line = replies.readline(1000)
    if line != b"$6\r\n":
        raise ValueError(_shown(line))


def _shown(line: bytes) -> str:
    text = line.decode("ascii", "replace").strip()
    return text.removeprefix("-") if text.startswith("-") else "it isn't Redis"


def open_rooms(
    reactor: Any,
    address: Address,
    lease: float,
    engine_timeout: float,
    max_rooms: int,
    rejoin_timeout: float,
    on_fault: Callable[[Occupant | Watcher], None],
) -> ServiceRegistry:
    """The rooms that are kept at ``address``; nothing is opened before its start."""
    from tictac.cluster.leases import RedisTime
    from tictac.cluster.link import Link
    from tictac.cluster.registry import RedisRegistry

    endpoint = HostnameEndpoint(reactor, address.host, address.port, timeout=engine_timeout or 5)
    return RedisRegistry(
        reactor,
        secrets.token_hex(4),
        Link(reactor, endpoint.connect, address),
        max_rooms,
        RedisTime(time.monotonic),
        on_fault,
        rejoin_timeout,
        lease,
        engine_timeout,
    )

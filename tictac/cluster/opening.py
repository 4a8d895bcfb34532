"""From options to a registry of rooms in Redis; what can't work is found out before a start.

hiredis comes with the extra ``redis``, and is imported only for ``--rooms``.
"""

from __future__ import annotations

import secrets
import socket
import time
from collections.abc import Callable
from typing import Any

from twisted.internet.endpoints import HostnameEndpoint

from tictac.cluster.address import Address
from tictac.errors import SetupError
from tictac.net.eager import READ_AT_A_TIME
from tictac.rooms.registry import Occupant, ServiceRegistry, Watcher


def check_redis(address: Address, timeout: float) -> None:
    """Reach it once, before twistd forks. It blocks for up to ``timeout`` seconds (0: 5).

    Raises SetupError with a line that says what is wrong.
    """
    try:
        from hiredis import HiredisError, ProtocolError, Reader

        from tictac.cluster.scripts import command
    except ImportError:
        raise SetupError(
            "--rooms needs packages that aren't installed: pip install '.[redis]'"
        ) from None
    commands = [*address.greeting(), ("EVAL", "return 1", "0")]
    replies = Reader()
    try:
        with socket.create_connection((address.host, address.port), timeout or 5) as connection:
            connection.sendall(b"".join([command(*words) for words in commands]))
            for _ in commands:
                while (reply := replies.gets()) is False:
                    if not (data := connection.recv(READ_AT_A_TIME)):
                        raise ProtocolError
                    replies.feed(data)
                if isinstance(reply, HiredisError):
                    raise reply
    except (OSError, HiredisError) as error:
        why = "it isn't Redis" if isinstance(error, ProtocolError) else error
        raise SetupError(f"--rooms: {address} doesn't serve: {why}") from None


def open_rooms(
    reactor: Any,
    address: Address,
    lease: float,
    engine_timeout: float,
    max_rooms: int,
    rejoin_timeout: float,
    on_fault: Callable[[Occupant | Watcher], None],
    max_rooms_per_user: int = 0,
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
        max_rooms_per_user,
    )

"""From the options to the registry of a node; settings that can't work end the start."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import clientFromString, serverFromString
from twisted.internet.protocol import Factory

from tictac.errors import SetupError
from tictac.games.all import GAMES, OWN
from tictac.lobby.registry import Registry
from tictac.net.listening import check_endpoint
from tictac.net.running_time import running_time
from tictac.plugins.cluster.node import LocalNode
from tictac.plugins.cluster.postgres import PostgresStore, check_others, read_salt
from tictac.plugins.cluster.store import Node

SHORTEST_SECRET = 16
"""Minimum bytes of a secret."""

EQUAL = ("max-rooms", "max-rooms-per-user", "max-room-events", "rejoin-timeout", "lease")
"""Options that must be the same in all nodes."""


def open_node(
    reactor: Any,
    options: Mapping[str, Any],
    database: str,
    on_lost: Callable[[str], None],
    *arguments: Any,
) -> Registry:
    """Return the registry of a node; without the option ``node``, a process without other nodes.

    ``arguments`` are those of every registry.

    Raises:
        SetupError: An option is invalid, or a living node keeps this one from joining.
    """
    endpoint: str = options["node"] or ""
    listen, secret = None, b""
    if endpoint:
        try:
            clientFromString(reactor, endpoint)
            listen = options["node-listen"] or _listen_at(endpoint)
        except (ValueError, TypeError, KeyError, IndexError) as error:
            raise SetupError(f"--node: {endpoint} isn't like tcp:HOST:PORT: {error}") from None
        check_endpoint(listen)
        secret = _read_secret(options["node-secret"])

    def connect(endpoint: str, factory: Factory) -> Deferred[Any]:
        connected: Deferred[Any] = clientFromString(reactor, endpoint).connect(factory)
        return connected

    lease, timeout = options["lease"], options["engine-timeout"]
    settings = ", ".join(f"--{name} {options[name]}" for name in EQUAL)
    if not endpoint:
        settings += ", no --node"
    if plugins := sorted(set(GAMES) - set(OWN)):
        # A node without one of these games could neither show its rooms nor take them over.
        settings += f", games of plug-ins {' '.join(plugins)}"
    sealed = seal(secret, read_salt(database)) if secret else ""
    check_others(database, Node("", endpoint, settings=settings, secret=sealed), lease)
    return LocalNode(
        PostgresStore(database, reactor, lease, timeout, running_time.seconds),
        reactor,
        connect,
        endpoint,
        secret,
        *arguments,
        settings=settings,
        sealed=sealed,
        patience=timeout,
        silence=2 * lease,
        on_lost=on_lost,
        listen=None if listen is None else serverFromString(reactor, listen).listen,
        on_end=lambda: reactor.callLater(0, reactor.stop),
    ).registry


def _read_secret(path: str | None) -> bytes:
    if path is None:
        raise SetupError("--node needs a --node-secret, a file that all nodes have")
    try:
        secret = Path(path).read_bytes().strip()
    except OSError as error:
        raise SetupError(f"--node-secret: {path}: {error.strerror}") from None
    if len(secret) < SHORTEST_SECRET:
        raise SetupError(f"--node-secret: {path} has less than {SHORTEST_SECRET} bytes")
    return secret


def seal(secret: bytes, salt: str) -> str:
    """Return a hash to compare secrets with, too slow for guessing them."""
    return hashlib.scrypt(secret, salt=salt.encode(), n=2**14, r=8, p=1, dklen=32).hex()


def _listen_at(endpoint: str) -> str:
    """Return the server endpoint string for nodes that dial ``endpoint``. Raises ValueError."""
    kind, *rest = endpoint.split(":")
    if kind == "unix" and rest:
        return f"unix:{rest[0]}"
    if kind != "tcp" or len(rest) != 2:
        raise ValueError("say where to listen with --node-listen")
    host, port = rest
    try:
        return f"tcp:{int(port)}:interface={ip_address(host)}"
    except ValueError:
        return f"tcp:{int(port)}"

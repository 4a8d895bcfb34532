"""The rooms of a node, as the options ask for them."""

from __future__ import annotations

import time
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import clientFromString, serverFromString
from twisted.internet.protocol import Factory
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.nodes.postgres import PostgresStore
from tictac.nodes.registry import NodesRegistry

_log = Logger()


class ListeningRegistry(NodesRegistry):
    """One that takes the links of others at ``listen``, a server's endpoint string."""

    def __init__(self, reactor: Any, listen: str, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._server = serverFromString(reactor, listen)
        self._port: Any = None

    def start(self) -> None:
        """Listen, and become a node."""
        self._server.listen(self.links.factory).addCallbacks(self._listening, self._not_listening)
        super().start()

    def _listening(self, port: Any) -> None:
        self._port = port

    def _not_listening(self, failure: Failure) -> None:
        why = "nodes: others can't reach this one: {why}"
        _log.critical(why, why=failure.getErrorMessage())

    async def stop(self) -> None:
        """Leave, and listen no longer."""
        await super().stop()
        if self._port is not None:
            await self._port.stopListening()


def open_node(
    reactor: Any,
    database: str,
    endpoint: str,
    listen: str,
    secret: str,
    lease: float,
    timeout: float,
    *arguments: Any,
) -> NodesRegistry:
    """The registry of a node. Raises SetupError."""

    def connect(endpoint: str, factory: Factory) -> Deferred[Any]:
        connected: Deferred[Any] = clientFromString(reactor, endpoint).connect(factory)
        return connected

    store = PostgresStore(database, reactor, lease, timeout, time.monotonic)
    return ListeningRegistry(
        reactor,
        listen,
        store,
        reactor,
        connect,
        endpoint,
        secret.encode(),
        *arguments,
        patience=timeout,
        silence=lease,
    )

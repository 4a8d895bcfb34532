"""A service of the rooms protocol, and a match at it, without a network."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import HASH, InstantReactor, instant_pool
from tests.storage.memory import MemoryStore
from tictac.accounts.accounts import Accounts
from tictac.accounts.hasher import PasswordHasher
from tictac.accounts.registration import OPEN, Registration
from tictac.accounts.tables import Account
from tictac.accounts.throttle import LoginThrottle
from tictac.lobby.registry import Registry
from tictac.options import Settings
from tictac.protocols.lobby.service import LobbyService
from tictac.protocols.rooms.service import PLUGIN
from tictac.runtime import Runtime
from tictac.testing.connection import Caller, FakeTransport


class ServiceCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor: Any = MemoryReactorClock()

    def started(
        self, *ports: str, registry: Registry | None = None, **settings: Any
    ) -> LobbyService:
        """Start a service."""
        users = [Account(name, HASH) for name in ("alice", "bob")]
        self.store = MemoryStore(users)
        accounts = Accounts(
            self.store,
            PasswordHasher(InstantReactor(), 4, 1, instant_pool),
            LoginThrottle(self.reactor, self.reactor.seconds),
            registration=Registration(settings.get("registration", OPEN)),
        )
        chosen = {name.replace("_", "-"): value for name, value in settings.items()}
        self.runtime = Runtime(Settings({"journal": "none", **chosen}), self.reactor)
        self.runtime.accounts, self.runtime.behind = accounts, None
        self.runtime.registry = registry or self.runtime.new_registry()
        PLUGIN.make(ports or ("tcp:1",), self.runtime)
        service = self.runtime.serve_lobby()
        service.privilegedStartService()
        service.startService()
        return service

    def connect(self, listener: int = 0) -> FakeTransport:
        """Open a connection to one of the service's listeners."""
        return Caller(self.reactor.tcpServers[listener][1]).transport

    def begin_match(self) -> list[FakeTransport]:
        """Begin a match of alice, on the first listener, and bob, on the last one."""
        players = [self.connect(0), self.connect(-1)]
        players[0].arrive(b"LOGIN:alice:secret\nCREATE:den\n")
        players[1].arrive(b"LOGIN:bob:secret\nJOIN:den:PLAYER\n")
        for player in players:
            assert player.take().endswith(b"BEGIN:alice:bob\n")
        return players

    def lost(self, stopping: Deferred[None], *transports: FakeTransport) -> None:
        """Let the connections be gone, and the service see it."""
        for transport in transports:
            assert transport.disconnecting
            transport.lose()
        self.reactor.advance(0.05)
        self.successResultOf(stopping)

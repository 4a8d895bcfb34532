"""A service that brings strangers together, and its callers without a network."""

from __future__ import annotations

from typing import Any

from twisted.internet.testing import MemoryReactorClock
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.services import service_of
from tictac.net.plugin import MatchmakingService
from tictac.testing.connection import Caller, FakeTransport


class ServiceCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor: Any = MemoryReactorClock()

    def started(self, *arguments: str) -> MatchmakingService:
        service = service_of(self, self.reactor, "--nim", "tcp:0:interface=127.0.0.1", *arguments)
        assert isinstance(service, MatchmakingService)
        service.privilegedStartService()
        service.startService()
        return service

    def connect(self, *said: bytes, listener: int = 0) -> FakeTransport:
        """Open a connection, and send these messages."""
        transport = Caller(self.reactor.tcpServers[listener][1]).transport
        transport.arrive(*said)
        return transport

"""A server of the lobby protocol and its clients, joined without a network."""

from __future__ import annotations

from twisted.test.iosim import FakeTransport, IOPump

from tests.helpers import Server
from tictac.net.connection import Limits
from tictac.plugins.client.connection import LobbyClient


class Network:
    """A server that holds seats for 30 seconds and takes guests, and people at it."""

    def __init__(self) -> None:
        # Time stands still, so a budget would be used up.
        self.server = Server(limits=Limits(budget=0), rejoin_timeout=30, guests=True)
        self.pumps: list[IOPump] = []

    def connect(self) -> LobbyClient:
        client, server = LobbyClient(self.server.clock), self.server.factory.buildProtocol(None)
        near, far = FakeTransport(server, isServer=True), FakeTransport(client, isServer=False)
        self.pumps.append(IOPump(client, server, far, near, debug=False))
        server.makeConnection(near)
        client.makeConnection(far)
        return client

    def flush(self) -> None:
        while any(pump.pump() for pump in self.pumps):
            pass

    def wait(self, seconds: float) -> None:
        """Let time pass, and everything happen that happens meanwhile."""
        for _ in range(round(seconds / 0.05)):
            self.server.expire(0.05)
            self.flush()

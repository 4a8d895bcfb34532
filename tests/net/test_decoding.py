"""The client's side of a binary protocol."""

from __future__ import annotations

from typing import Any

from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.testing import MemoryReactorClock
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import FakeTransport
from tictac.net.client import connect
from tictac.net.decoding import DecodingClient


class Bytes:
    """Every byte is a message."""

    def feed(self, data: bytes) -> list[int]:
        return list(data)


class DecodingClientTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.client: DecodingClient[int] = DecodingClient(Bytes())
        self.transport = FakeTransport(self.client)
        self.client.makeConnection(self.transport)

    def test_messages_wait_until_they_are_asked_for(self) -> None:
        asking = self.client.next_message()
        self.assertNoResult(asking)
        self.transport.arrive(b"\x05\x06")
        assert self.successResultOf(asking) == 5
        assert self.successResultOf(self.client.next_message()) == 6

    def test_the_end_comes_after_the_last_one(self) -> None:
        self.transport.arrive(b"\x05")
        self.client.connectionLost(Failure(ConnectionLost()))
        assert self.successResultOf(self.client.next_message()) == 5
        self.failureResultOf(self.client.next_message(), ConnectionLost)

    def test_any_other_end_is_a_lost_connection_too(self) -> None:
        self.client.connectionLost(Failure(ZeroDivisionError()))
        self.failureResultOf(self.client.next_message(), ConnectionDone)

    def test_a_server_that_floods_is_stopped(self) -> None:
        self.transport.arrive(b"\x01" * 300)
        assert self.transport.producerState == "paused"
        assert [self.successResultOf(self.client.next_message()) for _ in range(300)] == [1] * 300
        assert self.transport.producerState == "producing"

    def test_small_messages_leave_at_once(self) -> None:
        assert self.transport.no_delay

    def test_closing(self) -> None:
        self.client.close()
        assert self.transport.disconnecting


class ConnectTests(SynchronousTestCase):
    def test_no_such_port(self) -> None:
        for port in (-1, 0, 65536):
            connecting = connect(MemoryReactorClock(), "127.0.0.1", port, DecodingClient(Bytes()))
            self.failureResultOf(connecting, ValueError)

    def test_by_address(self) -> None:
        reactor, client = MemoryReactorClock(), DecodingClient(Bytes())
        connecting = connect(reactor, "127.0.0.1", 5370, client)
        host, port, factory, _, _ = reactor.tcpClients[0]
        assert (host, port) == ("127.0.0.1", 5370)
        protocol: Any = factory.buildProtocol(None)
        protocol.makeConnection(FakeTransport(protocol))
        assert self.successResultOf(connecting) is client

"""What every client does with its connection; those of the parts test the rest of it."""

from __future__ import annotations

from typing import Any

from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.internet.testing import MemoryReactorClock, StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import Peer
from tests.net.every_byte import Bytes
from tictac.net.client_connection import ClientConnection, DecodingClient, UnknownMessage, connect
from tictac.net.framing import Framing
from tictac.testing.connection import FakeTransport


class Counting(ClientConnection[int]):
    """A client whose server counts."""

    framing = Framing(mode="line", max_message=10)

    def parse(self, message: bytes) -> int | None:
        return int(message) if message.isdigit() else None


class ClientConnectionTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.client = Counting(MemoryReactorClock())
        self.transport = StringTransport()
        self.client.makeConnection(self.transport)

    def test_answers_wait_for_who_asks_and_the_other_way_round(self) -> None:
        self.client.dataReceived(b"1\r\n2\n")
        answers = [self.client.next_message() for _ in range(2)]
        assert [self.successResultOf(answer) for answer in answers] == [1, 2]
        third = self.client.next_message()
        self.client.dataReceived(b"3\n")
        assert self.successResultOf(third) == 3

    def test_what_isnt_an_answer_is_the_last_thing_that_is_heard(self) -> None:
        for data, message in ((b"1\nx\n2\n", b"x"), (b"1\n\n2\n", b""), (b"1\n2345678901x", None)):
            self.setUp()
            self.client.dataReceived(data)
            assert self.successResultOf(self.client.next_message()) == 1
            for _ in range(2):
                error = self.failureResultOf(self.client.next_message(), UnknownMessage).value
                assert error.message == (b"2345678901x" if message is None else message)
            assert self.transport.disconnected

    def test_a_lost_connection_ends_it_with_the_reason(self) -> None:
        for reason in (ConnectionDone(), ConnectionLost()):
            self.setUp()
            self.client.dataReceived(b"1\n")
            self.client.connectionLost(Failure(reason))
            assert self.successResultOf(self.client.next_message()) == 1
            self.failureResultOf(self.client.next_message(), type(reason))

    def test_a_server_that_talks_on_and_on_is_stopped(self) -> None:
        for _ in range(100):
            self.client.dataReceived(b"7\n")
        assert self.transport.producerState == "paused"
        for _ in range(100):
            assert self.successResultOf(self.client.next_message()) == 7
        assert self.transport.producerState == "producing"


class DecodingClientTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.client: DecodingClient[int] = DecodingClient(Bytes())
        self.transport = FakeTransport(self.client)
        self.client.makeConnection(self.transport)

    def test_messages_are_kept_in_their_order_and_before_the_end(self) -> None:
        asking = self.client.next_message()
        self.assertNoResult(asking)
        self.transport.arrive(b"\x05\n")
        self.client.connectionLost(Failure(ZeroDivisionError()))
        assert self.successResultOf(asking) == 5
        assert self.successResultOf(self.client.next_message()) == 10
        self.failureResultOf(self.client.next_message(), ConnectionDone)

    def test_a_server_that_floods_is_stopped(self) -> None:
        for _ in range(2):
            self.transport.arrive(b"\x0a" * 300)
            assert self.transport.producerState == "paused"
            kept = [self.successResultOf(self.client.next_message()) for _ in range(300)]
            assert kept == [10] * 300
            assert self.transport.producerState == "producing"


class ConnectTests(SynchronousTestCase):
    def test_it_connects_the_client_without_delay(self) -> None:
        reactor: Any = MemoryReactorClock()
        connecting = connect(reactor, "127.0.0.1", 4444, Counting(reactor))
        host, port, factory, timeout, _ = reactor.tcpClients[0]
        assert (host, port, timeout) == ("127.0.0.1", 4444, 30)
        transport = Peer(factory).transport
        assert isinstance(self.successResultOf(connecting), Counting)
        assert transport.no_delay

    def test_there_are_ports_that_cant_be(self) -> None:
        reactor = MemoryReactorClock()
        for port in (0, -1, 65536, 10**9):
            connecting = connect(reactor, "127.0.0.1", port, Counting(reactor))
            self.failureResultOf(connecting, ValueError)
        assert not reactor.tcpClients

"""How commands leave: together, at once where that is possible, and never twice."""

from __future__ import annotations

from typing import Any

from twisted.internet.interfaces import ITCPTransport
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.trial.unittest import SynchronousTestCase
from zope.interface import directlyProvides

from tictac.cluster.connection import Connection, Outgoing


class FakeSocket:
    """Takes ``room`` bytes at a time; None: it is broken."""

    def __init__(self) -> None:
        self.room: int | None = 1000
        self.sent: list[bytes] = []

    def send(self, data: bytes) -> int:
        if self.room is None:
            raise ConnectionResetError
        self.sent.append(data[: self.room])
        return len(self.sent[-1])


class FakeTCP(StringTransport):
    """A transport of the reactor: what is written stays in it until it is asked for more."""

    def __init__(self) -> None:
        super().__init__()
        directlyProvides(self, ITCPTransport)
        self.producer: Any
        self.socket = FakeSocket()
        self.no_delay = False

    def getHandle(self) -> FakeSocket:
        return self.socket

    def setTcpNoDelay(self, enabled: bool) -> None:
        self.no_delay = enabled


class OutgoingTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.transport = FakeTCP()
        self.outgoing = Outgoing(self.clock, self.transport)
        # As the reactor does, which finds nothing left to send.
        self.transport.producer.resumeProducing()

    def written(self) -> bytes:
        """What has gone the normal way."""
        data: bytes = self.transport.value()
        self.transport.clear()
        return data

    def test_small_commands_dont_wait_in_the_kernel(self) -> None:
        assert self.transport.no_delay

    def test_one_that_is_alone_leaves_at_once(self) -> None:
        self.outgoing.send(b"one", True)
        assert self.transport.socket.sent == [b"one"] and self.written() == b""
        assert self.clock.getDelayedCalls() == []

    def test_those_of_a_turn_leave_together_in_their_order(self) -> None:
        for command in (b"one", b"two", b"three"):
            self.outgoing.send(command)
        assert self.transport.socket.sent == []
        self.clock.advance(0)
        assert self.transport.socket.sent == [b"onetwothree"]
        self.outgoing.send(b"four")
        self.clock.advance(0)
        assert self.transport.socket.sent == [b"onetwothree", b"four"] and self.written() == b""

    def test_one_that_is_alone_doesnt_overtake_what_waits(self) -> None:
        self.outgoing.send(b"one")
        self.outgoing.send(b"two", True)
        self.clock.advance(0)
        assert self.transport.socket.sent == [b"onetwo"]

    def test_what_the_kernel_doesnt_take_goes_the_normal_way(self) -> None:
        self.transport.socket.room = 4
        self.outgoing.send(b"onetwo", True)
        assert self.transport.socket.sent == [b"onet"] and self.written() == b"wo"

    def test_nothing_overtakes_that(self) -> None:
        self.transport.socket.room = 4
        self.outgoing.send(b"onetwo", True)
        self.transport.socket.room = 1000
        self.outgoing.send(b"three", True)
        self.clock.advance(0)
        assert self.transport.socket.sent == [b"onet"] and self.written() == b"wothree"
        self.transport.producer.resumeProducing()
        self.outgoing.send(b"four", True)
        assert self.transport.socket.sent == [b"onet", b"four"]

    def test_of_a_broken_socket_the_reactor_hears(self) -> None:
        self.transport.socket.room = None
        self.outgoing.send(b"one", True)
        assert self.written() == b"one"

    def test_after_a_stop_nothing_is_sent(self) -> None:
        self.outgoing.send(b"one")
        self.outgoing.stop()
        self.clock.advance(1)
        assert self.transport.socket.sent == [] and self.written() == b""

    def test_a_transport_that_stops_it_is_written_to(self) -> None:
        self.transport.producer.stopProducing()
        self.outgoing.send(b"one", True)
        self.clock.advance(0)
        assert self.transport.socket.sent == [] and self.written() == b"one"


class ConnectionTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.connection = Connection(Clock())
        self.connection.makeConnection(StringTransport())
        self.heard: list[tuple[str, Any]] = []
        self.connection.replied = lambda reply: self.heard.append(("reply", reply))
        self.connection.pushed = lambda message: self.heard.append(("push", message))
        self.connection.lost = lambda why: self.heard.append(("lost", why))

    def test_replies_and_what_is_published_come_in_their_order(self) -> None:
        data = b":1\r\n>3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nb\r\n*1\r\n:2\r\n_\r\n"
        heard = [("reply", 1), ("push", [b"message", b"a", b"b"]), ("reply", [2]), ("reply", None)]
        self.connection.dataReceived(data)
        assert self.heard == heard
        self.heard = []
        for number in range(len(data)):
            self.connection.dataReceived(data[number : number + 1])
        assert self.heard == heard

    def test_an_error_is_a_reply(self) -> None:
        self.connection.dataReceived(b"-ERR no\r\n")
        [(kind, error)] = self.heard
        assert kind == "reply" and isinstance(error, Exception) and str(error) == "ERR no"

    def test_nonsense_loses_it_once(self) -> None:
        self.connection.dataReceived(b":1\r\nHTTP/1.1 200 OK\r\n")
        self.connection.connectionLost()
        assert [kind for kind, _ in self.heard] == ["reply", "lost"]

    def test_who_drops_it_hears_nothing_more(self) -> None:
        self.connection.replied = lambda reply: self.connection.drop()
        self.connection.dataReceived(b":1\r\n:2\r\n")
        self.connection.connectionLost()
        assert self.heard == [] and self.connection.transport.disconnected  # type: ignore[attr-defined]

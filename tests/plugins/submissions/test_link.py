"""The connections between a program and a server."""

from __future__ import annotations

from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.internet.error import ConnectionDone
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tictac.plugins.submissions.runner.link import MOST_DOUBLES, Link
from tictac.plugins.submissions.runner.translation import MOST_ANSWERS, Translation


class Transport(StringTransport):
    """One that remembers that it was aborted."""

    aborted = False

    def abortConnection(self) -> None:
        self.aborted = True


class Endpoint:
    """A server that takes connections."""

    def __init__(self) -> None:
        self.sides: list[Any] = []

    def connect(self, factory: Any) -> Deferred[Any]:
        side = factory.buildProtocol(None)
        side.makeConnection(Transport())
        self.sides.append(side)
        return succeed(side)


class LinkTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.server, self.stopped = Endpoint(), list[str]()
        translation = Translation({"do": "play"}, "lease", lambda ended: None)
        endpoint: Any = self.server
        self.link = Link(endpoint, translation, self.stopped.append)

    def connect(self) -> Any:
        side = self.link.buildProtocol(None)
        side.makeConnection(Transport())
        return side

    def test_lines_go_both_ways(self) -> None:
        program = self.connect()
        program.dataReceived(b'{"do":"ping"}\r\n{"do":"lo')
        [server] = self.server.sides
        assert server.transport.value() == b'{"do":"ping"}\n'
        server.dataReceived(b'{"event":"x"}\n')
        assert program.transport.value() == b'{"event":"x"}\n'

    def test_a_side_that_reads_nothing_stops_the_other(self) -> None:
        program = self.connect()
        [server] = self.server.sides
        program.transport.producer.pauseProducing()
        assert server.transport.producerState == "paused"
        program.transport.producer.resumeProducing()
        server.transport.producer.pauseProducing()
        assert (server.transport.producerState, program.transport.producerState) == (
            "producing", "paused",
        )  # fmt: skip

    def test_the_end_of_one_side_ends_the_other(self) -> None:
        program = self.connect()
        [server] = self.server.sides
        server.connectionLost(Failure(ConnectionDone()))
        assert program.transport.disconnecting and self.link.lost == 1
        program.connectionLost(Failure(ConnectionDone()))
        self.connect()
        assert len(self.server.sides) == 2 and self.link.lost == 1

    def test_a_second_connection_waits_for_the_end_of_the_first(self) -> None:
        first, second = self.connect(), self.connect()
        assert len(self.server.sides) == 1
        first.connectionLost(Failure(ConnectionDone()))
        assert len(self.server.sides) == 2
        second.dataReceived(b'{"do":"ping"}\n')
        assert self.server.sides[1].transport.value() == b'{"do":"ping"}\n'

    def test_a_bot_that_connects_again_and_again_is_ended(self) -> None:
        self.connect()
        doubles: Any = [self.connect() for _ in range(MOST_DOUBLES)]
        assert [each.transport.aborted for each in doubles[:3]] == [False, True, True]
        assert self.stopped == [f"it connected {MOST_DOUBLES} times beside its connection"]
        assert len(self.server.sides) == 1

    def test_a_flood_ends_the_program(self) -> None:
        program = self.connect()
        program.dataReceived(b'{"do":"register"}\n' * (MOST_ANSWERS + 1))
        assert self.stopped == ["it sent too many requests that can't succeed"]

    def test_a_line_without_an_end_is_not_kept(self) -> None:
        program = self.connect()
        program.dataReceived(b"x" * ((1 << 16) + 1))
        assert program.transport.aborted

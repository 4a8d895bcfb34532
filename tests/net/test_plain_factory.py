"""The factory for protocols of plug-ins: their connections are counted, limited, and closed."""

from __future__ import annotations

from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionDone
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tictac.net.connection import Limits
from tictac.net.plugin import PlainConnection, PlainFactory

HERE = IPv4Address("TCP", "192.0.2.1", 1234)


class PlainFactoryTests(SynchronousTestCase):
    def setUp(self) -> None:
        limits = Limits(max_connections=2, max_connections_per_peer=1)
        self.factory = PlainFactory(Factory.forProtocol(Protocol), limits)

    def connect(self) -> tuple[PlainConnection, StringTransport]:
        connection = self.factory.buildProtocol(HERE)
        assert isinstance(connection, PlainConnection)
        transport = StringTransport(peerAddress=HERE)
        connection.makeConnection(transport)
        return connection, transport

    def test_an_address_has_as_many_connections_as_it_may(self) -> None:
        self.connect()
        assert self.factory.buildProtocol(HERE) is None
        assert self.factory.refusals.counts == {"too-many-connections-of-one-peer": 1}

    def test_a_lost_connection_counts_no_more(self) -> None:
        connection, _ = self.connect()
        connection.connectionLost(Failure(ConnectionDone()))
        assert not self.factory.connections
        self.connect()

    def test_closing_sends_what_is_written(self) -> None:
        connection, transport = self.connect()
        connection.write(b"bye")
        connection.close()
        assert transport.value() == b"bye" and transport.disconnecting

    def test_dropping_doesnt_wait(self) -> None:
        connection, transport = self.connect()
        connection.drop()
        assert transport.disconnected

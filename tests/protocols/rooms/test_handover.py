"""A connection of the rooms port that begins with ``{`` speaks the lobby protocol (lobby.md)."""

from __future__ import annotations

import gc
import json
from weakref import ref

from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import Peer, Server
from tests.plugins.web.helpers import Guest, WebServer
from tictac.net.budget import CONNECTION, SIGN_OF_LIFE
from tictac.net.connection import Limits
from tictac.net.framing import Framing
from tictac.net.proxied import ProxiedFactory

PING = '{"do": "ping", "id": 1}'
HEADER = b"PROXY TCP4 192.0.2.7 198.51.100.1 4321 80\r\n"
PONG = ['{"answer":1}']


class FirstBytesTests(SynchronousTestCase):
    def test_it_stays_with_that_protocol(self) -> None:
        visitor = Server().connect()
        assert visitor.ask(PING) == PONG
        assert json.loads(visitor.ask("FORFEIT")[0])["error"] == "malformed"

    def test_in_pieces(self) -> None:
        visitor = Server().connect()
        visitor.transport.arrive(*(bytes([byte]) for byte in PING.encode()))
        visitor.server.clock.pump([1] * 5)
        assert visitor.read() == [], "only a newline ends a message"
        assert visitor.ask("") == PONG

    def test_only_the_very_first_byte_counts(self) -> None:
        for before in ("\n", " ", "\t", "FORFEIT\n"):
            assert set(Server().connect().ask(before + PING)) <= {"BADAUTH"}, before

    def test_not_where_a_read_is_a_message(self) -> None:
        visitor = Server(Framing(mode="bare")).connect(b"")
        visitor.send(PING)
        assert visitor.transport.take_writes() == [b"BADAUTH"]


class AccountsForItTests(SynchronousTestCase):
    """The connection counts once, from its beginning to its end."""

    def setUp(self) -> None:
        self.server = Server(limits=Limits(login_timeout=5, max_connections_per_peer=1))
        self.factory = self.server.factory

    def test_it_has_one_place(self) -> None:
        visitor = self.server.connect()
        for _ in range(2):
            visitor.ask(PING)
            assert list(self.factory.connections) == [visitor.protocol]
            assert self.server.connect().closed
        visitor.hang_up()
        assert not self.factory.connections
        assert [self.server.connect().closed for _ in range(2)] == [False, True]

    def test_one_that_ends_before_its_first_byte_leaves_its_place(self) -> None:
        self.server.connect().hang_up()
        assert [self.server.connect().closed for _ in range(2)] == [False, True]

    def test_its_time_to_log_in_began_when_it_connected(self) -> None:
        visitor = self.server.connect()
        self.server.expire(4)
        assert visitor.ask(PING) == PONG
        self.server.expire(1)
        (closing,) = map(json.loads, visitor.read())
        assert (closing["reason"], visitor.closed) == ("login-timeout", True)

    def test_after_that_time_it_is_closed_without_a_message(self) -> None:
        visitor = self.server.connect()
        self.server.expire(5)
        visitor.protocol.dataReceived(PING.encode() + b"\n")  # as TLS may still pass on
        assert (visitor.closed, visitor.read()) == (True, [])

    def test_it_pays_for_the_connection_once(self) -> None:
        visitor = self.server.connect()
        self.server.clock.advance(1)
        visitor.ask(PING)
        purse = visitor.protocol.purse
        self.assertAlmostEqual(purse.paid, 1 + (CONNECTION + SIGN_OF_LIFE) * purse.price)

    def test_each_read_is_timed_once(self) -> None:
        told: list[float] = []
        self.factory.observe = told.append
        visitor = self.server.connect()
        visitor.ask(PING)
        assert told == [0.0]
        visitor.ask(PING)
        assert told == [0.0, 0.0]

    def test_what_it_doesnt_read_is_counted(self) -> None:
        visitor = self.server.connect()
        visitor.ask(PING)
        visitor.choke()
        assert visitor.protocol.is_held()

    def test_nothing_is_left_of_the_other_protocol(self) -> None:
        gc.disable()
        self.addCleanup(gc.enable)
        self.factory.observe = lambda seconds: None
        visitor = self.server.connect()
        before = ref(visitor.protocol)
        visitor.ask(PING)
        assert before() is None


class WayTests(SynchronousTestCase):
    """Each transport passes its bytes on to the new protocol (TLS: tests/net/test_handshakes)."""

    def test_a_websocket(self) -> None:
        server = WebServer()
        guest = Guest(server.connect())
        guest.upgrade()
        assert [guest.ask(PING), guest.ask(PING)] == [PONG, PONG]
        guest.transport.lose()
        assert not server.rooms.factory.connections

    def test_a_proxy_names_the_address_that_counts(self) -> None:
        server = Server(limits=Limits(max_connections_per_peer=1))
        server.factory.proxied = True
        factory = ProxiedFactory(server.factory)
        first = Peer(factory)
        assert first.ask(HEADER, PING) == PONG
        (connection,) = server.factory.connections
        assert connection.network == "192.0.2.7"
        for _ in range(2):
            second = Peer(factory)
            second.send(HEADER, PING)
            assert (second.closed, second.read()) == (True, [])
            second.hang_up()
        first.hang_up()
        assert Peer(factory).ask(HEADER, PING) == PONG

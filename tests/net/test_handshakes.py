"""TLS handshakes wait for one another, for rests, and for the budget of their address."""

from __future__ import annotations

import ssl
from types import SimpleNamespace
from typing import Any

import pytest
from twisted.internet.address import IPv4Address
from twisted.trial.unittest import SynchronousTestCase

pytest.importorskip("OpenSSL", exc_type=ImportError)

from twisted.internet.ssl import PrivateCertificate
from twisted.protocols.tls import TLSMemoryBIOFactory

from tests.helpers import Server, TurnClock
from tests.net.certificate import certificate
from tictac.net.budget import HANDSHAKE
from tictac.net.connection import Limits
from tictac.net.handshakes import REST, Handshakes, shake_in_turn
from tictac.testing.connection import FakeTransport

HERE, THERE = "192.0.2.1", "192.0.2.2"


class HandshakesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = TurnClock()
        self.worked = 0.0
        self.handshakes = Handshakes(self.clock, lambda: self.worked)
        self.done: list[str] = []

    def add(self, host: str, name: str) -> None:
        def step() -> None:
            self.worked += 1
            self.done.append(name)

        self.handshakes.add(host, name, step)

    def test_there_is_one_at_a_time_and_a_rest_after_it(self) -> None:
        for name in "abc":
            self.add(HERE, name)
        self.clock.turn()
        assert self.done == ["a"]
        self.clock.advance(REST - 0.1)
        assert self.done == ["a"]
        self.clock.advance(0.1)
        assert self.done == ["a", "b"]

    def test_addresses_take_turns(self) -> None:
        for name in "abc":
            self.add(HERE, name)
        self.add(THERE, "x")
        self.clock.pump([0] + [REST] * 4)
        assert self.done == ["a", "x", "b", "c"]

    def test_one_that_is_lost_is_forgotten(self) -> None:
        self.add(HERE, "a")
        self.handshakes.forget(HERE, "a")
        self.clock.turn()
        assert self.done == [] and not self.clock.getDelayedCalls()

    def test_one_that_fails_stops_no_other(self) -> None:
        self.handshakes.add(HERE, "x", lambda: 1 / 0)
        self.add(HERE, "a")
        self.clock.pump([0, REST])
        assert self.done == ["a"]
        assert len(self.flushLoggedErrors(ZeroDivisionError)) == 1


class Below(FakeTransport):
    """TCP, to which TLS passes on what isn't its own."""

    def setTcpNoDelay(self, enabled: bool) -> None:
        pass

    def getHandle(self) -> None:
        return None


class Client:
    """A client that has sent nothing yet."""

    def __init__(self, port: Any, host: str) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self._read, self._written = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._read, self._written)
        self.protocol = port.factory.buildProtocol(IPv4Address("TCP", host, 1))
        self.transport = Below(self.protocol, host)
        self.protocol.makeConnection(self.transport)

    def shake(self) -> bool:
        """Send what is due in the handshake; return whether it is done here."""
        self._read.write(self.transport.take())
        try:
            self._tls.do_handshake()
            done = True
        except ssl.SSLWantReadError:
            done = False
        self.transport.arrive(self._written.read())
        return done

    def ask(self, line: bytes, clock: TurnClock) -> bytes:
        self._tls.write(line)
        self.transport.arrive(self._written.read())
        clock.pump([0.1] * 5)
        self._read.write(self.transport.take())
        return self._tls.read()


class TurnTLSTests(SynchronousTestCase):
    """Clients of the rooms protocol over TLS."""

    def setUp(self) -> None:
        self.addCleanup(self.flushWarnings)  # Twisted hands pyOpenSSL what that finds old
        options = PrivateCertificate.loadPEM(certificate()).options()
        self.server = Server(limits=Limits())
        self.clock = self.server.clock
        self.budget = self.server.factory.budget
        factory = TLSMemoryBIOFactory(options, False, self.server.factory, self.clock)
        self.port = SimpleNamespace(factory=factory)
        shake_in_turn(self.port, self.clock)
        # How long one takes is up to the load.
        self.port.factory.turns = Handshakes(self.clock, lambda: 0.0)

    def shaken(self) -> int:
        """Return the number of handshakes that the server has answered."""
        return sum(bool(client.transport.value()) for client in self.clients)

    def test_it_ends_in_later_turns(self) -> None:
        client = Client(self.port, HERE)
        client.shake()
        assert client.transport.value() == b"" and client.transport.producerState == "paused"
        self.clock.pump([0.1] * 3)
        assert client.shake()
        assert client.ask(b"FORFEIT\n", self.clock) == b"BADAUTH\n"
        assert client.transport.producerState == "producing"

    def test_the_other_protocol_of_the_port_gets_the_bytes_too(self) -> None:
        client = Client(self.port, HERE)
        client.shake()
        self.clock.pump([0.1] * 3)
        assert client.shake()
        for number in range(2):
            line = b'{"do": "ping", "id": %d}\n' % number
            assert client.ask(line, self.clock) == b'{"answer":%d}\n' % number
        client.transport.lose()
        assert not self.server.factory.connections

    def test_those_of_a_turn_wait_for_one_another(self) -> None:
        self.clients = [Client(self.port, f"192.0.2.{number}") for number in range(8)]
        for client in self.clients:
            client.shake()
        found = []
        for _ in range(8):
            self.clock.turn()
            found.append(self.shaken())
            self.clock.rightNow += 0.1
        assert found == [1, 2, 3, 4, 5, 6, 7, 8]

    def test_it_is_paid_before(self) -> None:
        client = Client(self.port, HERE)
        client.shake()
        purse = self.budget.purse(HERE)
        assert round(purse.paid / purse.price) == HANDSHAKE
        self.clock.pump([0.1] * 3)
        before = purse.paid
        client.shake()
        assert purse.paid > before, "its further reads, too"

    def test_an_address_without_a_budget_waits(self) -> None:
        purse = self.budget.purse(HERE)
        purse.spend(80_001, Client(self.port, HERE).protocol)
        self.clock.turn()
        client = Client(self.port, HERE)
        client.shake()
        self.clock.pump([0.001] * 3)
        assert client.transport.value() == b"" and self.budget.waiting == 1
        self.clock.pump([0.01] * 3)
        assert client.transport.value() and self.budget.waiting == 0

    def test_who_hangs_up_meanwhile_is_forgotten(self) -> None:
        client = Client(self.port, HERE)
        client.shake()
        client.transport.lose()
        purse = self.budget.purse(HERE)
        purse.spend(80_001, client.protocol)
        other = Client(self.port, HERE)
        other.shake()
        assert self.budget.waiting == 1
        other.transport.lose()
        assert self.budget.waiting == 0
        self.clock.pump([0.1] * 5)
        assert not self.clock.getDelayedCalls()

    def test_what_is_no_handshake_ends_the_connection(self) -> None:
        client = Client(self.port, HERE)
        client.transport.arrive(b"GET / HTTP/1.1\r\n\r\n")
        self.clock.pump([0.1] * 3)
        assert client.transport.disconnecting or client.transport.disconnected

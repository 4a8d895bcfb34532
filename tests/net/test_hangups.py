"""Peers that hang up while nothing is read of them, on real sockets."""

from __future__ import annotations

import select
import socket
import ssl
import struct
from errno import EMFILE
from pathlib import Path
from time import monotonic
from typing import Any

from twisted.internet.interfaces import IAddress
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.helpers import epoll_reactor, needs_linux
from tests.net.certificate import certificate
from tictac.net.connection import ConnectionFactory, Limits, ServerConnection
from tictac.net.framing import Framing
from tictac.net.hangups import HangUps
from tictac.net.listening import Listener

PATIENCE = 300
LOCAL = "tcp:0:interface=127.0.0.1"


class Asked(ServerConnection):
    """Works on each line until the test says that it is done."""

    lost = False

    def lineReceived(self, line: bytes) -> None:
        self.hold_for_answer()

    def answer(self) -> None:
        """Give the answer."""
        self.send_lines(b"done\n")
        self.release_answered()

    def disconnected(self) -> None:
        self.lost = True


class Host(ConnectionFactory):
    """Keeps its connections in the order in which they came."""

    connection = Asked

    def __init__(self, reactor: Any, limits: Limits) -> None:
        super().__init__(reactor, monotonic, Framing(mode="line"), limits)
        self.all: list[Asked] = []

    def buildProtocol(  # type: ignore[override]
        self, addr: IAddress | None
    ) -> ServerConnection:
        connection = super().buildProtocol(addr)
        assert isinstance(connection, Asked)
        self.all.append(connection)
        return connection


@needs_linux
class HangUpTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor = epoll_reactor()
        self.hosts: list[tuple[Host, Listener]] = []
        self.addCleanup(self.end_reactor)

    def end_reactor(self) -> None:
        stopped = [listener.stop_listening() for _, listener in self.hosts]
        for asked in self.asked:
            if not asked.lost:
                asked.drop()
        self.turn_until(lambda: all(asked.lost for asked in self.asked))
        self.turn_until(lambda: all(one is None or one.called for one in stopped))
        for reader in self.reactor.removeAll():
            reader.connectionLost(None)

    @property
    def asked(self) -> list[Asked]:
        return [asked for host, _ in self.hosts for asked in host.all]

    def turn_until(self, condition: Any) -> None:
        until = monotonic() + PATIENCE
        while not condition():
            assert monotonic() < until, "it never happened"
            self.reactor.iterate(0.02)

    def listen(self, where: str = LOCAL, most: int = 0, eager: bool = True) -> tuple[Host, Any]:
        """Start a server; return it and its address."""
        host = Host(self.reactor, Limits(max_half_closed=most))
        listener = Listener(self.reactor, where, host, "test", eager)
        listener.privilegedStartService()
        self.hosts.append((host, listener))
        assert listener.port is not None
        return host, listener.port.getHost()

    def ask(self, address: Any) -> tuple[Asked, socket.socket]:
        """Ask a question that stays unanswered, and return both sides of the connection."""
        client = socket.create_connection(("127.0.0.1", address.port), PATIENCE)
        self.addCleanup(client.close)
        client.sendall(b"question\n")
        number = len(self.asked)
        self.turn_until(lambda: len(self.asked) > number and self.asked[-1]._holds)
        return self.asked[-1], client

    def test_a_broken_connection_is_lost_at_once(self) -> None:
        for eager in (True, False):
            asked, client = self.ask(self.listen(eager=eager)[1])
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()
            self.turn_until(lambda asked=asked: asked.lost)

    def test_a_peer_that_has_only_ended_its_input_gets_its_answer(self) -> None:
        asked, client = self.ask(self.listen()[1])
        client.shutdown(socket.SHUT_WR)
        self.turn_until(lambda: asked._half_closed_as)
        asked.answer()
        self.turn_until(lambda: asked.lost)
        assert client.recv(100) == b"done\n"
        assert client.recv(100) == b""

    def test_only_so_many_of_an_address_are_waited_for(self) -> None:
        host, address = self.listen(most=2)
        pairs = [self.ask(address) for _ in range(4)]
        for _, client in pairs[:3]:
            client.close()
        self.turn_until(lambda: any(asked.lost for asked, _ in pairs))
        assert sum(asked.lost for asked, _ in pairs[:3]) == 1
        assert not pairs[3][0].lost
        assert host.refusals.counts == {"too-many-half-closed": 1}

    def test_and_four_times_as_many_of_all(self) -> None:
        host, _ = self.listen(most=1)
        limit = host.half_closed_limit
        assert [limit.enter(f"192.0.2.{number}") for number in range(4)] == [None] * 4
        assert limit.enter("192.0.2.4") is not None

    def test_a_place_is_free_again_after_the_answer(self) -> None:
        host, address = self.listen(most=1)
        for _ in range(3):
            asked, client = self.ask(address)
            client.shutdown(socket.SHUT_WR)
            self.turn_until(lambda asked=asked: asked._half_closed_as)
            asked.answer()
            self.turn_until(lambda asked=asked: asked.lost)
            assert client.recv(100) == b"done\n"
        assert not host.refusals.counts

    def test_without_descriptors_there_is_an_answer_all_the_same(self) -> None:
        def fail() -> None:
            raise OSError(EMFILE, "too many open files")

        _, address = self.listen()
        self.patch(select, "epoll", fail)
        asked, client = self.ask(address)
        client.shutdown(socket.SHUT_WR)
        asked.answer()
        self.turn_until(lambda: asked.lost)
        assert client.recv(100) == b"done\n"

    def test_it_is_noticed_below_tls(self) -> None:
        pem = Path(temporary_directory(self), "server.pem")
        pem.write_bytes(certificate())
        _, address = self.listen(f"ssl:0:interface=127.0.0.1:privateKey={pem}:certKey={pem}")
        plain = socket.create_connection(("127.0.0.1", address.port), PATIENCE)
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        client = ssl._create_unverified_context().wrap_bio(incoming, outgoing)
        self.shake_hands(client, plain, incoming, outgoing)
        client.write(b"question\n")
        plain.sendall(outgoing.read())
        self.turn_until(lambda: self.asked[-1]._holds)
        # What was sent to it is unread, so this breaks the connection.
        plain.close()
        self.turn_until(lambda: self.asked[-1].lost)
        self.flushWarnings()  # Twisted asks pyOpenSSL for what is deprecated

    def shake_hands(self, client: Any, plain: socket.socket, incoming: Any, outgoing: Any) -> None:
        """Begin TLS, with turns of the reactor in between."""
        plain.setblocking(False)
        until = monotonic() + PATIENCE
        while True:
            assert monotonic() < until, "it never happened"
            try:
                client.do_handshake()
            except ssl.SSLWantReadError:
                plain.sendall(outgoing.read())
                self.reactor.iterate(0.02)
                try:
                    incoming.write(plain.recv(65536))
                except BlockingIOError:
                    continue
            else:
                plain.sendall(outgoing.read())
                return

    def test_nothing_is_watched_by_a_clock(self) -> None:
        HangUps(Clock()).watch(object(), lambda broken: self.fail("noticed"))()

"""What the system is asked for, to notice a peer that has vanished: on real sockets."""

from __future__ import annotations

import socket
import ssl
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.error import ConnectionClosed
from twisted.internet.testing import StringTransport
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.helpers import epoll_reactor, needs_linux
from tests.net.certificate import certificate
from tictac.net.client_connection import VANISHED, ClientConnection
from tictac.net.connection import ConnectionFactory, Limits
from tictac.net.keepalive import LONGEST, watch_path
from tictac.net.listening import Listener

PATIENCE = 300
LOCAL = "interface=127.0.0.1"


class Silent(ClientConnection[bytes]):
    """A client that takes everything."""

    def parse(self, message: bytes) -> bytes | None:
        return message


def times(transport: Any) -> list[int]:
    """Return the socket's keepalive settings.

    On or off, idle time (s), interval (s), count, user timeout (ms).
    """
    while not isinstance(transport.getHandle(), socket.socket):
        transport = transport.transport
    options = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE)] + [
        (socket.IPPROTO_TCP, number)
        for number in (
            socket.TCP_KEEPIDLE,
            socket.TCP_KEEPINTVL,
            socket.TCP_KEEPCNT,
            socket.TCP_USER_TIMEOUT,
        )
    ]
    return [transport.getHandle().getsockopt(*option) for option in options]


@needs_linux
class RealConnectionsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.reactor = epoll_reactor()
        self.folder = temporary_directory(self)
        self.servers: list[tuple[ConnectionFactory, Listener]] = []
        self.addCleanup(self.end_reactor)

    def end_reactor(self) -> None:
        stopped = [listener.stop_listening() for _, listener in self.servers]
        for host, _ in self.servers:
            for connection in list(host.connections):
                connection.drop()
        self.turn_until(lambda: not any(host.connections for host, _ in self.servers))
        self.turn_until(lambda: all(one is None or one.called for one in stopped))
        for reader in self.reactor.removeAll():
            reader.connectionLost(None)

    def turn_until(self, condition: Any) -> None:
        until = monotonic() + PATIENCE
        while not condition():
            assert monotonic() < until, "it never happened"
            self.reactor.iterate(0.02)

    def listen(self, where: str, limits: Limits, eager: bool = True) -> Any:
        """Start a server; return it and its address."""
        host = ConnectionFactory(self.reactor, monotonic, limits=limits)
        listener = Listener(self.reactor, where, host, "test", eager)
        listener.privilegedStartService()
        self.servers.append((host, listener))
        assert listener.port is not None
        return host, listener.port.getHost()

    def accepted(self, host: ConnectionFactory) -> Any:
        """Wait for the first connection, and return its transport."""
        self.turn_until(lambda: host.connections)
        return next(iter(host.connections)).transport

    def at(self, where: str, seconds: float, eager: bool = True) -> list[int]:
        """Return the keepalive settings of a TCP connection to a server."""
        host, address = self.listen(where, Limits(keepalive=seconds), eager)
        with socket.create_connection(("127.0.0.1", address.port), PATIENCE):
            return times(self.accepted(host))

    def test_the_time_is_shared_out(self) -> None:
        for eager in (True, False):
            assert self.at(f"tcp:0:{LOCAL}", 60, eager) == [1, 30, 10, 3, 60_000]
        assert self.at(f"tcp:0:{LOCAL}", 12) == [1, 6, 2, 3, 12_000]

    def test_a_time_is_never_too_short_or_too_long_for_the_system(self) -> None:
        assert self.at(f"tcp:0:{LOCAL}", 0.01) == [1, 1, 1, 3, 1000]
        longest = [1, LONGEST, LONGEST, 3, 1000 * LONGEST]
        assert self.at(f"tcp:0:{LOCAL}", 1e9) == longest

    def test_off_is_what_the_system_does_by_itself(self) -> None:
        with (
            socket.create_server(("127.0.0.1", 0)) as plain,
            socket.create_connection(plain.getsockname()),
        ):
            own = plain.accept()[0]
        with own:
            handle = type("Plain", (), {"getHandle": lambda self: own})()
            assert self.at(f"tcp:0:{LOCAL}", 0) == times(handle)
            assert times(handle)[0] == 0

    def test_the_socket_below_tls_is_set(self) -> None:
        pem = Path(self.folder, "key.pem")
        pem.write_bytes(certificate())
        host, address = self.listen(f"ssl:0:{LOCAL}:privateKey={pem}:certKey={pem}", Limits())
        context = ssl.create_default_context(cafile=str(pem))
        with socket.create_connection(("127.0.0.1", address.port), PATIENCE) as raw:
            shake = Thread(target=self.shake_hands, args=(context, raw))
            shake.start()
            transport = self.accepted(host)
            assert times(transport) == [1, 30, 10, 3, 60_000]
            assert not isinstance(transport.getHandle(), socket.socket)
            self.turn_until(lambda: not shake.is_alive())
        self.flushWarnings()  # Twisted asks pyOpenSSL for what is deprecated

    def shake_hands(self, context: ssl.SSLContext, raw: socket.socket) -> None:
        """Be a client of TLS that says nothing."""
        context.wrap_socket(raw, server_hostname="localhost").close()

    def test_behind_a_proxy_it_is_the_way_to_the_proxy(self) -> None:
        assert self.at(f"haproxy:tcp:0:{LOCAL}", 60) == [1, 30, 10, 3, 60_000]

    def test_a_unix_socket_has_nothing_to_set(self) -> None:
        path = str(Path(self.folder, "socket"))
        host, _ = self.listen(f"unix:{path}", Limits())
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            handle = self.accepted(host).getHandle()
            assert handle.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 0

    def test_a_client_watches_its_way_too(self) -> None:
        _, address = self.listen(f"tcp:0:{LOCAL}", Limits())
        client = Silent(self.reactor)
        connected: list[object] = []
        way = TCP4ClientEndpoint(self.reactor, "127.0.0.1", address.port, PATIENCE)
        connectProtocol(way, client).addBoth(connected.append)
        self.turn_until(lambda: connected)
        assert connected == [client]
        assert times(client.transport) == [1, 15, 5, 3, 1000 * VANISHED]
        client.drop()
        answer = client.next_message()
        self.turn_until(lambda: answer.called)
        self.failureResultOf(answer, ConnectionClosed)


class OtherTransportsTests(SynchronousTestCase):
    def test_what_has_no_socket_is_left_alone(self) -> None:
        watch_path(StringTransport(), 60)

    def test_a_connection_that_is_lost_already_is_no_fault(self) -> None:
        one = socket.socket()
        one.close()
        watch_path(type("Lost", (), {"getHandle": lambda self: one})(), 60)

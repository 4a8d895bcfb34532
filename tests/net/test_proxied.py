"""Headers of the PROXY protocol, right and wrong, in any pieces."""

from __future__ import annotations

import socket
import struct

from twisted.internet.address import IPv4Address
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import logged_errors
from tests.helpers import TurnClock
from tictac.net.connection import ConnectionFactory, ServerConnection
from tictac.net.proxied import ProxiedFactory
from tictac.testing.connection import FakeTransport

V1 = b"PROXY TCP4 192.0.2.7 198.51.100.1 4321 80\r\n"
SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"


def v2(family: int = 0x11, command: int = 0x21, size: int = 12) -> bytes:
    """Return a binary header for 192.0.2.7."""
    ends = [socket.inet_aton(host) for host in ("192.0.2.7", "198.51.100.1")]
    return SIGNATURE + struct.pack("!BBH4s4sHH", command, family, size, *ends, 4321, 80)


class Recorder(ServerConnection):
    """Writes its lines down."""

    def opened(self) -> None:
        self.lines: list[bytes] = []

    def lineReceived(self, line: bytes) -> None:
        self.lines.append(line)


class Host(ConnectionFactory):
    connection = Recorder


class ProxiedTests(SynchronousTestCase):
    def setUp(self) -> None:
        clock = TurnClock()
        self.host = Host(clock, clock.seconds, proxied=True)

    def connect(self, *pieces: bytes) -> tuple[Recorder, FakeTransport]:
        """Open a connection, and let these pieces arrive, one per read."""
        wrapper = ProxiedFactory(self.host).buildProtocol(IPv4Address("TCP", "192.0.2.1", 1))
        assert wrapper is not None
        transport = FakeTransport(wrapper)
        wrapper.makeConnection(transport)
        transport.arrive(*pieces)
        recorder = wrapper.wrappedProtocol
        assert isinstance(recorder, Recorder)
        return recorder, transport

    def test_the_peer_is_the_one_that_it_names(self) -> None:
        for header in (V1, v2()):
            recorder, _ = self.connect(header + b"one\n", b"two\n")
            assert (recorder.host, recorder.lines) == ("192.0.2.7", [b"one", b"two"])

    def test_a_byte_a_read(self) -> None:
        for header in (V1, v2()):
            stream = header + b"one\n"
            recorder, _ = self.connect(*(stream[i : i + 1] for i in range(len(stream))))
            assert (recorder.host, recorder.lines) == ("192.0.2.7", [b"one"])

    def test_a_proxy_that_speaks_for_itself(self) -> None:
        unknown = b"PROXY UNKNOWN\r\n", b"PROXY UNKNOWN :: :: 1 2\r\n"
        for header in (*unknown, v2(command=0x20), v2(family=0)):
            recorder, _ = self.connect(header + b"one\n")
            assert (recorder.host, recorder.lines) == ("192.0.2.1", [b"one"])

    def test_whatever_is_wrong_is_refused_without_a_traceback(self) -> None:
        wrong = [
            b"GET / HTTP/1.1\r\n",
            b"PROXY\r\n",
            b"PROXY TCP5 192.0.2.7 198.51.100.1 4321 80\r\n",
            b"PROXY TCP4 192.0.2.7 198.51.100.1 http 80\r\n",
            b"PROXY TCP4 nowhere 198.51.100.1 4321 80\r\n",
            b"PROXY TCP6 fe80::1%evil\n::1 4321 80\r\n",
            b"PROXY TCP6 fe80::1%evil ::1 4321 80\r\n",
            b"PROXY TCP4 \xff ::1 4321 80\r\n",
            b"PROXY " + b"x" * 200,
            v2(family=0x99),
            v2(family=0x13),
            v2(command=0x2F),
            v2(size=3),
            v2(size=4097) + b"x" * 60_000,
        ]
        for number, header in enumerate(wrong, start=1):
            recorder, transport = self.connect(header + b"one\n")
            assert transport.disconnected, header
            assert recorder.lines == [], header
            assert self.host.refusals.counts == {"bad-proxy-header": number}, header
        assert logged_errors(self) == []

    def test_the_rest_of_one_that_is_too_long_is_not_awaited(self) -> None:
        _, transport = self.connect(v2(size=4097))
        assert transport.disconnected
        recorder, _ = self.connect(v2(size=4096) + b"\0" * 4084 + b"one\n")
        assert (recorder.host, recorder.lines) == ("192.0.2.7", [b"one"])

    def test_the_end_of_the_input_is_passed_on(self) -> None:
        recorder, transport = self.connect(V1)
        transport.arrive(b"one", None)
        assert recorder.lines == [b"one"]
        assert transport.disconnecting

"""The page's server as its operator runs it: a process of its own, over real sockets."""

from __future__ import annotations

import contextlib
import re
import signal
import socket
import ssl
import threading
from random import Random
from typing import Any

from tests.net.certificate import certificate
from tests.plugins.web.helpers import HOST, KEY, frame
from tests.programs import LOCAL, Caller, Program, ServerCase
from tests.terminal.processes import PATIENCE
from tictac.net.service import raise_open_files

UPGRADE = [
    f"Host: {HOST}", "Upgrade: websocket", "Connection: Upgrade",
    f"Sec-WebSocket-Key: {KEY}", "Sec-WebSocket-Version: 13",
]  # fmt: skip


class Page:
    """What a browser's end of a WebSocket does, on a socket that may be TLS."""

    def __init__(self, connection: Any, *headers: str, path: str = "/ws/rooms") -> None:
        self.socket = connection
        self.socket.settimeout(PATIENCE)
        lines = [f"GET {path} HTTP/1.1", *UPGRADE, *headers, "", ""]
        self.socket.sendall("\r\n".join(lines).encode())
        self.rest = b""
        head = self.until(b"\r\n\r\n")
        self.status = int(head.split()[1])

    def until(self, end: bytes) -> bytes:
        """Read the data up to ``end``."""
        while end not in self.rest:
            data = self.socket.recv(65536)
            assert data, f"closed after {self.rest!r}"
            self.rest += data
        found, _, self.rest = self.rest.partition(end)
        return found

    def take(self, size: int) -> bytes:
        """Read this number of bytes."""
        while len(self.rest) < size:
            data = self.socket.recv(65536)
            assert data, f"closed after {self.rest!r}"
            self.rest += data
        found, self.rest = self.rest[:size], self.rest[size:]
        return found

    def send(self, message: str) -> None:
        self.socket.sendall(frame(message.encode()))

    def expect(self, *messages: str) -> None:
        """Read these messages, a short frame each."""
        for message in messages:
            first, size = self.take(2)
            assert (first, self.take(size)) == (0x81, message.encode())

    def ask(self, message: str, *answers: str) -> None:
        self.send(message)
        self.expect(*answers)

    def sign_up(self, user: str) -> Page:
        self.ask(f"REGISTER:{user}:secret", "REGISTER:ACKSTATUS:0")
        self.ask(f"LOGIN:{user}:secret", "LOGIN:ACKSTATUS:0")
        return self

    def at_end(self) -> bool:
        """Return whether the server has closed the connection, whatever came before that."""
        with contextlib.suppress(ConnectionError):
            while self.socket.recv(65536):
                pass
        return True


class WebCase(ServerCase):
    def serve(self, *options: str, web: str = LOCAL) -> Program:
        """Start a server with a port and a web client."""
        program = self.start("--web", web, *options)
        program.wait_for("tictac is up")
        return program

    def address(self, program: Program, what: str = "web") -> tuple[str, int]:
        """Return the address at which this part of the server listens."""
        found = re.search(rf"{what}: listening on (\S+) port (\d+)", program.log)
        assert found, program.log
        return found[1], int(found[2])

    def dial(self, program: Program, what: str = "web") -> socket.socket:
        connection = socket.create_connection(self.address(program, what), PATIENCE)
        self.addCleanup(connection.close)
        return connection

    def dial_narrow(self, program: Program) -> socket.socket:
        """Open a connection whose two ends buffer little, instead of megabytes."""
        connection = socket.socket()
        self.addCleanup(connection.close)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
        connection.connect(self.address(program))
        return connection

    def visit(self, program: Program, *headers: str, path: str = "/ws/rooms") -> Page:
        return Page(self.dial(program), *headers, path=path)

    def get(self, program: Program, what: str, path: str) -> str:
        """Return the whole answer to a request."""
        connection = self.dial(program, what)
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        with connection.makefile("rb") as file:
            return file.read().decode()

    def begin(self, program: Program) -> tuple[Page, Caller]:
        """Begin a match of alice, in a browser, and bob, at a terminal."""
        alice = self.visit(program).sign_up("alice")
        bob = Caller(self, socket.create_connection(self.address(program, "rooms")), b"\n")
        bob.sign_up("bob")
        alice.ask("CREATE:den", "CREATE:ACKSTATUS:0")
        bob.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:alice:bob")
        alice.expect("BEGIN:alice:bob")
        return alice, bob

    def play(self, alice: Page, bob: Caller) -> None:
        """Play the example match."""
        for player, cell, message in (
            (alice, "1:1", "BOARDSTATUS:000010000"),
            (bob, "0:0", "BOARDSTATUS:200010000"),
            (alice, "0:2", "BOARDSTATUS:200010100"),
            (bob, "1:0", "BOARDSTATUS:220010100"),
            (alice, "2:0", "GAMEEND:221010100:0:alice"),
        ):
            player.send(f"PLACE:{cell}")
            alice.expect(message)
            bob.expect(message)


class RoughTests(WebCase):
    def test_two_play_on_whatever_others_send(self) -> None:
        program = self.serve()
        alice, bob = self.begin(program)
        rng = Random(7)
        for size in range(20):
            self.dial(program).sendall(rng.randbytes(50 + 300 * size))
            junk = self.visit(program)
            assert junk.status == 101
            junk.socket.sendall(rng.randbytes(50 + 300 * size))
        oversized = self.visit(program)
        with contextlib.suppress(ConnectionError):
            oversized.socket.sendall(frame(b"x" * 1_000_000))
        assert oversized.at_end()
        evil = self.visit(program, "Origin: http://evil.test")
        assert evil.take(4) == b"\x88\x10\x0f\xa0" and evil.rest == b"foreign-origin"
        assert self.visit(program, f"Origin: http://{HOST}").status == 101
        self.play(alice, bob)
        program.signal()
        status, log, errors = program.finish()
        assert (status, errors) == (0, "")
        assert "Traceback" not in log

    def test_who_never_reads_hurts_nobody(self) -> None:
        program = self.serve("--budget", "0")
        alice, bob = self.begin(program)
        lazy = Page(self.dial_narrow(program)).sign_up("lazy")
        flood = threading.Thread(target=self.flood, args=[lazy.socket])
        flood.start()
        flood.join()
        self.play(alice, bob)

    def flood(self, connection: socket.socket) -> None:
        pieces = b"".join(map(frame, (b"ROOMLIST:VIEWER", b"LOGIN", b"CREATE:?"))) * 500
        connection.settimeout(1)  # the server reads no more of it
        with contextlib.suppress(TimeoutError):
            while True:
                connection.sendall(pieces)

    def test_a_thousand_sockets(self) -> None:
        raise_open_files()
        most = ("--max-connections-per-peer", "1000", "--max-connections", "1000")
        program = self.serve(*most, "--budget", "0")
        alice, bob = self.begin(program)
        crowd = [self.visit(program) for _ in range(999)]
        assert [page.status for page in crowd] == [101] * 999
        late = self.visit(program)
        assert late.take(2)[0] == 0x88 and late.take(2) == b"\x0f\xa0"
        assert late.rest in (b"too-many-connections", b"too-many-connections-of-one-peer")
        crowd[500].sign_up("dave").ask(
            "JOIN:den:VIEWER", "JOIN:ACKSTATUS:0", "INPROGRESS:alice:bob"
        )
        self.play(alice, bob)
        program.signal()
        for page in (alice, *crowd):
            page.at_end()
        assert program.finish()[0] == 0


class EndpointTests(WebCase):
    def test_tls(self) -> None:
        pem = self.directory / "server.pem"
        pem.write_bytes(certificate())
        program = self.serve(web=f"ssl:0:interface=127.0.0.1:privateKey={pem}:certKey={pem}")
        context = ssl.create_default_context(cafile=pem)
        secure = context.wrap_socket(self.dial(program), server_hostname="localhost")
        page = Page(secure, f"Origin: https://{HOST}")
        self.addCleanup(secure.close)
        page.sign_up("alice").ask("CREATE:den", "CREATE:ACKSTATUS:0")

    def test_a_proxy(self) -> None:
        program = self.serve(web=f"haproxy:{LOCAL}")
        connection = self.dial(program)
        connection.sendall(b"PROXY TCP4 192.0.2.7 198.51.100.1 4321 80\r\n")
        Page(connection).sign_up("alice")
        program.wait_for("'alice' logged in from 192.0.2.7")

    def test_admin_and_nothing_of_it_on_the_page(self) -> None:
        program = self.serve("--admin", LOCAL)
        alice, bob = self.begin(program)
        assert "\r\n\r\nready\n" in self.get(program, "admin", "/health/ready")
        self.play(alice, bob)
        metrics = self.get(program, "admin", "/metrics")
        assert '\ntictac_matches_total{outcome="won"} 1.0\n' in metrics
        assert "\ntictac_moves_total 5.0\n" in metrics
        assert '\ntictac_connections{part="rooms"} 2.0\n' in metrics
        for path in ("/metrics", "/health", "/health/live", "/health/ready"):
            assert self.get(program, "web", path).startswith("HTTP/1.1 404 ")

    def test_while_a_match_is_waited_for_it_isnt_ready(self) -> None:
        program = self.serve("--admin", LOCAL, "--drain", "60", "--journal", "none")
        self.begin(program)
        program.signal()
        program.wait_for("running matches")
        assert self.get(program, "admin", "/health/ready").startswith("HTTP/1.1 503 ")
        assert self.get(program, "admin", "/health/live").startswith("HTTP/1.1 200 ")
        program.signal(signal.SIGINT)
        assert program.finish()[0] == 0

"""A page without a network: a site over transports that aren't there, and who visits it."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import Any

from twisted.internet.address import IPv4Address
from twisted.trial.unittest import SynchronousTestCase
from twisted.web.resource import Resource

from tests.helpers import Server
from tictac.net.connection import Limits
from tictac.net.framing import Framing
from tictac.plugins.web.api import Api
from tictac.plugins.web.assets import File
from tictac.plugins.web.embed import Embedded
from tictac.plugins.web.pages import Pages
from tictac.plugins.web.site import Site
from tictac.plugins.web.visitors import Visitors
from tictac.plugins.web.websocket import SocketFactory, SocketResource
from tictac.protocols.lobby.server import LobbyFactory
from tictac.protocols.lobby.wire import ALL
from tictac.testing.connection import FakeTransport

HOST = "play.test"
KEY = "dGhlIHNhbXBsZSBub25jZQ=="
"""Of the example in RFC 6455, section 1.3."""

PACKED = {"br": b"<br>", "gzip": b"<gzip>"}
FILES = {
    b"/": File(
        b"<!doctype html>",
        b"text/html; charset=utf-8",
        b"abc",
        PACKED,
        links={b"match": b"</past.js>; rel=modulepreload"},
    ),
    b"/main.abd.js": File(b"'';", b"text/javascript; charset=utf-8", b"abd", immutable=True),
}
LANGUAGES = {
    "en": FILES,
    "de": {**FILES, b"/": replace(FILES[b"/"], content=b"<!doctype html><p>Hallo", tag=b"abe")},
}


class WebServer:
    """The rooms of ``tests.helpers.Server`` behind a site with a WebSocket."""

    def __init__(
        self,
        limits: Limits | None = None,
        origins: tuple[str, ...] = (),
        max_message: int = 8192,
        timeout: float = 20.0,
        turn_budget: int = 10_000,
        hosts: tuple[str, ...] = (),
        proxied: bool = False,
        frames: tuple[str, ...] = (),
        visitors: int = ALL,
        public_url: str = "",
        **rooms: Any,
    ) -> None:
        limits = limits or Limits()
        self.rooms = Server(Framing(mode="line", max_message=max_message), limits, **rooms)
        self.clock = self.rooms.clock
        self.sockets = SocketFactory(self.rooms.factory, origins, self.clock)
        seconds = self.clock.seconds
        lobby = LobbyFactory(
            self.clock,
            seconds,
            self.rooms.factory.framing,
            limits,
            accounts=self.rooms.accounts,
            lobby=self.rooms.lobby,
        )
        self.rooms.lobby.visitors = visitors
        self.visitors = Visitors(self.rooms.lobby)
        parts: dict[bytes, Resource] = {
            b"/ws": SocketResource(SocketFactory(lobby, origins, self.clock)),
            b"/ws/rooms": SocketResource(self.sockets),
            b"/api/": Api(self.rooms.lobby, self.visitors),
        }
        if frames:
            parts[b"/embed/"] = Embedded(self.rooms.lobby.matches, frames)
        pages = Pages(LANGUAGES, parts, hosts, self.visitors, origins, public_url)
        self.site = Site(pages, self.clock, seconds, limits, timeout, turn_budget, proxied)

    def connect(self, host: str = "192.0.2.1") -> FakeTransport:
        """Open an HTTP connection."""
        channel = self.site.buildProtocol(IPv4Address("TCP", host, 1234))
        assert channel is not None
        transport = FakeTransport(channel, host)
        channel.makeConnection(transport)
        return transport

    def cost(self, transport: FakeTransport, *reads: bytes) -> float:
        """Let reads arrive; return the units that their address pays for them."""
        purse = self.site.budget.purse(transport.getPeer().host)
        before = purse.paid
        transport.arrive(*reads)
        return (purse.paid - before) / purse.price

    def get(
        self, path: str, *headers: str, method: str = "GET"
    ) -> tuple[int, dict[str, str], bytes]:
        """Return the status, the headers, and the body of an answer."""
        transport = self.connect()
        transport.arrive(request(path, f"Host: {HOST}", *headers, method=method))
        return answer(transport.take())

    def visit(self, *headers: str, host: str = "192.0.2.1") -> Guest:
        """Open a WebSocket; ``headers`` are additional headers of its request."""
        guest = Guest(self.connect(host))
        guest.upgrade(*headers)
        assert guest.status == 101, guest.status
        return guest

    def log_in(self, user: str) -> Guest:
        """Open a WebSocket, and log in."""
        guest = self.visit()
        assert guest.ask(f"LOGIN:{user}:secret") == ["LOGIN:ACKSTATUS:0"]
        return guest


def hide_module(case: SynchronousTestCase, hidden: str, *users: str) -> None:
    """Let a module be one that isn't installed, for modules that import it anew."""
    before = dict(sys.modules)
    case.addCleanup(sys.modules.update, before)
    for user in users:
        sys.modules.pop(user, None)
    sys.modules[hidden] = None  # type: ignore[assignment]


def request(path: str, *headers: str, method: str = "GET") -> bytes:
    """Return a request without a body."""
    return "\r\n".join([f"{method} {path} HTTP/1.1", *headers, "", ""]).encode()


def answer(data: bytes) -> tuple[int, dict[str, str], bytes]:
    """Return the status, the headers (in lower case), and the body."""
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    fields = (line.partition(": ") for line in lines)
    return int(first.split()[1]), {name.lower(): value for name, _, value in fields}, body


def frame(payload: bytes, opcode: int = 1, final: bool = True) -> bytes:
    """Return a frame as a browser sends it: masked."""
    mask = os.urandom(4)
    size = len(payload)
    head = bytes([opcode | (0x80 if final else 0)])
    if size < 126:
        head += bytes([0x80 | size])
    elif size < 65536:
        head += b"\xfe" + size.to_bytes(2, "big")
    else:
        head += b"\xff" + size.to_bytes(8, "big")
    return head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))


def frames(data: bytes) -> list[tuple[int, bytes]]:
    """Return opcode and payload of the frames in ``data``, which are whole and unmasked."""
    found = []
    while data:
        assert data[0] & 0xF0 == 0x80, "one frame is one message"
        size, start = data[1], 2
        if size == 126:
            size, start = int.from_bytes(data[2:4], "big"), 4
        elif size == 127:
            size, start = int.from_bytes(data[2:10], "big"), 10
        assert len(data) >= start + size, "a frame isn't whole"
        found.append((data[0] & 0x0F, data[start : start + size]))
        data = data[start + size :]
    return found


class Guest:
    """The other side of a WebSocket."""

    def __init__(self, transport: FakeTransport) -> None:
        self.transport = transport
        self.status = 0

    def upgrade(self, *headers: str, path: str = "/ws/rooms") -> None:
        """Ask for a WebSocket."""
        usual = [
            f"Host: {HOST}", "Upgrade: websocket", "Connection: Upgrade",
            f"Sec-WebSocket-Key: {KEY}", "Sec-WebSocket-Version: 13",
        ]  # fmt: skip
        self.transport.arrive(request(path, *usual, *headers))
        self.status, self.headers, self.body = answer(self.transport.take())

    def send(self, *messages: str) -> None:
        """Send messages, a frame and a read for each."""
        for message in messages:
            self.transport.arrive(frame(message.encode()))

    def read(self) -> list[str]:
        """Return the messages received; no other frames may have come."""
        found = frames(self.transport.take())
        assert {opcode for opcode, _ in found} <= {1}, found
        return [payload.decode() for _, payload in found]

    def ask(self, *messages: str) -> list[str]:
        """Send messages; all that comes back."""
        self.send(*messages)
        return self.read()

    def close_frame(self) -> tuple[int, str]:
        """Return code and reason of the close frame, which must be the only one that has come."""
        [(opcode, payload)] = frames(self.transport.take())
        assert opcode == 8
        return int.from_bytes(payload[:2], "big"), payload[2:].decode()

    def choke(self) -> None:
        """Read nothing from now on: the transport says so when 64 KiB wait."""
        producer: Any = self.transport.producer
        producer.pauseProducing()

    @property
    def dropped(self) -> bool:
        """Whether the server has dropped the connection."""
        return bool(self.transport.disconnected)

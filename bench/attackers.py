"""Clients that abuse a server, in a separate process and from separate addresses.

``python -m bench.attackers KIND PORT ADDRESSES`` prints ``ready`` and attacks until it reads a
line; then it prints its counts as a JSON object. The process runs only when a core is idle
(``SCHED_IDLE``), because the benchmark measures the server's reaction to an attack: on two cores, a
busy client would take time from the players that no server can give back. The lowest niceness isn't
enough: Linux lets such a process finish its slice of some milliseconds before it wakes another.
"""

from __future__ import annotations

import json
import os
import select
import selectors
import socket
import ssl
import struct
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from bench.wire import new_socket

AT_MOST = 100_000
"""Maximum connections of an attack, which also ends after LASTS seconds."""
LASTS = 60.0

AT_ONCE = 65536

FIN = struct.pack("ii", 0, 0)
"""For SO_LINGER: close as a program does that exits, not as one that is killed."""


def connect(port: int, number: int = 0) -> socket.socket:
    """Connect from an address of the attackers: 127.0.0.2, and so on by ``number``."""
    new = new_socket(f"127.0.0.{2 + number}")
    new.settimeout(1.0)
    new.connect(("127.0.0.1", port))
    return new


class Attack:
    """Connections from some addresses; the attack replaces those that the server closes.

    ``size`` is the number of connections for each address.
    """

    size = 4
    events = selectors.EVENT_READ
    answer = b"HTTP/1.1 "

    def __init__(self, port: int, addresses: int) -> None:
        self.connects = self.answers = 0
        self.addresses = addresses
        self.size *= addresses
        self._port = port
        self._selector = selectors.DefaultSelector()

    def step(self) -> None:
        """Run one step of the attack."""
        for _ in range(min(self.size - len(self._selector.get_map()), 50)):
            self._open()
        for key, mask in self._selector.select(0.01):
            try:
                if mask & selectors.EVENT_WRITE:
                    self.write(key)
                if mask & selectors.EVENT_READ:
                    data = key.fileobj.recv(AT_ONCE)  # type: ignore[union-attr]
                    self.answers += data.count(self.answer)
                    if not data:
                        raise ConnectionResetError
            except BlockingIOError:
                pass
            except OSError:
                self._selector.unregister(key.fileobj)
                key.fileobj.close()  # type: ignore[union-attr]

    def close(self) -> None:
        """Close all connections."""
        for key in self._selector.get_map().values():
            key.fileobj.close()  # type: ignore[union-attr]
        self._selector.close()

    def write(self, key: selectors.SelectorKey) -> None:
        """Send more on a connection that accepts data."""

    def greet(self) -> bytes:
        """Return the first bytes for the next connection."""
        return b""

    def connect(self) -> socket.socket:
        """Connect from the next address."""
        new = connect(self._port, self.connects % self.addresses)
        self.connects += 1
        return new

    def _open(self) -> None:
        try:
            new = self.connect()
        except OSError:
            return
        new.setblocking(False)
        self._selector.register(new, self.events, [0])
        with suppress(OSError):  # The next step gets the error.
            new.send(self.greet())


class Pipelines(Attack):
    """Requests for the page one behind the other, without waiting for answers."""

    path = "/"
    events = selectors.EVENT_READ | selectors.EVENT_WRITE

    def __init__(self, port: int, addresses: int) -> None:
        super().__init__(port, addresses)
        request = f"GET {self.path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode()
        self._requests = request * (AT_ONCE // len(request))

    def write(self, key: selectors.SelectorKey) -> None:
        sent: list[int] = key.data
        connection: Any = key.fileobj
        sent[0] += connection.send(self._requests[sent[0] :])
        sent[0] %= len(self._requests)


class MetricsPipelines(Pipelines):
    """Requests for the Prometheus metrics one behind the other."""

    path = "/metrics"


class Queries(Pipelines):
    """Requests with as much to parse as there can be in one that isn't refused unparsed."""

    path = "/x?" + "&".join(["%61=" + "%41" * 32] * 20)


class Arguments(Pipelines):
    """Requests with thousands of arguments."""

    path = "/x?" + "a&" * 7_900


class Trickles(Attack):
    """Requests that come byte by byte and never end; connections that end aren't replaced."""

    size = 50
    every = 0.4
    _next = 0.0

    def step(self) -> None:
        if self.connects == self.size:
            self.size = 0
        super().step()
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + self.every
            for key in self._selector.get_map().values():
                with suppress(OSError):
                    key.fileobj.send(b"x")  # type: ignore[union-attr]

    def greet(self) -> bytes:
        return b"GET / HTTP/1.1\r\nHost: bench\r\nX-Slow: "


class WebSockets(Attack):
    """Far more WebSockets than one address may have, which ignore the close frame."""

    size = 2_500
    paths = (b"/ws", b"/ws/rooms")

    def greet(self) -> bytes:
        return (
            b"GET %b HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ) % self.paths[self.connects % len(self.paths)]


class HangUps(Attack):
    """Repeated registrations with a disconnect while the server hashes the password."""

    how = FIN

    def __init__(self, port: int, addresses: int) -> None:
        super().__init__(port, addresses)
        self._clients: deque[socket.socket] = deque()

    def step(self) -> None:
        try:
            client = self.connect()
        except OSError:
            return
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, self.how)
        self._clients.append(client)
        with suppress(OSError):
            client.send(b"REGISTER:mob%d:pw\n" % self.connects)
        # A short delay, because the server doesn't read data right before a reset.
        if len(self._clients) > 50:
            self._clients.popleft().close()

    def close(self) -> None:
        for client in self._clients:
            client.close()
        super().close()


class Resets(HangUps):
    """The same attack by a client that was killed."""

    how = struct.pack("ii", 1, 0)


class Storm(Attack):
    """Connections that close at once."""

    def step(self) -> None:
        with suppress(OSError):
            self.connect().close()


class Lists(Attack):
    """Repeated requests for the list of many rooms, by connections that needn't log in."""

    size = 95
    each = 190
    """Requests per second for each connection."""
    rooms = 15, 15
    """Guests, and rooms that each of them opens."""
    answer = b'{"answer":'
    request = b'{"do":"lobby"}\n'

    def __init__(self, port: int, addresses: int) -> None:
        super().__init__(port, addresses)
        guests, rooms = self.rooms
        self._guests = [self._open_rooms(rooms, number) for number in range(guests)]
        self._begin = time.monotonic()
        self._asked = 0

    def step(self) -> None:
        super().step()
        due = int((time.monotonic() - self._begin) * self.each)
        requests, self._asked = self.request * (due - self._asked), due
        for key in self._selector.get_map().values():
            with suppress(OSError):  # The server doesn't read it, so data is lost.
                key.fileobj.send(requests)  # type: ignore[union-attr]

    def close(self) -> None:
        for guest in self._guests:
            guest.close()
        super().close()

    def _open_rooms(self, rooms: int, number: int) -> socket.socket:
        """Open rooms as a guest of a separate address, who plays the computer in each."""
        guest = connect(self._port, 100 + number)
        guest.sendall(b'{"do":"guest"}\n')
        for _ in range(rooms):
            guest.sendall(b'{"do":"open","game":"tictactoe","computer":"beginner"}\n')
        guest.setblocking(False)
        return guest


class Shakes(HangUps):
    """Connections to a TLS port that begin a handshake and close."""

    def __init__(self, port: int, addresses: int) -> None:
        super().__init__(port, addresses)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        written = ssl.MemoryBIO()
        with suppress(ssl.SSLWantReadError):
            context.wrap_bio(ssl.MemoryBIO(), written).do_handshake()
        self._hello = written.read()

    def step(self) -> None:
        with suppress(OSError):
            client = self.connect()
            self._clients.append(client)
            client.send(self._hello)
        if len(self._clients) > 50 * self.addresses:
            self._clients.popleft().close()


KINDS: dict[str, Callable[[int, int], Attack]] = {
    "pages": Pipelines,
    "metrics": MetricsPipelines,
    "queries": Queries,
    "arguments": Arguments,
    "handshakes": Shakes,
    "trickle": Trickles,
    "websockets": WebSockets,
    "hang-ups": HangUps,
    "resets": Resets,
    "storm": Storm,
    "lists": Lists,
}


def only_if_idle(thread: int) -> None:
    """Run a thread (0: this one) only when a core is idle."""
    os.sched_setscheduler(thread, os.SCHED_IDLE, os.sched_param(0))


def is_told() -> bool:
    """Return whether there is a line to read."""
    return bool(select.select([sys.stdin], [], [], 0)[0])


def main(kind: str, port: int, addresses: int) -> None:
    """Attack until there is a line to read."""
    only_if_idle(0)
    attack = KINDS[kind](port, addresses)
    print("ready", flush=True)
    begin = time.monotonic()
    while not is_told() and attack.connects < AT_MOST and time.monotonic() < begin + LASTS:
        attack.step()
    seconds = time.monotonic() - begin
    sys.stdin.readline()
    attack.close()
    done = {"seconds": seconds, "connects": attack.connects, "answers": attack.answers}
    print(json.dumps(done), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))

"""Whole matches over WebSocket and over TCP, at one server: what a frame costs beside a line.

A match is CREATE, JOIN and nine PLACE, and both players get every board. Half of the clients
use the page's WebSocket and half the TCP port, and play in turns. The mask of the frames is
zero, so that the clients' work is nearly the same for both.
"""

from __future__ import annotations

import select
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from statistics import median

from bench.report import parser, ratio, read, run, table
from bench.servers import BenchError, Server, free_port, pin_to, tictac
from bench.wire import PATIENCE, new_socket

CREATOR, JOINER = 0, 1
MOVES = ("0:0", "1:0", "2:0", "1:1", "0:1", "2:1", "1:2", "0:2", "2:2")
UPGRADE = (
    b"GET /ws/rooms HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


@dataclass(frozen=True)
class Burst:
    """The counts of some seconds of play; ``cpu`` is the server's, in seconds."""

    seconds: float
    moves: int
    cpu: float

    @property
    def rate(self) -> float:
        """Moves per second."""
        return self.moves / self.seconds

    @property
    def cpu_a_move(self) -> float:
        """Microseconds of the server's processor time for one move."""
        return self.cpu / self.moves * 1e6


class Client:
    """A player who sends lines."""

    def __init__(self, port: int, user: str) -> None:
        self.socket = new_socket()
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", port))
        self.rest = b""
        self.waits_for = 0
        self.open()
        self.ask(f"LOGIN:{user}:pw", b"LOGIN:ACKSTATUS:0")

    def open(self) -> None:
        """Start the conversation."""

    def encode(self, message: str) -> bytes:
        """Return a message as it is sent."""
        return message.encode() + b"\n"

    def cut(self, data: bytes) -> tuple[list[bytes], bytes]:
        """Return the messages in the received data, and the rest of the data."""
        *messages, rest = data.split(b"\n")
        return messages, rest

    def read(self) -> list[bytes]:
        """Return the messages of one read."""
        data = self.socket.recv(65536)
        if not data:
            raise BenchError("the server has closed a connection")
        messages, self.rest = self.cut(self.rest + data)
        return messages

    def ask(self, request: str, answer: bytes) -> None:
        """Send a request and wait for its answer."""
        self.socket.sendall(self.encode(request))
        messages: list[bytes] = []
        while not messages:
            messages = self.read()
        if messages != [answer]:
            raise BenchError(f"{messages} instead of {answer!r}")


class PageClient(Client):
    """A player who sends frames."""

    def open(self) -> None:
        """Open a WebSocket."""
        self.socket.sendall(UPGRADE)
        data = b""
        while b"\r\n\r\n" not in data:
            more = self.socket.recv(65536)
            if not more:
                break
            data += more
        if not data.startswith(b"HTTP/1.1 101 "):
            raise BenchError("no WebSocket there")

    def encode(self, message: str) -> bytes:
        """Return a short frame with a mask of zeros."""
        return b"\x81%c\0\0\0\0%b" % (0x80 | len(message), message.encode())

    def cut(self, data: bytes) -> tuple[list[bytes], bytes]:
        """Return the messages of short frames, and the rest of the data."""
        messages, start = [], 0
        while len(data) >= start + 2 and len(data) >= (end := start + 2 + data[start + 1]):
            messages.append(data[start + 2 : end])
            start = end
        return messages, data[start:]


class Table:
    """Two players, one match after the other."""

    def __init__(self, room: str, players: tuple[Client, Client]) -> None:
        self.players = players
        self.moves = 0
        self._step = 0
        requests = [(CREATOR, f"CREATE:{room}", (1, 0)), (JOINER, f"JOIN:{room}:PLAYER", (1, 2))]
        requests += [(n % 2, f"PLACE:{move}", (1, 1)) for n, move in enumerate(MOVES)]
        self._steps = [(who, players[who].encode(text), then) for who, text, then in requests]

    def go_on(self) -> None:
        """Send the next request."""
        who, request, then = self._steps[self._step]
        for player, messages in zip(self.players, then, strict=True):
            player.waits_for = messages
        self.players[who].socket.send(request)

    def heard(self, player: Client) -> bool:
        """Read the received messages; return whether the next request is possible."""
        messages = player.read()
        player.waits_for -= len(messages)
        if self.players[0].waits_for or self.players[1].waits_for:
            return False
        self.moves += self._step > 1
        self._step = (self._step + 1) % len(self._steps)
        if self._step == 0 and not messages[-1].startswith(b"GAMEEND:"):
            raise BenchError(f"{messages[-1]!r} at the end of a match")
        return True


class Crowd:
    """Tables whose players connect in the same way."""

    def __init__(self, kind: type[Client], port: int, rooms: int) -> None:
        self._tables: dict[int, tuple[Table, Client]] = {}
        self._all: list[Table] = []
        for number in range(rooms):
            players = (kind(port, "ann"), kind(port, "ben"))
            new = Table(f"{kind.__name__} {number}", players)
            self._all.append(new)
            for player in players:
                self._tables[player.socket.fileno()] = (new, player)

    def play(self, server: Server, seconds: float) -> Burst:
        """Play for that many seconds, and then finish the match at every table."""
        poll = select.epoll()
        for number in self._tables:
            poll.register(number, select.EPOLLIN)
        cpu, began, before = server.cpu_seconds(), time.monotonic(), self._moves()
        end = began + seconds
        running = set(self._all)
        for new in self._all:
            new.go_on()
        while running:
            ready = poll.poll(PATIENCE)
            if not ready:
                raise BenchError("the server doesn't answer")
            for number, _ in ready:
                place, player = self._tables[number]
                if place.heard(player):
                    if place._step == 0 and time.monotonic() >= end:
                        running.discard(place)
                    else:
                        place.go_on()
        poll.close()
        took = time.monotonic() - began
        return Burst(took, self._moves() - before, server.cpu_seconds() - cpu)

    def _moves(self) -> int:
        return sum(one.moves for one in self._all)

    def close(self) -> None:
        """Close all connections."""
        for _, player in self._tables.values():
            player.socket.close()


@contextmanager
def crowd(kind: type[Client], port: int, rooms: int) -> Iterator[Crowd]:
    """Connect players, and close their connections at the end."""
    new = Crowd(kind, port, rooms)
    try:
        yield new
    finally:
        new.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print one table."""
    made = parser(__doc__, rounds=(7, 3), seconds=(0.5, 0.2), rooms=(50, 20))
    options = read(made, arguments)
    pin_to(1, 0)
    web = free_port()
    bursts: dict[str, list[Burst]] = {"WebSocket": [], "TCP": []}
    with ExitStack() as stack:
        page = ("--web", f"tcp:{web}:interface=127.0.0.1")
        server = stack.enter_context(tictac("tictac", *page))
        crowds = {
            "WebSocket": stack.enter_context(crowd(PageClient, web, options.rooms)),
            "TCP": stack.enter_context(crowd(Client, server.port, options.rooms)),
        }
        for each in crowds.values():
            each.play(server, options.seconds / 4)
        for _ in range(options.rounds):
            for name, each in crowds.items():
                bursts[name].append(each.play(server, options.seconds))
    rate = {name: [burst.rate for burst in found] for name, found in bursts.items()}
    cpu = {name: [burst.cpu_a_move for burst in found] for name, found in bursts.items()}
    rows = [
        [
            name,
            f"{ratio(rate[name], rate['TCP']):.2f}",
            f"{ratio(cpu[name], cpu['TCP']):.2f}",
            f"{median(cpu[name]):.1f}",
            f"{median(rate[name]):.0f}",
        ]
        for name in bursts
    ]
    table(["way", "rate/TCP", "CPU/TCP", "us a move", "moves/s"], rows)


if __name__ == "__main__":
    run(main)

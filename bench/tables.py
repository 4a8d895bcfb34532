"""Players at tables who play one match after the other, over TCP or WebSockets.

Of every server the clients do nearly the same: they send what was encoded beforehand, and count the
messages that they hear. The mask of their frames is zero.
"""

from __future__ import annotations

import json
import select
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.servers import BenchError, Server
from bench.wire import PATIENCE, new_socket

MOVES = ("0:0", "1:0", "2:0", "1:1", "0:1", "2:1", "1:2", "0:2", "2:2")
"""A match of tic-tac-toe that nobody wins."""

TEXT, BINARY, PING, PONG = 0x81, 0x82, 0x89, 0x8A
"""The first byte of an unfragmented frame (RFC 6455, 5.2)."""


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


class Player:
    """A player who sends lines."""

    def __init__(self, port: int, path: str = "") -> None:
        self.socket = new_socket()
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", port))
        self.rest = b""
        self.waits_for = 0

    def encode(self, message: str | bytes) -> bytes:
        """Return a message as it is sent."""
        return (message.encode() if isinstance(message, str) else message) + b"\n"

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

    def hear(self, number: int = 1) -> list[bytes]:
        """Wait for so many messages."""
        messages: list[bytes] = []
        while len(messages) < number:
            messages += self.read()
        return messages

    def ask(self, request: str | bytes, number: int = 1) -> list[bytes]:
        """Send a request, and wait for so many messages."""
        self.socket.sendall(self.encode(request))
        return self.hear(number)


class PagePlayer(Player):
    """A player who sends frames."""

    def __init__(self, port: int, path: str = "/ws", headers: str = "") -> None:
        super().__init__(port)
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            f"Sec-WebSocket-Version: 13\r\n{headers}\r\n".encode()
        )
        data = b""
        while b"\r\n\r\n" not in data:
            if not (more := self.socket.recv(65536)):
                break
            data += more
        head, _, self.rest = data.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 101 "):
            raise BenchError(f"no WebSocket there: {head[:200]!r}")

    def encode(self, message: str | bytes) -> bytes:
        """Return a frame with a mask of zeros."""
        if isinstance(message, str):
            return _frame(TEXT, message.encode())
        return _frame(BINARY, message)

    def cut(self, data: bytes) -> tuple[list[bytes], bytes]:
        """Return the messages of whole frames, and the rest of the data."""
        messages, start = [], 0
        while len(data) >= start + 4:
            size, begin = data[start + 1], start + 2
            if size > 125:
                begin += 2 if size == 126 else 8
                size = int.from_bytes(data[start + 2 : begin], "big")
            if len(data) < begin + size:
                break
            message = data[begin : begin + size]
            if data[start] == PING:
                self.socket.sendall(_frame(PONG, message))
            else:
                messages.append(message)
            start = begin + size
        return messages, data[start:]


def _frame(kind: int, message: bytes) -> bytes:
    size = len(message)
    head = b"%c" % (0x80 | size) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
    return b"%c%b\0\0\0\0%b" % (kind, head, message)


@dataclass(frozen=True)
class Step:
    """What the player ``who`` sends, and how many messages each player hears of it."""

    who: int
    message: str | bytes
    heard: tuple[int, int]
    is_move: bool = True


@dataclass(frozen=True)
class Match:
    """The players at a table, and the steps of their matches; ``end`` is in the last message."""

    players: tuple[Player, Player]
    steps: Sequence[Step]
    end: bytes


class Table:
    """Two players, one match after the other."""

    def __init__(self, match: Match) -> None:
        self.players = match.players
        self.moves = 0
        self._end = match.end
        self._step = 0
        self._steps = [
            (step, self.players[step.who], self.players[step.who].encode(step.message))
            for step in match.steps
        ]

    @property
    def between_matches(self) -> bool:
        """Whether the next step is the first of a match."""
        return self._step == 0

    def go_on(self) -> None:
        """Send the next message."""
        step, player, data = self._steps[self._step]
        self.players[0].waits_for, self.players[1].waits_for = step.heard
        player.socket.send(data)

    def heard(self, player: Player) -> bool:
        """Read the received messages; return whether the next step is possible."""
        messages = player.read()
        player.waits_for -= len(messages)
        if self.players[0].waits_for or self.players[1].waits_for:
            return False
        self.moves += self._steps[self._step][0].is_move
        self._step = (self._step + 1) % len(self._steps)
        if self._step == 0 and self._end not in messages[-1]:
            raise BenchError(f"{messages[-1]!r} at the end of a match")
        return True


class Tables:
    """Tables at one server."""

    def __init__(self, matches: Sequence[Match]) -> None:
        self._all = [Table(match) for match in matches]
        self._tables = {
            player.socket.fileno(): (each, player) for each in self._all for player in each.players
        }

    def __enter__(self) -> Tables:
        return self

    def __exit__(self, *error: object) -> None:
        for _, player in self._tables.values():
            player.socket.close()

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
                table, player = self._tables[number]
                if table.heard(player):
                    if table.between_matches and time.monotonic() >= end:
                        running.discard(table)
                    else:
                        table.go_on()
        poll.close()
        took = time.monotonic() - began
        return Burst(took, self._moves() - before, server.cpu_seconds() - cpu)

    def _moves(self) -> int:
        return sum(one.moves for one in self._all)


def rooms_protocol(way: Callable[..., Player], port: int, number: int) -> Match:
    """Return a table of the rooms protocol."""
    players = way(port, "/ws/rooms"), way(port, "/ws/rooms")
    for user, player in zip(("ann", "ben"), players, strict=True):
        if (answer := player.ask(f"LOGIN:{user}:pw")) != [b"LOGIN:ACKSTATUS:0"]:
            raise BenchError(f"{answer} to a login")
    room = f"{way.__name__} {number}"
    steps = [
        Step(0, f"CREATE:{room}", (1, 0), False),
        Step(1, f"JOIN:{room}:PLAYER", (1, 2), False),
        *[Step(turn % 2, f"PLACE:{move}", (1, 1)) for turn, move in enumerate(MOVES)],
    ]
    return Match(players, steps, b"GAMEEND:")


def lobby_protocol(way: Callable[..., Player], port: int, number: int) -> Match:
    """Return a table of the lobby protocol."""

    def request(do: str, **fields: Any) -> str:
        return json.dumps({"do": do, "id": 1, **fields})

    players = way(port, "/ws"), way(port, "/ws")
    for user, player in zip(("ann", "ben"), players, strict=True):
        login = request("login", user=user, password="pw")
        answer = player.ask(login)
        if [json.loads(line).get("user") for line in answer] != [user]:
            raise BenchError(f"{answer} to a login")
    room = f"json {way.__name__} {number}"
    steps = [
        Step(0, request("open", game="tictactoe", room=room), (2, 0), False),
        Step(1, request("join", room=room), (2, 2), False),
        *[
            Step(turn % 2, request("move", room=room, move=move), (2 - turn % 2, 1 + turn % 2))
            for turn, move in enumerate(MOVES)
        ],
        # Otherwise a rematch would be possible until the next match.
        Step(0, request("leave", room=room), (1, 1), False),
        Step(1, request("leave", room=room), (0, 1), False),
    ]
    return Match(players, steps, b'{"answer":1}')


def until_open(port: int) -> None:
    """Wait until a server listens on ``port``."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise BenchError(f"nobody listens on port {port}") from None
            time.sleep(0.02)

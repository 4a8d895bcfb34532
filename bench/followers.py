"""What a tournament of 200 players costs the others of its server, and what 300 followers cost.

Rooms of the generator play tic-tac-toe at a moderate pace, by turns without other load and while an
admin begins a tournament of the Swiss system: the server pairs it, makes 100 rooms, and sends the
round to the followers. Then the admin sets a result every fifth of a second, by turns with and
without followers; the difference in the server's processor time is their cost. No process is
pinned to a core.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bench.generator import Burst, Generator
from bench.report import Reach, parser, ratio, read, run, table
from bench.servers import BenchError, Server, tictac

PLAN = {
    "name": "Bench", "system": "swiss", "game": "tictactoe", "rounds": 3, "grace": 3600,
    "clock": {"initial": 600},
}  # fmt: skip
EVERY = 0.2
"""Seconds between two results."""

LONGEST = 60
"""Seconds until a round must be paired."""


class Client:
    """A connection of the lobby protocol."""

    def __init__(self, address: tuple[str, int] | str) -> None:
        if isinstance(address, str):
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.connect(address)
        else:
            self._socket = socket.create_connection(address)
        self._lines = self._socket.makefile("rb")

    def send(self, **request: Any) -> None:
        """Send a request."""
        self._socket.sendall(json.dumps(request).encode() + b"\n")

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request, and read up to its answer. Raises BenchError."""
        self.send(id=1, **request)
        for line in self._lines:
            answer: dict[str, Any] = json.loads(line)
            if "error" in answer:
                raise BenchError(f"{request['do']}: {line!r}")
            if "answer" in answer:
                return answer
        raise BenchError(f"{request['do']}: the connection is closed")

    def discard(self) -> int:
        """Read what has come; return the number of bytes."""
        self._socket.setblocking(False)
        count = 0
        try:
            while data := self._socket.recv(1 << 16):
                count += len(data)
        except BlockingIOError:
            return count
        finally:
            self._socket.setblocking(True)
        raise BenchError("a follower was cut off")

    def close(self) -> None:
        """Disconnect."""
        self._lines.close()
        self._socket.close()


class Admin(Client):
    """An admin by the server's socket, who makes one tournament after the other."""

    def act(self, act: str, cup: str, **fields: Any) -> None:
        """Do something with a tournament."""
        self.ask(do="admin", act=act, tournament=cup, **fields)

    def make(self, cup: str, players: Sequence[str]) -> None:
        """Make a tournament with these players."""
        self.act("tournament", cup, plan=PLAN)
        for player in players:
            self.act("add", cup, user=player)

    def wait_for_round(self, cup: str) -> None:
        """Wait until the first round is paired. Raises BenchError."""
        until = time.monotonic() + LONGEST
        while not self.ask(do="tournament", tournament=cup)["round"]:
            if time.monotonic() > until:
                raise BenchError(f"{cup} isn't paired after {LONGEST} s")
            time.sleep(0.05)


def beside_a_beginning(
    generator: Generator, admin: Admin, followers: Sequence[Client], cup: str, seconds: float
) -> Burst:
    """Play in the rooms while a tournament begins."""
    generator.begin(0.1, seconds)
    until = time.monotonic() + 0.1 + seconds
    time.sleep(0.2)
    admin.act("begin", cup)
    while time.monotonic() < until:
        for follower in followers:
            follower.discard()
        time.sleep(0.05)
    return generator.end()


def share(
    server: Server, admin: Admin, followers: Sequence[Client], cup: str, games: Sequence[int]
) -> tuple[float, int]:
    """Return the server's share of a core while results are set, and a follower's bytes."""
    for follower in followers:
        follower.ask(do="tournament", tournament=cup, follow=True)
    cpu, began = server.cpu_seconds(), time.monotonic()
    for number, game in enumerate(games, 1):
        admin.act("score", cup, game=game, scores=[1, 0])
        time.sleep(max(0.0, began + number * EVERY - time.monotonic()))
    spent = (server.cpu_seconds() - cpu) / (time.monotonic() - began)
    heard = [follower.discard() for follower in followers]
    for follower in followers:
        follower.ask(do="tournament", tournament=cup, follow=False)
    return spent, heard[0] if heard else 0


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print two tables."""
    made = parser(
        __doc__, rounds=(5, 2), rooms=(10, 5), think_ms=(8.0, 4.0), seconds=(3.0, 2.0),
        players=(200, 40), followers=(300, 50), results=(25, 8),
    )  # fmt: skip
    options = read(made, arguments)
    players = [f"player {number}" for number in range(options.players)]
    idle: list[Burst] = []
    busy: list[Burst] = []
    alone: list[float] = []
    followed: list[float] = []
    with TemporaryDirectory() as folder, ExitStack() as stack:
        path = str(Path(folder) / "admin")
        more = ["--admin-socket", path, "--max-rooms", "1000"]
        server = stack.enter_context(tictac("tictac", *more, pin=False))
        generator = stack.enter_context(
            Generator(server, options.rooms, think_ms=options.think_ms, pin=False)
        )
        here = "127.0.0.1", server.port
        one = Client(here)
        for player in players:
            one.ask(do="register", user=player, password="secret")
        followers = [Client(here) for _ in range(options.followers)]
        for each in (one, *followers):
            stack.callback(each.close)
        admin = Admin(path)
        stack.callback(admin.close)
        sent = 0
        for number in range(options.rounds):
            cup = f"cup{number}"
            admin.make(cup, players)
            for follower in followers:
                follower.ask(do="tournament", tournament=cup, follow=True)
            idle.append(generator.play(0.1, options.seconds))
            busy.append(beside_a_beginning(generator, admin, followers, cup, options.seconds))
            admin.wait_for_round(cup)
            for follower in followers:
                follower.ask(do="tournament", tournament=cup, follow=False)
            games = list(range(1, options.players // 2))
            half = min(options.results, len(games) // 2)
            alone.append(share(server, admin, [], cup, games[:half])[0])
            spent, sent = share(server, admin, followers, cup, games[half : 2 * half])
            followed.append(spent)
            admin.act("end", cup)
    rows = [
        [f"{b.p99 / a.p99:.2f}", f"{b.p50 / a.p50:.2f}", f"{a.p99:.0f}", f"{b.p99:.0f}"]
        for a, b in zip(idle, busy, strict=True)
    ]
    table(["p99/idle p99", "p50/idle p50", "idle p99 us", "p99 us"], rows)
    print()
    cost = median(b - a for a, b in zip(alone, followed, strict=True))
    table(
        ["who follows", "CPU/core", "bytes of a follower"],
        [["nobody", f"{median(alone):.3f}", "0"], ["all", f"{median(followed):.3f}", f"{sent}"]],
    )
    p99 = ratio([burst.p99 for burst in busy], [burst.p99 for burst in idle])
    Reach("p99 of a move while a round begins, of the idle p99,", 1.5).tell(p99)
    Reach("percent of a core for the followers", 2).tell(100 * cost)


if __name__ == "__main__":
    run(main)

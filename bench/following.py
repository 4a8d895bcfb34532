"""What it costs the server to tell 500 pages in the lobby of 100 matches that run beside them.

The matches are tic-tac-toe at a human pace: a move each few seconds. A match that has ended is
followed by another in the same room. All pages are connected in every round, and in every other one
they follow the lobby; what differs is the cost of telling them.
"""

from __future__ import annotations

import json
import select
import time
from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median

from bench.report import Reach, parser, ratio, read, run, table
from bench.servers import BenchError, Server, free_port, tictac
from bench.websocket import MOVES, Client, PageClient, Table
from bench.wire import PATIENCE

LOBBY = (
    b"GET /ws HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


@dataclass(frozen=True)
class Round:
    """What was counted: the server's CPU as a share of a core, moves, bytes to all pages."""

    cpu: float
    moves: float
    told: float


class Page(PageClient):
    """A page that shows the lobby, or is there without doing so."""

    upgrade = LOBBY

    def __init__(self, port: int) -> None:
        self.connect(port)

    def follow(self, follows: bool) -> None:
        """Follow it, or don't any longer."""
        self.socket.sendall(self.encode(json.dumps({"do": "lobby", "follow": follows})))


def play(
    server: Server, tables: Sequence[Table], pages: Sequence[Page], think: float, seconds: float
) -> Round:
    """Let all play for so long, and read whatever the pages are told."""
    readers = {page.socket.fileno(): page for page in pages}
    players = {p.socket.fileno(): (each, p) for each in tables for p in each.players}
    poll = select.epoll()
    for number in (*readers, *players):
        poll.register(number, select.EPOLLIN)
    began = time.monotonic()
    due = deque((began + think * n / len(tables), each) for n, each in enumerate(tables))
    moves, cpu, told = sum(each.moves for each in tables), server.cpu_seconds(), 0
    while (now := time.monotonic()) < began + seconds:
        while due and due[0][0] <= now:
            due.popleft()[1].go_on()
        for number, _ in poll.poll(max(0.0, due[0][0] - now) if due else 1.0):
            if number in readers:
                told += len(readers[number].socket.recv(65536))
                continue
            place, player = players[number]
            if place.heard(player):
                due.append((time.monotonic() + think, place))
    took = time.monotonic() - began
    found = Round(
        (server.cpu_seconds() - cpu) / took,
        (sum(each.moves for each in tables) - moves) / took,
        told / took,
    )
    drain(poll, tables, players, readers)
    return found


def begin(tables: Sequence[Table]) -> None:
    """Let each be at another point of a match."""
    for number, place in enumerate(tables):
        for _ in range(number % (len(MOVES) + 2)):
            place.go_on()
            while any(player.waits_for > 0 and not place.heard(player) for player in place.players):
                pass


def drain(
    poll: select.epoll,
    tables: Sequence[Table],
    players: dict[int, tuple[Table, Client]],
    readers: dict[int, Page],
) -> None:
    """Read the answers that are under way."""
    while any(player.waits_for > 0 for each in tables for player in each.players):
        ready = poll.poll(PATIENCE)
        if not ready:
            raise BenchError("the server doesn't answer")
        for number, _ in ready:
            if number in readers:
                readers[number].socket.recv(65536)
            else:
                players[number][0].heard(players[number][1])
    poll.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """Let the pages follow, or not, by turns."""
    made = parser(
        __doc__,
        pages=(500, 50),
        matches=(100, 10),
        think=(2.0, 0.5),
        rounds=(5, 2),
        seconds=(8.0, 1.0),
    )
    options = read(made, arguments)
    web = free_port()
    page = f"tcp:{web}:interface=127.0.0.1"
    with ExitStack() as stack:
        server = stack.enter_context(tictac("tictac", "--web", page, "--rejoin-timeout", "0"))
        pages = [Page(web) for _ in range(options.pages)]
        tables = []
        for number in range(options.matches):
            players = Client(server.port, "ann"), Client(server.port, "ben")
            tables.append(Table(f"match {number}", players))
        for each in (*pages, *(player for one in tables for player in one.players)):
            stack.callback(each.socket.close)
        begin(tables)
        rounds: dict[bool, list[Round]] = {False: [], True: []}
        for _ in range(options.rounds):
            for follows, found in rounds.items():
                for one in pages:
                    one.follow(follows)
                play(server, tables, pages, options.think, options.seconds / 4)
                found.append(play(server, tables, pages, options.think, options.seconds))
    rows = []
    for follows, found in rounds.items():
        values = [median(getattr(one, name) for one in found) for name in ("moves", "told")]
        share = ratio([one.cpu for one in found], [one.cpu for one in rounds[False]])
        cpu = f"{100 * median(one.cpu for one in found):.1f}"
        shown = [f"{share:.2f}", cpu, f"{values[0]:.0f}", f"{values[1] / 1000:.0f}"]
        rows.append(["followed" if follows else "not followed", *shown])
    head = [f"{options.pages} pages, {options.matches} matches", "/not followed"]
    table([*head, "% of a core", "moves/s", "KB/s"], rows)
    cost = median(a.cpu - b.cpu for a, b in zip(rounds[True], rounds[False], strict=True))
    Reach(f"% of a core to tell {options.pages} pages,", 10).tell(100 * cost)


if __name__ == "__main__":
    run(main)

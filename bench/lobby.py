"""What the lobby's pushes cost the server: 500 pages follow the rooms while 100 matches run.

Guests play tic-tac-toe, a move every 1.5 seconds, and then start another match: about seven
matches begin and end per second. The pages follow the rooms over WebSockets, or don't, in turns;
the difference in the server's processor time is the cost of the pushes.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from statistics import median
from typing import Any

from bench.report import Reach, parser, read, run, table
from bench.servers import BenchError, Server, pin_to, tictac
from tictac.plugins.check.target import free_port

MOVES = ("0:0", "1:0", "2:0", "1:1", "0:1", "2:1", "1:2", "0:2", "2:2")
PAUSE = 1.5
UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class Page(asyncio.Protocol):
    """A page that shows the lobby: it counts the bytes that the server sends."""

    transport: Any
    received = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self.transport.write(UPGRADE)

    def data_received(self, data: bytes) -> None:
        self.received += len(data)

    def follow(self, whether: bool) -> None:
        """Subscribe to the rooms, or unsubscribe."""
        text = json.dumps({"do": "lobby", "follow": whether}).encode()
        self.transport.write(b"\x81%c\0\0\0\0%b" % (len(text) | 0x80, text))  # The mask is zero.


class Guest:
    """A guest who plays over TCP."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def ask(self, do: str, **fields: Any) -> None:
        """Send a request, and read up to its answer."""
        self._writer.write(json.dumps({"do": do, "id": 1, **fields}).encode() + b"\n")
        while True:
            line = await self._reader.readline()
            if b'"error"' in line or not line:
                raise BenchError(f"{do}: {line!r}")
            if line.startswith(b'{"answer"'):
                return


async def play(port: int, number: int) -> None:
    """Play one match after the other."""
    pair = [Guest(*await asyncio.open_connection("127.0.0.1", port)) for _ in range(2)]
    for guest in pair:
        await guest.ask("guest")
    await asyncio.sleep(PAUSE * len(MOVES) * (number % 100) / 100)
    while True:
        room = f"match {number}"
        await pair[0].ask("open", game="tictactoe", room=room)
        await pair[1].ask("join", room=room)
        for step, move in enumerate(MOVES):
            await asyncio.sleep(PAUSE)
            await pair[step % 2].ask("move", room=room, move=move)
        for guest in pair:
            await guest.ask("leave", room=room)


async def measure(server: Server, web: int, options: Any) -> tuple[list[float], list[float], int]:
    """Return the shares of a core without and with followers, and a follower's bytes per second."""
    loop = asyncio.get_running_loop()
    made = [await loop.create_connection(Page, "127.0.0.1", web) for _ in range(options.pages)]
    pages = [page for _, page in made]
    players = [asyncio.create_task(play(server.port, n)) for n in range(options.matches)]
    await asyncio.sleep(options.warm_up)
    shares: dict[bool, list[float]] = {False: [], True: []}
    sent = 0
    for _ in range(options.rounds):
        for whether in (False, True):
            for page in pages:
                page.follow(whether)
            await asyncio.sleep(options.seconds / 5)
            cpu, before = server.cpu_seconds(), pages[0].received
            await asyncio.sleep(options.seconds)
            shares[whether].append((server.cpu_seconds() - cpu) / options.seconds)
            sent = max(sent, pages[0].received - before)
    for task in players:
        if task.done():
            task.result()
        task.cancel()
    await asyncio.gather(*players, return_exceptions=True)
    return shares[False], shares[True], round(sent / options.seconds)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print one table."""
    made = parser(
        __doc__, rounds=(5, 2), seconds=(5.0, 3.0), pages=(500, 200), matches=(100, 40),
        warm_up=(15.0, 5.0),
    )  # fmt: skip
    options = read(made, arguments)
    pin_to(1, 0)
    web = free_port()
    more = ["--guests", "--max-rooms-per-peer", "0", "--web", f"tcp:{web}:interface=127.0.0.1"]
    with tictac("tictac", *more) as server:
        idle, followed, sent = asyncio.run(measure(server, web, options))
    pushes = median(b - a for a, b in zip(idle, followed, strict=True))
    rows = [["nobody", f"{median(idle):.3f}", "0"], ["all", f"{median(followed):.3f}", f"{sent}"]]
    table(["who follows", "CPU/core", "bytes/s a page"], rows)
    Reach("percent of a core for the lobby's pushes", 10).tell(100 * pushes)


if __name__ == "__main__":
    run(main)

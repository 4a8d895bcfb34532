"""Small servers to try the checker on, written without tictac. Each can be given one fault.

``python -m tests.plugins.check.servers.nim PORT ["a fault"]`` runs one.
"""

from __future__ import annotations

import asyncio
import select
import selectors
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
"""Cells that are in a row, in tic-tac-toe."""


class Link:
    """A client's connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def send(self, data: bytes) -> None:
        """Send bytes, unless it is closed."""
        if not self.writer.is_closing():
            self.writer.write(data)

    def close(self) -> None:
        """Close, after what was sent."""
        self.writer.close()


class Faulty:
    """A server that may have one of its ``FAULTS``; each names the case that must find it."""

    FAULTS: ClassVar[Mapping[str, str]] = {}

    NO_FAULTS: ClassVar[Sequence[str]] = ()
    """What it can do otherwise as well, and be right."""

    def __init__(self, fault: str = "") -> None:
        assert fault in ("", *self.FAULTS, *self.NO_FAULTS), fault
        self.fault = fault
        self.stopped = threading.Event()
        self.is_blocked = False
        self.links: set[Link] = set()

    async def talk(self, link: Link) -> None:
        """Serve a client to its end."""
        raise NotImplementedError

    def block(self) -> None:
        """Do nothing at all from now on, as a server does that waits for one client alone."""
        self.is_blocked = True
        self.stopped.wait()
        raise asyncio.CancelledError

    async def serve(self, port: int = 0) -> asyncio.Server:
        """Listen."""

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.links.add(link := Link(reader, writer))
            try:
                await self.talk(link)
            finally:
                link.close()

        return await asyncio.start_server(connected, "127.0.0.1", port)

    def main(self, port: int) -> None:
        """Serve until the process is ended."""

        async def run() -> None:
            await (await self.serve(port)).serve_forever()

        asyncio.run(run())


class Selector(selectors.DefaultSelector):
    """Tells whether its loop rests, and how often it has done something."""

    rests, rounds = False, 0

    def select(self, timeout: float | None = None) -> Any:
        """Wait as ever."""
        self.rests = timeout is None
        try:
            return super().select(timeout)
        finally:
            self.rests = False
            self.rounds += 1


class InThread:
    """A server that runs in a thread of its own, so that one that hangs harms nobody."""

    def __init__(self, server: Faulty) -> None:
        self.server = server
        self.port = 0
        self._selector = Selector()
        self._ready = threading.Event()
        name = type(self).__name__
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()
        assert self._ready.wait(10)

    def _run(self) -> None:
        loop = asyncio.SelectorEventLoop(self._selector)
        loop.set_exception_handler(lambda *_: None)  # a mutant may die as it likes
        self._loop = loop
        listening = loop.run_until_complete(self.server.serve())
        self.port = listening.sockets[0].getsockname()[1]
        self._ready.set()
        loop.run_forever()
        loop.run_until_complete(self._let_go(listening))
        loop.close()

    async def _let_go(self, listening: asyncio.Server) -> None:
        # Connections that are just being made need a server that isn't closed yet.
        for each in listening.sockets:
            self._loop.remove_reader(each.fileno())
        for _ in range(20):
            await asyncio.sleep(0)
        listening.close()
        for link in self.server.links:
            link.writer.transport.abort()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for _ in range(20):
            await asyncio.sleep(0)

    def rest(self) -> int | None:
        """Return what stays the same until it does something; None while it does, or has to."""
        if self.server.is_blocked:
            return 0
        waiting = select.poll()
        waiting.register(self._selector.fileno(), select.POLLIN)
        if waiting.poll(0):
            return None
        return self._selector.rounds if self._selector.rests else None

    def stop(self) -> None:
        """End it."""
        self.server.stopped.set()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)


def main(server: type[Faulty]) -> None:
    """Run a server as a program."""
    server(*sys.argv[2:3]).main(int(sys.argv[1]))

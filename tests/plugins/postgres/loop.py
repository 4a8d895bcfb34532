"""A reactor for one test: sockets are real, time is the test's."""

from __future__ import annotations

import select
from collections.abc import Callable
from typing import Any

from twisted.internet.task import Clock
from twisted.python.failure import Failure

PATIENCE = 30
"""Seconds without anything to read after which a test has failed."""


class Loop(Clock):
    """Serves what has been added, till a condition holds."""

    def __init__(self) -> None:
        super().__init__()
        self.readers: set[Any] = set()
        self.writers: set[Any] = set()

    def getThreadPool(self) -> Loop:
        """Return the loop itself, which calls at once what should run in a thread."""
        return self

    def callInThreadWithCallback(self, done: Callable[..., None], job: Any, *words: Any) -> None:
        try:
            outcome = job(*words)
        except Exception:
            done(False, Failure())
        else:
            done(True, outcome)

    def callFromThread(self, function: Callable[..., object], *words: Any) -> None:
        self.callLater(0, function, *words)

    def addReader(self, reader: Any) -> None:
        self.readers.add(reader)

    def addWriter(self, writer: Any) -> None:
        self.writers.add(writer)

    def removeReader(self, reader: Any) -> None:
        self.readers.discard(reader)

    def removeWriter(self, writer: Any) -> None:
        self.writers.discard(writer)

    def until(self, condition: Callable[[], object]) -> None:
        """Serve sockets, and calls that are due."""
        while not condition():
            self.advance(0)
            if condition():
                return
            assert self._serve(PATIENCE), "nothing happens any more"

    def pass_time(self, seconds: float, condition: Callable[[], object]) -> None:
        """Let time pass in steps, and in each what comes at once, till a condition holds."""
        for _ in range(1000):
            if condition():
                return
            self.advance(seconds)
            if self.readers or self.writers:
                self._serve(0.02)
        raise AssertionError("it didn't come")

    def _serve(self, seconds: float) -> bool:
        """Let those read and write who can within that time; whether there were any."""
        readers, writers, _ = select.select(self.readers, self.writers, [], seconds)
        for reader in readers:
            if reader in self.readers:
                reader.doRead()
        for writer in writers:
            if writer in self.writers:
                writer.doWrite()
        return bool(readers or writers)

"""A program in its sandbox: its process, the end of its standard error, and its memory."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.process import Process
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure

from tictac.plugins.programs.program import last_words
from tictac.reactor import Reactor

KEPT = 16 << 10
"""Bytes of the end of standard error that are kept."""

A_SECOND = 64 << 10
"""Bytes of standard error that are read in a second; more waits, and the program with it."""

LOOKS_EVERY = 1.0
"""Seconds between two looks at the memory of a program."""

_OUT, _ERR = 1, 2


class Boxed(ProcessProtocol):
    """A process in a sandbox, from :meth:`start` to its end.

    ``output`` is the standard output up to ``most`` bytes; a program whose output is longer is
    killed. ``memory`` are the bytes that all of its processes can have.
    """

    transport: Process

    def __init__(self, reactor: Reactor, memory: int = 0, most: int = 0) -> None:
        self._reactor, self._memory, self._most = reactor, memory, most
        self.output, self.errors = b"", b""
        self.status: int | None = None
        self.why = ""
        """Why it was killed, if it was."""
        self.ended: Deferred[None] = Deferred()
        self._read = 0
        self._later: list[IDelayedCall] = []

    def start(self, words: Sequence[str]) -> None:
        """Start the process, with nothing on its standard input."""
        null = os.open(os.devnull, os.O_RDWR)
        try:
            files: dict[int, int | str] = {0: null, _OUT: "r" if self._most else null, _ERR: "r"}
            path = {"PATH": os.environ.get("PATH", os.defpath)}
            self._reactor.spawnProcess(self, words[0], words, path, childFDs=files)
        finally:
            os.close(null)
        if self._memory:
            self._later.append(self._reactor.callLater(LOOKS_EVERY, self._look))

    def childDataReceived(self, childFD: int, data: bytes) -> None:  # noqa: N803 -- Twisted's
        if childFD == _OUT:
            self.output += data
            if len(self.output) > self._most:
                self.kill(f"it wrote more than {self._most} bytes")
            return
        self.errors = (self.errors + data)[-KEPT:]
        self._read += len(data)
        if self._read >= A_SECOND and (pipe := self.transport.pipes.get(_ERR)) is not None:
            self._read = 0
            pipe.pauseProducing()
            self._later = [each for each in self._later if each.active()]
            self._later.append(self._reactor.callLater(1, self._resume))

    def _resume(self) -> None:
        if (pipe := self.transport.pipes.get(_ERR)) is not None:
            pipe.resumeProducing()

    def _look(self) -> None:
        if memory_of(self.transport.pid or 0) > self._memory:
            self.kill(f"it used more than {self._memory >> 20} MiB of memory")
        else:
            self._later.append(self._reactor.callLater(LOOKS_EVERY, self._look))
            self._later = [each for each in self._later if each.active()]

    def processExited(self, reason: Failure) -> None:
        # A pipe that is paused would keep the process from its end.
        self._resume()

    def processEnded(self, reason: Failure) -> None:
        for each in self._later:
            if each.active():
                each.cancel()
        number = getattr(reason.value, "signal", None)
        self.status = -number if number else getattr(reason.value, "exitCode", 0)
        self.ended.callback(None)

    def kill(self, why: str = "") -> None:
        """Kill the process and all that it has started."""
        self.why = self.why or why
        with suppress(Exception):  # it has ended
            self.transport.signalProcess("KILL")

    def how_it_ended(self) -> str:
        """Return a clause, such as ``it ended with exit status 1: KeyError``."""
        if self.why:
            return self.why
        status = self.status or 0
        number = -status if status < 0 else status - 128  # as a shell shows a signal
        by = f"exit status {status}"
        if number in set(signal.Signals):
            by = f"signal {signal.Signals(number).name}"
        if number == signal.SIGXCPU or number == signal.SIGKILL:
            by += ", perhaps because it used too much time of the processor"
        words = last_words(self.errors)
        return f"it ended with {by}" + (f": {words}" if words else "")


def memory_of(pid: int) -> int:
    """Return the bytes of memory of a process and of its descendants, as /proc has them."""
    total, waiting = 0, [str(pid)]
    while waiting:
        folder = Path("/proc", waiting.pop())
        with suppress(OSError, ValueError):
            for line in folder.joinpath("status").read_text().splitlines():
                if line.startswith(("RssAnon:", "RssShmem:")):
                    total += int(line.split()[1]) << 10
            for task in folder.joinpath("task").iterdir():
                waiting += task.joinpath("children").read_text().split()
    return total

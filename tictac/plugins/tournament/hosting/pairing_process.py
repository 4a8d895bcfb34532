"""Decide the next line of a tournament in another process, because 200 players take a second.

As a program, this module reads a pickled Cup from standard input, and writes its next line.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.internet.error import ProcessDone
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure

import tictac
from tictac.plugins.tournament.cup import Cup, Line
from tictac.plugins.tournament.deciding import decide
from tictac.reactor import Reactor


class Pairer(Protocol):
    """Pairs the next round of a tournament."""

    def __call__(self, cup: Cup) -> Deferred[Line | None]:
        """Return a Deferred with the result of deciding.decide."""


class _Asking(ProcessProtocol):
    """The process: its input is a pickled Cup, and its output is the line."""

    def __init__(self, question: bytes) -> None:
        self.answer: Deferred[Line | None] = Deferred()
        self._question = question
        self._output, self._errors = b"", b""

    def connectionMade(self) -> None:
        assert self.transport is not None
        self.transport.write(self._question)
        self.transport.closeStdin()

    def outReceived(self, data: bytes) -> None:
        self._output += data

    def errReceived(self, data: bytes) -> None:
        self._errors = (self._errors + data)[-1000:]

    def processEnded(self, reason: Failure) -> None:
        if reason.check(ProcessDone):
            self.answer.callback(json.loads(self._output))
        else:
            last = self._errors.decode(errors="replace").strip().rpartition("\n")[2]
            self.answer.errback(RuntimeError(f"a round can't be paired: {last}"))


class ProcessPairer:
    """Starts a new process for each pairing (Pairer)."""

    def __init__(self, reactor: Reactor) -> None:
        self._reactor = reactor

    def __call__(self, cup: Cup) -> Deferred[Line | None]:
        asking = _Asking(pickle.dumps(cup))
        root = str(Path(tictac.__file__).parents[1])
        path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
        words = [sys.executable, "-P", "-m", __name__]
        env = {**os.environ, "PYTHONPATH": path}
        self._reactor.spawnProcess(asking, sys.executable, words, env)
        return asking.answer


def main() -> None:
    """Read a pickled Cup from standard input, and write its next line as JSON."""
    with suppress(OSError):
        os.nice(10)
    cup = pickle.load(sys.stdin.buffer)
    json.dump(decide(cup), sys.stdout)


if __name__ == "__main__":
    main()

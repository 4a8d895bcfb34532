"""Decide the next line of a tournament in another process, because 200 players take a second.

As a program, this module reads a pickled Cup from standard input, and writes its next line.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
from contextlib import suppress
from typing import Protocol, cast

from twisted.internet.defer import Deferred
from twisted.internet.utils import getProcessOutputAndValue
from twisted.python.failure import Failure

from tictac.plugins.tournament.cup import Cup, Line
from tictac.plugins.tournament.deciding import decide
from tictac.reactor import Reactor, module_command


class Pairer(Protocol):
    """Pairs the next round of a tournament."""

    def __call__(self, cup: Cup) -> Deferred[Line | None]:
        """Return a Deferred with the result of deciding.decide."""


class ProcessPairer:
    """Starts a new process for each pairing (Pairer)."""

    def __init__(self, reactor: Reactor) -> None:
        self._reactor = reactor

    def __call__(self, cup: Cup) -> Deferred[Line | None]:
        (program, *arguments), environment = module_command(__name__)
        cup_bytes = pickle.dumps(cup)
        ended = getProcessOutputAndValue(
            program, arguments, environment, reactor=self._reactor, stdinBytes=cup_bytes
        )
        line: Deferred[Line | None]
        line = ended.addCallbacks(_read_line, _refuse_signal)
        return line


def _refuse_signal(failure: Failure) -> None:
    """Raise RuntimeError with the signal that ended the process (getProcessOutputAndValue)."""
    _, _, signal = cast("tuple[bytes, bytes, int]", failure.value)
    raise RuntimeError(f"a round can't be paired: signal {signal} ended the process")


def _read_line(ended: tuple[bytes, bytes, int]) -> Line | None:
    """Return the line that a process has written. Raises RuntimeError if the process failed."""
    output, errors, status = ended
    if status:
        last = errors.decode(errors="replace").strip().rpartition("\n")[2]
        raise RuntimeError(f"a round can't be paired: {last}")
    line: Line | None = json.loads(output)
    return line


def main() -> None:
    """Read a pickled Cup from standard input, and write its next line as JSON."""
    with suppress(OSError):
        os.nice(10)
    cup = pickle.load(sys.stdin.buffer)
    json.dump(decide(cup), sys.stdout)


if __name__ == "__main__":
    main()

"""Running some of a suite's cases, without waiting where nothing will come."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from fcntl import ioctl
from termios import FIONREAD, TIOCOUTQ
from typing import Any

from twisted.internet.task import Clock, LoopingCall
from twisted.internet.tcp import Connection

from tests.accounts.helpers import reactor
from tests.documents import ROOT
from tictac.plugins.check.cases import Outcome
from tictac.plugins.check.runner import Runner, closure
from tictac.plugins.check.scene import Harness
from tictac.plugins.check.sockets import other_end
from tictac.plugins.check.suites import SUITES

LOOK = 0.002
"""Seconds between two looks whether something happens."""

PASSES = LOOK / 2
"""Seconds that pass between two looks: fewer than really do, since a program that is short of time
on a busy machine isn't late."""

LOOKS = 6
"""Looks after which nothing will happen. The reactor goes round between two of them, so what was on
its way has been read, answered and sent meanwhile, even where both ends are in this process."""


def is_on_its_way() -> bool:
    """Return whether something that this process or a program wrote to a connection is on its way.

    It is here, or the kernel keeps it: small writes wait for the acknowledgement of those before
    them. Elsewhere than on Linux nobody knows of the kernel.
    """
    if reactor.getWriters():
        return True
    connections = [each for each in reactor.getReaders() if isinstance(each, Connection)]
    # The kernel is asked for one connection after the other: bytes that leave one end and reach the
    # other meanwhile are seen at neither. They are here now, or woke up the program.
    return any(map(_is_kept, connections)) or any(map(_has_unread, connections))


def _has_unread(connection: Connection) -> bool:
    return _bytes(connection, FIONREAD) > 0


def _is_kept(connection: Any) -> bool:
    """Return whether the kernel keeps bytes from or to an end of a connection.

    What the other side doesn't read may stay there.
    """
    if _bytes(connection, TIOCOUTQ) or _has_unread(connection):
        return True
    end = other_end(connection.getHost(), connection.getPeer())
    return end is not None and end.unsent > 0


def _bytes(connection: Connection, which: int) -> int:
    """Return how many bytes wait to be read, or to be sent and acknowledged."""
    return int.from_bytes(ioctl(connection.fileno(), which, bytes(4)), sys.byteorder)


class Skipping(Clock):
    """Time that passes slowly, but at once up to the next timer where nothing else will happen.

    So a fault that is seen by waiting costs no time, and patience needs no measure: on a slow
    machine a program is busy for longer. ``rest`` is None while a program does something or has
    to, and stays the same until one does.
    """

    def __init__(self, rest: Callable[[], object]) -> None:
        super().__init__()
        self._rest = rest
        self._seen: list[object] = []
        self._looking = LoopingCall(self._look)
        self._looking.start(LOOK, now=False)

    def _look(self) -> None:
        rest, timers, passed = self._rest(), self.getDelayedCalls(), PASSES
        self._seen = [*self._seen, rest][-LOOKS:]
        if timers:
            left = timers[0].getTime() - self.seconds()
            if rest is not None and self._seen == [rest] * LOOKS:
                if is_on_its_way() or self._rest() != rest:
                    # What it brings about begins when it has arrived.
                    self._seen.clear()
                else:
                    passed = max(passed, left)
            if passed >= left:
                # What is done then is on its way at the next look.
                self._seen.clear()
        self.advance(passed)

    def stop(self) -> None:
        """Look no more."""
        self._looking.stop()


async def outcomes(name: str, harness: Harness, number: str = "", **options: Any) -> list[Outcome]:
    """Judge a case and those that it needs, or, without a number, all that don't wait long."""
    chosen = SUITES[name]
    wanted = [case for case in chosen.cases if number == case.number or not (number or case.lasts)]
    assert wanted, f"there is no case {number}"
    try:
        return await Runner(chosen, harness, closure(chosen, wanted), **options).run()
    finally:
        if isinstance(harness.clock, Skipping):
            harness.clock.stop()


def check(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `tictac check`."""
    code = "import sys; from tictac.server.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, "check", *arguments],
        capture_output=True, text=True, cwd=ROOT, timeout=300,
    )  # fmt: skip

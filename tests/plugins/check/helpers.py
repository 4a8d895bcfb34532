"""Running some of a suite's cases, without waiting where nothing will come."""

from __future__ import annotations

from collections.abc import Callable
from fcntl import ioctl
from pathlib import Path
from termios import FIONREAD
from typing import Any

from twisted.internet.task import Clock, LoopingCall
from twisted.internet.tcp import Connection

from tests.accounts.helpers import reactor
from tictac.plugins.check.cases import Outcome
from tictac.plugins.check.runner import Runner, closure
from tictac.plugins.check.scene import Harness
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
    """Return whether something that this process wrote to a connection is still on its way.

    It is here, or the kernel keeps it: small writes wait for the acknowledgement of those before
    them. Nobody knows of the kernel where there is no /proc.
    """
    if reactor.getWriters():
        return True
    connections = [each for each in reactor.getReaders() if isinstance(each, Connection)]
    own = {f"{each.getHost().port:04X}" for each in connections}
    # The kernel's list is no snapshot: bytes that leave one end and reach the other while it is
    # read are seen at neither. They are here now, or woke up the program.
    return _kernel_keeps_some(own) or any(map(_has_unread, connections))


def _has_unread(connection: Connection) -> bool:
    return ioctl(connection.fileno(), FIONREAD, bytes(4)) != bytes(4)


def _kernel_keeps_some(own: set[str]) -> bool:
    """Return whether the kernel keeps bytes from or to connections at these ports."""
    try:
        lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    except OSError:
        return False
    for _, local, remote, _, queues, *_ in map(str.split, lines):
        # What the other side doesn't read may stay there.
        sent, received = (int(size, 16) for size in queues.split(":"))
        is_own = local.partition(":")[2] in own
        if (is_own and (sent or received)) or (sent and remote.partition(":")[2] in own):
            return True
    return False


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

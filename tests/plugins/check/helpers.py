"""Running some of a suite's cases, without waiting where nothing will come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.task import Clock, LoopingCall

from tests.accounts.helpers import reactor
from tictac.plugins.check.cases import Outcome
from tictac.plugins.check.runner import Runner, closure
from tictac.plugins.check.scene import Harness
from tictac.plugins.check.suites import SUITES

LOOK = 0.005
"""Seconds between two looks whether something happens."""

LOOKS = 6
"""Looks after which nothing will happen. The reactor goes round between two of them, so what was on
its way has been read, answered and sent meanwhile, even where both ends are in this process."""


class Skipping(Clock):
    """Time that passes as ever, but at once up to the next timer where nothing else will happen.

    So a fault that is seen by waiting costs no time, and patience needs no measure: on a slow
    machine a program is busy for longer. ``rest`` is None while a program does something or has
    to, and stays the same until one does.
    """

    def __init__(self, rest: Callable[[], object]) -> None:
        super().__init__()
        self._rest, self._looked = rest, reactor.seconds()
        self._seen: list[object] = []
        self._looking = LoopingCall(self._look)
        self._looking.start(LOOK, now=False)

    def _look(self) -> None:
        rest, timers, now = self._rest(), self.getDelayedCalls(), reactor.seconds()
        passed, self._looked = now - self._looked, now
        self._seen = [*self._seen, rest][-LOOKS:]
        if timers:
            left = timers[0].getTime() - self.seconds()
            if rest is not None and self._seen == [rest] * LOOKS:
                passed = max(passed, left)
            if passed >= left:
                # What is done then is on its way at the next look.
                self._seen.clear()
        self.advance(passed)

    def stop(self) -> None:
        """Look no more."""
        self._looking.stop()


async def outcomes(name: str, harness: Harness, number: str = "", **options: Any) -> list[Outcome]:
    """What becomes of a case and of those that it needs, or, without a number, of all."""
    chosen = SUITES[name]
    wanted = [case for case in chosen.cases if number in ("", case.number)]
    assert wanted, f"there is no case {number}"
    try:
        return await Runner(chosen, harness, closure(chosen, wanted), **options).run()
    finally:
        if isinstance(harness.clock, Skipping):
            harness.clock.stop()

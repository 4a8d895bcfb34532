"""The time of matches and timeouts, which stands still while the process doesn't serve.

Invariant: no player is charged for a time in which the server couldn't have taken a move: its start
and its pauses, a stop of the process (SIGSTOP), of its virtual machine, or of the reactor by
something slow. The journals continue this time in the next process (lobby/journal.py).

1. `watch` lets a timer ask for the time every `BEAT` seconds. So two calls that are more than
   `STOPPED` seconds apart mean that the process stood still between them.
2. The first call after a stop notices it, whoever makes it. It needn't be the timer: the reactor
   reads moves first that arrived during the stop, and these must not be late.
3. Nothing adjusts a clock or a timeout. Their times come from here, and this time has no gap.
4. `stand_still` makes every call one after a stop, until `watch`. Ports are open only between a
   `watch` and the next `stand_still` (service.py).

    beat 10.00, move 10.10, beat 10.25
    SIGSTOP; SIGCONT after 38 s
    move at 48.30: a gap of 38.05 s, so the time is 10.25
    beat 10.45

The machine's suspend is no gap: CLOCK_MONOTONIC of Linux and macOS stands still then.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

_log = Logger()

BEAT = 0.25
"""Seconds between two calls of the timer."""

STOPPED = 1.0
"""Seconds without a call that are a stop: four beats, so that a busy turn is none."""


class RunningTime:
    """A clock in seconds of any origin. Until :meth:`watch`, it is ``seconds``."""

    __slots__ = ("_beat", "_most", "_seconds", "_seen", "_stood")

    def __init__(self, seconds: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._most = math.inf  # STOPPED while stops are noticed, and -1 while the time stands still
        self._seen = self._stood = 0.0
        self._beat = LoopingCall(self.seconds)

    def seconds(self) -> float:
        """Return the time. Each move asks twice."""
        now = self._seconds()
        if now - self._seen > self._most:
            self._stood += now - self._seen
            if self._most > 0:
                text = "the process stood still for {seconds} s: clocks and timeouts did, too"
                _log.warn(text, seconds=round(now - self._seen, 1))
        self._seen = now
        return now - self._stood

    def watch(self, clock: IReactorTime) -> None:
        """Run, and notice stops from now on; ``clock`` is the reactor."""
        self.seconds()
        self._most = STOPPED
        if not self._beat.running:
            self._beat.clock = clock
            self._beat.start(BEAT)

    def stand_still(self) -> None:
        """Stand still until the next :meth:`watch`."""
        self.seconds()
        self._most = -1.0

    def stop(self) -> None:
        """Notice no more stops."""
        self._most = math.inf
        if self._beat.running:
            self._beat.stop()


running_time = RunningTime()
"""The time of this process."""

"""Work that strangers can cause without a limit, done a little in each turn of the reactor.

Accepting or ending a connection costs as much as some moves. A thousand of them in one turn would
keep every player waiting. As chores, they wait for one another.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import perf_counter
from weakref import WeakKeyDictionary

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

_log = Logger()

A_TURN = 0.0001
"""Seconds after which no more chore is begun in a turn. A move takes about as long."""


class Chores:
    """The chores of one reactor, in order: a turn does as many as begin within :data:`A_TURN`."""

    def __init__(self, clock: IReactorTime, seconds: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._seconds = seconds
        self._jobs: deque[Callable[[], object]] = deque()

    def add(self, job: Callable[[], object]) -> None:
        """Do ``job`` in a later turn."""
        if not self._jobs:
            self._clock.callLater(0, self._work)
        self._jobs.append(job)

    def _work(self) -> None:
        until = self._seconds() + A_TURN
        for _ in range(len(self._jobs)):  # new ones are for a later turn
            try:
                self._jobs[0]()
            except Exception:
                _log.failure("background job failed")
            # Only now, so that a chore that adds another one doesn't plan a second turn.
            self._jobs.popleft()
            if self._seconds() >= until:
                break
        if self._jobs:
            self._clock.callLater(0, self._work)


_chores: WeakKeyDictionary[IReactorTime, Chores] = WeakKeyDictionary()


def chores_of(clock: IReactorTime) -> Chores:
    """Return the chores of a reactor, which all its ports share."""
    return _chores.setdefault(clock, Chores(clock))

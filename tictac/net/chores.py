"""Work that strangers can cause without a limit, a little in each turn of the reactor.

To accept a connection, and to end one, costs as much as some moves. A thousand of them in one
turn would keep every player waiting; here they wait for each other.
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
"""Seconds after which nothing more is begun in a turn. A move takes about as long."""


class Chores:
    """Jobs of one reactor, in their order: as many in a turn as begin within :data:`A_TURN`."""

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
        for _ in range(len(self._jobs)):  # those that are added now are for a later turn
            try:
                self._jobs[0]()
            except Exception:
                _log.failure("a chore failed")
            # Not before: what adds another meanwhile finds that a turn is coming.
            self._jobs.popleft()
            if self._seconds() >= until:
                break
        if self._jobs:
            self._clock.callLater(0, self._work)


_chores: WeakKeyDictionary[IReactorTime, Chores] = WeakKeyDictionary()


def chores_of(clock: IReactorTime) -> Chores:
    """Those of a reactor: all its ports share them."""
    if clock not in _chores:
        _chores[clock] = Chores(clock)
    return _chores[clock]

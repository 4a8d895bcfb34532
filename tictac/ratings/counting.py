"""Count rated matches while a server runs, soon after the archive gets them."""

from __future__ import annotations

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.logs import LIMITED
from tictac.ratings.tables import RatingTables
from tictac.storage.store import Store, StoreAwayError, Stored

_log = Logger(observer=LIMITED)

EVERY = 5.0
"""Seconds between two checks for matches to count."""


class Counting:
    """Counts matches at intervals, off the path of every move; ``a_day`` as in RatingTables."""

    def __init__(self, archive: Store, clock: IReactorTime, a_day: int) -> None:
        self._ratings = Stored(archive, RatingTables)
        self._clock = clock
        self._a_day = a_day
        self._next: IDelayedCall | None = None
        self._open = False

    def start(self) -> None:
        """Count waiting matches, now and at intervals."""
        self._open = True
        self._count()

    def stop(self) -> None:
        """Start no further count."""
        self._open = False
        if self._next is not None:
            self._next.cancel()
            self._next = None

    def _count(self) -> None:
        self._next = None
        counting = self._ratings.ask(RatingTables.count, self._a_day)
        counting.addErrback(_failed).addCallback(self._later)

    def _later(self, number: int | None) -> None:
        if self._open:
            # In small pieces: matches are saved and read in between.
            self._next = self._clock.callLater(0 if number else EVERY, self._count)


def _failed(failure: Failure) -> None:
    if not failure.check(StoreAwayError):  # outages have a line already
        _log.failure("cannot count rated matches; retrying", failure)

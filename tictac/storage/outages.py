"""The state of a server that another one depends on, and the delays between attempts."""

from __future__ import annotations

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

_log = Logger()

FIRST_DELAY = 0.1
"""Seconds before the second attempt; the delay doubles with each attempt."""

LONGEST_DELAY = 2.0
"""Maximum seconds between two attempts: shorter than a request waits, so that each request meets
one."""


def delay_after(attempts: int) -> float:
    """Return the seconds to wait after `attempts` failed attempts (1 or more)."""
    return min(LONGEST_DELAY, FIRST_DELAY * 2.0 ** min(attempts - 1, 10))


class Outage:
    """The last known state of a server; logs the start and end of an outage, not each attempt."""

    def __init__(self, clock: IReactorTime, what: str, timeout: float) -> None:
        """Watch the server that log lines call `what`.

        `timeout` is the seconds that a request waits (0: forever); it is only logged.
        """
        self._clock = clock
        self._what = what
        self._timeout = timeout
        self._since: float | None = None
        self.reached = False
        """Whether the server answered the last attempt."""
        self.refused = 0
        """Requests refused during this outage; the code that refuses one counts it."""

    def begins(self, why: str) -> None:
        """Mark the server as unavailable; log an outage once, with `why`, which is one line."""
        self.reached = False
        if self._since is None:
            self._since, self.refused = self._clock.seconds(), 0
            patience = f"up to {self._timeout:g} s" if self._timeout else "until it is available"
            _log.warn(
                "{what} unavailable: {why}; requests wait {patience}",
                what=self._what,
                why=why,
                patience=patience,
            )

    def ends(self) -> None:
        """Mark the server as available; log the first call after an outage."""
        self.reached = True
        if self._since is not None:
            _log.info(
                "{what} available again after {seconds} s; refused requests: {refused}",
                what=self._what,
                seconds=round(self._clock.seconds() - self._since, 1),
                refused=self.refused,
            )
            self._since = None


class Trouble:
    """Faults of an open database, such as a full disk: logs the first one, and their end."""

    def __init__(self, what: str, location: object) -> None:
        """Watch a database that log lines call by its content and its location."""
        self._what = what
        self._location = location
        self._failing = False

    def begins(self, why: object) -> None:
        """Note a request that failed because of the database; ``why`` is one line."""
        if not self._failing:
            self._failing = True
            text = "{what}: {why}; requests are refused until that is repaired"
            _log.error(text, what=self._what, why=why)

    def ends(self) -> None:
        """Note a change that was saved."""
        if self._failing:
            self._failing = False
            _log.info("{what} in {place}: changes are saved", what=self._what, place=self._location)

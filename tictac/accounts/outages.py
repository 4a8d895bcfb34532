"""Whether a server is there that one depends on, and when to try again. An outage is one line in
the log, and its end another."""

from __future__ import annotations

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

_log = Logger()

FIRST_DELAY = 0.1
"""Seconds until the second attempt; they double with each."""

LONGEST_DELAY = 2.0
"""Seconds between two attempts at most: less than a request waits, so that it meets one."""


def delay_after(attempts: int) -> float:
    """Return the seconds to wait after so many attempts in vain, which are 1 or more."""
    return min(LONGEST_DELAY, FIRST_DELAY * 2.0 ** min(attempts - 1, 10))


class Outage:
    """Whether a server is there, as far as is known. The beginning and the end of an outage are
    logged, but not each attempt in vain."""

    def __init__(self, clock: IReactorTime, what: str, timeout: float) -> None:
        """
        Args:
            what: the server, as log lines call it.
            timeout: seconds that a request waits; 0: for ever. It is only logged.
        """
        self._clock = clock
        self._what = what
        self._timeout = timeout
        self._since: float | None = None
        self.reached = False
        """Whether the last attempt was answered."""
        self.refused = 0
        """Requests that were given up during this outage; whoever gives one up counts it."""

    def begins(self, why: str) -> None:
        """Note that the server is away; `why` is one line. The first call of an outage logs it."""
        self.reached = False
        if self._since is None:
            self._since, self.refused = self._clock.seconds(), 0
            patience = f"up to {self._timeout:g} s" if self._timeout else "until it is back"
            _log.warn(
                "{what} can't be asked: {why}; requests wait {patience}",
                what=self._what,
                why=why,
                patience=patience,
            )

    def ends(self) -> None:
        """Note that the server has answered. The first call after an outage logs its end."""
        self.reached = True
        if self._since is not None:
            _log.info(
                "{what} can be asked again, after {seconds} s; refused requests: {refused}",
                what=self._what,
                seconds=round(self._clock.seconds() - self._since, 1),
                refused=self.refused,
            )
            self._since = None

"""Whether a server is there that one depends on. An outage is one line in the log, and its end
another."""

from __future__ import annotations

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

_log = Logger()


class LostError(Exception):
    """The server is away. `str()` is one line that says why; `begun` whether it may have got the
    request before."""

    def __init__(self, why: str, begun: bool) -> None:
        super().__init__(why)
        self.begun = begun


class Outage:
    """Whether a server is there, as far as is known, and what is logged of that."""

    def __init__(self, clock: IReactorTime, what: str, timeout: float) -> None:
        """`what` is the server in log lines, `timeout` how many seconds a request waits (0: for
        ever)."""
        self._clock = clock
        self._what = what
        self._timeout = timeout
        self._since: float | None = None
        self.reached = False
        """Whether the last attempt was answered."""
        self.refused = 0
        """Requests that were given up since it is away."""

    def begins(self, why: str) -> None:
        """It is away; only the first time since it was there makes a line."""
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
        """It has answered."""
        self.reached = True
        if self._since is not None:
            _log.info(
                "{what} can be asked again, after {seconds} s; refused requests: {refused}",
                what=self._what,
                seconds=round(self._clock.seconds() - self._since, 1),
                refused=self.refused,
            )
            self._since = None

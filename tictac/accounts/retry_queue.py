"""Requests to a server that may be away for a while: they wait, are made again, or give up.

Nothing here knows the server or its language. Requests go to it one after the other. When it is
lost they are kept, the first is tried again with growing delay, and who has waited for too long is
refused.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.python.failure import Failure

from tictac.accounts.outages import Outage, delay_after
from tictac.accounts.store import StoreAwayError, StoreClosedError

T = TypeVar("T")

Attempt: TypeAlias = Callable[[bool], Deferred[T]]
"""Makes a request, told whether it may have been carried out before, with its answer lost. It
fails with LostError when the server is away; any other outcome is the server's answer."""

BEAT = 5.0
"""Seconds of silence after which a server is asked whether it is there."""

LAST_PATIENCE = 5.0
"""Seconds that requests get at the close, where they have no limit otherwise."""


class LostError(Exception):
    """The server is away. `str()` is one line that says why; `begun` whether it may have got the
    request before."""

    def __init__(self, why: str, begun: bool) -> None:
        super().__init__(why)
        self.begun = begun


class _Request:
    """Something that is asked, and nobody's business any more when it is given up."""

    def __init__(self, attempt: Attempt[Any], since: float, cancelled: Callable[..., None]) -> None:
        self.attempt = attempt
        self.since = since
        self.unsure = self.given_up = False
        self.result: Deferred[Any] = Deferred(lambda _: cancelled(self))


class RetryQueue:
    """Requests to one server, which take effect in their order."""

    def __init__(
        self,
        clock: IReactorTime,
        what: str,
        timeout: float,
        ping: Attempt[Any],
        cut: Callable[[], None],
    ) -> None:
        """
        Args:
            what: the server, as log lines call it.
            timeout: seconds that a request waits at most; 0 is no limit.
            ping: asks the server for nothing.
            cut: lets the attempt that is under way fail soon, if it can.
        """
        self._clock = clock
        self._timeout = timeout
        self._ping = ping
        self._cut = cut
        self._outage = Outage(clock, what, timeout)
        self._open = False
        self._closed: Deferred[None] | None = None
        self._queue: deque[_Request] = deque()
        self._current: _Request | None = None  # the first in the queue, while it is asked
        self._in_vain = 0  # attempts in a row
        self._silent = True  # but for pings, since the last beat
        self._next: IDelayedCall | None = None  # the next beat, or the next attempt
        self._holding = False  # until the next attempt
        self._alarm: IDelayedCall | None = None

    def start(self) -> None:
        """Take requests, and see whether the server is there."""
        self._open, self._silent = True, True
        self._beat()

    def ready(self) -> bool:
        """Whether a request would be answered now, as far as is known."""
        return self._open and self._outage.reached

    def run(self, attempt: Attempt[T]) -> Deferred[T]:
        """Make a request when those before it are done; fires with its outcome.

        Cancelling takes a request that waits out of the line. One that has begun is carried out
        all the same, and its outcome dropped.

        Fails:
            StoreAwayError: it couldn't be made in time. If it had begun it may have been carried
                out, or still be.
            StoreClosedError: there is no line (yet, or any more).
        """
        if not self._open:
            return fail(StoreClosedError())
        return self._add(attempt)

    def close(self) -> Deferred[None]:
        """Take no more requests; fires when those made before are done, or given up."""
        if not self._open:
            return succeed(None)
        self._open = False
        closed: Deferred[None] = Deferred()
        self._closed = closed
        if not self._outage.reached:
            self._give_all_up()
        elif not self._timeout:
            self._alarm = self._clock.callLater(LAST_PATIENCE, self._give_all_up)
        self._go_on()
        return closed

    # The line

    def _add(self, attempt: Attempt[T]) -> Deferred[T]:
        request = _Request(attempt, self._clock.seconds(), self._cancelled)
        self._queue.append(request)
        if self._timeout and self._alarm is None:
            self._alarm = self._clock.callLater(self._timeout, self._expire)
        self._go_on()
        return request.result

    def _cancelled(self, request: _Request) -> None:
        # One that may have been carried out already is seen to its end, like one that is asked.
        if request is not self._current and not request.unsure:
            self._queue.remove(request)

    def _go_on(self) -> None:
        if self._current is not None or self._holding:
            return
        if self._queue:
            self._current = self._queue[0]
            attempt = self._current.attempt(self._current.unsure)
            attempt.addBoth(self._attempted, self._current)
        elif not self._open:
            self._finish()

    def _attempted(self, outcome: Any, request: _Request) -> None:
        self._current = None
        if isinstance(outcome, Failure) and isinstance(outcome.value, LostError):
            self._lose(outcome.value, request)
        else:
            self._queue.popleft()
            self._in_vain = 0
            self._silent &= request.attempt is self._ping
            self._outage.ends()
            if not request.result.called:
                # A Failure is its errback, as for any Deferred.
                request.result.callback(outcome)
        self._go_on()

    def _finish(self) -> None:
        for call in (self._next, self._alarm):
            if call is not None and call.active():
                call.cancel()
        self._next = self._alarm = None
        self._outage.reached = False
        if self._closed is not None:
            closed, self._closed = self._closed, None
            closed.callback(None)

    # When the server is away

    def _lose(self, lost: LostError, request: _Request) -> None:
        request.unsure |= lost.begun
        if request.given_up:
            self._queue.remove(request)
        self._in_vain += 1
        if not self._open and not self._queue:
            return
        if self._in_vain == 1 and lost.begun:
            # A connection that was there has ended. That isn't an outage yet, if there is another.
            self._come_back(0)
        else:
            self._outage.begins(str(lost))
            self._come_back(delay_after(self._in_vain))

    def _come_back(self, delay: float) -> None:
        if self._next is not None and self._next.active():
            self._next.cancel()
        self._holding = True
        self._next = self._clock.callLater(delay, self._beat)

    def _beat(self) -> None:
        """Go on; ask for nothing when nobody else has asked lately."""
        self._holding = False
        self._next = self._clock.callLater(BEAT, self._beat)
        silent, self._silent = self._silent, True
        if self._open and not self._queue and (silent or not self._outage.reached):
            self._add(self._ping).addErrback(lambda _: None)
        else:
            self._go_on()

    # When a request has waited for too long

    def _expire(self) -> None:
        self._alarm = None
        latest = self._clock.seconds() - self._timeout
        for request in list(self._queue):
            if request.since <= latest and not request.given_up:
                self._outage.begins(f"it hasn't answered for {self._timeout:g} s")
                self._give_up(request)
        waiting = next((r for r in self._queue if not r.given_up), None)
        if waiting is not None and self._alarm is None:
            self._alarm = self._clock.callLater(waiting.since - latest, self._expire)
        self._go_on()

    def _give_all_up(self) -> None:
        for request in list(self._queue):
            if not request.given_up:
                self._give_up(request)
        self._holding = False
        self._go_on()

    def _give_up(self, request: _Request) -> None:
        request.given_up = True
        if request is self._current:
            self._cut()
        else:
            self._queue.remove(request)
        if not request.result.called:
            self._outage.refused += request.attempt is not self._ping
            request.result.errback(StoreAwayError())

"""Requests to a server that can be unavailable: they wait in a queue, are retried, or are refused.

Invariant: requests take effect in the order of `run`. Only the first request has an attempt under
way, and it stays first until the server answers it, or until it has expired and no attempt runs. An
expired request might still have taken effect: only its answer is missing.

1. `_go_on` starts the first request, unless an attempt or a delay is under way. Without that check,
   requests overtake one another, and each new request reconnects during an outage.
2. When the server answers, `_attempted` removes the request and then fires its Deferred. In the
   other order, a callback that calls `run` makes the server carry out the same request twice.
3. After LostError, `_lose` leaves the request first, so that no other overtakes it, and delays the
   next attempt. `unsure` is set if the server might have got the request; without it, a retry takes
   its own earlier effect for a conflict.
4. If the first request expires, `_give_up` cuts its attempt, if any, and the request leaves when
   the attempt ends. If it left at once, the next request could start beside the old attempt.

    run(A), run(B)           A: attempt(False); B waits
    LostError(begun=True)    A is unsure; reconnect at once, A: attempt(True)
    LostError(begun=False)   the outage is logged; after 0.2 s, A: attempt(True)
    answer                   the outage ends; A's Deferred fires; B: attempt(False)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.python.failure import Failure

from tictac.storage.outages import Outage, delay_after
from tictac.storage.store import StoreAwayError, StoreClosedError

T = TypeVar("T")

Attempt: TypeAlias = Callable[[bool], Deferred[T]]
"""Makes a request. Its argument is whether an earlier attempt might have been carried out, with
the answer lost. Fails with LostError if the server is unavailable; other outcomes are answers."""

BEAT = 5.0
"""Seconds of silence after which the queue pings the server."""

LAST_PATIENCE = 5.0
"""Seconds that requests without a timeout get at the close."""


class LostError(Exception):
    """The server is unavailable; `str()` is a one-line reason.

    `begun` is whether the server might have got the request before.
    """

    def __init__(self, why: str, begun: bool) -> None:
        super().__init__(why)
        self.begun = begun


class _Request:
    """A request in the queue; `given_up` once its caller was refused."""

    def __init__(self, attempt: Attempt[Any], since: float, cancelled: Callable[..., None]) -> None:
        self.attempt = attempt
        self.since = since
        self.unsure = self.given_up = False
        self.result: Deferred[Any] = Deferred(lambda _: cancelled(self))


class RetryQueue:
    """Requests to one server, which take effect in order."""

    def __init__(
        self,
        clock: IReactorTime,
        what: str,
        timeout: float,
        ping: Attempt[Any],
        cut: Callable[[], None],
    ) -> None:
        """Create a closed queue for the server that log lines call `what`.

        Args:
            timeout: maximum seconds that a request waits; 0 is no limit.
            ping: a request without effect.
            cut: makes the attempt that is under way fail soon, if possible.
        """
        self._clock = clock
        self._timeout = timeout
        self._ping = ping
        self._cut = cut
        self._outage = Outage(clock, what, timeout)
        self._open = False
        self._closed: Deferred[None] | None = None
        self._queue: deque[_Request] = deque()
        self._current: _Request | None = None  # the first in the queue, while its attempt runs
        self._in_vain = 0  # failed attempts in a row
        self._silent = True  # no requests except pings since the last beat
        self._next: IDelayedCall | None = None  # the next beat or attempt
        self._holding = False  # waiting for the next attempt
        self._alarm: IDelayedCall | None = None

    def start(self) -> None:
        """Accept requests and ping the server."""
        self._open, self._silent = True, True
        self._beat()

    def ready(self) -> bool:
        """Return whether the queue is open and the server answered last time."""
        return self._open and self._outage.reached

    def run(self, attempt: Attempt[T]) -> Deferred[T]:
        """Make a request after those before it; fire with its outcome.

        Cancel the Deferred to take a waiting request out of the queue. A request that began is
        carried out all the same, without an outcome for the caller.

        Fails:
            StoreAwayError: the request timed out. If it began, it might have been carried out, or
                still be.
            StoreClosedError: the queue is closed.
        """
        if not self._open:
            return fail(StoreClosedError())
        return self._add(attempt)

    def close(self) -> Deferred[None]:
        """Refuse new requests; fire when the others are done or given up."""
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

    # The queue

    def _add(self, attempt: Attempt[T]) -> Deferred[T]:
        request = _Request(attempt, self._clock.seconds(), self._cancelled)
        self._queue.append(request)
        if self._timeout and self._alarm is None:
            self._alarm = self._clock.callLater(self._timeout, self._expire)
        self._go_on()
        return request.result

    def _cancelled(self, request: _Request) -> None:
        # A request that might have been carried out stays to its end, like the current one.
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

    def _attempted(self, outcome: object, request: _Request) -> None:
        self._current = None
        if isinstance(outcome, Failure) and isinstance(outcome.value, LostError):
            self._lose(outcome.value, request)
        else:
            self._queue.popleft()
            self._in_vain = 0
            self._silent &= request.attempt is self._ping
            self._outage.ends()
            if not request.result.called:
                # A Failure calls the errback, as for any Deferred.
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

    # Outages

    def _lose(self, lost: LostError, request: _Request) -> None:
        request.unsure |= lost.begun
        if request.given_up:
            self._queue.remove(request)
        self._in_vain += 1
        if not self._open and not self._queue:
            return
        if self._in_vain == 1 and lost.begun:
            # An open connection broke. This isn't an outage yet, if the next attempt connects.
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
        """Start the next attempt; ping the server after a silence."""
        self._holding = False
        self._next = self._clock.callLater(BEAT, self._beat)
        silent, self._silent = self._silent, True
        if self._open and not self._queue and (silent or not self._outage.reached):
            self._add(self._ping).addErrback(lambda _: None)
        else:
            self._go_on()

    # Expired requests

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

"""Threads for calls that block, with a line of waiting jobs in front of them.

Both hashing passwords and writing to disk would stop the reactor. A
:class:`~twisted.python.threadpool.ThreadPool` takes such calls away, but what it was given
can't be taken back, and stopping it blocks until all of it is done. So it is only ever handed as
many jobs as it has threads; the others wait here, where they can be cancelled.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Protocol, TypeVar, cast

from twisted.internet.defer import Deferred, fail
from twisted.internet.interfaces import IReactorFromThreads
from twisted.internet.threads import deferToThreadPool
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool

from tictac.fair_queue import FairQueue, place_of

T = TypeVar("T")

LOWEST_PRIORITY = 19

MayWait = Callable[[], bool]
"""Tells whether who asks may well be gone, so that everybody else goes first."""


def never() -> bool:
    """Nobody goes first (:data:`MayWait`)."""
    return False


class FromThreads(Protocol):
    """The part of a reactor that is needed here."""

    def callFromThread(self, function: Callable[..., object], /, *args: object) -> object:
        """Call `function` in the reactor's thread."""


class Pool(Protocol):
    """The part of a ThreadPool that is needed here."""

    def start(self) -> None:
        """Begin to work."""

    def stop(self) -> None:
        """End all threads, and block until they have ended."""

    def callInThreadWithCallback(
        self, done: Callable[[bool, Any], object], work: Callable[[], Any], /
    ) -> None:
        """Call `work` in a thread and there `done` with (succeeded, result or Failure)."""


class WorkersStoppedError(Exception):
    """The threads don't run (yet, or any more), so the job wasn't begun."""


class Workers:
    """Runs functions in threads of its own and brings the results to the reactor's thread.

    One instance may be started again after it has stopped.
    """

    def __init__(
        self,
        reactor: FromThreads,
        threads: int,
        new_pool: Callable[[], Pool],
        slots: Slots | None = None,
    ) -> None:
        """`threads` jobs at most are in hand at a time, in the pool that `new_pool` makes.

        A job that was cancelled in hand keeps one of the `slots` until its thread is free.
        """
        self._slots = slots or Slots(0)
        self._reactor = cast(IReactorFromThreads, reactor)
        self._threads = threads
        self._new_pool = new_pool
        self._pool: Pool | None = None
        self._open = False
        self._busy = 0
        self._queue: dict[Deferred[Any], Callable[[], Any]] = {}
        self._stopping: list[Deferred[None]] = []

    @property
    def waiting(self) -> int:
        """How many jobs haven't begun."""
        return len(self._queue)

    def start(self) -> None:
        """Begin to work.

        Raises:
            RuntimeError: it runs, or hasn't stopped altogether.
        """
        if self._pool is not None:
            raise RuntimeError("these threads run already")
        self._pool = self._new_pool()
        self._pool.start()
        self._open = True

    def run(self, work: Callable[..., T], *args: object) -> Deferred[T]:
        """Call `work(*args)` in a thread; fires with its outcome. First come first served.

        Cancelling takes a job that waits out of the line. One that has begun is finished, and its
        outcome dropped.

        Fails:
            WorkersStoppedError: they don't run, or stopped before the job began.
        """
        if not self._open:
            return fail(WorkersStoppedError())
        result: Deferred[T] = Deferred(self._give_up)
        self._queue[result] = partial(work, *args)
        self._begin()
        return result

    def stop(self) -> Deferred[None]:
        """Drop what waits; fires when the jobs in hand are done and the threads have ended."""
        self._open = False
        waiting, self._queue = self._queue, {}
        for result in waiting:
            result.errback(WorkersStoppedError())
        stopped: Deferred[None] = Deferred()
        self._stopping.append(stopped)
        self._stop_if_idle()
        return stopped

    def _give_up(self, result: Deferred[Any]) -> None:
        if self._queue.pop(result, None) is None:
            self._slots.take()

    def _begin(self) -> None:
        while self._queue and self._busy < self._threads:
            result = next(iter(self._queue))
            work = self._queue.pop(result)
            self._busy += 1
            pool = cast(ThreadPool, self._pool)
            deferToThreadPool(self._reactor, pool, work).addBoth(self._done, result)

    def _done(self, outcome: object, result: Deferred[Any]) -> None:
        self._busy -= 1
        if result.called:  # it was cancelled meanwhile
            self._slots.leave()
        else:
            _fire(result, outcome)
        self._begin()
        self._stop_if_idle()

    def _stop_if_idle(self) -> None:
        if self._open or self._busy:
            return
        if self._pool is not None:
            # Joining the threads doesn't hold up the reactor: not one of them has work.
            self._pool.stop()
            self._pool = None
        fired, self._stopping = self._stopping, []
        for stopped in fired:
            stopped.callback(None)


class Slots:
    """So many may be at work at a time. The others wait in lines, which take turns, so that nobody
    can fill up the way of everybody else."""

    def __init__(self, free: int) -> None:
        self._free = free
        self._waiting: FairQueue[Deferred[None], tuple[str, MayWait]] = FairQueue()
        self._last: FairQueue[Deferred[None], None] = FairQueue()
        self._admitting = False

    def enter(self, address: str, may_wait: MayWait = never) -> Deferred[None]:
        """Wait for a slot in the line of an address. When it has fired `leave` must follow.

        Who `may_wait` when its turn comes is let in when nobody else waits. Cancel it to leave
        the line.

        Fails:
            WorkersStoppedError: by `clear`.
        """
        place = place_of(address)

        def give_up(entered: Deferred[None]) -> None:
            self._waiting.remove(place, entered)
            self._last.remove(place, entered)

        entered: Deferred[None] = Deferred(give_up)
        self._waiting.add(place, entered, (place, may_wait))
        self._admit()
        return entered

    def take(self) -> None:
        """Enter without waiting, even if there is no slot: others wait the longer."""
        self._free -= 1

    def leave(self) -> None:
        """Make room for the next one."""
        self._free += 1
        self._admit()

    def clear(self) -> None:
        """Send away all who wait."""
        for entered in self._waiting.clear() + self._last.clear():
            entered.errback(WorkersStoppedError())

    def _admit(self) -> None:
        if self._admitting:
            return  # one that was let in has left at once: the loop below sees it
        self._admitting = True
        while self._free > 0 and (self._waiting or self._last):
            if self._waiting:
                entered, (place, may_wait) = self._waiting.next()
                if may_wait():
                    self._last.add(place, entered, None)
                    continue
            else:
                entered = self._last.next()[0]
            self._free -= 1
            entered.callback(None)
        self._admitting = False


def thread_pool(threads: int, name: str) -> Pool:
    """Make a pool of at most `threads` ordinary threads."""
    return ThreadPool(0, threads, name)


def background_pool(threads: int, name: str) -> Pool:
    """Make a pool of at most `threads` threads that leave the processor to everybody else.

    Two busy threads of ordinary priority on two cores made the slowest moves 11 times slower;
    of the lowest priority they cost nothing that could be measured.
    """
    pool = ThreadPool(0, threads, name)
    pool.threadFactory = _BackgroundThread
    return pool


class _BackgroundThread(threading.Thread):
    def run(self) -> None:
        lower_priority()
        super().run()


def lower_priority() -> None:
    """Give the calling thread the lowest priority, where a thread can have its own."""
    # Only Linux has it: elsewhere the number names a whole process, maybe somebody else's.
    if sys.platform == "linux":
        with suppress(OSError):  # a sandbox may forbid it: then it works at the usual priority
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST_PRIORITY)


def _fire(result: Deferred[Any], outcome: object) -> None:
    if isinstance(outcome, Failure):
        result.errback(outcome)
    else:
        result.callback(outcome)

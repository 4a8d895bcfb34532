"""Threads for blocking calls, with a queue of waiting jobs in front of them.

Hashing passwords and writing to disk would both stop the reactor. A
:class:`~twisted.python.threadpool.ThreadPool` runs such calls, but can't drop one, and its stop
blocks until all are done. So the pool gets only as many jobs as it has threads. Other jobs wait
here, where they can be canceled.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias, TypeVar

from twisted.internet.defer import Deferred, fail
from twisted.internet.interfaces import IReactorFromThreads
from twisted.internet.threads import deferToThreadPool
from twisted.python.threadpool import ThreadPool

from tictac.fair_queue import FairQueue
from tictac.ip_networks import network_of

T = TypeVar("T")

Result: TypeAlias = Deferred[Any]
"""The result of a job, of any type."""

LOWEST_PRIORITY = 19

MayWait = Callable[[], bool]
"""Returns whether the client might be disconnected, so that all other requests go first."""


def never() -> bool:
    """Return False: no other request goes first (:data:`MayWait`)."""
    return False


class WorkersStoppedError(Exception):
    """The threads don't run, so the job wasn't begun."""


class Workers:
    """Runs functions in threads of its own and brings the results to the reactor's thread.

    A stopped instance can be started again.
    """

    def __init__(
        self,
        reactor: IReactorFromThreads,
        threads: int,
        new_pool: Callable[[], ThreadPool],
        slots: Slots | None = None,
    ) -> None:
        """Create workers for up to `threads` jobs at a time, in the pool from `new_pool`.

        A canceled running job keeps one of the `slots` until its thread is free.
        """
        self._slots = slots or Slots(0)
        self._reactor = reactor
        self._threads = threads
        self._new_pool = new_pool
        self._pool: ThreadPool | None = None
        self._open = False
        self._busy = 0
        self._queue: dict[Result, Callable[[], object]] = {}
        self._stopping: list[Deferred[None]] = []

    @property
    def waiting(self) -> int:
        """The number of jobs that haven't begun."""
        return len(self._queue)

    def start(self) -> None:
        """Start the threads. Raises RuntimeError if they run, or haven't stopped completely."""
        if self._pool is not None:
            raise RuntimeError("these threads run already")
        self._pool = self._new_pool()
        self._pool.start()
        self._open = True

    def run(self, work: Callable[..., T], *args: object) -> Deferred[T]:
        """Call `work(*args)` in a thread; fire with its outcome. First come, first served.

        Cancel the Deferred to take a waiting job out of the queue. A job that has begun is finished
        without an outcome for the caller. Fails with WorkersStoppedError if the threads don't run,
        or stop before the job begins.
        """
        if not self._open:
            return fail(WorkersStoppedError())
        result: Deferred[T] = Deferred(self._give_up)
        self._queue[result] = partial(work, *args)
        self._begin()
        return result

    def stop(self) -> Deferred[None]:
        """Drop waiting jobs; fire when the others are done and the threads have ended."""
        self._open = False
        waiting, self._queue = self._queue, {}
        for result in waiting:
            result.errback(WorkersStoppedError())
        stopped: Deferred[None] = Deferred()
        self._stopping.append(stopped)
        self._stop_if_idle()
        return stopped

    def _give_up(self, result: Result) -> None:
        if self._queue.pop(result, None) is None:
            self._slots.take()

    def _begin(self) -> None:
        while self._queue and self._busy < self._threads:
            result = next(iter(self._queue))
            work = self._queue.pop(result)
            self._busy += 1
            assert self._pool is not None
            deferToThreadPool(self._reactor, self._pool, work).addBoth(self._done, result)

    def _done(self, outcome: object, result: Result) -> None:
        self._busy -= 1
        if result.called:  # canceled meanwhile
            self._slots.leave()
        else:
            result.callback(outcome)  # a Failure calls the errback
        self._begin()
        self._stop_if_idle()

    def _stop_if_idle(self) -> None:
        if self._open or self._busy:
            return
        if self._pool is not None:
            # Joining the threads doesn't block the reactor: all of them are idle.
            self._pool.stop()
            self._pool = None
        fired, self._stopping = self._stopping, []
        for stopped in fired:
            stopped.callback(None)


class Slots:
    """A number of slots for requests at work.

    Other requests wait in one queue for each address, and the queues take turns, so no address
    blocks the others.
    """

    def __init__(self, free: int) -> None:
        self._free = free
        self._waiting: FairQueue[Deferred[None], tuple[str, MayWait]] = FairQueue()
        self._last: FairQueue[Deferred[None], None] = FairQueue()
        self._admitting = False

    def enter(self, address: str, may_wait: MayWait = never) -> Deferred[None]:
        """Wait for a slot in the queue of an address; call `leave` after the Deferred fired.

        A request whose `may_wait` is true at its turn enters when no other request waits. Cancel
        the Deferred to leave the queue. Fails with WorkersStoppedError by `clear`.
        """
        place = network_of(address)

        def give_up(entered: Deferred[None]) -> None:
            self._waiting.remove(place, entered)
            self._last.remove(place, entered)

        entered: Deferred[None] = Deferred(give_up)
        self._waiting.add(place, entered, (place, may_wait))
        self._admit()
        return entered

    def take(self) -> None:
        """Enter without waiting, even if there is no slot: others then wait longer."""
        self._free -= 1

    def leave(self) -> None:
        """Free a slot for the next request."""
        self._free += 1
        self._admit()

    def clear(self) -> None:
        """Fail all waiting requests."""
        for entered in self._waiting.clear() + self._last.clear():
            entered.errback(WorkersStoppedError())

    def _admit(self) -> None:
        if self._admitting:
            return  # the loop below sees a request that left at once
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


def thread_pool(threads: int, name: str) -> ThreadPool:
    """Return a pool of up to `threads` ordinary threads."""
    return ThreadPool(0, threads, name)


def background_pool(threads: int, name: str) -> ThreadPool:
    """Return a pool of up to `threads` threads at the lowest priority.

    Two busy threads of ordinary priority on two cores made the slowest moves 11 times slower; at
    the lowest priority, they had no measurable cost.
    """
    pool = ThreadPool(0, threads, name)
    pool.threadFactory = _BackgroundThread
    return pool


class _BackgroundThread(threading.Thread):
    def run(self) -> None:
        lower_priority()
        super().run()


def lower_priority() -> None:
    """Give the calling thread the lowest priority, where threads have their own."""
    # Linux only: elsewhere the number names a whole process, possibly another program's.
    if sys.platform == "linux":
        with suppress(OSError):  # a sandbox can forbid it; the thread then keeps its usual priority
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST_PRIORITY)

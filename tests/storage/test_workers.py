"""Jobs in threads: their order, cancelling them, and stopping."""

from __future__ import annotations

import os
import threading

import pytest
from twisted.internet.defer import CancelledError, Deferred
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import InstantReactor, ManualPool, error_of, in_reactor, reactor
from tests.helpers import needs_linux
from tictac.storage.workers import (
    LOWEST_PRIORITY,
    Workers,
    WorkersStoppedError,
    background_pool,
    thread_pool,
)


class WorkersTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.pools: list[ManualPool] = []
        self.workers = Workers(InstantReactor(), 2, self.new_pool)
        self.workers.start()
        self.done: list[int] = []

    def new_pool(self) -> ManualPool:
        self.pools.append(ManualPool())
        return self.pools[-1]

    @property
    def pool(self) -> ManualPool:
        return self.pools[-1]

    def run_jobs(self, count: int) -> list[Deferred[None]]:
        return [self.workers.run(self.done.append, number) for number in range(count)]

    def test_a_result_comes_back(self) -> None:
        result = self.workers.run(divmod, 7, 2)
        assert not result.called
        self.pool.finish_one()
        assert self.successResultOf(result) == (3, 1)

    def test_an_exception_comes_back(self) -> None:
        result = self.workers.run(divmod, 7, 0)
        self.pool.finish_one()
        error_of(result, ZeroDivisionError)

    def test_the_pool_gets_no_more_than_it_has_threads(self) -> None:
        self.run_jobs(5)
        assert (len(self.pool.jobs), self.workers.waiting) == (2, 3)
        self.pool.finish_one()
        assert (len(self.pool.jobs), self.workers.waiting) == (2, 2)

    def test_jobs_begin_in_the_order_of_asking(self) -> None:
        self.run_jobs(5)
        self.pool.finish_all()
        assert self.done == [0, 1, 2, 3, 4]

    def test_a_job_that_waits_is_not_done_when_cancelled(self) -> None:
        jobs = self.run_jobs(5)
        jobs[3].cancel()
        error_of(jobs[3], CancelledError)
        assert self.workers.waiting == 2
        self.pool.finish_all()
        assert self.done == [0, 1, 2, 4]

    def test_a_job_that_has_begun_is_finished_when_cancelled(self) -> None:
        jobs = self.run_jobs(3)
        jobs[0].cancel()
        error_of(jobs[0], CancelledError)
        assert self.workers.waiting == 1, "its thread isn't free yet"
        self.pool.finish_all()
        assert self.done == [0, 1, 2]

    def test_the_failure_of_a_cancelled_job_is_nobodys(self) -> None:
        job = self.workers.run(divmod, 7, 0)
        job.cancel()
        error_of(job, CancelledError)
        self.pool.finish_one()
        after = self.workers.run(divmod, 7, 2)
        self.pool.finish_one()
        assert self.successResultOf(after) == (3, 1)

    def test_stopping_drops_what_waits_and_finishes_what_has_begun(self) -> None:
        jobs = self.run_jobs(3)
        stopped = self.workers.stop()
        error_of(jobs[2], WorkersStoppedError)
        self.pool.finish_one()
        assert not stopped.called
        assert self.pool.state == "started"
        self.pool.finish_one()
        self.successResultOf(stopped)
        assert self.pool.state == "stopped"
        assert self.done == [0, 1]

    def test_results_come_before_the_end(self) -> None:
        order: list[str] = []
        self.workers.run(int).addCallback(lambda _: order.append("result"))
        self.workers.stop().addCallback(lambda _: order.append("stopped"))
        self.pool.finish_all()
        assert order == ["result", "stopped"]

    def test_stopping_twice_waits_twice(self) -> None:
        self.run_jobs(1)
        stops = [self.workers.stop(), self.workers.stop()]
        assert not stops[1].called
        self.pool.finish_all()
        for stopped in stops:
            self.successResultOf(stopped)

    def test_nothing_is_done_before_the_start_and_after_the_end(self) -> None:
        fresh = Workers(InstantReactor(), 1, self.new_pool)
        error_of(fresh.run(int), WorkersStoppedError)
        self.successResultOf(fresh.stop())
        self.successResultOf(self.workers.stop())
        error_of(self.workers.run(int), WorkersStoppedError)

    def test_a_dropped_job_cannot_bring_in_another(self) -> None:
        again: list[Deferred[int]] = []
        jobs = self.run_jobs(3)
        jobs[2].addErrback(lambda _: again.append(self.workers.run(int)))
        self.workers.stop()
        error_of(again[0], WorkersStoppedError)
        self.pool.finish_all()

    def test_they_start_again_with_a_new_pool(self) -> None:
        self.successResultOf(self.workers.stop())
        self.workers.start()
        result = self.workers.run(divmod, 7, 2)
        self.pool.finish_one()
        assert self.successResultOf(result) == (3, 1)
        assert [pool.state for pool in self.pools] == ["stopped", "started"]

    def test_they_do_not_start_twice(self) -> None:
        with pytest.raises(RuntimeError):
            self.workers.start()
        self.run_jobs(1)
        self.workers.stop()
        with pytest.raises(RuntimeError):
            self.workers.start()
        self.pool.finish_all()


@in_reactor
async def test_real_threads_work_side_by_side_and_end() -> None:
    before = threading.active_count()
    workers = Workers(reactor, 2, lambda: thread_pool(2, "test"))
    workers.start()
    meeting = threading.Barrier(2)  # two jobs that can only be done at the same time
    jobs = [workers.run(meeting.wait, 60) for _ in range(4)]
    assert sorted([await job for job in jobs]) == [0, 0, 1, 1]
    await workers.stop()
    assert threading.active_count() == before


@needs_linux  # elsewhere threads have no priority of their own
@in_reactor
async def test_background_threads_have_the_lowest_priority() -> None:
    mine = os.getpriority(os.PRIO_PROCESS, 0)
    workers = Workers(reactor, 1, lambda: background_pool(1, "test"))
    workers.start()
    assert await workers.run(os.getpriority, os.PRIO_PROCESS, 0) == LOWEST_PRIORITY
    await workers.stop()
    assert os.getpriority(os.PRIO_PROCESS, 0) == mine

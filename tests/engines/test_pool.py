"""The pool of processes that think, with processes that a test plays."""

from __future__ import annotations

import errno
import json
from typing import Any, cast
from unittest.mock import patch

import pytest
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import ProcessDone, ProcessExitedAlready
from twisted.internet.task import Clock
from twisted.logger import ILogObserver, globalLogPublisher
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import error_of
from tictac.engines.pool import (
    ENDS_IN,
    MOST,
    PATIENCE,
    RESPITE,
    EnginePool,
    ProcessesStoppedError,
    Worker,
)
from tictac.engines.worker import Question
from tictac.errors import CannotThink, TooManyQuestions


def after(seconds: int) -> Question:
    """Return a question that may take this long."""
    return Question("nim", {}, "", "best", seconds)


class FakeProcess:
    """What a Worker has as its transport, and what a test does in the place of the process."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.written: list[bytes] = []
        self.closed = self.killed = self.gone = False
        worker.transport = cast(Any, self)
        worker.connectionMade()

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def loseConnection(self) -> None:
        self.closed = True

    def signalProcess(self, signal: str) -> None:
        if self.gone:
            raise ProcessExitedAlready
        self.killed = True

    @property
    def asked(self) -> list[int]:
        """Its questions, which are the seconds that each may take."""
        return [json.loads(line)["seconds"] for line in self.written if line.strip()]

    def answer(self, number: int = 1) -> None:
        self.worker.outReceived(b'"%d"\n' % number)

    def die(self) -> None:
        self.gone = True
        self.worker.processEnded(Failure(ProcessDone(0)))


class ProcessesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.processes: list[FakeProcess] = []
        self.exhausted = False
        self.pool = EnginePool(self.clock, 2, 0, self.spawn)
        self.pool.start()
        self.logged: list[Any] = []
        observer = cast(ILogObserver, self.logged.append)
        globalLogPublisher.addObserver(observer)
        self.addCleanup(globalLogPublisher.removeObserver, observer)

    def spawn(self, reactor: object, worker: Worker) -> None:
        if self.exhausted:
            raise OSError(errno.EMFILE, "Too many open files")
        self.processes.append(FakeProcess(worker))

    def think(self, seconds: int = 1, line: object = "a") -> Deferred[str]:
        return self.pool.think(after(seconds), line)

    @property
    def asked(self) -> list[int]:
        return [seconds for process in self.processes for seconds in process.asked]

    def busy(self) -> FakeProcess:
        """Return the only process that has a question."""
        (process,) = [p for p in self.processes if p.worker.job is not None and not p.gone]
        return process

    def test_a_move_comes_back(self) -> None:
        thinking = self.think()
        self.busy().answer(5)
        assert self.successResultOf(thinking) == "5"

    def test_an_answer_may_come_in_pieces(self) -> None:
        thinking = self.think()
        worker = self.busy().worker
        for piece in (b'"3', b'4"', b"\n"):
            assert not thinking.called
            worker.outReceived(piece)
        assert self.successResultOf(thinking) == "34"

    def test_there_is_a_process_for_each_core_or_as_many_as_asked_for(self) -> None:
        for cores, size, started in ((2, 0, 2), (64, 0, MOST), (64, 1, 1), (2, 16, 16)):
            self.processes.clear()
            with patch("os.cpu_count", return_value=cores):
                EnginePool(self.clock, size, 0, self.spawn).start()
            assert len(self.processes) == started

    def test_each_process_has_one_question_at_a_time(self) -> None:
        for seconds in (1, 2, 3):
            self.think(seconds)
        assert [len(process.asked) for process in self.processes] == [1, 1]
        assert self.pool.waiting == 1
        self.processes[0].answer()
        assert (len(self.processes[0].asked), self.pool.waiting) == (2, 0)

    def test_lines_take_turns(self) -> None:
        for number in range(5):
            self.think(number, "greedy")
        self.think(10, "modest")
        for _ in range(4):
            self.processes[0].answer()
        order = self.processes[0].asked
        assert order[1:] == [2, 10, 3, 4]

    def test_a_question_that_waits_can_be_given_up(self) -> None:
        jobs = [self.think(number) for number in range(4)]
        jobs[2].cancel()
        error_of(jobs[2], CancelledError)
        self.processes[0].answer()
        assert sorted(self.asked) == [0, 1, 3]

    def test_a_process_is_hurried_when_nobody_waits_for_its_answer(self) -> None:
        thinking = self.think()
        process = self.busy()
        thinking.cancel()
        error_of(thinking, CancelledError)
        assert process.written[1:] == [b"\n"]
        process.answer()
        after = self.think()
        self.busy().answer(2)
        assert self.successResultOf(after) == "2"

    def test_a_dead_process_is_replaced_and_its_question_asked_again(self) -> None:
        thinking = self.think()
        dead = self.busy()
        dead.die()
        assert not thinking.called
        self.busy().answer(4)
        assert self.successResultOf(thinking) == "4"
        self.clock.advance(RESPITE)
        assert len(self.processes) == 3

    def test_one_that_has_answered_is_replaced_at_once(self) -> None:
        self.think()
        process = self.busy()
        process.answer()
        process.die()
        assert len(self.processes) == 3

    def test_a_question_that_kills_twice_is_given_up(self) -> None:
        thinking = self.think()
        self.busy().die()
        self.busy().die()
        error_of(thinking, CannotThink)
        self.clock.advance(RESPITE)
        assert len(self.processes) == 4

    def test_a_cancelled_question_is_not_asked_again(self) -> None:
        thinking = self.think()
        dead = self.busy()
        thinking.cancel()
        error_of(thinking, CancelledError)
        dead.die()
        assert len(self.asked) == 1

    def test_nonsense_ends_a_process(self) -> None:
        for nonsense in (b"hello\n", b'["DROP"\n', b"\n", b"\xff\n"):
            thinking = self.think()
            process = self.busy()
            process.worker.outReceived(nonsense)
            assert process.killed and not thinking.called
            process.die()
            self.busy().answer()
            self.successResultOf(thinking)
            self.clock.advance(RESPITE)

    def test_an_answer_without_a_question_ends_a_process(self) -> None:
        self.processes[0].answer()
        assert self.processes[0].killed

    def test_what_takes_far_too_long_is_ended(self) -> None:
        self.think(2)
        process = self.busy()
        self.clock.advance(PATIENCE + 1.9)
        assert not process.killed
        self.clock.advance(0.2)
        assert process.killed

    def test_an_answer_stops_the_clock(self) -> None:
        self.think(2)
        self.busy().answer()
        assert self.clock.getDelayedCalls() == []

    def test_what_a_process_complains_of_is_logged(self) -> None:
        self.processes[0].worker.errReceived(b"oh no")
        assert [event["text"] for event in self.logged if "text" in event] == ["oh no"]

    def test_stopping_gives_up_everything_and_waits_for_the_processes(self) -> None:
        jobs = [self.think(number) for number in range(3)]
        stopped = self.pool.stop()
        for job in jobs:
            error_of(job, ProcessesStoppedError)
        assert all(process.closed for process in self.processes)
        self.processes[0].die()
        assert not stopped.called
        self.processes[1].die()
        self.successResultOf(stopped)
        assert len(self.processes) == 2, "none was replaced"
        assert self.clock.getDelayedCalls() == []

    def test_a_process_that_does_not_stop_is_killed(self) -> None:
        stopped = self.pool.stop()
        self.processes[0].die()
        self.clock.advance(ENDS_IN)
        assert self.processes[1].killed and not stopped.called
        self.processes[1].die()
        self.successResultOf(stopped)

    def test_nobody_is_replaced_after_the_stop(self) -> None:
        self.processes[0].die()
        self.pool.stop()
        self.clock.advance(RESPITE)
        assert len(self.processes) == 2

    def test_nothing_is_thought_before_the_start_and_after_the_stop(self) -> None:
        fresh = EnginePool(self.clock, 1, 0, self.spawn)
        error_of(fresh.think(after(1)), ProcessesStoppedError)
        self.successResultOf(fresh.stop())
        self.pool.stop()
        error_of(self.think(), ProcessesStoppedError)

    def test_on_demand_the_first_question_starts_the_processes(self) -> None:
        before = len(self.processes)
        pool = EnginePool(self.clock, 1, 0, self.spawn, on_demand=True)
        assert len(self.processes) == before
        pool.think(after(1)), pool.think(after(2))
        assert len(self.processes) == before + 1

    def exhaust(self) -> None:
        """Let all processes die, and no other one start."""
        self.exhausted = True
        for process in self.processes:
            process.worker.answered += 1
            process.die()

    def test_what_cannot_be_started_is_tried_again(self) -> None:
        self.exhaust()
        self.clock.advance(RESPITE)
        self.exhausted = False
        self.clock.advance(RESPITE)
        thinking = self.think()
        self.busy().answer(3)
        assert self.successResultOf(thinking) == "3"
        assert len([process for process in self.processes if not process.gone]) == 2

    def test_a_start_that_fails_is_tried_again(self) -> None:
        self.exhausted = True
        pool = EnginePool(self.clock, 1, 0, self.spawn)
        pool.start()
        assert not pool.ready
        self.exhausted = False
        self.clock.advance(RESPITE)
        assert pool.ready

    def test_questions_fail_while_no_process_can_be_started(self) -> None:
        asked = [self.think() for _ in range(3)]
        self.exhaust()
        for thinking in (*asked, self.think()):
            error_of(thinking, CannotThink)
        assert self.pool.waiting == 0

    def test_one_process_that_lives_is_enough(self) -> None:
        asked = [self.think(number) for number in range(2)]
        self.exhausted = True
        self.processes[0].worker.answered = 1
        self.processes[0].die()
        self.processes[1].answer(5)
        self.processes[1].answer(6)
        assert sorted(self.successResultOf(thinking) for thinking in asked) == ["5", "6"]

    def test_an_outage_is_logged_once(self) -> None:
        self.exhaust()
        for _ in range(5):
            self.clock.advance(RESPITE)
        said = [str(event["why"]) for event in self.logged if "why" in event]
        assert said == ["[Errno 24] Too many open files"]

    def test_it_is_ready_while_a_process_is_there(self) -> None:
        assert self.pool.ready
        self.exhaust()
        assert not self.pool.ready
        self.exhausted = False
        self.clock.advance(RESPITE)
        assert self.pool.ready
        self.pool.stop()
        assert not self.pool.ready

    def test_only_so_many_questions_of_a_line_wait(self) -> None:
        pool = EnginePool(self.clock, 1, 2, self.spawn)
        pool.start()
        taken = [pool.think(after(1), "greedy") for _ in range(3)]
        error_of(pool.think(after(1), "greedy"), TooManyQuestions)
        other = pool.think(after(1), "modest")
        for _ in range(4):
            self.processes[-1].answer()
        for thinking in (*taken, other):
            self.successResultOf(thinking)
        self.assertNoResult(pool.think(after(1), "greedy"))

    def test_they_start_again_but_not_twice(self) -> None:
        with pytest.raises(RuntimeError):
            self.pool.start()
        self.pool.stop()
        with pytest.raises(RuntimeError):
            self.pool.start()
        for process in self.processes[:]:
            process.die()
        self.pool.start()
        thinking = self.think()
        self.busy().answer()
        self.successResultOf(thinking)

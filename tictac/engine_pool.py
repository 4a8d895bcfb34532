"""The computer's moves, found by processes (worker.py) so that the reactor needn't.

A fixed number of them is started once and gets a question at a time; the other questions wait
here, in a fair queue. Python threads wouldn't do: only one of them computes at a time, and the
reactor would be among those that wait.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Hashable
from contextlib import suppress
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred, fail
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.protocol import ProcessProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac import engine_worker
from tictac.engine_worker import AnalysisJob, Question
from tictac.errors import CannotThink, TooManyQuestions
from tictac.fair_queue import FairQueue
from tictac.logs import LIMITED

_log = Logger(observer=LIMITED)

MOST = 4
"""Processes at most, however many were asked for."""

TRIES = 2
"""How many processes may die of a question before it is given up."""

PATIENCE = 30.0
"""Seconds beyond its time to think that a process has to answer."""

RESPITE = 1.0
"""Seconds until one is tried again that couldn't be started, or hasn't answered anything."""

ENDS_IN = 5.0
"""Seconds that a process has to end by itself."""


class ProcessesStoppedError(Exception):
    """The processes don't run (yet, or any more)."""


class Job:
    """A question until it is answered, or nobody waits for the answer."""

    def __init__(self, question: Question | AnalysisJob, line: Hashable) -> None:
        self.question = question
        self.line = line
        self.tries = 0
        self.worker: Worker | None = None
        self.result: Deferred[str] = Deferred()


class Worker(ProcessProtocol):
    """The parent's end of a process."""

    transport: Any

    def __init__(self, reactor: Any, owner: EnginePool) -> None:
        self.job: Job | None = None
        self.answered = 0
        self._reactor = reactor
        self._owner = owner
        self._unread = b""
        self._timer: Any = None

    def give(self, job: Job) -> None:
        """Let it think about this."""
        self.job, job.worker = job, self
        job.tries += 1
        self._timer = self._reactor.callLater(job.question.seconds + PATIENCE, self.kill)
        self.transport.write(engine_worker.line_of(job.question))

    def hurry(self) -> None:
        """Let it come to an end: nobody waits for the answer."""
        self.transport.write(b"\n")

    def end(self) -> None:
        """Let it end, by force if it must be."""
        self.transport.loseConnection()
        self._stop_timer()
        self._timer = self._reactor.callLater(ENDS_IN, self.kill)

    def kill(self) -> None:
        """End it at once."""
        with suppress(ProcessExitedAlready):  # then processEnded is on its way
            self.transport.signalProcess("KILL")

    def connectionMade(self) -> None:
        self._owner.free(self)

    def outReceived(self, data: bytes) -> None:
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            self._answer(line)

    def errReceived(self, data: bytes) -> None:
        for line in data.decode(errors="replace").splitlines():
            _log.error("a thinking process says: {text!r}", text=line)

    def processEnded(self, reason: Failure) -> None:
        self._stop_timer()
        self._owner.ended(self)

    def _answer(self, line: bytes) -> None:
        job = self.job
        try:
            answer = engine_worker.answer(line)
        except ValueError:
            job = None
        if job is None:
            _log.error("a thinking process answers {line}", line=line[:200])
            self.kill()
            return
        self.job = job.worker = None
        self.answered += 1
        self._stop_timer()
        if not job.result.called:  # else it was cancelled meanwhile
            job.result.callback(answer)
        self._owner.free(self)

    def _stop_timer(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()


def spawn(reactor: Any, protocol: Worker) -> None:
    """Start a process that thinks, with nothing of ours open but its three pipes."""
    root = str(Path(__file__).parents[1])
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-P", "-m", engine_worker.__name__]
    reactor.spawnProcess(protocol, command[0], command, {**os.environ, "PYTHONPATH": path})


class EnginePool:
    """Processes that choose moves, in any game; may be started again once stopped.

    ``size`` of them (0: one a core), MOST at most. Of each asker ``most_waiting`` questions may
    wait (0: any number). ``spawn`` starts a process; it may raise OSError.
    """

    def __init__(
        self,
        reactor: Any,
        size: int = 0,
        most_waiting: int = 0,
        spawn: Callable[[Any, Worker], None] = spawn,
    ) -> None:
        self.size = min(size or os.cpu_count() or 1, MOST)
        self._reactor = reactor
        self._most_waiting = most_waiting
        self._spawn = spawn
        self._open = False
        self._cannot_start = False
        self._workers: set[Worker] = set()
        self._idle: list[Worker] = []
        self._queue: FairQueue[Deferred[str], Job] = FairQueue()
        self._respites: list[Any] = []
        self._stopping: list[Deferred[None]] = []

    @property
    def waiting(self) -> int:
        """How many questions haven't been begun."""
        return len(self._queue)

    @property
    def ready(self) -> bool:
        """Whether there is a process to answer a question."""
        return self._open and bool(self._workers)

    def start(self) -> None:
        """Start the processes. Raises RuntimeError when there are any."""
        if self._open or self._workers:
            raise RuntimeError("these processes run already")
        self._open = True
        for _ in range(self.size):
            self._start_one()

    def think(self, question: Question | AnalysisJob, line: Hashable = None) -> Deferred[str]:
        """A move for the side to move, or the judgement of a match (judging.dump; empty: there is
        none by the rules that are known here).

        Each ``line`` (whose game it is) is first come first served, and the lines take turns.
        Cancelling gives the question up. Fails with ProcessesStoppedError when they don't run or
        stop meanwhile, with TooManyQuestions when its line is full, with CannotThink when processes
        die of it or none can be started.
        """
        if not self._open:
            return fail(ProcessesStoppedError())
        if self._cannot_start and not self._workers:
            return fail(CannotThink("no process to think in can be started"))
        if 0 < self._most_waiting <= self._queue.waiting(line):
            return fail(TooManyQuestions(f"{self._most_waiting} questions wait already"))
        job = Job(question, line)
        job.result = Deferred(lambda _: self._cancel(job))
        self._queue.add(line, job.result, job)
        self._begin()
        return job.result

    def stop(self) -> Deferred[None]:
        """Give up every question; fires when all processes have ended."""
        self._open = False
        for respite in self._respites:
            if respite.active():
                respite.cancel()
        unanswered = [w.job.result for w in self._workers if w.job] + self._queue.clear()
        for each in self._workers:
            each.end()
        for result in unanswered:
            if not result.called:
                result.errback(ProcessesStoppedError())
        stopped: Deferred[None] = Deferred()
        self._stopping.append(stopped)
        self._tell_if_stopped()
        return stopped

    # What workers tell

    def free(self, worker: Worker) -> None:
        """It has no job (any more)."""
        if self._open:
            self._idle.append(worker)
            self._begin()

    def ended(self, worker: Worker) -> None:
        """Its process is gone."""
        self._workers.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        if self._open:
            _log.error("a thinking process has died; there will be another")
            self._ask_again(worker.job)
            if worker.answered:
                self._start_one()
            else:
                # It may not be able to start at all: not in a loop without a pause.
                self._start_later()
        self._tell_if_stopped()

    def _ask_again(self, job: Job | None) -> None:
        if job is None or job.result.called:
            return
        job.worker = None
        if job.tries < TRIES:
            self._queue.add(job.line, job.result, job)
            self._begin()
        else:
            job.result.errback(CannotThink("processes have died of the question"))

    def _start_one(self) -> None:
        new = Worker(self._reactor, self)
        self._workers.add(new)
        try:
            self._spawn(self._reactor, new)
        except OSError as error:  # no descriptors, processes or memory left
            self._workers.discard(new)
            self._note_no_start(error)
            self._start_later()
        else:
            self._cannot_start = False

    def _start_later(self) -> None:
        self._respites = [respite for respite in self._respites if respite.active()]
        self._respites.append(self._reactor.callLater(RESPITE, self._start_one))

    def _note_no_start(self, error: OSError) -> None:
        """Say so once, and fail the questions that wait if there is nobody to answer them."""
        if not self._cannot_start:
            _log.error("a thinking process can't be started, and is tried again: {why}", why=error)
        self._cannot_start = True
        if not self._workers:
            for result in self._queue.clear():
                if not result.called:  # an answer to one may give up another
                    result.errback(CannotThink("no process to think in can be started"))

    def _begin(self) -> None:
        while self._queue and self._idle:
            self._idle.pop().give(self._queue.next()[1])

    def _cancel(self, job: Job) -> None:
        self._queue.remove(job.line, job.result)
        if job.worker is not None:
            job.worker.hurry()

    def _tell_if_stopped(self) -> None:
        if self._open or self._workers:
            return
        fired, self._stopping = self._stopping, []
        for stopped in fired:
            stopped.callback(None)

"""The computer's moves, found by engine processes (worker.py) outside the reactor.

A fixed number of processes starts once. Each gets one question at a time; other questions wait
here, in a fair queue. Python threads wouldn't help: only one of them computes at a time, and the
reactor would have to wait with the others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from contextlib import suppress

from twisted.internet.defer import Deferred, fail
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.interfaces import (
    IDelayedCall,
    IProcessTransport,
    IReactorProcess,
    IReactorTime,
)
from twisted.internet.protocol import ProcessProtocol
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.engines import worker as program
from tictac.engines.worker import AnalysisJob, Question
from tictac.errors import CannotThink, TooManyQuestions
from tictac.fair_queue import FairQueue
from tictac.logs import LIMITED
from tictac.reactor import module_command

_log = Logger(observer=LIMITED)

MOST = 4
"""Maximum processes without a setting."""

TRIES = 2
"""How many processes can die of a question before it fails."""

PATIENCE = 30.0
"""Seconds beyond its time to think that a process has to answer."""

RESPITE = 1.0
"""Seconds before a process is restarted that didn't start, or didn't answer anything."""

ENDS_IN = 5.0
"""Seconds that a process has to end by itself."""


class ProcessesStoppedError(Exception):
    """The processes don't run."""


class Job:
    """A question until it is answered or canceled."""

    def __init__(self, question: Question | AnalysisJob, line: Hashable) -> None:
        self.question = question
        self.line = line
        self.tries = 0
        self.worker: Worker | None = None
        self.result: Deferred[str] = Deferred()


class Worker(ProcessProtocol):
    """The parent's end of a process."""

    transport: IProcessTransport

    def __init__(self, reactor: IReactorTime, owner: EnginePool) -> None:
        self.job: Job | None = None
        self.answered = 0
        self._reactor = reactor
        self._owner = owner
        self._unread = b""
        self._timer: IDelayedCall | None = None

    def give(self, job: Job) -> None:
        """Send this question to the process."""
        self.job, job.worker = job, self
        job.tries += 1
        self._timer = self._reactor.callLater(job.question.seconds + PATIENCE, self.kill)
        self.transport.write(program.line_of(job.question))

    def hurry(self) -> None:
        """Inform the process that the question was canceled."""
        self.transport.write(b"\n")

    def end(self) -> None:
        """End the process, by force if needed."""
        self.transport.loseConnection()
        self._stop_timer()
        self._timer = self._reactor.callLater(ENDS_IN, self.kill)

    def kill(self) -> None:
        """Kill the process."""
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
            _log.error("engine process printed: {text!r}", text=line)

    def processEnded(self, reason: Failure) -> None:
        self._stop_timer()
        self._owner.ended(self)

    def _answer(self, line: bytes) -> None:
        job = self.job
        try:
            answer = program.answer(line)
        except ValueError:
            job = None
        if job is None:
            _log.error("engine process answered {line}", line=line[:200])
            self.kill()
            return
        self.job = job.worker = None
        self.answered += 1
        self._stop_timer()
        if not job.result.called:  # otherwise canceled meanwhile
            job.result.callback(answer)
        self._owner.free(self)

    def _stop_timer(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()


def spawn(reactor: IReactorTime, protocol: Worker) -> None:
    """Start an engine process; of our descriptors it has only its three pipes."""
    command, environment = module_command(program.__name__)
    IReactorProcess(reactor).spawnProcess(protocol, command[0], command, environment)


class EnginePool:
    """Processes that choose moves, in any game; a stopped pool can be started again.

    ``size`` of them (0: one a core, MOST at most). Each asker can have up to ``most_waiting``
    waiting questions (0: any number). ``spawn`` starts a process and can raise OSError. If
    ``on_demand``, the first question starts the processes.
    """

    def __init__(
        self,
        reactor: IReactorTime,
        size: int = 0,
        most_waiting: int = 0,
        spawn: Callable[[IReactorTime, Worker], None] = spawn,
        on_demand: bool = False,
    ) -> None:
        self.size = size or min(os.cpu_count() or 1, MOST)
        self._reactor = reactor
        self._most_waiting = most_waiting
        self._spawn = spawn
        self._on_demand = on_demand
        self._open = False
        self._cannot_start = False
        self._workers: set[Worker] = set()
        self._idle: list[Worker] = []
        self._queue: FairQueue[Deferred[str], Job] = FairQueue()
        self._respites: list[IDelayedCall] = []
        self._stopping: list[Deferred[None]] = []

    @property
    def waiting(self) -> int:
        """The number of waiting questions."""
        return len(self._queue)

    @property
    def ready(self) -> bool:
        """Whether a process can answer a question."""
        return self._open and bool(self._workers)

    def start(self) -> None:
        """Start the processes. Raises RuntimeError if any run."""
        if self._open or self._workers:
            raise RuntimeError("these processes are already running")
        self._open = True
        for _ in range(self.size):
            self._start_one()

    def think(self, question: Question | AnalysisJob, line: Hashable = None) -> Deferred[str]:
        """Return a move for the side to move, or the analysis of a match (analysis.dump).

        The analysis is empty if this server doesn't know the rules of the match. Each ``line`` (a
        game's owner) is first come, first served; the lines take turns. Cancel the Deferred to give
        the question up. Fails with ProcessesStoppedError if the processes don't run or stop
        meanwhile, TooManyQuestions if the line is full, CannotThink if processes die of the
        question or none can start.
        """
        if self._on_demand:
            self._on_demand = False
            self.start()
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
        """Fail all questions; fire when all processes have ended."""
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
        self._fire_if_stopped()
        return stopped

    # Events of workers

    def free(self, worker: Worker) -> None:
        """Note that a worker has no job."""
        if self._open:
            self._idle.append(worker)
            self._begin()

    def ended(self, worker: Worker) -> None:
        """Note that a worker's process has ended."""
        self._workers.discard(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        if self._open:
            _log.error("engine process died; starting another")
            self._ask_again(worker.job)
            if worker.answered:
                self._start_one()
            else:
                # The process might never start, so don't loop without a pause.
                self._start_later()
        self._fire_if_stopped()

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
        """Log the fault once; without a process, fail all waiting questions."""
        if not self._cannot_start:
            _log.error("engine process can't start; retrying: {why}", why=error)
        self._cannot_start = True
        if not self._workers:
            for result in self._queue.clear():
                if not result.called:  # one answer can cancel another question
                    result.errback(CannotThink("no process to think in can be started"))

    def _begin(self) -> None:
        while self._queue and self._idle:
            self._idle.pop().give(self._queue.next()[1])

    def _cancel(self, job: Job) -> None:
        self._queue.remove(job.line, job.result)
        if job.worker is not None:
            job.worker.hurry()

    def _fire_if_stopped(self) -> None:
        if self._open or self._workers:
            return
        fired, self._stopping = self._stopping, []
        for stopped in fired:
            stopped.callback(None)

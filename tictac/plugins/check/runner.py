"""Runs the cases of a suite: side by side where that's sound, each in bounded time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from twisted.internet.defer import Deferred, DeferredLock, TimeoutError

from tictac.errors import SetupError
from tictac.plugins.check.cases import Case, Finding, Level, Outcome, Suite, Verdict
from tictac.plugins.check.peer import Peer
from tictac.plugins.check.scene import Harness
from tictac.plugins.check.target import Unreachable

LONG = 1.0
"""Seconds after which a case that still runs lets another one begin."""

HELPED = 4
"""How many times as many cases may run then."""


def closure(suite: Suite, wanted: Iterable[Case]) -> list[Case]:
    """The cases and all that they need, in the suite's order, but none before what it needs."""
    by_number = {case.number: case for case in suite.cases}
    needed: set[str] = set()
    left = [case.number for case in wanted]
    while left:
        number = left.pop()
        if number not in needed:
            needed.add(number)
            left += by_number[number].needs
    waiting = [case for case in suite.cases if case.number in needed]
    ordered: dict[str, Case] = {}
    while waiting:
        ready = next(case for case in waiting if ordered.keys() >= set(case.needs))
        waiting.remove(ready)
        ordered[ready.number] = ready
    return list(ordered.values())


class Runner:
    """Runs cases; ``outcomes`` are there when :meth:`run` is over.

    At most ``jobs`` cases run side by side, each for ``case_limit`` seconds at most, or six times
    as long as one answer may take. Where a case that isn't required doesn't hold the program
    differs; if this run is ``strict``, only where it is optional. ``tell`` is told how many of how
    many cases have ended.
    """

    def __init__(
        self,
        suite: Suite,
        harness: Harness,
        cases: Sequence[Case],
        jobs: int = 3,
        case_limit: float = 60.0,
        strict: bool = False,
        tell: Callable[[int, int], None] = lambda ended, whole: None,
    ) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self._suite, self._bench, self._cases, self._tell = suite, harness, cases, tell
        self._jobs, self._case_limit, self._strict = jobs, case_limit, strict
        self._running: set[str] = set()
        self._suspects: set[str] = set()
        self._looking = DeferredLock()

    async def run(self) -> list[Outcome]:
        """Run them all; their outcomes, in their order."""
        target = self._bench.target
        try:
            self._start()
            for case in [case for case in self._cases if case.gate]:
                await self._settle(case)
                if not (self._suite.checks_clients or target.was_reached):
                    raise SetupError(f"there is no server to be checked: {self._why(case)}")
            lonely = any(
                case.parallel and self.outcomes[case.number].verdict is not Verdict.PASS
                for case in self._cases
                if case.gate
            )
            many = [case for case in self._cases if not (case.gate or case.alone)]
            await self._side_by_side(many, 1 if lonely else self._jobs)
            suspects = [case for case in self._cases if case.number in self._suspects]
            alone = [case for case in self._cases if case.alone]
            for case in [*suspects, *sorted(alone, key=lambda case: case.slow)]:
                await self._settle(case)
        finally:
            await target.stop()
        return [self.outcomes[case.number] for case in self._cases]

    def _start(self) -> None:
        self._bench.starts += 1
        self._bench.target.start()

    async def _side_by_side(self, cases: list[Case], jobs: int) -> None:
        """Run cases in their order; those that are needed have come to an end when others begin.

        A case that takes long, mostly since it waits in vain, lets one more begin beside it where
        several may; but no client, since each is a process.
        """
        left, finished = list(cases), dict[str, Deferred[None]]()
        most = jobs if jobs == 1 or self._suite.checks_clients else HELPED * jobs
        workers: list[Deferred[None]] = []

        def hire() -> None:
            if left and len(workers) < most:
                workers.append(Deferred.fromCoroutine(work()))

        async def work() -> None:
            while left:
                case = left.pop(0)
                finished[case.number] = Deferred()
                helping = self._bench.clock.callLater(LONG, hire)
                try:
                    for number in case.needs:
                        if number in finished:
                            await finished[number]
                    await self._settle(case)
                finally:
                    if helping.active():
                        helping.cancel()
                    finished[case.number].callback(None)

        for _ in range(jobs):
            hire()
        # Others may be hired while one waits for those that are there.
        for worker in workers:
            await worker

    async def _settle(self, case: Case) -> None:
        """Run a case unless what it needs is missing, and keep its outcome."""
        needed = self._not_passed(case)
        if needed is not None:
            self._suspects.discard(case.number)
            self._keep(_unjudged(case, needed))
            return
        self._running.add(case.number)
        outcome = await self._play(case)
        for patience in (2.0, 4.0):
            if outcome.verdict is Verdict.PASS or not outcome.hurried:
                break
            outcome = await self._play(case, patience)
        alone = len(self._running) == 1
        if outcome.verdict not in (Verdict.PASS, Verdict.NOT_APPLICABLE):
            died = await self._looking.run(lambda: Deferred.fromCoroutine(self._death()))
            if died and not alone:
                # Who of those that ran has done it? They run again, one after the other.
                self._suspects |= self._running
            elif died:
                outcome.died, outcome.verdict = died, Verdict.FAIL
        self._running.discard(case.number)
        if case.number in self._suspects and not alone:
            return
        self._suspects.discard(case.number)
        self._keep(outcome)

    def _why(self, case: Case) -> str:
        outcome = self.outcomes[case.number]
        return outcome.died or outcome.came

    def _not_passed(self, case: Case) -> Outcome | None:
        """The first of the cases without which this one says nothing, if it hasn't passed."""
        outcomes = (self.outcomes.get(number) for number in case.needs)
        return next((o for o in outcomes if o is not None and o.verdict is not Verdict.PASS), None)

    async def _play(self, case: Case, patience: float = 1.0) -> Outcome:
        began = self._bench.clock.seconds()
        scene: Any = self._suite.scene(self._bench, case)
        outcome = Outcome(case, show=scene.show)
        scene.patience = patience

        async def act() -> None:
            await case.act(scene)
            await scene.finish()

        try:
            limit = max(self._case_limit, 6 * self._bench.patience.limit)
            await Deferred.fromCoroutine(act()).addTimeout(limit, self._bench.clock)
        except Finding as finding:
            outcome.verdict = finding.verdict
            outcome.expected, outcome.came = finding.expected, finding.came
            outcome.died = finding.died
        except TimeoutError:
            outcome.verdict = Verdict.FAIL
            outcome.expected = "the case to be over"
            outcome.came = f"it took more than {limit:g} s"
        except Exception as error:
            # A fault of a case is no fault of the program, and the others say more.
            outcome.verdict, outcome.came = Verdict.UNCLEAR, f"the checker failed: {error!r}"
        finally:
            await scene.close()
        binding = case.level is Level.REQUIRED or (self._strict and case.level is Level.DECIDED)
        if outcome.verdict is Verdict.FAIL and not binding:
            outcome.verdict = Verdict.DIFFERS
        outcome.seconds, outcome.transcript = self._bench.clock.seconds() - began, scene.lines
        outcome.hurried = scene.hurried
        return outcome

    async def _death(self) -> str:
        """How the server has ended, if it has; then it is started again."""
        if self._suite.checks_clients:
            return ""
        target, died = self._bench.target, ""
        if target.has_ended:
            assert target.program is not None
            died = target.program.how_it_ended()
        else:
            peer = Peer("probe", self._bench.clock, self._bench.patience, lambda *line: None)
            try:
                await target.connect(peer)
                if self._suite.probe is not None:
                    await self._suite.probe(self._bench, peer)
            except Unreachable as error:
                died = f"it takes no connections{' any more' * target.was_reached}: {error}"
            except Finding as finding:
                died = f"it doesn't answer new connections any more: {finding.came}"
            finally:
                peer.hang_up()
        if died:
            await target.stop()
            self._start()
        return died

    def _keep(self, outcome: Outcome) -> None:
        self.outcomes[outcome.case.number] = outcome
        self._tell(len(self.outcomes), len(self._cases))


def _unjudged(case: Case, needed: Outcome) -> Outcome:
    outcome = Outcome(case, Verdict.NOT_APPLICABLE)
    if needed.verdict is Verdict.NOT_APPLICABLE:
        outcome.missing, outcome.came = needed.missing, needed.came
    elif needed.verdict is Verdict.DIFFERS:
        outcome.came = f"{needed.case.number} differs"
    else:
        outcome.missing = needed.case.number
    return outcome

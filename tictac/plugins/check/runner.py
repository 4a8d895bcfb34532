"""Run the cases of a suite, in parallel if that is safe, each with a time limit.

Parallel cases share one server process, so a case can fail because of another one. The runner
blames a case only after a second run, alone, with a new process:

1. Gates run first, one after the other. They find out what the other cases must know.
2. Cases run in parallel, in rounds. A case that fails, or that ran when the program ended, is a
   suspect. A case that needs a suspect waits for the next round.
3. Each suspect runs again, alone, with a new process. Its second outcome counts.
4. If no suspect ended the program, the last case before them runs again, because a program can end
   a little later than its cause.
5. Cases that must be alone run last.

Example: cases A and B run in parallel, and A crashes the server. Both fail. Both run again alone:
A crashes the new server and fails; B passes, and the report mentions its first failure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf

from twisted.internet.defer import Deferred, DeferredLock, TimeoutError

from tictac.errors import SetupError
from tictac.plugins.check.cases import Case, Finding, Outcome, Suite, Verdict
from tictac.plugins.check.peer import Peer
from tictac.plugins.check.report import SILENT
from tictac.plugins.check.scene import Harness, Scene
from tictac.plugins.check.target import Unreachable
from tictac.terminal.style import visible

LONG = 1.0
"""Seconds after which a running case lets another one begin beside it."""

DYING = 1.0
"""Seconds that an unresponsive program can take to end."""

MAX_LINES = 40
"""Maximum last lines of the output of a program that can't be checked."""

HELPED = 4
"""Factor by which long cases can raise the number of parallel cases."""

HASTES = (1.0, 2.0, 4.0)
"""Factors for the pauses of a case, one for each attempt."""


def closure(suite: Suite, wanted: Iterable[Case]) -> list[Case]:
    """Return the wanted cases and all cases that they need, directly or indirectly.

    The cases are in the suite's order, but each comes after the cases that it needs.
    """
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


@dataclass
class Death:
    """An end of the program.

    ``how`` describes it, ``suspects`` are the cases that ran then, and ``before`` is the case that
    ended last before it.
    """

    how: str
    suspects: set[str]
    before: str


class Runner:
    """Runs cases, and collects their ``outcomes`` by number.

    If a program that the checker starts can't be reached at all, ``trouble`` is the reason, and
    ``output`` the end of what the program printed. After ``time_limit`` seconds, no case begins.

    Up to ``jobs`` cases run in parallel. Each gets ``case_limit`` seconds, or six times the limit
    for an answer, if that is longer. A failed case with an optional rule gets the verdict
    ``DIFFERS``; with ``by_source``, a decided rule has the same effect. After each case, the
    runner calls ``report_progress`` with the number of finished cases and the number of all cases.
    """

    def __init__(
        self,
        suite: Suite,
        harness: Harness,
        cases: Sequence[Case],
        jobs: int = 3,
        case_limit: float = 60.0,
        by_source: bool = False,
        report_progress: Callable[[int, int], None] = lambda ended, whole: None,
        time_limit: float = inf,
    ) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self.trouble = self.output = ""
        self._time_limit, self._late = time_limit, harness.clock.seconds() + time_limit
        self._suite, self._harness, self._cases, self._report_progress = (
            suite,
            harness,
            cases,
            report_progress,
        )
        self._jobs, self._case_limit, self._by_source = jobs, case_limit, by_source
        self._running: dict[str, set[str]] = {}
        self._survival_lock = DeferredLock()
        self._deaths: list[Death] = []
        self._last = ""
        self._lost = ""
        self._printed = b""

    async def run(self) -> list[Outcome]:
        """Run all cases; return their outcomes, in the order of the cases."""
        target = self._harness.target
        try:
            if self._suite.prepare is not None:
                await self._suite.prepare(self._harness)
            self._harness.start()
            for case in [case for case in self._cases if case.gate]:
                await self._run_alone(case)
                if case.parallel and self.outcomes[case.number].verdict is not Verdict.PASS:
                    self._harness.serves_one = case.number
                if not (self._suite.checks_clients or target.was_reached or self._is_late):
                    why = f"there is no server to be checked: {self._why(case)}"
                    if not target.can_start:
                        raise SetupError(why)
                    return self.blame(why, self._printed)
            many = [case for case in self._cases if not (case.gate or case.alone)]
            while many:
                many = await self._run_round(many, 1 if self._harness.serves_one else self._jobs)
            alone = [case for case in self._cases if case.alone]
            for case in sorted(alone, key=lambda case: case.slow):
                await self._run_alone(case)
            await self._check_between_cases()
            self._report_unexplained_deaths()
        finally:
            await target.stop()
        return [self.outcomes[case.number] for case in self._cases]

    def blame(self, why: str, output: bytes = b"") -> list[Outcome]:
        """Judge no case, because there is no program: the first one fails. Return all outcomes."""
        first = Outcome(self._cases[0], Verdict.FAIL, came=why, setup=True)
        unjudged = [_outcome_without_need(case, first) for case in self._cases[1:]]
        self.outcomes = {outcome.case.number: outcome for outcome in (first, *unjudged)}
        lines = output.decode(errors="replace").splitlines()[-MAX_LINES:]
        self.trouble, self.output = why, "\n".join(map(visible, lines))
        return list(self.outcomes.values())

    async def _run_round(self, cases: list[Case], jobs: int) -> list[Case]:
        """Run cases in parallel, and then each suspect alone.

        Return the cases that need a suspect; the caller runs them in another round.
        """
        suspects: dict[str, Outcome] = {}
        left = await self._run_in_parallel(cases, jobs, suspects)
        for case in cases:
            if case.number in suspects:
                self._keep(await self._rerun(suspects[case.number]))
        await self._rerun_previous()
        return left

    async def _run_in_parallel(
        self, cases: list[Case], jobs: int, suspects: dict[str, Outcome]
    ) -> list[Case]:
        """Run cases in parallel, in their order; each begins after the cases that it needs.

        A case that takes longer than ``LONG`` seconds mostly waits for silence, so one more case
        begins beside it. Clients are processes, so their number doesn't grow. Outcomes for which
        other cases can be the cause go into ``suspects``. Return the cases that need a suspect.
        """
        waiting, finished = list(cases), dict[str, Deferred[None]]()
        most = jobs if jobs == 1 or self._suite.checks_clients else HELPED * jobs
        workers: list[Deferred[None]] = []
        left: list[Case] = []
        put_off: set[str] = set()

        def hire() -> None:
            if waiting and len(workers) < most:
                workers.append(Deferred.fromCoroutine(work()))

        async def work() -> None:
            while waiting:
                case = waiting.pop(0)
                finished[case.number] = Deferred()
                helping = self._harness.clock.callLater(LONG, hire)
                try:
                    for number in case.needs:
                        if number in finished:
                            await finished[number]
                    if put_off.isdisjoint(case.needs):
                        outcome = await self._run_case(case)
                        if outcome is not None:
                            suspects[case.number] = outcome
                            put_off.add(case.number)
                    else:
                        left.append(case)
                        put_off.add(case.number)
                finally:
                    if helping.active():
                        helping.cancel()
                    finished[case.number].callback(None)

        for _ in range(jobs):
            hire()
        # A long case can add a worker to the list during this loop.
        for worker in workers:
            await worker
        return [case for case in cases if case in left]

    async def _run_case(self, case: Case) -> Outcome | None:
        """Run a case, perhaps beside others.

        If its outcome is certain, keep it and return None. Otherwise, return it: the case must run
        again.
        """
        if not self._can_be_judged(case):
            return None
        if not self._running:
            await self._check_between_cases()
        deaths, was_fresh = len(self._deaths), self._harness.is_fresh
        for company in self._running.values():
            company.add(case.number)
        self._running[case.number] = others = set(self._running)
        binds = case.level.binds(self._by_source)
        is_final = not binds or was_fresh or not self._can_start
        outcome = await self._run_patiently(case, HASTES if is_final else HASTES[:1])
        del self._running[case.number]
        self._last = case.number
        outcome.survived = len(self._deaths) == deaths
        # A difference is no failure, but a program that ended during the case is suspicious.
        is_clean = outcome.survived and (outcome.passed or outcome.verdict is Verdict.DIFFERS)
        if is_clean or not (others or (self._can_start and not was_fresh)):
            self._keep(outcome)
            return None
        if self._lost:
            if others and not outcome.passed:
                _mark_unclear(outcome, others)
            self._keep(outcome)
            return None
        return outcome

    async def _run_alone(self, case: Case) -> None:
        """Run a case while no other case runs, and keep its outcome."""
        outcome = await self._run_case(case)
        if outcome is not None:
            self._keep(await self._rerun(outcome))
        await self._rerun_previous()

    async def _rerun(self, first: Outcome) -> Outcome:
        """Run a case again, alone, and return the outcome that counts.

        If the checker can start the program, the case gets a new process. If nothing came in the
        first run, a shorter silence of the idle program is enough.
        """
        if self._can_start:
            await self._harness.start_anew()
        patience = self._harness.patience
        patience.is_second = first.silent
        try:
            outcome = await self._run_patiently(first.case, HASTES, first)
        finally:
            patience.is_second = False
        if outcome.passed and not first.passed and first.survived:
            outcome.beside = f"expected {first.expected}; {first.came}"
        return outcome

    def _can_be_judged(self, case: Case) -> bool:
        needed = self._failed_need(case)
        if needed is not None:
            self._keep(_outcome_without_need(case, needed))
        elif self._lost:
            self._keep(Outcome(case, Verdict.NOT_APPLICABLE, came=self._lost))
        elif self._is_late:
            came = f"the time for all cases was up, {self._time_limit:g} s"
            self._keep(Outcome(case, Verdict.UNCLEAR, came=came))
            return False
        return needed is None and not self._lost

    @property
    def _is_late(self) -> bool:
        return self._harness.clock.seconds() >= self._late

    async def _run_patiently(
        self, case: Case, hastes: Sequence[float], first: Outcome | None = None
    ) -> Outcome:
        """Run a case, again with longer pauses if it fails, and check whether the program survives.

        ``hastes`` are the factors for its pauses. In a second run, ``first`` is the first outcome.
        """
        program = None if self._suite.checks_clients else self._harness.target.program
        size = 0 if program is None else program.size
        for patience in hastes:
            outcome = await self._run_once(case, patience, first)
            if outcome.verdict is Verdict.PASS or not outcome.hurried or self._is_late:
                break
        died = await self._survival_lock.run(
            lambda: Deferred.fromCoroutine(self._check_survival(outcome))
        )
        if program is not None and outcome.verdict is Verdict.FAIL:
            outcome.printed = program.error_since(size)
        if died and outcome.passed:
            outcome.after = died
        elif died:
            outcome.died = died
            outcome.verdict = Verdict.FAIL
            self._apply_level(outcome)
        return outcome

    @property
    def _can_start(self) -> bool:
        return self._harness.target.can_start and not self._suite.checks_clients

    async def _check_survival(self, outcome: Outcome) -> str:
        """Return how the program ended, or "" if it still answers.

        If it ended, record that and start the program again.
        """
        if self._suite.checks_clients:
            return ""
        how, unseen = self._how_it_ended(), self._suite.probe and not self._suite.probe_disturbs
        if not how and (unseen or not outcome.passed):
            how = await self._probe()
            if how:
                how = await self._wait_for_end() or how
        if how:
            await self._record_death(how, {*self._running, outcome.case.number})
        return how

    async def _check_between_cases(self) -> None:
        """Check whether the program ended after the last case."""
        how = "" if self._suite.checks_clients else self._how_it_ended()
        if how and self._last:
            await self._record_death(how, set())
            await self._rerun_previous()

    async def _record_death(self, how: str, suspects: set[str]) -> None:
        self._deaths.append(Death(how, suspects, self._last))
        program = self._harness.target.program
        self._printed = program.output if program is not None else b""
        if self._can_start:
            await self._harness.start_anew()
        else:
            self._lost = f"the server has ended: {how}"

    async def _rerun_previous(self) -> None:
        """For each unexplained end of the program, run the case before it again.

        A program can end a little later than its cause.
        """
        for death in self._deaths:
            before, death.before = death.before, ""
            if before in self.outcomes and self._can_start and not self._is_explained(death):
                again = await self._rerun(self.outcomes[before])
                death.suspects.add(before)
                if again.after or again.died:
                    self._keep(again)

    def _is_explained(self, death: Death) -> bool:
        suspects = (self.outcomes.get(number) for number in death.suspects)
        return any(outcome and (outcome.died or outcome.after) for outcome in suspects)

    def _report_unexplained_deaths(self) -> None:
        """Mention each unexplained end of the program in the outcome of its first suspect."""
        for death in self._deaths:
            suspects = [o for o in self.outcomes.values() if o.case.number in death.suspects]
            if suspects and not self._is_explained(death):
                suspects[0].beside = f"the program broke: {death.how}"

    def _why(self, case: Case) -> str:
        outcome = self.outcomes[case.number]
        return outcome.died or outcome.came

    def _failed_need(self, case: Case) -> Outcome | None:
        """Return the outcome of the first needed case that didn't pass, if any."""
        outcomes = (self.outcomes.get(number) for number in case.needs)
        stops = (o for o in outcomes if o and not (o.extra or o.verdict is Verdict.PASS))
        return next(stops, None)

    async def _run_once(self, case: Case, patience: float, first: Outcome | None) -> Outcome:
        began = self._harness.clock.seconds()
        scene: Scene = self._suite.scene(self._harness, case)
        outcome = Outcome(case, show=scene.show)
        scene.patience, scene.is_second = patience, first is not None
        # Looking for the end of the program after each connection takes seconds with many of them.
        scene.one_by_one = first is not None and (bool(first.passed) or not first.survived)

        try:
            await self._judge(scene, outcome)
        finally:
            await scene.close()
        self._apply_level(outcome)
        outcome.seconds, outcome.transcript = self._harness.clock.seconds() - began, scene.lines
        outcome.hurried = scene.hurried
        return outcome

    async def _judge(self, scene: Scene, outcome: Outcome) -> None:
        """Run the function of the case and then ``tidy``; store the result in ``outcome``."""
        limit = max(self._case_limit, 6 * self._harness.patience.limit, outcome.case.lasts)

        async def act() -> None:
            await outcome.case.act(scene)
            try:
                await scene.finish()
            except Finding as finding:
                finding.extra = True
                raise

        try:
            await Deferred.fromCoroutine(act()).addTimeout(limit, self._harness.clock)
            outcome.judged = len(scene.lines)
            with suppress(Finding):  # Failures in tidy aren't part of the case.
                await scene.tidy()
        except Finding as finding:
            outcome.verdict = finding.verdict
            outcome.expected, outcome.came = finding.expected, finding.came
            outcome.died, outcome.setup = finding.died, finding.setup
            outcome.missing, outcome.silent = finding.missing, finding.silent
            outcome.extra = finding.extra
            if finding.breaks not in ("", outcome.rules[0].number):
                broken = self._suite.rules[finding.breaks]
                own = (case.hint for case in self._suite.cases if case.rules[0] is broken)
                outcome.rules, outcome.hint = (broken,), next(own, "")
        except TimeoutError:
            outcome.verdict = Verdict.FAIL
            outcome.expected = "the case to be over"
            outcome.came = f"it took more than {limit:g} s"
        except SetupError:
            raise
        except Exception as error:
            # The case itself has a bug, which is no fault of the program. Go on with the others.
            outcome.verdict, outcome.came = Verdict.UNCLEAR, f"the checker failed: {error!r}"
        outcome.judged = outcome.judged or len(scene.lines)

    def _apply_level(self, outcome: Outcome) -> None:
        """Change the verdict FAIL to DIFFERS if the broken rule isn't binding.

        If a binding case needs this one, the verdict is UNCLEAR. Otherwise, a program that the
        checker can't read would pass.
        """
        level = outcome.rules[0].level
        if outcome.verdict is not Verdict.FAIL or level.binds(self._by_source):
            return
        needed = any(
            outcome.case.number in case.needs and case.level.binds(self._by_source)
            for case in self._cases
        )
        outcome.verdict = Verdict.UNCLEAR if needed else Verdict.DIFFERS

    def _how_it_ended(self) -> str:
        """Return how the program ended, or "" if it runs or the checker didn't start it."""
        target = self._harness.target
        if not target.has_ended:
            return ""
        assert target.program is not None
        return target.program.how_it_ended()

    async def _wait_for_end(self) -> str:
        """Wait up to ``DYING`` seconds for the end of an unresponsive program; return how it ended.

        The exit status says more than the missing answer.
        """
        program = self._harness.target.program
        if program is not None:
            with suppress(TimeoutError):
                ended = Deferred.fromCoroutine(program.ended())
                await ended.addTimeout(DYING, self._harness.clock)
        return self._how_it_ended()

    async def _probe(self) -> str:
        """Return what fails on a new connection to the server, or "" if nothing does."""
        target = self._harness.target
        peer = Peer("probe", self._harness.clock, self._harness.patience, lambda *line: None)
        try:
            await target.connect(peer)
            if self._suite.probe is not None:
                await self._suite.probe(self._harness, peer)
        except Unreachable as error:
            return f"it takes no connections{' any more' * target.was_reached}: {error}"
        except Finding as finding:
            # A wrong answer is one, too: its own case judges it.
            return "" if peer.unread else f"{SILENT} new connections any more: {finding.came}"
        finally:
            peer.hang_up()
        return ""

    def _keep(self, outcome: Outcome) -> None:
        self.outcomes[outcome.case.number] = outcome
        self._report_progress(len(self.outcomes), len(self._cases))


def _mark_unclear(outcome: Outcome, others: set[str]) -> None:
    """Mark an outcome as unclear, because other cases ran and the server can't be started again."""
    outcome.verdict, outcome.died = Verdict.UNCLEAR, ""
    outcome.came += f"; beside it ran {', '.join(sorted(others))}, and the server has ended"


def _outcome_without_need(case: Case, needed: Outcome) -> Outcome:
    outcome = Outcome(case, Verdict.NOT_APPLICABLE)
    if needed.verdict is Verdict.NOT_APPLICABLE:
        outcome.missing, outcome.came = needed.missing, needed.came
    elif needed.verdict is Verdict.DIFFERS:
        outcome.came = f"{needed.case.number} differs"
    else:
        outcome.missing = needed.case.number
    return outcome

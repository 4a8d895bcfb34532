"""Who is blamed: for what came beside others, and for the end of the program."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tictac.plugins.check.cases import Finding, Outcome, Suite, Verdict
from tictac.plugins.check.peer import Peer
from tictac.plugins.check.report import first_line, report
from tictac.plugins.check.rules import Level, Rule
from tictac.plugins.check.runner import Runner
from tictac.plugins.check.scene import Harness, Scene, direction
from tictac.plugins.check.target import Target

RULES = {
    number: Rule(number, level, "Section", "It is so.")
    for number, level in (
        ("R1.1", Level.REQUIRED),
        ("R1.2", Level.OPTIONAL),
        ("R1.3", Level.REQUIRED),
    )
}


class ToyTarget(Target):
    """A program without a process, which cases can end."""

    def __init__(self, clock: Clock, *, can_start: bool = True) -> None:
        super().__init__(clock)
        self._can_start, self.starts, self.visits = can_start, 0, 0
        self.was_reached = True

    @property
    def can_start(self) -> bool:
        return self._can_start

    def start(self) -> None:
        self.program: Any = SimpleNamespace(
            status=None,
            how_it_ended=lambda: "KeyError",
            is_busy=lambda: False,
            size=0,
            output=b"",
            error_since=lambda size: "",
            ended=self.ended,
        )
        self.starts, self.visits = self.starts + 1, 0

    async def ended(self) -> None:
        """Wait in vain."""
        await Deferred()

    def end(self) -> None:
        """Let it be ended."""
        assert self.program is not None
        self.program.status = 1

    async def stop(self) -> None:
        self.program = None

    async def connect(self, peer: Peer) -> Peer:
        return peer


class ToyScene(Scene):
    """A case whose clean-up can be told."""

    tidying: Callable[[Any], None] | None = None

    @property
    def target(self) -> Any:
        return self.harness.target

    async def tidy(self) -> None:
        if self.tidying is not None:
            self.tidying(self)


class ScriptedScene(ToyScene):
    """A case with two directions."""

    @direction("it is so")
    def _is_so(self) -> None:
        """Do nothing."""

    @direction("it fails")
    def _fails(self) -> None:
        raise Finding("this", "that came")


class BlameTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.suite = Suite("toy", "docs/reference/rooms.md", RULES, ToyScene)
        self.target = ToyTarget(self.clock)
        self.waiting: dict[str, Deferred[None]] = {}

    def add(
        self,
        number: str,
        act: Callable[[Any], Any] = lambda scene: None,
        level: Level = Level.REQUIRED,
        **about: Any,
    ) -> None:
        async def done(scene: Any) -> None:
            waited = act(scene)
            if isinstance(waited, Deferred):
                await waited

        rule = next(number for number, rule in RULES.items() if rule.level is level)
        self.suite.case(number, f"case {number}", rule, f"Mend {number}.", **about)(done)

    def begin(self, **options: Any) -> Deferred[list[Outcome]]:
        runner = Runner(
            self.suite, Harness(self.clock, self.target, 1), self.suite.cases, **options
        )
        return Deferred.fromCoroutine(runner.run())

    def end(self, running: Deferred[list[Outcome]]) -> list[Outcome]:
        for _ in range(100):
            if running.called:
                break
            self.clock.advance(0.1)
        return self.successResultOf(running)

    def wait(self, scene: Any) -> Deferred[None]:
        """Wait in the first run of a case, which is beside others, for a test to go on."""
        if scene.is_second:
            return Deferred.fromCoroutine(self.nothing())
        number = scene.case.number.removeprefix("toy-")
        return self.waiting.setdefault(number, Deferred())

    async def nothing(self) -> None:
        pass

    def verdicts(self, outcomes: list[Outcome]) -> list[Verdict]:
        return [outcome.verdict for outcome in outcomes]

    def fails(self, scene: Any) -> None:
        raise Finding("this", "that came")

    def test_silence_is_waited_for_less_in_the_second_run_alone(self) -> None:
        seen: list[bool] = []

        def is_silent(scene: Any) -> None:
            seen.append(scene.harness.patience.is_second)
            finding = Finding("this", "nothing came in 3 s")
            finding.silent = True
            raise finding

        self.add("1.1")
        self.add("1.2", is_silent)
        self.add("1.3", lambda scene: seen.append(scene.harness.patience.is_second), alone=True)
        self.end(self.begin())
        assert seen == [False, True, False]

    def test_a_failure_at_once_gets_the_usual_silence_in_its_second_run(self) -> None:
        seen: list[bool] = []

        def fails(scene: Any) -> None:
            seen.append(scene.harness.patience.is_second)
            self.fails(scene)

        self.add("1.1")
        self.add("1.2", fails)
        self.end(self.begin())
        assert seen == [False, False]

    def test_a_wrong_answer_to_a_probe_is_no_silence(self) -> None:
        async def probe(harness: Harness, peer: Peer) -> None:
            peer.unread = self.greeting
            raise peer.finding("an answer", "nothing came")

        self.suite.probe = probe
        self.add("1.1", self.fails)
        for self.greeting, died in ((b"Welcome!", False), (b"", True)):
            (failed,) = self.end(self.begin())
            assert bool(failed.died) is died

    def breaks_in_the_clean_up(self, scene: Any) -> None:
        def tidying(scene: Any) -> None:
            scene.note("alice", ">", b"FORFEIT")
            scene.target.end()

        scene.note("alice", "<", b"CREATE:ACKSTATUS:0")
        scene.tidying = tidying

    def test_an_end_in_the_clean_up_is_told_and_fails_no_case(self) -> None:
        self.add("1.1")
        self.add("1.2", self.breaks_in_the_clean_up)
        self.add("1.3")
        outcomes = self.end(self.begin(jobs=1))
        assert self.verdicts(outcomes) == [Verdict.PASS] * 3
        told = 'toy-1.2 passed, but then the program broke after alice> "FORFEIT" (KeyError).'
        assert first_line(outcomes) == f"Mend this first: {told}"
        assert told in report(outcomes, 1)

    def test_who_broke_the_program_beside_others_is_found_out_alone(self) -> None:
        self.add("1.1", self.wait)
        self.add("1.2", lambda scene: scene.target.end())
        running = self.begin(jobs=2)
        self.waiting["1.1"].errback(Finding("this", "the connection was closed"))
        first, second = self.end(running)
        assert (first.verdict, first.beside, first.died) == (Verdict.PASS, "", "")
        assert second.after == "KeyError"

    def test_the_end_of_the_program_beside_it_says_nothing_of_an_optional_case(self) -> None:
        self.add("1.1", self.wait, level=Level.OPTIONAL)
        self.add("1.2", lambda scene: scene.target.end())
        running = self.begin(jobs=2)
        self.waiting["1.1"].errback(Finding("this", "the connection was closed"))
        assert self.end(running)[0].verdict is Verdict.PASS

    def test_what_fails_beside_others_alone_is_a_finding_of_its_own(self) -> None:
        self.add("1.1", self.wait)
        self.add("1.2", self.wait)
        self.add("1.3", needs="1.1")
        running = self.begin(jobs=2)
        self.waiting["1.1"].errback(Finding("two accounts", "one was lost"))
        self.waiting["1.2"].callback(None)
        outcomes = self.end(running)
        assert self.verdicts(outcomes) == [Verdict.PASS] * 3
        assert outcomes[0].beside == "expected two accounts; one was lost"
        assert "toy-1.1 passes alone. Beside or after other cases: expected" in report(outcomes, 1)

    def test_what_nothing_asked_for_gates_no_other_case(self) -> None:
        class Talkative(ToyScene):
            async def finish(self) -> None:
                if self.case.number == "toy-1.1":
                    raise Finding("nothing more", "INPROGRESS came")

        self.suite.scene = Talkative
        self.add("1.1")
        self.add("1.2", needs="1.1")
        outcomes = self.end(self.begin(jobs=1))
        assert self.verdicts(outcomes) == [Verdict.FAIL, Verdict.PASS]
        assert outcomes[0].extra

    def test_a_line_of_a_script_names_the_rule_that_it_breaks(self) -> None:
        def fails_at_the_second_line(scene: Any) -> Deferred[None]:
            return Deferred.fromCoroutine(scene.play("(it is so) [R1.2]\n(it fails) [R1.3]"))

        self.suite.scene = ScriptedScene
        self.add("1.1", fails_at_the_second_line)
        self.suite.script("1.2", "case 1.2", "R1.3", "Mend that.", script="(it is so)")
        failed = self.end(self.begin(jobs=1))[0]
        assert [rule.number for rule in failed.rules] == ["R1.3"]
        assert (failed.title, failed.hint) == ("It is so", "Mend that.")

    def test_what_fails_alone_too_is_blamed_and_what_needs_it_not_judged(self) -> None:
        self.add("1.1")
        self.add("1.2", self.fails)
        self.add("1.3", needs="1.2")
        for jobs in (1, 2):
            outcomes = self.end(self.begin(jobs=jobs))
            assert self.verdicts(outcomes)[:2] == [Verdict.PASS, Verdict.FAIL]
            assert outcomes[2].missing == "toy-1.2"

    def test_what_fails_for_earlier_cases_passes_with_a_new_program(self) -> None:
        def worn(scene: Any) -> None:
            scene.target.visits += 1
            if scene.target.visits > 1:
                raise Finding("an empty board", "one with marks came")

        for number in range(1, 4):
            self.add(f"1.{number}", worn)
        outcomes = self.end(self.begin(jobs=1))
        assert self.verdicts(outcomes) == [Verdict.PASS] * 3
        assert outcomes[1].beside

    def test_an_end_that_nobody_alone_brings_about_is_told(self) -> None:
        self.add("1.1", self.wait)
        self.add("1.2", self.wait)
        running = self.begin(jobs=2)
        self.target.end()
        for waiting in self.waiting.values():
            waiting.errback(Finding("this", "the connection was closed"))
        outcomes = self.end(running)
        assert self.verdicts(outcomes) == [Verdict.PASS] * 2
        assert [outcome.beside for outcome in outcomes] == ["the program broke: KeyError", ""]

    def test_an_end_after_a_case_is_seen_before_the_next_one(self) -> None:
        def later(scene: Any) -> None:
            scene.harness.clock.callLater(0.05, scene.target.end)

        self.add("1.1", later)
        self.add("1.2", self.wait)
        self.add("1.3", alone=True)
        running = self.begin(jobs=1)
        self.clock.advance(0.1)
        self.waiting["1.2"].callback(None)
        outcomes = self.end(running)
        assert [outcome.after for outcome in outcomes] == ["KeyError", "", ""]

    def test_without_a_command_nothing_is_judged_once_the_server_is_gone(self) -> None:
        self.target = ToyTarget(self.clock, can_start=False)
        self.target.start()
        self.target.start = lambda: None  # type: ignore[method-assign]

        def breaks(scene: Any) -> None:
            scene.target.end()
            raise Finding("this", "the connection was closed")

        self.add("1.1", breaks)
        self.add("1.2")
        first, second = self.end(self.begin(jobs=1))
        assert (first.verdict, first.died) == (Verdict.FAIL, "KeyError")
        assert (second.verdict, second.came) == (
            Verdict.NOT_APPLICABLE, "the server has ended: KeyError",
        )  # fmt: skip

    def test_where_one_connection_is_served_cases_of_two_wait_for_that_case(self) -> None:
        async def two(scene: Any) -> None:
            await scene.connect("alice")
            await scene.connect("bob")

        self.add("1.1", self.fails, gate=True, parallel=True)
        self.suite.case("1.2", "case 1.2", "R1.1", "Mend it.")(two)
        self.add("1.3")
        outcomes = self.end(self.begin())
        assert [outcome.missing for outcome in outcomes] == ["", "toy-1.1", ""]

    def test_the_first_line_gives_no_hint_for_what_a_case_is_not_about(self) -> None:
        def unprepared(scene: Any) -> None:
            with scene.preparing():
                raise Finding("a login", "BADAUTH came")

        self.add("1.1", unprepared)
        (outcome,) = self.end(self.begin())
        assert first_line([outcome]) == (
            "Mend this first: toy-1.1 could not begin: expected a login; BADAUTH came."
        )

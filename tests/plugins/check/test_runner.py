"""How cases are run: in which order, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.trial.unittest import SynchronousTestCase

from tictac.plugins.check.cases import Finding, NotApplicable, Outcome, Suite, Verdict
from tictac.plugins.check.lobby import LobbyScene
from tictac.plugins.check.peer import IDLE, IDLE_AGAIN, LOOK, Patience, Peer
from tictac.plugins.check.rules import Level, Rule
from tictac.plugins.check.runner import Runner, closure
from tictac.plugins.check.scene import Harness, Scene
from tictac.plugins.check.suites import SUITES
from tictac.plugins.check.target import Target
from tictac.plugins.classics.connectfour.check.server import ConnectFourScene


class RunnerTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        rules = {level.mark: Rule(level.mark, level, "Section", "It is so.") for level in Level}
        self.suite = Suite("toy", "docs/reference/rooms.md", rules, Scene)
        self.ran: list[str] = []

    def add(
        self,
        number: str,
        act: Callable[[Any], Any] = lambda scene: None,
        rule: str = "MUST",
        **kinds: Any,
    ) -> None:
        async def noted(scene: Any) -> None:
            self.ran.append(number)
            waited = act(scene)
            if isinstance(waited, Deferred):
                await waited

        self.suite.case(number, f"case {number}", rule, "hint", **kinds)(noted)

    def run_all(self, **options: Any) -> Deferred[list[Outcome]]:
        harness = Harness(self.clock, Target(self.clock), 1)
        self.suite.checks_clients = True  # so there is no server to be reached
        runner = Runner(self.suite, harness, closure(self.suite, self.suite.cases), **options)
        return Deferred.fromCoroutine(runner.run())

    def verdicts(self, **options: Any) -> dict[str, Verdict]:
        return {
            outcome.case.number.removeprefix("toy-"): outcome.verdict
            for outcome in self.successResultOf(self.run_all(**options))
        }

    def fail_it(self, scene: Any) -> None:
        raise Finding("this", "that came")

    def test_what_needs_a_failed_case_is_not_run_and_names_it(self) -> None:
        self.add("1.1", self.fail_it)
        self.add("1.2", needs="1.1")
        self.add("1.3", needs="1.2")
        outcomes = self.successResultOf(self.run_all())
        assert [outcome.missing for outcome in outcomes] == ["", "toy-1.1", "toy-1.1"]
        assert self.ran == ["1.1"]

    def test_a_case_follows_those_that_it_needs(self) -> None:
        self.add("1.1", needs="2.1")
        self.add("1.2")
        self.add("2.1")
        assert [case.number for case in closure(self.suite, self.suite.cases[:1])] == [
            "toy-2.1", "toy-1.1",
        ]  # fmt: skip
        assert [case.number for case in closure(self.suite, self.suite.cases)] == [
            "toy-1.2", "toy-2.1", "toy-1.1",
        ]  # fmt: skip

    def test_the_standard_says_what_can_fail(self) -> None:
        for number, level in enumerate(Level):
            self.add(f"1.{number}", self.fail_it, level.mark)
        fail, differs = Verdict.FAIL, Verdict.DIFFERS
        assert list(self.verdicts().values()) == [fail, fail, differs]
        assert list(self.verdicts(by_source=True).values()) == [fail, differs, differs]

    def test_what_says_nothing_of_the_program_says_why(self) -> None:
        def act(scene: Any) -> None:
            raise NotApplicable("it has no seats")

        self.add("1.1", act)
        (outcome,) = self.successResultOf(self.run_all())
        assert (outcome.verdict, outcome.came) == (Verdict.NOT_APPLICABLE, "it has no seats")

    def test_a_fault_of_the_checker_is_no_fault_of_the_program(self) -> None:
        def act(scene: Any) -> None:
            raise ZeroDivisionError

        self.add("1.1", act)
        self.add("1.2")
        assert self.verdicts() == {"1.1": Verdict.UNCLEAR, "1.2": Verdict.PASS}

    def test_a_case_that_had_to_pause_is_tried_again_with_more_patience(self) -> None:
        def act(scene: Any) -> None:
            scene.hurried = True
            if scene.patience < 4:
                raise Finding("this", "that came")

        self.add("1.1", act)
        assert self.verdicts() == {"1.1": Verdict.PASS}
        assert len(self.ran) == 3

    def test_a_case_that_never_ends_is_ended(self) -> None:
        self.add("1.1", lambda scene: Deferred())
        running = self.run_all(case_limit=100)
        self.clock.advance(99)
        self.assertNoResult(running)
        self.clock.advance(1)
        (outcome,) = self.successResultOf(running)
        assert outcome.came == "it took more than 100 s"

    def test_cases_run_side_by_side_only_if_the_program_can(self) -> None:
        waiting: list[Deferred[None]] = []

        def wait(scene: Any) -> Deferred[None]:
            waiting.append(Deferred())
            return waiting[-1]

        for passes, at_once in ((True, 3), (False, 1)):
            self.suite.cases.clear()
            act = (lambda scene: succeed(None)) if passes else self.fail_it
            self.add("1.1", act, gate=True, parallel=True)
            for number in range(2, 7):
                self.add(f"1.{number}", wait)
            running = self.run_all(jobs=3)
            assert len(waiting) == at_once
            while waiting:
                waiting.pop(0).callback(None)
            self.successResultOf(running)

    def test_a_case_that_waits_in_vain_lets_another_one_begin_beside_it(self) -> None:
        waiting: list[Deferred[None]] = []

        def wait(scene: Any) -> Deferred[None]:
            waiting.append(Deferred())
            return waiting[-1]

        self.add("1.1")
        for number in range(2, 30):
            self.add(f"1.{number}", wait)
        for clients, most in ((True, 2), (False, 8)):
            self.suite.checks_clients = clients
            harness = Harness(self.clock, Target(self.clock), 1)
            runner = Runner(self.suite, harness, self.suite.cases, 2)
            running = Deferred.fromCoroutine(runner.run())
            for _ in range(5):
                self.clock.advance(1)
            assert len(waiting) == most
            while waiting:
                waiting.pop(0).callback(None)
            self.successResultOf(running)


class PeerTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.notes: list[tuple[str, str, bytes]] = []

    def peer(self, end: bytes = b"\n", patience: Patience | None = None) -> Peer:
        patience = patience or Patience(10)
        peer = Peer("alice", self.clock, patience, lambda *line: self.notes.append(line), end)
        transport = StringTransport()
        transport.setTcpNoDelay = lambda enabled: None  # type: ignore[attr-defined]
        peer.makeConnection(transport)
        return peer

    def expect(self, peer: Peer, *choices: bytes) -> Deferred[bytes]:
        return Deferred.fromCoroutine(peer.expect(*choices))

    def finding(self, expecting: Deferred[bytes]) -> str:
        return str(self.failureResultOf(expecting, Finding).value)

    def test_a_line_may_come_in_pieces_and_with_a_carriage_return(self) -> None:
        peer = self.peer()
        expecting = self.expect(peer, b"BADAUTH")
        peer.dataReceived(b"BAD")
        self.assertNoResult(expecting)
        peer.dataReceived(b"AUTH\r\nNOROOM\n")
        assert self.successResultOf(expecting) == b"BADAUTH"
        assert peer.unread == b"NOROOM\n"

    def test_messages_without_an_end_are_told_apart_by_what_is_expected(self) -> None:
        peer = self.peer(b"")
        peer.dataReceived(b"JOIN:ACKSTATUS:0BEGIN:a:b")
        assert self.successResultOf(self.expect(peer, b"JOIN:ACKSTATUS:0")) == b"JOIN:ACKSTATUS:0"
        assert self.successResultOf(self.expect(peer, b"BEGIN:a:b")) == b"BEGIN:a:b"

    def test_something_else_is_noticed_at_once(self) -> None:
        for end in (b"\n", b""):
            peer = self.peer(end)
            peer.dataReceived(b"NOROOM" + end)
            assert self.finding(self.expect(peer, b"BADAUTH")) == (
                'expected alice gets "BADAUTH"; "NOROOM" came'
            )

    def test_silence_is_noticed_at_the_limit_and_a_lost_newline_named(self) -> None:
        peer = self.peer()
        expecting = self.expect(peer, b"BADAUTH")
        peer.dataReceived(b"BADAUTH")
        self.clock.advance(9.9)
        self.assertNoResult(expecting)
        self.clock.advance(0.1)
        assert self.finding(expecting).endswith(
            '"BADAUTH" came without "\\n" after it, then nothing more came in 10 s'
        )

    def test_the_limit_grows_with_a_slow_program(self) -> None:
        peer = self.peer()
        expecting = self.expect(peer, b"BADAUTH")
        self.clock.advance(5)
        peer.dataReceived(b"BADAUTH\n")
        self.successResultOf(expecting)
        expecting = self.expect(peer, b"BADAUTH")
        self.clock.advance(19)
        self.assertNoResult(expecting)
        self.clock.advance(1)
        self.finding(expecting)

    def test_an_idle_program_is_not_waited_for(self) -> None:
        busy = True
        program: Any = SimpleNamespace(is_busy=lambda: busy)
        peer = self.peer(patience=Patience(10, lambda: program))
        peer.has_been_read = lambda: True  # type: ignore[method-assign]
        expecting = self.expect(peer, b"BADAUTH")
        self.clock.pump([IDLE, LOOK, LOOK])
        self.assertNoResult(expecting)
        busy = False
        self.clock.advance(LOOK)
        assert self.failureResultOf(expecting, Finding).value.silent

    def test_an_idle_program_is_waited_for_less_in_a_second_run(self) -> None:
        program: Any = SimpleNamespace(is_busy=lambda: False)
        patience = Patience(10, lambda: program)
        patience.is_second = True
        peer = self.peer(patience=patience)
        peer.has_been_read = lambda: True  # type: ignore[method-assign]
        expecting = self.expect(peer, b"BADAUTH")
        self.clock.advance(IDLE_AGAIN)
        assert self.failureResultOf(expecting, Finding).value.silent

    def test_a_slow_program_gets_twice_its_longest_wait_in_a_second_run(self) -> None:
        program: Any = SimpleNamespace(is_busy=lambda: False)
        patience = Patience(10, lambda: program)
        patience.is_second = True
        patience.record(2)
        peer = self.peer(patience=patience)
        peer.has_been_read = lambda: True  # type: ignore[method-assign]
        expecting = self.expect(peer, b"BADAUTH")
        self.clock.advance(3.9)
        self.assertNoResult(expecting)
        self.clock.advance(0.1)
        assert self.failureResultOf(expecting, Finding).value.silent

    def test_a_closed_connection_is_told(self) -> None:
        peer = self.peer()
        expecting = self.expect(peer, b"BADAUTH")
        peer.connectionLost()
        assert self.finding(expecting).endswith("; the program closed the connection")

    def test_json_that_is_too_deep_is_a_fault_of_the_program(self) -> None:
        scene = LobbyScene(Harness(self.clock, Target(self.clock), 1), SUITES["lobby"].cases[0])
        scene.peers["alice"] = peer = self.peer()
        peer.dataReceived(b"[" * 100_000 + b"\n")
        expecting = Deferred.fromCoroutine(scene.expect("alice", {}))
        self.failureResultOf(expecting, Finding)

    def test_a_game_that_ends_too_early_is_followed_by_another(self) -> None:
        suite = SUITES["connectfour"]
        scene = ConnectFourScene(Harness(self.clock, Target(self.clock), 1), suite.cases[0])
        columns, begun = iter((0, 0, 3)), list[str]()

        async def fill_in_one_game(name: str) -> int:
            return next(columns)

        async def begin(name: str, columns: str | None = None, rows: str | None = None) -> None:
            begun.append(name)
            scene.peers[name] = self.peer()

        scene.fill_in_one_game, scene.begin = fill_in_one_game, begin  # type: ignore[method-assign]
        scene.peers["ann"] = self.peer()
        assert self.successResultOf(Deferred.fromCoroutine(scene.fill("ann"))) == 3
        assert begun == ["ann", "ann"]

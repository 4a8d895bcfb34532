"""Waiting for several things."""

from __future__ import annotations

from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.trial.unittest import SynchronousTestCase

from tictac.terminal.dialog import first_of


class FirstOfTests(SynchronousTestCase):
    """The first one counts, and the others know."""

    def setUp(self) -> None:
        self.cancelled: list[str] = []
        self.one: Deferred[int] = Deferred(lambda _: self.cancelled.append("one"))
        self.two: Deferred[int] = Deferred(lambda _: self.cancelled.append("two"))
        self.first = first_of(lambda: self.one, lambda: self.two)

    def test_a_result_cancels_the_others_before_it_is_told(self) -> None:
        seen: list[tuple[int, list[str]]] = []
        self.first.addCallback(lambda result: seen.append((result, self.cancelled.copy())))
        self.two.callback(2)
        self.assertEqual(seen, [(2, ["one"])])

    def test_a_failure_counts_as_first(self) -> None:
        self.one.errback(EOFError())
        self.failureResultOf(self.first, EOFError)
        self.assertEqual(self.cancelled, ["two"])

    def test_cancelling_cancels_all(self) -> None:
        self.first.cancel()
        self.failureResultOf(self.first, CancelledError)
        self.assertEqual(self.cancelled, ["one", "two"])

    def test_nothing_is_started_after_one_that_is_done(self) -> None:
        started: list[str] = []

        def start() -> Deferred[int]:
            started.append("second")
            return succeed(2)

        self.assertEqual(self.successResultOf(first_of(lambda: succeed(1), start)), 1)
        self.assertEqual(started, [])

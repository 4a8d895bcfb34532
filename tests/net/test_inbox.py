"""What comes in order, to one who asks."""

from __future__ import annotations

from twisted.internet.defer import CancelledError
from twisted.trial.unittest import SynchronousTestCase

from tictac.net.inbox import Inbox


class InboxTests(SynchronousTestCase):
    """Putting, asking, and the end."""

    def setUp(self) -> None:
        self.calls: list[str] = []
        self.inbox: Inbox[int] = Inbox(
            lambda: self.calls.append("pause"), lambda: self.calls.append("resume"), most=2
        )

    def test_what_waits_is_given_in_order(self) -> None:
        self.inbox.put(1)
        self.inbox.put(2)
        self.assertEqual(self.successResultOf(self.inbox.next()), 1)
        self.assertEqual(self.successResultOf(self.inbox.next()), 2)

    def test_who_waits_gets_the_next(self) -> None:
        asked = self.inbox.next()
        self.assertNoResult(asked)
        self.inbox.put(1)
        self.assertEqual(self.successResultOf(asked), 1)
        self.assertNoResult(self.inbox.next())

    def test_giving_up_loses_nothing(self) -> None:
        asked = self.inbox.next()
        asked.cancel()
        self.failureResultOf(asked, CancelledError)
        self.inbox.put(1)
        self.assertEqual(self.successResultOf(self.inbox.next()), 1)

    def test_one_asker_at_a_time(self) -> None:
        self.inbox.next()
        with self.assertRaisesRegex(RuntimeError, "another caller"):
            self.inbox.next()

    def test_the_end_comes_after_what_waits(self) -> None:
        self.inbox.put(1)
        self.inbox.end(EOFError("first"))
        self.inbox.end(ValueError("second"))
        self.assertEqual(self.successResultOf(self.inbox.next()), 1)
        for _ in range(2):
            error = self.failureResultOf(self.inbox.next(), EOFError).value
            self.assertEqual(str(error), "first")

    def test_nothing_comes_after_the_end(self) -> None:
        self.inbox.end(EOFError())
        self.inbox.put(1)
        self.failureResultOf(self.inbox.next(), EOFError)

    def test_the_end_reaches_who_waits(self) -> None:
        asked = self.inbox.next()
        self.inbox.end(EOFError())
        self.failureResultOf(asked, EOFError)

    def test_pauses_when_full_and_resumes_when_not(self) -> None:
        for item in range(3):
            self.inbox.put(item)
        self.assertEqual(self.calls, ["pause"])
        self.inbox.next()
        self.assertEqual(self.calls, ["pause"])
        self.inbox.next()
        self.assertEqual(self.calls, ["pause", "resume"])
        self.inbox.next()
        self.assertEqual(self.calls, ["pause", "resume"])

    def test_what_is_put_back_is_the_next(self) -> None:
        self.inbox.put(1)
        self.inbox.put(2)
        self.inbox.put_back(self.successResultOf(self.inbox.next()))
        self.assertEqual(self.calls, ["pause", "resume", "pause"])
        self.assertEqual([self.successResultOf(self.inbox.next()) for _ in range(2)], [1, 2])

    def test_resuming_may_put_at_once(self) -> None:
        inbox: Inbox[int] = Inbox(lambda: None, lambda: inbox.put(3), most=2)
        inbox.put(1)
        inbox.put(2)
        self.assertEqual([self.successResultOf(inbox.next()) for _ in range(3)], [1, 2, 3])

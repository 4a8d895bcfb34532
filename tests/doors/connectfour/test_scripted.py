"""The computer that plays from a script."""

from __future__ import annotations

from twisted.internet.defer import CancelledError
from twisted.trial.unittest import SynchronousTestCase

from tests.doors.connectfour.helpers import texts
from tests.doors.connectfour.scripted import Scripted
from tictac.lobby.computer import Thinker
from tictac.worker import Question

QUESTION = Question("connectfour", {}, "", "best", 0.5)


class ScriptedTests(SynchronousTestCase):
    def test_it_answers_at_once_and_in_order(self) -> None:
        thinker: Thinker = (scripted := Scripted(texts("1 -2")))
        for move in texts("1 -2"):
            assert self.successResultOf(thinker.think(QUESTION, "me")) == move
        assert [tuple(asked) for asked in scripted.asked] == [(QUESTION, "me")] * 2

    def test_it_fails_where_the_script_says_so(self) -> None:
        scripted = Scripted([ValueError("no"), *texts("3")])
        self.failureResultOf(scripted.think(QUESTION), ValueError)
        assert self.successResultOf(scripted.think(QUESTION)) == texts("3")[0]

    def test_it_can_be_made_to_wait(self) -> None:
        scripted = Scripted(texts("1 2"), waits=True)
        first, second = (scripted.think(QUESTION) for _ in range(2))
        self.assertNoResult(first)
        scripted.answer()
        assert self.successResultOf(first) == texts("1")[0]
        self.assertNoResult(second)

    def test_a_question_can_be_given_up(self) -> None:
        scripted = Scripted(texts("1"), waits=True)
        first, second = (scripted.think(QUESTION) for _ in range(2))
        first.cancel()
        self.failureResultOf(first, CancelledError)
        assert scripted.given_up == 1
        scripted.answer()
        assert self.successResultOf(second) == texts("1")[0]

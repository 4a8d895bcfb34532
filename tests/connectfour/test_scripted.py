"""The computer that plays from a script."""

from __future__ import annotations

from twisted.internet.defer import CancelledError
from twisted.trial.unittest import SynchronousTestCase

from tests.connectfour.helpers import moves
from tictac.connectfour.scripted import Scripted
from tictac.connectfour.server import Thinker
from tictac.games.connectfour.rules import Rules

RULES = Rules()
START = RULES.initial()


class ScriptedTests(SynchronousTestCase):
    def test_it_answers_at_once_and_in_order(self) -> None:
        thinker: Thinker = (scripted := Scripted(moves("1 -2")))
        for move in moves("1 -2"):
            assert self.successResultOf(thinker.think(RULES, START, 0.5, "me")) == move
        assert [tuple(asked) for asked in scripted.asked] == [(RULES, START, 0.5, "me")] * 2

    def test_it_fails_where_the_script_says_so(self) -> None:
        scripted = Scripted([ValueError("no"), *moves("3")])
        self.failureResultOf(scripted.think(RULES, START, 1), ValueError)
        assert self.successResultOf(scripted.think(RULES, START, 1)) == moves("3")[0]

    def test_it_can_be_made_to_wait(self) -> None:
        scripted = Scripted(moves("1 2"), waits=True)
        first, second = (scripted.think(RULES, START, 1) for _ in range(2))
        self.assertNoResult(first)
        scripted.answer()
        assert self.successResultOf(first) == moves("1")[0]
        self.assertNoResult(second)

    def test_a_question_can_be_given_up(self) -> None:
        scripted = Scripted(moves("1"), waits=True)
        first, second = (scripted.think(RULES, START, 1) for _ in range(2))
        first.cancel()
        self.failureResultOf(first, CancelledError)
        assert scripted.given_up == 1
        scripted.answer()
        assert self.successResultOf(second) == moves("1")[0]

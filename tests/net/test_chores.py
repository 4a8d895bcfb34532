"""What strangers cause, a little in each turn."""

from __future__ import annotations

from functools import partial

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import logged_errors
from tests.helpers import TurnClock
from tictac.net.chores import A_TURN, Chores, chores_of


class ChoresTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = TurnClock()
        self.now = 0.0
        self.chores = Chores(self.clock, lambda: self.now)
        self.done: list[int] = []

    def job(self, number: int, seconds: float) -> None:
        self.now += seconds
        self.done.append(number)

    def by_turn(self, *seconds: float) -> list[int]:
        """Add jobs that take so long; how many are done after each turn."""
        for number, each in enumerate(seconds):
            self.chores.add(partial(self.job, number, each))
        counts = []
        while self.clock.getDelayedCalls():
            self.clock.turn()
            counts.append(len(self.done))
        assert self.done == sorted(self.done)
        return counts

    def test_long_ones_are_done_in_turns_of_their_own(self) -> None:
        assert self.by_turn(A_TURN, A_TURN, A_TURN) == [1, 2, 3]

    def test_short_ones_share_a_turn(self) -> None:
        assert self.by_turn(*[A_TURN / 2] * 5) == [2, 4, 5]

    def test_one_may_add_another(self) -> None:
        self.chores.add(lambda: self.chores.add(partial(self.job, 1, 0)))
        assert self.by_turn(A_TURN) == [1, 2]

    def test_but_not_for_the_same_turn(self) -> None:
        self.chores.add(lambda: self.chores.add(partial(self.job, 1, 0)))
        assert self.by_turn() == [0, 1]

    def test_one_that_fails_stops_no_other(self) -> None:
        self.chores.add(lambda: [][0])
        assert self.by_turn(A_TURN) == [1]
        assert len(logged_errors(self, IndexError)) == 1

    def test_a_reactor_has_one_line_of_them(self) -> None:
        assert chores_of(self.clock) is chores_of(self.clock) is not chores_of(TurnClock())

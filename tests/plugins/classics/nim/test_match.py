"""What a Nim client lets a server get away with: nothing."""

from __future__ import annotations

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tictac.errors import IllegalMove
from tictac.net.client_connection import WrongMessage
from tictac.plugins.classics.nim.console import NimState
from tictac.plugins.classics.nim.wire import Lose, Malformed, Message, Turn, Win
from tictac.plugins.games.nim.rules import Move

Step = Message | Malformed


def play(*steps: Step) -> NimState:
    """Return the state after these steps: the client makes the moves, and receives the rest."""
    match = NimState()
    for step in steps:
        if isinstance(step, Move):
            match.move(step)
        else:
            match.observe(step)
    return match


class HonestTests(SynchronousTestCase):
    def test_what_a_server_may_say(self) -> None:
        cases: list[list[Step]] = [
            [Turn((24, 17, 3)), Move(0, 6), Turn((18, 3)), Move(1, 3), Turn((1,)), Move(0, 1),
                Win()],
            [Turn((1, 1)), Move(0, 1), Lose()],
            [Turn((5,)), Move(0, 2), Turn((1,)), Move(0, 1), Win()],
            [Turn((5,)), Move(0, 2), Lose()],
            [Lose()],  # the other player began, and took the only number
            [Win(), Lose()],
            [Win()],
            [Win(), Win(), Turn((5,) * 10)],
            [Turn((5, 5, 5)), Win(), Turn((2, 2, 2)), Move(0, 2), Turn((2, 1))],
            [Turn((5, 5, 5)), Move(0, 1), Win(), Turn((9, 9, 9))],
        ]  # fmt: skip
        for steps in cases:
            play(*steps)


class AnswersTests(SynchronousTestCase):
    """What the other player has done, by the list of the own last turn."""

    def test_each(self) -> None:
        first = Turn((5, 3, 5, 3, 3))
        cases: list[tuple[list[Step], list[Move]]] = [
            ([first], []),
            ([first, Move(0, 1)], []),
            ([first, Move(0, 1), Turn((4, 3, 2, 3, 3))], [Move(2, 3)]),
            ([first, Move(1, 3), Turn((5, 1, 3, 3))], [Move(2, 4)]),
            ([first, Move(1, 3), Turn((5, 3, 3))], [Move(0, 5), Move(2, 5)]),
            ([first, Move(3, 3), Turn((5, 3, 5))], [Move(4, 3)]),
            ([first, Move(4, 1), Turn((5, 3, 5, 2))], [Move(3, 3)]),
            ([Turn((2, 7)), Move(0, 2), Lose()], [Move(1, 7)]),
            ([Turn((2, 7)), Move(0, 2), Turn((6,)), Win(), Turn((9, 9))], []),
        ]
        for steps, answers in cases:
            assert play(*steps).answers == answers, steps


class DishonestTests(SynchronousTestCase):
    def test_what_it_may_not(self) -> None:
        first = Turn((24, 17, 3))
        cases: list[tuple[list[Step], str]] = [
            ([Turn((5,) * 11)], "a match with a list of 11"),
            ([first, first], "a second turn before the move"),
            ([first, Move(0, 6), first], "18 17 3 can't become 24 17 3"),
            ([first, Move(0, 6), Turn((18, 17, 3))], "18 17 3 can't become 18 17 3"),
            ([first, Move(0, 6), Turn((18, 16, 2))], "18 17 3 can't become 18 16 2"),
            ([first, Move(0, 6), Turn((18,))], "18 17 3 can't become 18"),
            ([first, Move(0, 6), Lose()], "a lost match that isn't over"),
            ([first, Lose()], "a lost match that isn't over"),
            ([first, Move(0, 24), Lose()], "a lost match that isn't over"),
            ([Turn((2, 1)), Move(0, 1), Turn((1,)), Move(0, 1), Lose()],
                "a lost match that isn't over"),
            ([Turn((2, 1)), Move(0, 1), Turn((1,)), Move(0, 1), Turn((1,))],
                "an empty list can't become 1"),
            ([Malformed("9 isn't the type of a message")], "9 isn't the type of a message"),
        ]  # fmt: skip
        for steps, why in cases:
            with pytest.raises(WrongMessage) as caught:
                play(*steps)
            assert str(caught.value) == why

    def test_an_own_move_must_be_one(self) -> None:
        with pytest.raises(IllegalMove):
            play(Turn((1, 2, 3)), Move(0, 2))

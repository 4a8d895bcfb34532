"""Nim: known games, and how they begin."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tictac.errors import IllegalMove
from tictac.game import Result
from tictac.plugins.games.nim.game import Nim
from tictac.plugins.games.nim.rules import LARGEST, Deal, Move, moves_between, take

lists = st.lists(st.integers(1, LARGEST), min_size=1, max_size=10).map(tuple)
small = st.lists(st.integers(1, 6), min_size=1, max_size=5).map(tuple)


class DocumentTests(SynchronousTestCase):
    """The match of the protocol document, to its end."""

    def test_the_example(self) -> None:
        game = Nim(Deal(fixed=(24, 17, 3)))
        position, seen = game.start(2, Random()), []
        for move in ("0:6", "1:17", "1:2", "0:17", "0:1", "0:1"):
            assert game.result(position) is None
            position = game.play(position, move, None).position
            seen.append(position)
        assert [p.numbers for p in seen] == [
            (18, 17, 3), (18, 3), (18, 1), (1, 1), (1,), (),
        ]  # fmt: skip
        assert [p.mover for p in seen] == [1, 0, 1, 0, 1, 0]
        assert game.result(position) == Result(1)

    def test_who_takes_the_last_has_won(self) -> None:
        game = Nim(Deal(fixed=(1, 1, 1)))
        position = game.start(2, Random())
        for _ in range(3):
            position = game.play(position, "0:1", None).position
        assert game.result(position) == Result(0)
        assert game.moves(position) == []

    def test_zeros_are_left_out_and_indices_move(self) -> None:
        assert take((5, 6, 7), Move(1, 6)) == (5, 7)
        assert take((5, 7), Move(1, 3)) == (5, 4)
        assert take((LARGEST,), Move(0, LARGEST)) == ()

    def test_a_refusal_says_why(self) -> None:
        for move, why in [
            (Move(2, 1), "no number 3 in a list of 2"),
            (Move(-1, 1), "no number 0"),
            (Move(0, 0), "0 can't be taken from 5"),
            (Move(1, 8), "8 can't be taken from 7"),
        ]:
            with pytest.raises(IllegalMove, match=why):
                take((5, 7), move)


class BetweenTests(SynchronousTestCase):
    """Which moves make one list of another."""

    @given(small)
    def test_each_move_is_found(self, numbers: tuple[int, ...]) -> None:
        for move in _moves(numbers):
            assert move in moves_between(numbers, take(numbers, move))

    @given(small, small)
    def test_and_nothing_else(self, numbers: tuple[int, ...], other: tuple[int, ...]) -> None:
        moves = [move for move in _moves(numbers) if take(numbers, move) == other]
        assert moves_between(numbers, other) == moves

    def test_examples(self) -> None:
        assert moves_between((5,), ()) == [Move(0, 5)]
        assert moves_between((5, 5, 2), (5, 2)) == [Move(0, 5), Move(1, 5)]
        assert moves_between((5, 5, 2), (5, 3, 2)) == [Move(1, 2)]
        assert moves_between((), ()) == []
        assert moves_between((5, 5), (5,) * 3) == []
        assert moves_between((5, 5), (0, 5)) == []


def _moves(numbers: tuple[int, ...]) -> list[Move]:
    """Return every move on a list as it may be in the middle of a game."""
    return [Move(at, amount + 1) for at, number in enumerate(numbers) for amount in range(number)]


class DealTests(SynchronousTestCase):
    """How a game begins."""

    def test_the_range_and_the_size(self) -> None:
        rng = Random(5)
        games = [Deal(2, 4).draw(rng) for _ in range(500)]
        assert {len(numbers) for numbers in games} == set(range(3, 11))
        assert {number for numbers in games for number in numbers} == {2, 3, 4}
        assert {len(Deal(size=7).draw(rng)) for _ in range(50)} == {7}

    def test_the_same_dice_deal_the_same(self) -> None:
        one, two = ([Deal().draw(rng) for _ in range(9)] for rng in (Random(1), Random(1)))
        assert one == two
        assert len(set(one)) == 9

    def test_a_fixed_list(self) -> None:
        assert Deal(fixed=(24, 17, 3)).draw(Random()) == (24, 17, 3)

    def test_what_cant_be_dealt(self) -> None:
        wrong: list[dict[str, Any]] = [
            {"low": 0}, {"low": 5, "high": 4}, {"high": LARGEST + 1}, {"fixed": (1, 2)},
            {"fixed": (1,) * 11}, {"fixed": (1, 2, 0)}, {"fixed": (1, 2, LARGEST + 1)},
            {"fixed": ()},
        ]  # fmt: skip
        for settings in wrong:
            with pytest.raises(ValueError, match=r"list|range|from 1"):
                Deal(**settings)
        assert Deal(LARGEST, LARGEST).draw(Random(0))[0] == LARGEST

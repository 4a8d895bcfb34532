"""Playing Nim well: shown for all small lists, and by what must hold for large ones."""

from __future__ import annotations

from functools import cache, reduce
from itertools import combinations_with_replacement
from operator import xor
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tictac.errors import IllegalMove
from tictac.plugins.games.nim.opponent import best_moves, choose, choose_at_random
from tictac.plugins.games.nim.rules import LARGEST, Move, take

lists = st.lists(st.integers(1, LARGEST), min_size=1, max_size=10).map(tuple)


@cache
def is_won(numbers: tuple[int, ...]) -> bool:
    """Return whether the side to move can win, by trying everything. ``numbers`` are sorted."""
    after = (take(numbers, Move(at, n)) for at in range(len(numbers)) for n in moves(numbers, at))
    return any(not is_won(tuple(sorted(there))) for there in after)


def moves(numbers: tuple[int, ...], at: int) -> range:
    return range(1, numbers[at] + 1)


class SmallListTests(SynchronousTestCase):
    """Every list of up to four numbers up to 7."""

    lists = [
        numbers
        for size in range(1, 5)
        for numbers in combinations_with_replacement(range(1, 8), size)
    ]

    def test_the_lists_are_many(self) -> None:
        assert len(self.lists) == 7 + 28 + 84 + 210

    def test_it_finds_every_winning_move_and_no_other(self) -> None:
        for numbers in self.lists:
            if is_won(numbers):
                winning = [
                    Move(at, amount)
                    for at in range(len(numbers))
                    for amount in moves(numbers, at)
                    if not is_won(tuple(sorted(take(numbers, Move(at, amount)))))
                ]
                assert best_moves(numbers) == winning, numbers

    def test_from_a_lost_list_it_takes_as_little_as_it_can(self) -> None:
        lost = [numbers for numbers in self.lists if not is_won(numbers)]
        assert len(lost) > 20
        for numbers in lost:
            assert best_moves(numbers) == [Move(at, 1) for at in range(len(numbers))]


class LargeListTests(SynchronousTestCase):
    @given(lists)
    def test_a_best_move_leaves_a_lost_list_if_any_can(self, numbers: tuple[int, ...]) -> None:
        left = take(numbers, choose(numbers))
        assert (reduce(xor, left, 0) == 0) == (reduce(xor, numbers) != 0)

    @given(lists, st.randoms(use_true_random=False))
    def test_from_a_won_list_it_wins_against_anything(
        self, numbers: tuple[int, ...], rng: Random
    ) -> None:
        if reduce(xor, numbers) == 0:
            return
        while True:
            numbers = take(numbers, choose(numbers, rng))
            if not numbers:
                return  # it has taken the last
            numbers = take(numbers, choose_at_random(numbers, rng))
            assert numbers, "it has lost"

    @given(lists, st.randoms(use_true_random=False))
    def test_any_choice_can_be_made(self, numbers: tuple[int, ...], rng: Random) -> None:
        for move in (choose(numbers), choose(numbers, rng), choose_at_random(numbers, rng)):
            assert take(numbers, move) != numbers


class ChoosingTests(SynchronousTestCase):
    def test_the_example_of_the_document(self) -> None:
        # 24 ^ 17 ^ 3 is 10: 24 becomes 18, and the others can't become less by it.
        assert best_moves((24, 17, 3)) == [Move(0, 6)]

    def test_dice_pick_among_equals_only(self) -> None:
        numbers = (7, 7, 7)
        assert len(best_moves(numbers)) == 3
        assert {choose(numbers, Random(n)) for n in range(50)} == set(best_moves(numbers))

    def test_random_play_makes_every_move(self) -> None:
        rng = Random(2)
        found = {choose_at_random((1, 3), rng) for _ in range(200)}
        assert found == {Move(0, 1), Move(1, 1), Move(1, 2), Move(1, 3)}

    def test_when_the_game_is_over_there_is_nothing_to_choose(self) -> None:
        with pytest.raises(IllegalMove, match="over"):
            choose(())
        with pytest.raises(IllegalMove, match="over"):
            choose_at_random((), Random())

"""Connect Four with Pop Out: known games, and a second opinion."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.games.cases import CASES
from tests.plugins.classics.connectfour.helpers import moves
from tests.plugins.games.connectfour.by_eye import ByEye
from tests.plugins.games.connectfour.positions import replay
from tictac.errors import IllegalMove
from tictac.plugins.games.connectfour.game import ConnectFour
from tictac.plugins.games.connectfour.rules import (
    DRAW,
    DROP,
    RED,
    YELLOW,
    Keys,
    Move,
    Outcome,
    Rules,
    other,
)

SIZES = [(4, 4), (7, 6), (4, 20), (20, 4), (5, 7), (20, 20)]


class ByEyeTests(SynchronousTestCase):
    """Random games of many sizes, move by move."""

    def test_they_count_the_same_sequences_of_moves(self) -> None:
        for case in CASES:
            game = case.game_type.game(case.options)
            if isinstance(game, ConnectFour):
                rules = game.rules
                by_eye = ByEye(rules.columns, rules.rows, rules.pops, rules.repetition)
                for length, number in enumerate(case.lengths[:5]):
                    assert by_eye.sequences(length) == number

    def test_rules_and_eye_agree(self) -> None:
        kinds = ((False, False), (True, False), (True, True))
        for (columns, rows), kind, seed in product(SIZES, kinds, range(3)):
            self.compare(Rules(columns, rows, *kind), Random(seed))

    def compare(self, rules: Rules, rng: Random) -> None:
        position = rules.initial()
        by_eye = ByEye(rules.columns, rules.rows, rules.pops, rules.repetition)
        for _ in range(60):
            assert (*position.rows, position.to_move) == by_eye.drawn()
            outcome = rules.outcome(position)
            assert (outcome and (outcome.winner or "draw")) == by_eye.outcome()
            if outcome is not None:
                assert rules.legal_moves(position) == []
                return
            assert rules.legal_moves(position) == by_eye.possible()
            move = rng.choice(by_eye.possible())
            position = rules.play(position, move)
            by_eye.play(move)

    @settings(max_examples=40)
    @given(st.integers(4, 20), st.integers(4, 20), st.booleans(), st.booleans(), st.integers())
    def test_any_game_of_any_size(
        self, columns: int, rows: int, pops: bool, repetition: bool, seed: int
    ) -> None:
        self.compare(Rules(columns, rows, pops, repetition), Random(seed))

    @settings(max_examples=50)
    @given(st.lists(st.integers(-4, 4).filter(bool), max_size=60))
    def test_what_is_refused_is_what_cannot_be_done(self, wishes: list[int]) -> None:
        rules = Rules(4, 4)
        position, by_eye = rules.initial(), ByEye(4, 4)
        for move in moves(" ".join(map(str, wishes))):
            if move in by_eye.moves():
                position = rules.play(position, move)
                by_eye.play(move)
            else:
                with pytest.raises(IllegalMove):
                    rules.play(position, move)
        assert (*position.rows, position.to_move) == by_eye.drawn()


class GoldenGamesTests(SynchronousTestCase):
    def test_four_upwards(self) -> None:
        position = replay(Rules(), "3 4 3 4 3 4 3")
        assert Rules().outcome(position) == Outcome(RED)
        assert position.rows == (".......", ".......", "..R....", "..RY...", "..RY...", "..RY...")

    def test_four_across(self) -> None:
        assert Rules().outcome(replay(Rules(), "4 4 5 5 6 6 7")) == Outcome(RED)
        assert Rules().outcome(replay(Rules(), "7 1 7 2 6 3 6 4")) == Outcome(YELLOW)

    def test_four_rising_and_falling(self) -> None:
        rising, falling = "1 2 2 3 3 4 3 4 4 6 4", "7 6 6 5 5 4 5 4 4 2 4"
        for game in (rising, falling):
            assert Rules().outcome(replay(Rules(), game)) == Outcome(RED)

    def test_a_line_does_not_go_on_in_the_next_column(self) -> None:
        # Two pieces at the top of a column and two at the bottom of the next.
        rules = Rules(4, 4)
        position = replay(rules, "1 1 2 3 1 3 1 4 2")
        assert [row[:2] for row in position.rows] == ["R.", "R.", "YR", "RR"]
        assert rules.outcome(position) is None

    def test_a_pop_wins(self) -> None:
        position = replay(Rules(), "5 7 4 6 3 -7 4 6 6 3 -4 1 -3 5 2 1 5 -6 3 -1 4 2 -5")
        assert Rules().outcome(position) == Outcome(RED)

    def test_a_pop_loses(self) -> None:
        position = replay(Rules(), "4 5 7 2 5 -2 6 -5")
        assert position.rows[-1] == "...RRRR"
        assert (Rules().outcome(position), position.to_move) == (Outcome(RED), RED)

    def test_a_pop_that_gives_both_four_wins_for_whoever_popped(self) -> None:
        position = replay(Rules(), "6 3 1 6 4 5 5 -3 6 6 3 3 7 5 -1 4 5 2 -6 -6 4 -5")
        assert position.grid.has_four(position.red) and position.grid.has_four(position.yellow)
        assert (Rules().outcome(position), position.to_move) == (Outcome(YELLOW), RED)

    def test_a_repetition_is_no_draw_by_itself(self) -> None:
        again = replay(Rules(), "1 2 -1 -2 " * 9)
        assert Rules().outcome(again) is None
        assert again == Rules().initial(), "nothing of it is kept"

    def test_with_repetition_the_third_time_is_a_draw_and_the_start_counts(self) -> None:
        rules = Rules(repetition=True)
        assert rules.outcome(replay(rules, "1 2 -1 -2")) is None
        again = replay(rules, "1 2 -1 -2 7 6 -7 -6")
        assert rules.outcome(again) == DRAW
        assert again.rows == rules.initial().rows and again != rules.initial()

    def test_the_same_board_with_the_other_side_to_move_is_not_the_same(self) -> None:
        # After 1 -1 the board is empty again, but it is yellow who has lost a move.
        rules = Rules(repetition=True)
        position = replay(rules, "1 2 -1 -2 1 2 -1")
        assert position.rows == replay(rules, "4 2 -4").rows
        assert rules.outcome(position) is None

    def test_a_full_board_is_a_draw_without_pops_only(self) -> None:
        game = "4 3 2 1 3 1 1 1 4 4 2 3 4 2 3 2"
        assert Rules(4, 4, pops=False).outcome(replay(Rules(4, 4, pops=False), game)) == DRAW
        full = replay(Rules(4, 4), game)
        assert Rules(4, 4).outcome(full) is None
        assert Rules(4, 4).legal_moves(full) == moves("-2 -4")

    def test_on_every_size_four_win_and_three_do_not(self) -> None:
        for columns, rows in product(range(4, 21), repeat=2):
            rules = Rules(columns, rows)
            three = replay(rules, f"{columns} 1 {columns} 1 {columns} 1")
            assert rules.outcome(three) is None
            won = rules.play(three, Move(DROP, columns))
            assert rules.outcome(won) == Outcome(RED)
            assert len(won.rows) == rows and {len(row) for row in won.rows} == {columns}

    def test_positions_tell_what_they_are(self) -> None:
        position = replay(Rules(4, 5), "1 1 -1")
        assert position.rows == ("....", "....", "....", "....", "Y...")
        assert position.to_move == YELLOW
        assert position.stones(YELLOW) == 1 and position.stones(RED) == 0
        assert (other(RED), other(YELLOW)) == (YELLOW, RED)

    def test_two_ways_to_the_same_position_make_equal_positions(self) -> None:
        plain = Rules(pops=False)
        assert replay(plain, "1 2 3") == replay(plain, "3 2 1")
        remembering = Rules(repetition=True)
        assert replay(remembering, "1 2 3") != replay(remembering, "3 2 1"), "of other boards"

    def test_what_came_before_is_kept_once_for_all_positions_of_a_game(self) -> None:
        # Otherwise a record of 2000 positions takes 86 MB.
        rules = Rules(20, 20, repetition=True)
        position, kept = rules.initial(), []
        for column in [*range(1, 21), *range(20, 0, -1)]:
            for move in rules.legal_moves(position):
                rules.play(position, move)  # as a player does that looks ahead
            position = rules.play(position, Move(DROP, column))
            kept.append(position)
        stores = {id(each.once._places) for each in kept}
        assert [len(each.once) for each in kept] == list(range(1, 41))
        assert len(stores) == 1

    def test_keys_that_were_added_to_some_arent_in_others(self) -> None:
        few = Keys([1, 2])
        one, other_one, both = few.added(3), few.added(4), few.added(3).added(4)
        assert [set(few), set(one), set(other_one)] == [{1, 2}, {1, 2, 3}, {1, 2, 4}]
        assert set(both) == {1, 2, 3, 4} and 4 not in one
        assert Keys([2, 1]) == few and hash(Keys([2, 1])) == hash(few)


class ErrorsTests(SynchronousTestCase):
    def refusal(self, game: str, move: str, rules: Rules | None = None) -> str:
        rules = rules or Rules()
        with pytest.raises(IllegalMove) as caught:
            rules.play(replay(rules, game), moves(move)[0])
        return str(caught.value)

    def test_sizes_out_of_range(self) -> None:
        for size in (-1, 0, 3, 21):
            with pytest.raises(ValueError, match="columns must be from 4 to 20"):
                Rules(columns=size)
            with pytest.raises(ValueError, match="rows must be from 4 to 20"):
                Rules(rows=size)

    def test_a_column_that_is_not_there(self) -> None:
        assert self.refusal("", "8") == "column 8 isn't on a board of 7 columns"
        assert self.refusal("", "-99") == "column 99 isn't on a board of 7 columns"

    def test_a_full_column(self) -> None:
        assert self.refusal("3 3 3 3 3 3", "3") == "column 3 is full"

    def test_nothing_of_yours_to_pop(self) -> None:
        for game, move in (("", "-2"), ("2", "-2"), ("1 2 2", "-1")):
            refusal = self.refusal(game, move)
            assert refusal == f"there is nothing of yours to pop in column {move[1:]}"

    def test_a_pop_in_a_game_without(self) -> None:
        assert self.refusal("1 2", "-1", Rules(pops=False)).endswith("this game has no pops")

    def test_a_game_that_is_over(self) -> None:
        assert self.refusal("1 2 1 2 1 2 1", "5") == "the game is over, so DROP 5 can't be played"

    def test_neither_a_drop_nor_a_pop(self) -> None:
        with pytest.raises(IllegalMove, match="'FLIP'"):
            Rules().play(Rules().initial(), Move("FLIP", 1))  # type: ignore[arg-type]

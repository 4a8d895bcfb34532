"""The computer player: what it promises whatever its time, and that it plays well."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.classics.connectfour.helpers import moves
from tests.plugins.games.connectfour.positions import random_positions, replay
from tictac.errors import IllegalMove
from tictac.game import ShouldStop, time_is_up
from tictac.plugins.games.connectfour.opponent import choose, consider
from tictac.plugins.games.connectfour.rules import Keys, Move, Position, Rules
from tictac.plugins.games.connectfour.search import WIN


def looks_up(looks: int) -> ShouldStop:
    """Return a check that stops a player after it has asked for the time this often."""
    return time_is_up(map(float, count()).__next__, looks)


def pick(rules: Rules, position: Position, looks: int = 0, seed: int = 1) -> Move:
    """Return the choice of a player that may read its clock this often."""
    return choose(rules, position, looks_up(looks), Random(seed))


def wins(rules: Rules, position: Position) -> list[Move]:
    """Return the moves that win at once."""
    found = []
    for move in rules.legal_moves(position):
        outcome = rules.outcome(rules.play(position, move))
        if outcome is not None and outcome.winner == position.to_move:
            found.append(move)
    return found


def safe(rules: Rules, position: Position) -> list[Move]:
    """Return the moves after which the opponent neither has won nor can win at once."""
    found = []
    for move in rules.legal_moves(position):
        after = rules.play(position, move)
        outcome = rules.outcome(after)
        lost = outcome is not None and outcome.winner == after.to_move
        if not lost and not wins(rules, after):
            found.append(move)
    return found


class PromiseTests(SynchronousTestCase):
    """Never a win in one missed, never one left that could be prevented."""

    def check(self, rules: Rules, position: Position, looks: int = 0) -> None:
        move = pick(rules, position, looks)
        good = wins(rules, position) or safe(rules, position) or rules.legal_moves(position)
        assert move in good, (position.rows, position.to_move, move, good)

    def test_without_any_time(self) -> None:
        for rules in (Rules(), Rules(pops=False), Rules(4, 4), Rules(5, 7)):
            cases = list(random_positions(rules, 1, 12))
            assert any(wins(rules, p) for p in cases)
            assert any(0 < len(safe(rules, p)) < len(rules.legal_moves(p)) for p in cases)
            for position in cases:
                self.check(rules, position)

    def test_with_a_little_time(self) -> None:
        for rules in (Rules(), Rules(pops=False), Rules(4, 4)):
            for position in random_positions(rules, 2, 4):
                self.check(rules, position, looks=3)

    @settings(max_examples=40)
    @given(st.integers(4, 20), st.integers(4, 20), st.booleans(), st.integers())
    def test_on_boards_of_every_size(self, columns: int, rows: int, pops: bool, seed: int) -> None:
        rules = Rules(columns, rows, pops)
        *_, last = random_positions(rules, seed, 1)
        self.check(rules, last)

    def test_a_pop_that_wins(self) -> None:
        game = "5 7 4 6 3 -7 4 6 6 3 -4 1 -3 5 2 1 5 -6 3 -1 4 2"
        position = replay(Rules(), game)
        assert pick(Rules(), position) in wins(Rules(), position)
        assert Move("POP", 5) in wins(Rules(), position)

    def test_a_lost_game_is_played_on(self) -> None:
        # Three in the middle of the bottom row, both ends free.
        position = replay(Rules(), "3 3 4 4 5")
        assert not safe(Rules(), position)
        assert pick(Rules(), position) in Rules().legal_moves(position)

    def test_it_keeps_from_losing_as_long_as_it_can(self) -> None:
        rules = Rules(pops=False)
        position = replay(rules, "3 3 4")
        assert pick(rules, position, looks=50) in moves("2 5 6")


class SearchingTests(SynchronousTestCase):
    def test_it_sees_a_win_some_moves_ahead(self) -> None:
        # Red makes three with both ends free.
        for rules in (Rules(), Rules(pops=False)):
            choice = consider(rules, replay(rules, "3 3 4 4"), looks_up(100), Random(1))
            assert choice.move in moves("2 5") and choice.value == WIN

    def test_more_time_is_more_depth(self) -> None:
        for rules in (Rules(), Rules(pops=False), Rules(9, 9)):
            depths = [
                consider(rules, rules.initial(), looks_up(looks), Random(1)).depth
                for looks in (0, 3, 30)
            ]
            assert depths[0] < depths[1] < depths[2]

    def test_it_looks_at_the_clock_every_128_boards(self) -> None:
        choice = consider(Rules(), Rules().initial(), looks_up(20), Random(1))
        assert 10 * 128 <= choice.nodes <= 21 * 128

    def test_it_wins_what_is_won(self) -> None:
        # Its own play, from a position with a win seven moves away, against any reply.
        rules = Rules(4, 5)
        for seed in range(6):
            assert self.play(rules, seed) is not None

    def play(self, rules: Rules, seed: int) -> object:
        """Let red search and yellow move at random; return the winner, who must be red."""
        rng, position = Random(seed), rules.initial()
        while (outcome := rules.outcome(position)) is None:
            mine = position.to_move == "R"
            move = pick(rules, position, 8) if mine else rng.choice(rules.legal_moves(position))
            position = rules.play(position, move)
        assert outcome.winner == "R", position.rows
        return outcome.winner

    def test_it_solves_a_small_game_without_pops(self) -> None:
        # 4x4 is a draw, which the search sees with certainty: no guess is left at its end.
        rules = Rules(4, 4, pops=False)
        choice = consider(rules, rules.initial(), looks_up(10**9), Random(1))
        assert (choice.value, choice.depth) == (0, 16)

    def test_the_dice_only_turn_the_board_around(self) -> None:
        chosen = {pick(Rules(8, 6), Rules(8, 6).initial(), 2, seed) for seed in range(12)}
        assert chosen == set(moves("4 5"))

    def test_the_same_dice_choose_the_same(self) -> None:
        position = replay(Rules(), "4 4 3")
        assert len({pick(Rules(), position, 4, 3) for _ in range(3)}) == 1

    def test_when_the_game_is_over_there_is_nothing_to_choose(self) -> None:
        with pytest.raises(IllegalMove, match="over"):
            pick(Rules(), replay(Rules(), "1 2 1 2 1 2 1"))


class RepetitionTests(SynchronousTestCase):
    def test_it_would_rather_play_on(self) -> None:
        # -6 brings the empty board for the third time.
        rules = Rules(repetition=True)
        position = replay(rules, "1 2 -1 -2 7 6 -7")
        assert rules.outcome(rules.play(position, Move("POP", 6))) is not None
        for looks in (0, 1, 20):
            assert pick(rules, position, looks) != Move("POP", 6)

    def test_it_takes_a_draw_when_all_else_loses(self) -> None:
        # A third time after each move of a lost position but one: the rules are told so.
        rules = Rules(repetition=True)
        position = replay(rules, "3 3 4 4 5")
        assert not safe(rules, position)
        drawing = rules.play(position, Move("DROP", 7))
        again = replace(
            position, once=Keys([*position.once, drawing.key]), twice=Keys([drawing.key])
        )
        assert safe(rules, again) == [Move("DROP", 7)]
        for looks in (0, 20):
            assert pick(rules, again, looks) == Move("DROP", 7)

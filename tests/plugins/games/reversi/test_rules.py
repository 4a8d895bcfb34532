"""Reversi: known games, and what its players do; the rest is in the suite of every game."""

from __future__ import annotations

from itertools import count
from random import Random

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tictac.errors import IllegalMove, NotAMove
from tictac.game import DRAWN, Result, time_is_up
from tictac.plugins.games.reversi.opponent import choose
from tictac.plugins.games.reversi.rules import Position, Reversi

GAME, SMALL = Reversi(8), Reversi(4)
DICE = Random(1)


def replay(game: Reversi, moves: str) -> Position:
    """Return the position after these moves."""
    position = game.start(2, DICE)
    for move in moves.split():
        position = game.play(position, move, DICE).position
    return position


class GoldenGamesTests(SynchronousTestCase):
    def test_the_first_position(self) -> None:
        text = "......../......../......../...OX.../...XO.../......../......../........ X"
        assert GAME.dump(GAME.start(2, DICE)) == text
        assert GAME.moves(GAME.load(text)) == ["d3", "c4", "f5", "e6"]

    def test_a_move_turns_what_it_encloses(self) -> None:
        assert GAME.dump(replay(GAME, "d3 c5")) == (
            "......../......../...X..../...XX.../..OOO.../......../......../........ X"
        )

    def test_the_shortest_game(self) -> None:
        # Nine moves, after which O has no piece left.
        position = replay(GAME, "e6 f4 e3 f6 g5 d6 e7 f5 c5")
        assert position.pieces[1] == 0 and GAME.turn(position) is None
        assert GAME.result(position) == Result(0)

    def test_a_side_without_a_move_is_skipped(self) -> None:
        position = replay(SMALL, "b1 c1 d3 a1")
        assert SMALL.dump(position) == "OOO./.XX./.XXX/.... O", "it is O who has played a1"
        assert SMALL.moves(position)

    def test_the_game_is_drawn_when_both_have_as_many(self) -> None:
        assert SMALL.result(SMALL.load("XXXX/XXXX/OOOO/OOOO -")) == DRAWN
        assert SMALL.result(SMALL.load("XXXX/XXXX/OOOO/OOO. -")) == Result(0)
        assert SMALL.result(SMALL.load("XXXX/OOOO/OOOO/OOO. -")) == Result(1)

    def test_a_refusal_says_why(self) -> None:
        start = GAME.start(2, DICE)
        for move, why in (("d4", "d4 is taken"), ("a1", "a1 encloses nothing")):
            with pytest.raises(IllegalMove, match=why):
                GAME.play(start, move, DICE)
        with pytest.raises(NotAMove, match="from a1 to h8, not 'i9'"):
            GAME.play(start, "i9", DICE)
        with pytest.raises(IllegalMove, match="the game is over"):
            SMALL.play(SMALL.load("XXXX/XXXX/OOOO/OOO. -"), "d4", DICE)


class OpponentTests(SynchronousTestCase):
    def test_it_takes_a_corner(self) -> None:
        position = GAME.load(
            ".OX...../......../......../...OX.../...XO.../......../......../........ X"
        )
        for level in ("club", "best"):
            assert choose(GAME, position, level, lambda: True, Random(1)) == "a1"

    def test_with_time_it_plays_the_smallest_game_perfectly(self) -> None:
        # 4x4 is won by whoever moves second, 11 to 3.
        position = SMALL.start(2, DICE)
        while SMALL.turn(position) is not None:
            stop = time_is_up(map(float, count()).__next__, 10**6)
            move = choose(SMALL, position, "best", stop, DICE)
            position = SMALL.play(position, move, DICE).position
        assert [pieces.bit_count() for pieces in position.pieces] == [3, 11]

    def test_with_time_it_beats_who_looks_one_move_ahead(self) -> None:
        for seat, seed in ((0, 1), (1, 1)):
            rng, position = Random(seed), GAME.start(2, DICE)
            while (mover := GAME.turn(position)) is not None:
                stop = time_is_up(map(float, count()).__next__, 100)
                move = choose(GAME, position, "best" if mover == seat else "club", stop, rng)
                position = GAME.play(position, move, rng).position
            assert GAME.result(position) == Result(seat)

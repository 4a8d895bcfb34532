"""Backgammon to some points, with the doubling cube."""

from __future__ import annotations

from random import Random
from typing import Any

import pyspiel
from tictac_openspiel import cube
from tictac_openspiel.cube import DOUBLE, DROP, ROLL, TAKE, Cubed, Match
from tictac_openspiel.games import GAME_TYPES
from twisted.trial.unittest import SynchronousTestCase

from tictac.errors import IllegalMove, NotAMove

GAME = GAME_TYPES["backgammon"]


def begun(length: int, points: tuple[int, int] = (0, 0), crawford: str = "before") -> Match:
    """Return a match after the first move of a game: the other player is before their roll."""
    match = Cubed(
        pyspiel.load_game("backgammon(scoring_type=full_scoring)"), length
    ).new_initial_state()
    match.points, match.crawford = points, crawford
    match.apply_action(0)
    match.apply_action(match.legal_actions()[0])
    return match


def after(match: Match, *actions: int) -> Match:
    for action in actions:
        assert action in match.legal_actions()
        match.apply_action(action)
    return match


class CubeTests(SynchronousTestCase):
    def test_who_drops_loses_what_the_cube_showed(self) -> None:
        match = begun(5)
        doubles = match.current_player()
        after(match, DOUBLE)
        assert match.current_player() == 1 - doubles
        after(match, DROP)
        assert match.points[doubles] == 1 and match.cube == 1 and match.is_chance_node()

    def test_who_takes_has_the_cube(self) -> None:
        match = begun(9)
        doubles = match.current_player()
        after(match, DOUBLE, TAKE)
        assert (match.cube, match.owner) == (2, 1 - doubles)
        while match.current_player() in (-1, doubles):
            assert ROLL not in match.legal_actions()
            match.apply_action(match.legal_actions()[0])
        assert match.legal_actions() == [ROLL, DOUBLE]

    def test_whose_cube_it_is_not_rolls_at_once(self) -> None:
        match = after(begun(9), DOUBLE, TAKE)
        assert match.is_chance_node()

    def test_a_double_that_can_win_nothing_is_not_offered(self) -> None:
        assert begun(3, (2, 2), "over").is_chance_node()

    def test_nobody_doubles_in_the_crawford_game(self) -> None:
        assert begun(5, (4, 0), "now").is_chance_node()
        assert begun(5, (0, 4), "now").is_chance_node()

    def test_the_game_after_one_comes_to_the_last_point_is_the_crawford_game(self) -> None:
        match = after(begun(2), DOUBLE, DROP)
        assert match.crawford == "now"
        assert match.points in ((1, 0), (0, 1))

    def test_a_gammon_counts_twice_times_the_cube(self) -> None:
        match = begun(9)
        match.cube = 2
        match.score(1, 2)
        assert match.points == (0, 4)

    def test_a_match_has_no_more_points_than_its_length(self) -> None:
        match = begun(3)
        match.score(0, 3)
        match.score(0, 3)
        assert match.points == (3, 0) and match.is_terminal()
        assert match.returns() == [1.0, -1.0] and match.legal_actions() == []

    def test_a_game_that_ends_without_a_winner_is_played_again(self) -> None:
        match = begun(5, (4, 0), "now")
        match.score(0, 0)
        assert match.points == (4, 0) and match.crawford == "now" and match.is_chance_node()

    def test_a_copy_is_another_one(self) -> None:
        match = begun(5)
        after(match.clone(), DOUBLE, DROP)
        assert match.points == (0, 0) and match.legal_actions() == [ROLL, DOUBLE]


class GameTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.game: Any = GAME.game({"points": "3"})
        self.rng = Random(1)
        before = self.game.start(2, self.rng)
        self.position = self.play(before, self.game.moves(before)[0]).position

    def play(self, position: Any, move: str) -> Any:
        return self.game.play(position, move, self.rng)

    def test_dice_are_hidden_before_the_decision(self) -> None:
        assert self.game.moves(self.position) == ["roll", "double"]
        assert "dice=" not in self.position.text
        assert "points=0-0 length=3 cube=1" in self.position.text

    def test_a_roll_says_what_chance_brought(self) -> None:
        made = self.play(self.position, "roll")
        assert made.move.startswith("roll | ") and "dice=" in made.position.text
        assert self.game.play(self.position, made.move, None).position == made.position

    def test_a_double_brings_no_dice(self) -> None:
        made = self.play(self.position, "double")
        assert made.move == "double" and "offered=2" in made.position.text
        with self.assertRaises(IllegalMove):
            self.play(made.position, "roll")
        with self.assertRaises(NotAMove):
            self.play(made.position, "redouble")

    def test_a_history_is_restored(self) -> None:
        position = self.play(self.play(self.position, "double").position, "drop").position
        restored = self.game.load(self.game.dump(position))
        assert (restored, restored.text) == (position, position.text)

    def test_a_single_game_has_no_cube(self) -> None:
        game: Any = GAME.game()
        before = game.start(2, Random(1))
        after = game.play(before, game.moves(before)[0], Random(1)).position
        assert "double" not in game.moves(after) and "cube" not in after.text


class ComputerTests(SynchronousTestCase):
    def match(self, mine: int, theirs: int) -> Match:
        """Return a match before a roll, of two players with such ways before them."""
        match = begun(5)
        player = match.current_player()
        ways = {player: mine, 1 - player: theirs}
        self.patch(cube, "pips", lambda _, whose: ways[whose])
        return match

    def test_who_leads_by_a_tenth_doubles(self) -> None:
        assert cube.choose(self.match(90, 100), "club") == "double"
        assert cube.choose(self.match(95, 100), "club") == "roll"

    def test_who_trails_by_an_eighth_drops(self) -> None:
        assert cube.choose(after(self.match(90, 100), DOUBLE), "club") == "take"
        assert cube.choose(after(self.match(80, 100), DOUBLE), "club") == "drop"

    def test_a_beginner_never_doubles_and_always_takes(self) -> None:
        match = self.match(10, 100)
        assert cube.choose(match, "beginner") == "roll"
        assert cube.choose(after(match, DOUBLE), "beginner") == "take"

    def test_pips_at_the_start(self) -> None:
        match = Cubed(pyspiel.load_game("backgammon"), 3).new_initial_state()
        assert [cube.pips(match, player) for player in (0, 1)] == [167, 167]

    def test_a_computer_plays_a_match_to_its_end(self) -> None:
        game: Any = GAME.game({"points": "3"})
        choose = GAME.choose
        assert choose is not None
        rng = Random(2)
        position = game.start(2, rng)
        while game.turn(position) is not None:
            move = choose(game, position, "beginner", lambda: True, rng)
            position = game.play(position, move, rng).position
        assert max(position.state.points) == 3

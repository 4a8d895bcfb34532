"""The computer for Chinese checkers."""

from __future__ import annotations

from random import Random
from typing import Any

from tictac_openspiel import star
from tictac_openspiel.games import GAME_TYPES
from twisted.trial.unittest import SynchronousTestCase

GAME = GAME_TYPES["chinesecheckers"]


def rows(*lines: str) -> dict[star.Hole, str]:
    """Return a small star of such rows."""
    return star.read([list(line) for line in lines])


class StarTests(SynchronousTestCase):
    def test_the_point_opposite_is_where_a_player_goes(self) -> None:
        game: Any = GAME.game()
        assert star.tips(game, 2) == [(0.0, 8.0), (0.0, -8.0)]
        assert star.tips(game, 3) == [(0.0, 8.0), (-6.0, -4.0), (6.0, -4.0)]
        assert star.tips(game, 4) == [(0.0, 8.0), (-6.0, 4.0), (0.0, -8.0), (6.0, -4.0)]

    def test_a_peg_steps_and_jumps_in_chains(self) -> None:
        holes = rows(".1.2.")
        (peg,) = (hole for hole, sign in holes.items() if sign == "1")
        assert [end[0] for _, end in star.reach(holes, peg, True)] == [0.0, -2.0]
        other = (0.0, -8.0)
        jumps = star.reach({**holes, other: "1", peg: "."}, other, False)
        assert [(first[0], end[0]) for first, end in jumps] == [(2.0, 2.0)]

    def test_no_peg_jumps_over_itself_or_off_the_star(self) -> None:
        holes = rows("12")
        (peg,) = (hole for hole, sign in holes.items() if sign == "1")
        assert [*star.reach(holes, peg, True)] == []

    def test_long_ways_count_more(self) -> None:
        far = star.far((0.0, 0.0), (0.0, 8.0))
        assert far > 2 * star.far((0.0, 4.0), (0.0, 8.0))

    def test_a_better_level_wins(self) -> None:
        for worse, better in (("beginner", "club"), ("club", "best")):
            for seed in range(2):
                assert self.winner((worse, better), seed) == better
                assert self.winner((better, worse), seed) == better

    def winner(self, levels: tuple[str, str], seed: int) -> str:
        game: Any = GAME.game()
        rng = Random(seed)
        position = game.start(2, rng)
        while (seat := game.turn(position)) is not None:
            move = star.choose(game, position, levels[seat], rng)
            position = game.play(position, move, rng).position
        result = game.result(position)
        assert result is not None and result.winner is not None
        return levels[result.winner]

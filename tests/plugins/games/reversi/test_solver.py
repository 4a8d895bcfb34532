"""The end of a game is solved, and the analysis calls no perfect move wrong."""

from __future__ import annotations

from random import Random

import pytest

from tictac.game import Game
from tictac.plugins.games.reversi.opponent import SOLVED, judge
from tictac.plugins.games.reversi.rules import Position, Reversi
from tictac.plugins.games.reversi.solver import Solver


def near_the_end(game: Game[Position], left: int, seed: int) -> Position:
    """Return a position after random moves, with so many empty cells."""
    rng = Random(seed)
    while True:
        position = game.start(2, rng)
        while game.turn(position) is not None:
            if game.dump(position).count(".") == left:
                return position
            position = game.play(position, rng.choice(game.moves(position)), rng).position


def outcome(game: Reversi, position: Position) -> int:
    """Return 1 if the mover wins, by the rules alone: a search of everything."""
    found = []
    for move in game.moves(position):
        then = game.play(position, move, None).position
        result = game.result(then)
        if result is not None:
            winner = result.winner
            found.append(0 if winner is None else 1 if winner == position.mover else -1)
        else:
            value = outcome(game, then)
            found.append(value if then.mover == position.mover else -value)
    return max(found)


@pytest.mark.parametrize("seed", range(12))
def test_the_solver_agrees_with_the_rules(seed: int) -> None:
    game = Reversi(6)
    position = near_the_end(game, 6, seed)
    solver = Solver(game)
    assert solver.solve(*game.sides(position), lambda: False) == outcome(game, position)
    for move in game.moves(position):
        then = game.play(position, move, None).position
        if then.mover is not None:
            value = solver.solve(*game.sides(then), lambda: False)
            assert value == outcome(game, then)


@pytest.mark.parametrize("seed", range(8))
def test_every_move_near_the_end_has_its_true_score(seed: int) -> None:
    game = Reversi(8)
    position = near_the_end(game, 8, seed)
    mover, solver = position.mover, Solver(game)
    weigh = judge(game)
    for move in game.moves(position):
        then = game.play(position, move, None).position
        found = weigh(position, move, lambda: False)
        assert found is not None and not found.guessed
        if then.mover is None:
            continue
        value = solver.solve(*game.sides(then), lambda: False)
        assert found.after == (1 + (value if then.mover == mover else -value)) / 2
        assert found.before >= found.after


def test_without_time_the_end_is_an_estimate() -> None:
    game = Reversi(8)
    position = near_the_end(game, SOLVED, 1)
    found = judge(game)(position, game.moves(position)[0], lambda: True)
    assert found is not None and found.guessed


def test_a_search_without_time_ends() -> None:
    game = Reversi(8)
    position = near_the_end(game, SOLVED, 1)
    with pytest.raises(TimeoutError):
        Solver(game).solve(*game.sides(position), lambda: True)

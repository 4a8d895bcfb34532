"""The engine for Kalah: alpha-beta, as deep as its level or its time allows."""

from __future__ import annotations

from contextlib import suppress
from random import Random

from tictac.game import Evaluation, Evaluator, ShouldStop, expected
from tictac_kalah.rules import Kalah, Position

DEPTHS = {"beginner": 0, "club": 2, "best": 99}
UNIT = 5  # seeds ahead are an expected score of 0.73: a guess


def choose(game: Kalah, position: Position, level: str, stop: ShouldStop, rng: Random) -> str:
    """Return the best move of the deepest finished search."""
    best = rng.choice(game.moves(position))
    with suppress(TimeoutError):
        for depth in range(1, DEPTHS[level] + 1):
            best = search(game, position, depth, stop)[1]
    return best


def judge(game: Kalah) -> Evaluator:
    """Return an evaluator that searches equally deep after the move and after the best one."""

    def weigh(position: Position, move: str, stop: ShouldStop) -> Evaluation:
        with suppress(TimeoutError):
            for depth in (1, 6):
                before, best = search(game, position, depth, stop)
                after = lead(game, position, move, depth, stop)
                seen = best if after < before else move, before, after
        return Evaluation(seen[0], expected(seen[1], UNIT), expected(seen[2], UNIT))

    return weigh


def search(
    game: Kalah, position: Position, depth: int, stop: ShouldStop, alpha: int = -99, beta: int = 99
) -> tuple[int, str]:
    """Return how many seeds ahead the mover will be after ``depth`` moves, and the best move."""
    if depth > 1 and stop():
        raise TimeoutError
    best = ""
    for move in reversed(game.moves(position)):
        value = lead(game, position, move, depth, stop, alpha, beta)
        if value > alpha or not best:
            alpha, best = max(alpha, value), move
        if alpha >= beta:
            break
    return alpha, best


def lead(
    game: Kalah, position: Position, move: str, depth: int, stop: ShouldStop,
    alpha: int = -99, beta: int = 99,
) -> int:  # fmt: skip
    """Return how many seeds ahead a move leads the player who makes it."""
    after, mover = game.play(position, move, None).position, position.mover or 0
    if depth <= 1 or after.mover is None:
        return game.side(after, mover)[-1] - game.side(after, 1 - mover)[-1]
    if after.mover == mover:
        return search(game, after, depth - 1, stop, alpha, beta)[0]
    return -search(game, after, depth - 1, stop, -beta, -alpha)[0]

"""A Reversi player: any move, the best looking one, or alpha-beta as deep as its time allows."""

from __future__ import annotations

from contextlib import suppress
from random import Random

from tictac.game import Evaluation, Evaluator, ShouldStop, expected
from tictac.plugins.games.reversi.rules import Position, Reversi

END = 10_000
"""What an end is worth, besides the pieces: more than any guess."""

JUDGED, SOLVED = 4, 8
"""How many moves ahead a move is judged; with so few cells left to the end."""

UNIT = 32.5
"""What :func:`guess` must find for a score of 0.73: fitted to the ends of 2,000 games."""


def choose(game: Reversi, position: Position, level: str, stop: ShouldStop, rng: Random) -> str:
    """The computer's move."""
    own, theirs = game.sides(position)
    moves = game.moves(position)
    rng.shuffle(moves)
    if level == "beginner":
        return moves[0]
    if level == "club":
        return min(moves, key=lambda move: guess(game, *game.after(own, theirs, game.bits[move])))
    best = 0
    with suppress(TimeoutError):
        for depth in range(1, 1 + (game.cells & ~(own | theirs)).bit_count()):
            _, best = look(game, own, theirs, depth, -2 * END, 2 * END, stop)
    return next(move for move in moves if game.bits[move] == best)


def judge(game: Reversi) -> Evaluator:
    """Weigh moves by looking equally far after each, to the end where that is near."""

    def weigh(position: Position, move: str, stop: ShouldStop) -> Evaluation:
        own, theirs = game.sides(position)
        left = (game.cells & ~(own | theirs)).bit_count()
        made = game.bits[move]
        depths = 1, left if left <= SOLVED else JUDGED
        with suppress(TimeoutError):
            for depth in depths:
                value, best = look(game, own, theirs, depth, -2 * END, 2 * END, stop)
                then = game.after(own, theirs, made)
                seen = value, best, -look(game, *then, depth - 1, -2 * END, 2 * END, stop)[0]
        value, best, after = seen
        name = next(text for text, bit in game.bits.items() if bit == best)
        return Evaluation(move if after == value else name, _expected(value), _expected(after))

    return weigh


def look(
    game: Reversi, own: int, theirs: int, depth: int, alpha: int, beta: int, stop: ShouldStop
) -> tuple[int, int]:
    """What a board is worth to who moves, looking ``depth`` moves ahead, and the best move."""
    can, best = game.enclosing(own, theirs), 0
    if not can and not game.enclosing(theirs, own):
        ahead = own.bit_count() - theirs.bit_count()
        return ahead + END * ((ahead > 0) - (ahead < 0)), 0
    if depth == 0:
        return guess(game, own, theirs), 0
    if not can:
        return -look(game, theirs, own, depth, -beta, -alpha, stop)[0], 0
    if depth > 1 and stop():
        raise TimeoutError
    for cells in (can & game.corners, can & ~game.corners):
        while cells and alpha < beta:
            bit = cells & -cells
            cells ^= bit
            after = game.after(own, theirs, bit)
            value = -look(game, *after, depth - 1, -beta, -alpha, stop)[0]
            if value > alpha:
                alpha, best = value, bit
    return alpha, best


def _expected(value: int) -> float:
    if abs(value) > END // 2:
        return float(value > 0)
    return expected(value, UNIT)


def guess(game: Reversi, own: int, theirs: int) -> int:
    """How good it looks: corners, and how many moves each side has."""
    corners = (own & game.corners).bit_count() - (theirs & game.corners).bit_count()
    can = game.enclosing(own, theirs).bit_count() - game.enclosing(theirs, own).bit_count()
    return 30 * corners + 4 * can

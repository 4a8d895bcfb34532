"""The engine for Reversi: a random move, the most promising one, or a timed alpha-beta search."""

from __future__ import annotations

from contextlib import suppress
from random import Random

from tictac.game import Evaluation, Evaluator, ShouldStop, expected
from tictac.plugins.games.reversi.rules import Position, Reversi
from tictac.plugins.games.reversi.solver import Solver

END = 10_000
"""The value of an end, in addition to the pieces: more than any estimate."""

JUDGED, SOLVED = 4, 14
"""Search depth of the evaluation, and the empty cells from which it solves the end in time."""

UNIT = 32.5
"""The value of :func:`guess` for a score of 0.73: fitted to the ends of 2,000 games."""


def choose(game: Reversi, position: Position, level: str, stop: ShouldStop, rng: Random) -> str:
    """Return the move of the computer."""
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
    """Return an evaluator that solves the end, and estimates by an equal search before it."""
    solver = Solver(game)

    def weigh(position: Position, move: str, stop: ShouldStop) -> Evaluation:
        own, theirs = game.sides(position)
        if (game.cells & ~(own | theirs)).bit_count() <= SOLVED:
            with suppress(TimeoutError):
                return _solved(game, solver, position, move, stop)
        made = game.bits[move]
        with suppress(TimeoutError):
            for depth in (1, JUDGED):
                value, best = look(game, own, theirs, depth, -2 * END, 2 * END, stop)
                then = game.after(own, theirs, made)
                seen = value, best, -look(game, *then, depth - 1, -2 * END, 2 * END, stop)[0]
        value, best, after = seen
        name = next(text for text, bit in game.bits.items() if bit == best)
        named = move if after == value else name
        is_guessed = abs(after) <= END // 2
        return Evaluation(named, _expected(value), _expected(after), guessed=is_guessed)

    return weigh


def _solved(
    game: Reversi, solver: Solver, position: Position, move: str, stop: ShouldStop
) -> Evaluation:
    """Return the value of a move near the end. Raises TimeoutError."""
    own, theirs = game.sides(position)
    before = solver.solve(own, theirs, stop)
    found = {}
    for each in [move, *game.moves(position)]:
        found[each] = -solver.solve(*game.after(own, theirs, game.bits[each]), stop)
        if found[each] == before:
            break
    return Evaluation(each, (1 + before) / 2, (1 + found[move]) / 2)


def look(
    game: Reversi, own: int, theirs: int, depth: int, alpha: int, beta: int, stop: ShouldStop
) -> tuple[int, int]:
    """Return the value of a board for its mover, ``depth`` moves ahead, and the best move."""
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
    """Estimate the value of a board from its corners, and from the number of moves of each side."""
    corners = (own & game.corners).bit_count() - (theirs & game.corners).bit_count()
    can = game.enclosing(own, theirs).bit_count() - game.enclosing(theirs, own).bit_count()
    return 30 * corners + 4 * can

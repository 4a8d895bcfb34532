"""The engine for Nim: perfect, or random.

Let x be the exclusive-or of all numbers. If x is 0, every move loses against perfect play.
Otherwise, there is a number a with a ^ x < a: take a - (a ^ x) from it. From 24, 17, and 3, x is
10, and the move takes 6 from 24. Source: C. L. Bouton, 1901.

The functions are pure: callers pass a Random.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import xor
from random import Random

from tictac.errors import IllegalMove
from tictac.plugins.games.nim.rules import Move


def best_moves(numbers: Sequence[int]) -> list[Move]:
    """Return the moves that :func:`choose` considers equal, by index; none if no number is left.

    These are the moves that win against any play. If there is none, every move loses against best
    play; the function then returns moves that take 1, to make the game last.
    """
    nim_sum = reduce(xor, numbers, 0)
    if nim_sum:
        return [
            Move(index, number - (number ^ nim_sum))
            for index, number in enumerate(numbers)
            if number ^ nim_sum < number
        ]
    return [Move(index, 1) for index in range(len(numbers))]


def keeps_win(numbers: Sequence[int], move: Move) -> bool:
    """Return whether this move wins for its side, if that side makes no mistake later."""
    at, amount = move
    left = [*numbers[:at], numbers[at] - amount, *numbers[at + 1 :]]
    return reduce(xor, left) == 0


def choose(numbers: Sequence[int], rng: Random | None = None) -> Move:
    """Return a best move. ``rng`` picks among equal moves; without it, the first one is returned.

    Raises :class:`~tictac.errors.IllegalMove` if nothing is left to take.
    """
    moves = best_moves(numbers)
    if not moves:
        raise IllegalMove("the game is over: there is nothing to take")
    return rng.choice(moves) if rng else moves[0]


def choose_at_random(numbers: Sequence[int], rng: Random) -> Move:
    """Return a random amount of a random number; raises as :func:`choose`."""
    if not numbers:
        raise IllegalMove("the game is over: there is nothing to take")
    index = rng.randrange(len(numbers))
    return Move(index, rng.randint(1, numbers[index]))

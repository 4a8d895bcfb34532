"""A Nim player: perfect, or random.

Source: nim.md, "Playing well" (C. L. Bouton, 1901). Pure: dice are passed in.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import xor
from random import Random

from tictac.errors import IllegalMove
from tictac.plugins.games.nim.rules import Move


def best_moves(numbers: Sequence[int]) -> list[Move]:
    """The moves that :func:`choose` thinks equally good, by index; none if nothing is left.

    Those that win against any play. Where there is none every move loses against best
    play, and the ones that are left take 1, to make the game last.
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
    """Whether the side that makes this move wins by it, if it makes no mistake later."""
    at, amount = move
    left = [*numbers[:at], numbers[at] - amount, *numbers[at + 1 :]]
    return reduce(xor, left) == 0


def choose(numbers: Sequence[int], rng: Random | None = None) -> Move:
    """A best move. ``rng`` pick among equals; without them it is the first.

    Raises :class:`~tictac.errors.IllegalMove` when there is nothing to take.
    """
    moves = best_moves(numbers)
    if not moves:
        raise IllegalMove("the game is over: there is nothing to take")
    return rng.choice(moves) if rng else moves[0]


def choose_at_random(numbers: Sequence[int], rng: Random) -> Move:
    """Any amount of any number; raises as :func:`choose`."""
    if not numbers:
        raise IllegalMove("the game is over: there is nothing to take")
    index = rng.randrange(len(numbers))
    return Move(index, rng.randint(1, numbers[index]))

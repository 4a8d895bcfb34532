"""Moves as events: the position that a move leads to in a game."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from random import Random

from tictac.game import Game
from tictac.lobby.events import Placed, Position
from tictac.lobby.terms import USUAL_TERMS

NO_RNG = Random(0)
"""Random numbers for a game without chance."""

Step = Callable[[Position, str, int], Placed]
"""Returns the event of a move in a position, with that number. Raises NotAMove or IllegalMove."""


def step_in(game: Game[Position], rng: Random | None) -> Step:
    """Return the step of rooms of that game."""
    return _usual_placed if game is USUAL_TERMS.game else partial(_placed, game, rng)


def _placed(
    game: Game[Position], rng: Random | None, position: Position, move: str, number: int
) -> Placed:
    seat = game.turn(position) or 0
    after, text = game.play(position, move, rng)
    return Placed(number, None, after, seat, text, game.turn(after))


# The events of moves that matches make again and again. With these cached, the rules cost a look-up
# on the path of a move. The usual game has no dice and 16,167 moves, and the number mostly follows
# from the move.
@lru_cache(maxsize=32_768)
def _usual_placed(position: Position, move: str, number: int) -> Placed:
    return _placed(USUAL_TERMS.game, NO_RNG, position, move, number)


USUAL_START = USUAL_TERMS.game.start(USUAL_TERMS.seats, NO_RNG)
USUAL_TURN = USUAL_TERMS.game.turn(USUAL_START) or 0

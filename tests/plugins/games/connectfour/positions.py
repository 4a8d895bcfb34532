"""Positions of Connect Four: after given moves, and of games at random."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.plugins.classics.connectfour.helpers import moves
from tictac.plugins.games.connectfour.rules import Position, Rules


def replay(rules: Rules, text: str) -> Position:
    """Return the position after these moves, of which only the last may end the game."""
    position = rules.initial()
    for move in moves(text):
        assert rules.outcome(position) is None, move
        position = rules.play(position, move)
    return position


def random_positions(rules: Rules, seed: int, games: int) -> Iterator[Position]:
    """Yield positions of random games that aren't over."""
    rng = Random(seed)
    for _ in range(games):
        position, length = rules.initial(), 0
        while rules.outcome(position) is None and length < 120:
            yield position
            position = rules.play(position, rng.choice(rules.legal_moves(position)))
            length += 1

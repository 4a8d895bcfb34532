"""The evaluation of Connect Four moves: by a perfect player if there is one, else by our search.

The perfect player is the package bitbully (``pip install 'tictac[judge]'``). It knows the usual
board without pops, and there makes the moves of the level ``best``.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from importlib import import_module
from random import Random
from typing import Any

from tictac.game import ShouldStop, expected
from tictac.plugins.games.connectfour.opponent import look, option_of, search_for
from tictac.plugins.games.connectfour.rules import DROP, Move, Position, Rules
from tictac.plugins.games.connectfour.search import LOSS, WIN, OutOfTimeError

AHEAD = 6
"""Depth of our search, in moves."""

UNIT = 5.0
"""The estimate for a score of 0.73: fitted to the ends of 1,000 games of club level."""

PERFECT = Rules(pops=False)
"""The rules that the perfect player knows."""


def weigh(
    rules: Rules, position: Position, move: Move, stop: ShouldStop
) -> tuple[Move, float, float, bool]:
    """Return the best move, its value, the value of ``move``, and whether that is an estimate."""
    perfect = solver() if rules == PERFECT else None
    values = _solve(perfect, position) if perfect else _search(rules, position, move, stop)
    best = max(values, key=lambda each: (values[each], each == move))
    guessed = not perfect and LOSS < values[move] < WIN
    return best, _score(values[best], not perfect), _score(values[move], not perfect), guessed


def perfect_move(rules: Rules, position: Position, rng: Random) -> Move | None:
    """Return a perfect move; None after the end, or without a perfect player of these rules."""
    perfect = solver() if rules == PERFECT else None
    if perfect is None or not rules.legal_moves(position):
        return None
    values = _solve(perfect, position)
    most = max(values.values())
    return rng.choice([move for move, value in values.items() if value == most])


def _score(value: int, guessed: bool) -> float:
    if guessed and LOSS < value < WIN:
        return expected(value, UNIT)
    return (1 + (value > 0) - (value < 0)) / 2


@cache
def solver() -> Any:
    """Return the perfect player, with its book of openings; None if it isn't installed."""
    try:
        return import_module("bitbully").BitBully()
    except ImportError:
        return None


def _solve(perfect: Any, position: Position) -> dict[Move, int]:
    """Return the value of each move: the sooner a win and the later a loss, the greater."""
    rows = [[".RY".index(cell) for cell in row] for row in position.rows]
    board = import_module("bitbully").Board(rows)
    return {Move(DROP, c + 1): value for c, value in perfect.score_all_moves(board).items()}


def _search(rules: Rules, position: Position, move: Move, stop: ShouldStop) -> dict[Move, int]:
    """Return the values of ``move`` and of the best move; those of other moves can be too high."""
    grid, middle = position.grid, (rules.columns + 1) / 2
    others = sorted(rules.legal_moves(position), key=lambda each: abs(each.column - middle))
    values, open_ = {move: 0}, []
    for each in [move, *(other for other in others if other != move)]:
        option = option_of(rules, position, each)
        if grid.has_four(option.own) or grid.has_four(option.theirs):
            values[each] = WIN if grid.has_four(option.own) else LOSS
        elif option.draws:
            values[each] = 0
        else:
            open_.append(option)
    if WIN in values.values():
        open_ = [option for option in open_ if option.move == move]
    search = search_for(rules, position, stop)
    with suppress(OutOfTimeError):
        for depth in range(1, AHEAD + 1):
            found: dict[Move, int] = {}
            look(search, open_, depth, found)
            values |= found
    return values

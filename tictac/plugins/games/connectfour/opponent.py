"""The engine for Connect Four: it takes a win, allows none, and searches until its time is up."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import NamedTuple

from tictac.errors import IllegalMove
from tictac.game import ShouldStop
from tictac.plugins.games.connectfour.bitboard import Grid
from tictac.plugins.games.connectfour.rules import DROP, RED, Move, Position, Rules, other
from tictac.plugins.games.connectfour.search import (
    LOSS,
    REPETITION,
    WIN,
    DropSearch,
    OutOfTimeError,
    PopSearch,
    Search,
)

DEEPEST_WITH_POPS = 100
"""Maximum depth where games needn't end, so that the search doesn't exceed Python's stack."""


class Option(NamedTuple):
    """A move, and the board after it: the pieces of the mover and of the opponent."""

    move: Move
    own: int
    theirs: int
    draws: bool


class Choice(NamedTuple):
    """The chosen move, the depth of the search, the value of the move, and the boards searched."""

    move: Move
    depth: int
    value: int
    nodes: int


def choose(
    rules: Rules, position: Position, stop: ShouldStop, rng: Random, deepest: int | None = None
) -> Move:
    """Return a win in one move, else a move that doesn't let the opponent win in one, if any.

    The search ends when ``stop`` reports that the time is up, or at ``deepest`` moves. ``rng``
    picks among equal moves. Raises :class:`~tictac.errors.IllegalMove` if the game is over.
    """
    return consider(rules, position, stop, rng, deepest).move


def choose_carelessly(rules: Rules, position: Position, rng: Random) -> Move:
    """Return a win in one if there is one, else a random move; raises as :func:`choose`."""
    moves = rules.legal_moves(position)
    if not moves:
        raise IllegalMove("the game is over, so there is nothing to choose")
    grid, mover = position.grid, position.to_move
    wins = [m for m in moves if grid.has_four(rules.play(position, m).stones(mover))]
    return rng.choice(wins or moves)


def consider(
    rules: Rules, position: Position, stop: ShouldStop, rng: Random, deepest: int | None = None
) -> Choice:
    """Return the choice of :func:`choose`, with the figures of its search."""
    options = _options(rules, position, rng)
    if not options:
        raise IllegalMove("the game is over, so there is nothing to choose")
    grid = position.grid
    for option in options:
        if grid.has_four(option.own):
            return Choice(option.move, 1, WIN, len(options))
    safe = [option for option in options if _is_safe(rules, grid, option)]
    if len(safe) <= 1:
        return Choice((safe or options)[0].move, 2, 0 if safe else LOSS, len(options))
    most = _deepest(rules, position)
    return _deepen(search_for(rules, position, stop), safe, min(deepest or most, most))


def _options(rules: Rules, position: Position, rng: Random) -> list[Option]:
    """Return every legal move: the middle first, drops before pops."""
    middle = (rules.columns + 1) / 2
    moves = rules.legal_moves(position)
    rng.shuffle(moves)
    moves.sort(key=lambda move: (move.kind != DROP, abs(move.column - middle)))
    return [option_of(rules, position, move) for move in moves]


def option_of(rules: Rules, position: Position, move: Move) -> Option:
    """Return a move with the board after it."""
    after = rules.play(position, move)
    mover = position.to_move
    own, theirs = after.stones(mover), after.stones(other(mover))
    outcome = rules.outcome(after)
    return Option(move, own, theirs, outcome is not None and outcome.winner is None)


def _is_safe(rules: Rules, grid: Grid, option: Option) -> bool:
    """Return whether the opponent hasn't won, and can't win at once."""
    if option.draws:
        return True
    own, theirs = option.own, option.theirs
    if grid.has_four(theirs) or grid.completing(theirs) & grid.landing(own | theirs):
        return False
    return not rules.pops or not any(
        grid.has_four(grid.popped(theirs, column))
        for column, cells in enumerate(grid.column)
        if theirs & cells & grid.bottoms
    )


def search_for(rules: Rules, position: Position, stop: ShouldStop) -> Search:
    """Return the search for the side to move."""
    grid = position.grid
    if not rules.pops:
        return DropSearch(grid, stop)
    drawn: tuple[set[int], set[int]] = (set(), set())
    for key in (*position.twice, position.key):
        drawn[(key & 1) != (position.to_move == RED)].add(key >> 1)
    return PopSearch(grid, stop, drawn)


def _deepest(rules: Rules, position: Position) -> int:
    free = position.grid.cells & ~(position.red | position.yellow)
    return DEEPEST_WITH_POPS if rules.pops else free.bit_count()


def _deepen(search: Search, options: list[Option], deepest: int) -> Choice:
    """Search deeper and deeper; return the best move of the deepest search, even an unfinished one.

    The search drops lost moves as soon as it knows them. If all moves are lost, it returns the one
    that loses last.
    """
    choice = Choice(options[0].move, 0, 0, 0)
    for depth in range(1, deepest + 1):
        values: dict[Move, int] = {}
        with suppress(OutOfTimeError):
            look(search, options, depth, values)
        options = [option for option in options if values.get(option.move, 0) > LOSS]
        if not options:
            return Choice(choice.move, depth, LOSS, search.nodes)
        best = max(values, key=lambda move: values[move], default=choice.move)
        options.sort(key=lambda option: option.move != best)
        value = values.get(options[0].move, 0)
        choice = Choice(options[0].move, depth, value, search.nodes)
        if len(options) == 1 or value == WIN or search.stop():
            break
    return choice


def look(search: Search, options: list[Option], depth: int, values: dict[Move, int]) -> None:
    """Store the value of each option, exact for the best one, until the time is up."""
    alpha = LOSS - 1
    for option in options:
        value = REPETITION
        if not option.draws:
            value = _value(search, option, depth - 1, alpha, alpha + 1 if values else WIN)
            if value > alpha and values:
                value = _value(search, option, depth - 1, alpha, WIN)
        values[option.move] = value
        alpha = max(alpha, value)
        if value == WIN:
            break


def _value(search: Search, option: Option, depth: int, alpha: int, beta: int) -> int:
    return -search.value(option.theirs, option.own, depth, -beta, -alpha)

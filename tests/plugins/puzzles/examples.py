"""A puzzle of Connect Four with two moves to find."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from tictac.games.all import game_type_of
from tictac.plugins.puzzles.finding import Puzzle, Solver
from tictac.plugins.puzzles.puzzles import Puzzles
from tictac.plugins.puzzles.tables import PuzzleTables
from tictac.storage.store import Store, Stored

TODAY, TOMORROW = "2026-11-29", "2026-11-30"

GAME = game_type_of("connectfour")
POSITION = "......./......./...R.../...Y.../...R.R./.Y.Y.R. Y"
"""Yellow plays between its discs, and threatens both ends of three."""


def counting(step: float = 0.02) -> Callable[[], float]:
    """Return a clock that advances by ``step`` at each look, so that no machine is too slow."""
    times = count()
    return lambda: next(times) * step


def example() -> Puzzle:
    """Return the puzzle."""
    game = GAME.game()
    steps, wins = Solver(GAME, game, counting()).solve(game.load(POSITION))
    return Puzzle("connectfour", GAME.values({}), 2, 1, steps, wins, "")


def kept(store: Store | None = None) -> Puzzles:
    """Return puzzles of today and of tomorrow; ``store`` keeps what accounts have solved."""
    tables = None if store is None else Stored(store, PuzzleTables)
    puzzles = Puzzles(lambda: TODAY, tables)
    for day in (TODAY, TOMORROW):
        puzzles.add(day, example())
    return puzzles

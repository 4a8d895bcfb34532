"""The end of a game of Reversi: the winner with best play, by a search that sees all of it."""

from __future__ import annotations

from tictac.game import ShouldStop
from tictac.plugins.games.reversi.rules import Reversi

KEPT, SORTED = 4, 5
"""Empty cells from which the search keeps results, and sorts moves by the replies that are left."""


class Solver:
    """Solves boards of one game, and keeps what it has found for the next ones."""

    def __init__(self, game: Reversi) -> None:
        self._game = game
        self._known: dict[tuple[int, int], tuple[int, int]] = {}

    def solve(self, own: int, theirs: int, stop: ShouldStop, alpha: int = -1, beta: int = 1) -> int:
        """Return 1 if the mover wins, 0 for a draw, and -1 if the mover loses.

        A result outside ``alpha`` to ``beta`` is only a bound. Raises TimeoutError once ``stop``
        says so.
        """
        game = self._game
        low, high = self._known.get((own, theirs), (-1, 1))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        can = game.enclosing(own, theirs)
        if not can:
            if not game.enclosing(theirs, own):
                ahead = own.bit_count() - theirs.bit_count()
                return (ahead > 0) - (ahead < 0)
            return -self.solve(theirs, own, stop, -beta, -alpha)
        left = (game.cells & ~(own | theirs)).bit_count()
        if left >= KEPT and stop():
            raise TimeoutError
        best = -1
        for then in self._replies(own, theirs, can, left):
            best = max(best, -self.solve(*then, stop, -beta, -max(alpha, best)))
            if best >= beta:
                break
        if left >= KEPT:
            low = best if best > alpha else low
            self._known[own, theirs] = low, best if best < beta else high
        return best

    def _replies(self, own: int, theirs: int, can: int, left: int) -> list[tuple[int, int]]:
        """Return the boards after each move; those with few replies first, which are soon seen."""
        game, found = self._game, []
        while can:
            bit = can & -can
            can ^= bit
            then = game.after(own, theirs, bit)
            replies = game.enclosing(*then).bit_count() if left >= SORTED else 0
            found.append((replies - 3 * bool(bit & game.corners), then))
        return [then for _, then in sorted(found)]

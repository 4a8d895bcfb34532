"""The value of a position: alpha-beta search on bit boards, to a given depth.

The search sees a board from the mover's side, as ``own`` and ``theirs``, so colors don't matter.
A value is an integer for the mover: WIN and LOSS are certain, 0 is a draw, and values between are
estimates. The search owes much to Pascal Pons's articles on a perfect solver. It skips moves that
let the opponent win at once, and tries moves that make more threats first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from tictac.plugins.games.connectfour.bitboard import Grid

WIN = 1000
LOSS = -WIN

EXACT, AT_LEAST, AT_MOST = 0, 1, -1

Entry = tuple[int, int, int, int]
"""The search's entry for a board: the depth, one of the three constants above, the value, and the
best move. The move is the bit of the cell that a drop fills, or ``~column`` for a pop.
"""

MOST_KNOWN = 400_000
"""Maximum number of remembered boards, about 100 MB."""

LOOKS_EVERY = 128
"""Boards between two looks at the clock: 1 to 2 ms, or 20 ms on the largest board."""

REPETITION = -1
"""Value of a draw by repetition for the side that searches: it prefers to continue."""

Child = tuple[int, int, int, int, int]
"""A board after a move: the move, the pieces of the mover and of the opponent, and the empty
cells that complete four of the mover's and of the opponent's.
"""


class OutOfTimeError(Exception):
    """The signal that the time of the search is up."""


class Search:
    """The common part of the searches with and without pops.

    The search regularly calls ``stop`` to learn whether the time is up. If so, :meth:`value`
    raises :class:`OutOfTimeError`; the search keeps its table of boards. ``nodes`` counts the
    boards searched. ``drawn`` are the keys of the boards that end the game by repetition: with
    the side that searches to move, and with the opponent to move.
    """

    def __init__(
        self,
        grid: Grid,
        stop: Callable[[], bool],
        drawn: tuple[Collection[int], Collection[int]] = ((), ()),
    ) -> None:
        self.grid = grid
        self.stop = stop
        self.nodes = 0
        self._known: dict[int, Entry] = {}
        self._path = (set(drawn[0]), set(drawn[1]))
        middle = (grid.columns - 1) / 2
        by_middle = sorted(range(grid.columns), key=lambda column: abs(column - middle))
        self._columns = [grid.column[column] for column in by_middle]

    def value(self, own: int, theirs: int, depth: int, alpha: int, beta: int) -> int:
        """Return the value of a board for its mover, the opponent of the side that searches.

        Looks ``depth`` moves ahead, and further where there is only one move. The value is exact
        between ``alpha`` and ``beta``, and a bound outside. The board has no four in a row yet.
        Raises OutOfTimeError.
        """
        completing, free = self.grid.completing, ~(own | theirs)
        before = tuple(path.copy() for path in self._path)
        try:
            wins, threats = completing(own) & free, completing(theirs) & free
            return self._value(own, theirs, wins, threats, depth, alpha, beta, 1)
        finally:
            self._path = before[0], before[1]

    def _value(
        self, own: int, theirs: int, wins: int, threats: int, depth: int, alpha: int, beta: int,
        side: int,
    ) -> int:  # fmt: skip
        """Return the value of a board, as :meth:`value` does.

        ``wins`` are the empty cells that complete four of the mover's, ``threats`` those of the
        opponent's. ``side`` is 0 if the side that searches is to move, else 1.
        """
        raise NotImplementedError

    def _count(self) -> None:
        self.nodes += 1
        if not self.nodes % LOOKS_EVERY:
            if self.stop():
                raise OutOfTimeError
            if len(self._known) > MOST_KNOWN:
                self._known.clear()

    def _best(
        self, key: int, children: Iterable[Child], depth: int, alpha: int, beta: int, side: int
    ) -> int:
        """Return the value of the best child, LOSS if there is none, and remember it under ``key``.

        After the first child, the search only has to show that the others are no better.
        """
        floor, best, best_move, ahead = alpha, LOSS, 0, depth - 1
        side = 1 - side
        for move, own, theirs, wins, threats in children:
            if not best_move:
                value = -self._value(theirs, own, threats, wins, ahead, -beta, -alpha, side)
            else:
                value = -self._value(theirs, own, threats, wins, ahead, -alpha - 1, -alpha, side)
                if alpha < value < beta:
                    value = -self._value(theirs, own, threats, wins, ahead, -beta, -alpha, side)
            if value > best or not best_move:
                best, best_move = value, move
                if value > alpha:
                    alpha = value
                    if value >= beta:
                        break
        kind = AT_LEAST if best >= beta else AT_MOST if best <= floor else EXACT
        self._known[key] = (depth, kind, best, best_move)
        return best


class DropSearch(Search):
    """The search for a game without pops."""

    def _value(
        self, own: int, theirs: int, wins: int, threats: int, depth: int, alpha: int, beta: int,
        side: int,
    ) -> int:  # fmt: skip
        self._count()
        grid = self.grid
        occupied = own | theirs
        heights = occupied + grid.bottoms
        moves = heights & grid.cells
        if wins & moves:
            return WIN
        forced = moves & threats
        if forced:
            if forced & forced - 1:
                return LOSS
            moves = forced
        elif not moves:
            return 0
        moves &= ~(threats >> 1)
        if not moves:
            return LOSS
        known = self._known.get(own + heights)
        if known is not None:
            looked, kind, value, _ = known
            if (looked >= depth or value in (WIN, LOSS)) and (
                kind == EXACT or (value >= beta if kind == AT_LEAST else value <= alpha)
            ):
                return value
        if alpha >= 0 and self._cannot_win(own, occupied, heights):
            return 0
        if depth <= 0:
            return self._guess(wins, threats, occupied)
        if not moves & moves - 1:
            depth += 1  # A forced move adds no depth.
        children = self._children(own, theirs, threats, moves, known[3] if known else 0)
        return self._best(own + heights, children, depth, alpha, beta, side)

    def _children(
        self, own: int, theirs: int, threats: int, moves: int, known: int
    ) -> Iterator[Child]:
        """Yield the boards after these drops: first the drop that was best before, if known."""
        completing, free = self.grid.completing, ~(own | theirs)
        if known:
            # Often the first move causes a cutoff, so the others aren't made.
            after = own | known
            yield known, after, theirs, completing(after) & free, threats & ~known
            moves ^= known
        rated: list[tuple[int, int, int, int]] = []
        for cells in self._columns:
            move = moves & cells
            if move:
                makes = completing(own | move) & free
                rated.append((-makes.bit_count(), len(rated), move, makes))
        rated.sort()
        for _, _, move, makes in rated:
            yield move, own | move, theirs, makes, threats & ~move

    def _cannot_win(self, own: int, occupied: int, heights: int) -> bool:
        """Return whether the opponent can't lose if they always drop on top of the mover's piece.

        If one column has an odd number of free cells, then another has, too; the opponent answers a
        drop into the first with a drop into the second. Only True is certain.
        """
        grid = self.grid
        free = grid.cells ^ occupied
        if free.bit_count() % 2:
            return False
        return not grid.has_four(own | free & (grid.leading | heights))

    def _guess(self, wins: int, threats: int, occupied: int) -> int:
        """Estimate the value of the winning cells at the end, if neither side gives way.

        When all other columns are full, one side must play below such a cell. The winning cells in
        the leading rows help one side, the others the other side.
        """
        if (self.grid.cells ^ occupied).bit_count() % 2:
            return -self._promise(threats, wins)
        return self._promise(wins, threats)

    def _promise(self, first: int, second: int) -> int:
        """Return the estimate of `_guess` for the side that moves when the free cells are even."""
        leading, above = self.grid.leading, self.grid.above
        good = first & leading
        if good and (good := good & ~above(second)):
            return max(3 * good.bit_count() - 2 * (second & leading).bit_count(), 1)
        more = first.bit_count() - second.bit_count()
        useful = second & ~leading
        if useful and (useful := useful & ~above(first)):
            return (more > 0) - (more < 0) - 2 * useful.bit_count() - 1
        return (more > 0) - (more < 0)


class PopSearch(Search):
    """The search for a game with pops: boards can come again, and threats can fall out of place."""

    def _value(
        self, own: int, theirs: int, wins: int, threats: int, depth: int, alpha: int, beta: int,
        side: int,
    ) -> int:  # fmt: skip
        self._count()
        grid = self.grid
        key = grid.key(own, own | theirs)
        path = self._path[side]
        if key in path:
            return -REPETITION if side else REPETITION
        landing = grid.landing(own | theirs)
        if wins & landing:
            return WIN
        known = self._known.get(key)
        if known is not None:
            looked, kind, value, _ = known
            if (looked >= depth or value in (WIN, LOSS)) and (
                kind == EXACT or (value >= beta if kind == AT_LEAST else value <= alpha)
            ):
                return value
        bottoms = own & grid.bottoms
        if not landing and not bottoms:
            return 0
        pops = []
        if bottoms:
            for column, cells in enumerate(grid.column):
                if not bottoms & cells:
                    continue
                after, others = grid.popped(own, column), grid.popped(theirs, column)
                if grid.has_four(after):
                    return WIN
                if not grid.has_four(others):
                    pops.append((~column, after, others))
        if depth <= 0:
            return 2 * (wins.bit_count() - threats.bit_count())
        moves = landing & threats or landing
        if threats & moves & moves - 1:
            moves = 0  # A drop can't stop two wins.
        moves &= ~(threats >> 1)
        children = self._children(own, theirs, threats, moves, pops, known[3] if known else 0)
        path.add(key)
        value = self._best(key, children, depth, alpha, beta, side)
        path.discard(key)
        return value

    def _children(
        self,
        own: int,
        theirs: int,
        threats: int,
        moves: int,
        pops: list[tuple[int, int, int]],
        known: int,
    ) -> Iterator[Child]:
        """Yield the boards after these drops and pops, except where the opponent's next drop wins.

        First comes the move that was best before, if known.
        """
        completing, free = self.grid.completing, ~(own | theirs)
        if known > 0:
            # Often the first move causes a cutoff, so the others aren't made.
            after = own | known
            yield known, after, theirs, completing(after) & free, threats & ~known
            moves ^= known
        rated: list[tuple[int, int, Child]] = []
        for cells in self._columns:
            move = moves & cells
            if move:
                makes = completing(own | move) & free
                left = threats & ~move
                rating = left.bit_count() - makes.bit_count()
                rated.append((rating, len(rated), (move, own | move, theirs, makes, left)))
        for move, after, others in pops:
            free = ~(after | others)
            left = completing(others) & free
            if not left & self.grid.landing(after | others):
                makes = completing(after) & free
                rating = -100 if move == known else left.bit_count() - makes.bit_count()
                rated.append((rating, len(rated), (move, after, others, makes, left)))
        rated.sort()
        for _, _, child in rated:
            yield child

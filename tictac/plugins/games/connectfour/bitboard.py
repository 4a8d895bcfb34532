"""A board as two integers, one bit for each cell, for the rules and the search.

The bits go up the columns, the far left column first. Above each column is one bit that is
never set, so that no line of four continues in the next column::

     6 13 20 ..      the bits that are never set
     5 12 19 ..      the top row, of six
     :  :  :
     1  8 15 ..
     0  7 14 ..      the bottom row

The functions work for any size, since Python's integers have no width.
"""

from __future__ import annotations

from functools import lru_cache


class Grid:
    """The masks of a board of ``columns`` x ``rows``; get one from :func:`grid`.

    ``stride`` is the distance of two columns. ``cells`` are all cells, ``column`` the cells of
    each column, the far left one first, and ``bottoms`` the lowest cell of each column.
    ``leading`` is every second row, without the top row. If the number of free cells is even and
    one side only drops on top of the other side's pieces, the ``leading`` cells go to the other.
    """

    __slots__ = (
        *("_across", "_climbs", "_falling", "_rising"),
        *("bottoms", "cells", "column", "columns", "leading", "rows", "stride"),
    )

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = rows
        self.stride = rows + 1
        low = (1 << rows) - 1
        self.column = tuple(low << self.stride * number for number in range(columns))
        self.bottoms = sum(1 << self.stride * number for number in range(columns))
        self.cells = self.bottoms * low
        self.leading = sum(self.bottoms << row for row in range(rows - 2, -1, -2))
        steps = (self.stride, self.stride - 1, self.stride + 1)
        self._across, self._falling, self._rising = ((s, 2 * s, 3 * s) for s in steps)
        self._climbs = [(1 << n, self._from(1 << n)) for n in range((rows - 1).bit_length())]

    def _from(self, row: int) -> int:
        """Return the cells of a row (from 0) and of the rows above."""
        return self.cells & ~(self.bottoms * ((1 << row) - 1))

    def has_four(self, stones: int) -> bool:
        """Return whether four of the ``stones`` are in a row, in any direction."""
        pairs = stones & stones >> 1
        if pairs & pairs >> 2:
            return True
        for one, two, _ in (self._across, self._falling, self._rising):
            pairs = stones & stones >> one
            if pairs & pairs >> two:
                return True
        return False

    def completing(self, stones: int) -> int:
        """Return the cells, free or taken, that make four in a row with three of ``stones``."""
        # Written out, because a search spends half of its time here.
        found = stones << 1 & stones << 2 & stones << 3  # nothing below can be free
        one, two, three = self._across
        right, left = stones << one, stones >> one
        found |= right & stones << two & (stones << three | left)
        found |= left & stones >> two & (stones >> three | right)
        one, two, three = self._falling
        right, left = stones << one, stones >> one
        found |= right & stones << two & (stones << three | left)
        found |= left & stones >> two & (stones >> three | right)
        one, two, three = self._rising
        right, left = stones << one, stones >> one
        found |= right & stones << two & (stones << three | left)
        found |= left & stones >> two & (stones >> three | right)
        return found & self.cells

    def above(self, some: int) -> int:
        """Return every cell that is above one of ``some``."""
        found = some << 1 & self.cells
        for shift, cells in self._climbs:
            found |= found << shift & cells
        return found

    def landing(self, occupied: int) -> int:
        """Return the lowest free cell of every column that isn't full."""
        return (occupied + self.bottoms) & self.cells

    def key(self, own: int, occupied: int) -> int:
        """Return the key of a board; the bit above the pieces of a column shows their number."""
        return own + occupied + self.bottoms

    def popped(self, stones: int, column: int) -> int:
        """Return ``stones`` after a pop: the pieces of the column (from 0) fall by one cell."""
        cells = self.column[column]
        return stones & ~cells | (stones & cells) >> 1 & cells


@lru_cache(maxsize=512)
def grid(columns: int, rows: int) -> Grid:
    """Return the masks for a size, made once."""
    return Grid(columns, rows)

"""A board as two whole numbers, one bit for each cell: what rules and search are made of.

The bits go up the columns, the far left column first. Above each column is one bit that is
never set, so that no line of four goes on in the next column::

     6 13 20 ..      the bits that are never set
     5 12 19 ..      the top row, of six
     :  :  :
     1  8 15 ..
     0  7 14 ..      the bottom row

Everything here works for any size, since Python's integers have no width.
"""

from __future__ import annotations

from functools import lru_cache


class Grid:
    """The masks of a board of ``columns`` x ``rows``; get one from :func:`grid`.

    ``stride`` is the distance of two columns; ``cells`` are all cells, ``column`` those of
    each column, the far left one first, ``bottoms`` the lowest of every column.
    ``leading`` is every second row, the top one not among them: if an even number of cells
    is free and one side only ever drops on top of the other, those are the other's.
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
        """The cells of that row (from 0) and those above."""
        return self.cells & ~(self.bottoms * ((1 << row) - 1))

    def has_four(self, stones: int) -> bool:
        """Whether four of them are in a row, in any direction."""
        pairs = stones & stones >> 1
        if pairs & pairs >> 2:
            return True
        for one, two, _ in (self._across, self._falling, self._rising):
            pairs = stones & stones >> one
            if pairs & pairs >> two:
                return True
        return False

    def completing(self, stones: int) -> int:
        """The cells that make four in a row with three of ``stones``; those may be taken."""
        # Written out, since a search spends half of its time here.
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
        """Every cell that is above one of ``some``."""
        found = some << 1 & self.cells
        for shift, cells in self._climbs:
            found |= found << shift & cells
        return found

    def landing(self, occupied: int) -> int:
        """The lowest free cell of every column that has one."""
        return (occupied + self.bottoms) & self.cells

    def key(self, own: int, occupied: int) -> int:
        """A number for the board: in each column the bit above the pieces tells how many."""
        return own + occupied + self.bottoms

    def popped(self, stones: int, column: int) -> int:
        """Those ``stones`` after a pop: the column (from 0) has fallen by one."""
        cells = self.column[column]
        return stones & ~cells | (stones & cells) >> 1 & cells


@lru_cache(maxsize=512)
def grid(columns: int, rows: int) -> Grid:
    """The masks for a size, made once."""
    return Grid(columns, rows)

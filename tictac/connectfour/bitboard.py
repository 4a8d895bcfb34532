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

    ``stride`` is the distance of two columns; ``bottoms`` and ``tops`` the lowest and the
    highest cell of every column, ``cells`` all of them, ``column`` those of each column, the
    far left one first.
    """

    __slots__ = ("bottoms", "cells", "column", "columns", "rows", "shifts", "stride", "tops")

    def __init__(self, columns: int, rows: int) -> None:
        self.columns = columns
        self.rows = rows
        self.stride = rows + 1
        low = (1 << rows) - 1
        self.column = tuple(low << self.stride * number for number in range(columns))
        self.bottoms = sum(1 << self.stride * number for number in range(columns))
        self.tops = self.bottoms << rows - 1
        self.cells = self.bottoms * low
        self.shifts = (1, self.stride, self.stride - 1, self.stride + 1)
        """From a cell to its neighbour: up, right, right and down, right and up."""

    def has_four(self, stones: int) -> bool:
        """Whether four of them are in a row, in any direction."""
        for shift in self.shifts:
            pairs = stones & stones >> shift
            if pairs & pairs >> 2 * shift:
                return True
        return False

    def landing(self, occupied: int) -> int:
        """The lowest free cell of every column that has one."""
        return (occupied + self.bottoms) & self.cells

    def popped(self, stones: int, column: int) -> int:
        """Those ``stones`` after a pop: the column (from 0) has fallen by one."""
        cells = self.column[column]
        return stones & ~cells | (stones & cells) >> 1 & cells


@lru_cache(maxsize=512)
def grid(columns: int, rows: int) -> Grid:
    """The masks for a size, made once."""
    return Grid(columns, rows)

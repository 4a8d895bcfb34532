"""Drawing boards."""

from __future__ import annotations

from collections.abc import Sequence


def draw_grid(cells: Sequence[str], columns: int) -> list[str]:
    """Lines of a grid with ``cells``, each one character wide (colour codes don't count).

    Rows run left to right, top to bottom, between rules of four dashes a column and one:
    13 for three columns (rooms.md, "The client").
    """
    rule = "-" * (4 * columns + 1)
    lines = [rule]
    for start in range(0, len(cells), columns):
        lines += [f"| {' | '.join(cells[start : start + columns])} |", rule]
    return lines

"""Colors and grids for terminals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tictac.errors import visible as visible

_CYAN, _YELLOW, _RED, _WINNING, _DIM, _BRIGHT = "36", "33", "31", "1;32", "2", "1"
_TOKENS = ("1;31", "1;33", "1;7", "1;32", "1;36", "1;35")


@dataclass(frozen=True, slots=True)
class Style:
    """Marks up pieces of text, or leaves them unchanged if ``colour`` is false."""

    colour: bool = False

    def first(self, text: str) -> str:
        """Return a mark of the first player in its style."""
        return self._paint(text, _CYAN)

    def second(self, text: str) -> str:
        """Return a mark of the other player in its style."""
        return self._paint(text, _YELLOW)

    def red(self, text: str) -> str:
        """Return a red mark."""
        return self._paint(text, _RED)

    def yellow(self, text: str) -> str:
        """Return a yellow mark."""
        return self._paint(text, _YELLOW)

    def winning(self, text: str) -> str:
        """Return a mark of the winning line in its style."""
        return self._paint(text, _WINNING)

    def dim(self, text: str) -> str:
        """Return a side remark in its style."""
        return self._paint(text, _DIM)

    def bright(self, text: str) -> str:
        """Return highlighted text."""
        return self._paint(text, _BRIGHT)

    def token(self, number: int, text: str) -> str:
        """Return a mark of one of six players, numbered from 0, in its color."""
        return self._paint(text, _TOKENS[number])

    def _paint(self, text: str, codes: str) -> str:
        return f"\x1b[{codes}m{text}\x1b[0m" if self.colour else text


def style_for(is_terminal: bool, environment: Mapping[str, str]) -> Style:
    """Return the style for a terminal: with colors unless NO_COLOR (no-color.org) is set."""
    wanted = not environment.get("NO_COLOR")
    return Style(is_terminal and wanted and environment.get("TERM", "dumb") != "dumb")


def draw_grid(cells: Sequence[str], columns: int) -> list[str]:
    """Return the lines of a grid of ``cells``, each one character wide without color codes.

    Rows run from left to right and from top to bottom, between rules of four dashes for each column
    and one more: 13 for three columns (rooms-client.md, "RC4 The match").
    """
    rule = "-" * (4 * columns + 1)
    lines = [rule]
    for start in range(0, len(cells), columns):
        lines += [f"| {' | '.join(cells[start : start + columns])} |", rule]
    return lines

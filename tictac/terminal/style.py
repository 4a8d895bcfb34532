"""Colour for those who can see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tictac.errors import visible as visible

_CYAN, _YELLOW, _RED, _WINNING, _DIM, _BRIGHT = "36", "33", "31", "1;32", "2", "1"
_TOKENS = ("1;31", "1;33", "1;7", "1;32", "1;36", "1;35")


@dataclass(frozen=True, slots=True)
class Style:
    """Marks up pieces of text, or leaves them as they are when ``colour`` is false."""

    colour: bool = False

    def first(self, text: str) -> str:
        """A mark of the player who began."""
        return self._paint(text, _CYAN)

    def second(self, text: str) -> str:
        """A mark of the other player."""
        return self._paint(text, _YELLOW)

    def red(self, text: str) -> str:
        """A mark that is called red."""
        return self._paint(text, _RED)

    def yellow(self, text: str) -> str:
        """A mark that is called yellow."""
        return self._paint(text, _YELLOW)

    def winning(self, text: str) -> str:
        """A mark in the line that won."""
        return self._paint(text, _WINNING)

    def dim(self, text: str) -> str:
        """A remark that can be overlooked."""
        return self._paint(text, _DIM)

    def bright(self, text: str) -> str:
        """Something to look at."""
        return self._paint(text, _BRIGHT)

    def token(self, number: int, text: str) -> str:
        """A mark of one of six players, from 0."""
        return self._paint(text, _TOKENS[number])

    def _paint(self, text: str, codes: str) -> str:
        return f"\x1b[{codes}m{text}\x1b[0m" if self.colour else text


def style_for(is_terminal: bool, environment: Mapping[str, str]) -> Style:
    """Colour on a terminal that has it, unless NO_COLOR (no-color.org) is set."""
    wanted = not environment.get("NO_COLOR")
    return Style(is_terminal and wanted and environment.get("TERM", "dumb") != "dumb")

"""The text view of Nim."""

from __future__ import annotations

import re
import textwrap

from tictac.errors import NotAMove
from tictac.text_view import Options, Paint, TextView

WIDTH = 78

_TAKE = re.compile(r"(?:take\s+)?([0-9]{1,10})\s+from\s+([0-9]{1,2})", re.ASCII)
_TWO = re.compile(r"([0-9]{1,2})[\s,]+([0-9]{1,10})", re.ASCII)
_MOVE = re.compile("([0-9]{1,2}):([0-9]{1,10})", re.ASCII)


class NimTextView(TextView):
    """List of the heaps: the pebbles in each, behind its position from 1."""

    usage = "take 6 from 2, or 2 6: six pebbles from the heap at position 2"

    def __init__(self, options: Options) -> None:
        numbers, low, high = (options[name] for name in ("numbers", "smallest", "largest"))
        some = ", ".join(str(min(max(low, each), high)) for each in (7, 4, 12))
        drawn = f"{low} to {high} in each, such as {some}" if low < high else f"{low} in each"
        self.rules = (
            f"The game begins with {numbers or '3 to 10'} heaps of pebbles, with {drawn}.",
            "The players take turns, and no player can pass.",
            "In a turn, you choose one heap and take pebbles from it.",
            "You take at least 1 pebble, and up to the whole heap.",
            "A heap without pebbles disappears.",
            "The player who takes the last pebble of all wins.",
            "There is no draw, and after the start there is no luck.",
        )

    def lines(self, position: str, paint: Paint) -> list[str]:
        """Return the pebbles of each heap, behind its position."""
        numbers = position.partition(":")[2]
        if not numbers:
            return ["No pebble is left."]
        shown = (f"{at}:\0{number}" for at, number in enumerate(numbers.split(","), 1))
        lines = textwrap.wrap("   ".join(shown), WIDTH, break_long_words=False)
        return [line.replace("\0", " ") for line in lines]

    def read(self, typed: str) -> str:
        """Return the move for an amount and a position. Raises NotAMove."""
        words = typed.strip().lower()
        if found := _TAKE.fullmatch(words):
            amount, at = found.groups()
        elif found := _TWO.fullmatch(words):
            at, amount = found.groups()
        else:
            raise NotAMove(f"a move is {self.usage}")
        if int(at) == 0:
            raise NotAMove("positions count from 1")
        return f"{int(at) - 1}:{int(amount)}"

    def spell(self, move: str) -> str:
        """Return a move as an amount and a position."""
        found = _MOVE.fullmatch(move)
        return f"take {found[2]} from {int(found[1]) + 1}" if found else move

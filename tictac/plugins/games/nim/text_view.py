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
    """List of the numbers, with their positions from 1."""

    usage = "take 6 from 2, or 2 6: six from the number at position 2"

    def __init__(self, options: Options) -> None:
        numbers, low, high = (options[name] for name in ("numbers", "smallest", "largest"))
        drawn = f"from {low} to {high}" if low < high else f"which are all {low}"
        some = ", ".join(str(min(max(low, each), high)) for each in (7, 4, 12))
        self.rules = (
            f"The game begins with {numbers or '3 to 10'} numbers {drawn}, such as {some}.",
            "Each number stands for a heap of pebbles.",
            "The players take turns, and no player can pass.",
            "In a turn, you choose one of the numbers and take from it.",
            "You take at least 1, and up to all of the number.",
            "A number that becomes 0 disappears, and the positions of those after it move up.",
            "The player who takes the last pebble of all wins.",
            "There is no draw, and after the start there is no luck.",
        )

    def lines(self, position: str, paint: Paint) -> list[str]:
        """Return the numbers, each behind its position."""
        numbers = position.partition(":")[2]
        if not numbers:
            return ["No number is left."]
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

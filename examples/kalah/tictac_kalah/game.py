"""Kalah as a game of tictac: its name and options, its text view, and its input."""

from importlib.resources import files

from tictac.errors import NotAMove
from tictac.game import GameType, Option
from tictac.text_view import Paint, TextView
from tictac_kalah.opponent import choose, judge
from tictac_kalah.rules import Kalah


class KalahTextView(TextView):
    """Board with A's pits below, from left to right, and B's above, from right to left."""

    sides = ("A", "B")
    usage = "a pit: 1 is the first, the last one is beside your store"

    def lines(self, position: str, paint: Paint) -> list[str]:
        (below, mine), (above, theirs) = (side.split("/") for side in position.split(" ")[:2])
        lower, upper = below.split(","), above.split(",")[::-1]
        numbers = [*map(str, range(1, len(lower) + 1))]
        rows = [" " * 6 + " ".join(f"{n:>2}" for n in row)
                for row in (numbers[::-1], upper, lower, numbers)]  # fmt: skip
        stores = f"  B {paint(1, f'{theirs:>2}')}{' ' * 3 * len(lower)} {paint(0, f'{mine:>2}')} A"
        return [*rows[:2], stores, *rows[2:]]

    def read(self, typed: str) -> str:
        if not (typed := typed.strip()).isdecimal() or not typed.isascii() or len(typed) > 2:
            raise NotAMove(f"a move is {self.usage}")
        return str(int(typed))


PITS = Option("pits", "Pits on each side.", 6, 3, 8)
SEEDS = Option("seeds", "Seeds in each pit.", 4, 1, 6)
GAME_TYPE = GameType(
    name="kalah", title="Kalah", group="Mancala", hue=55, seats=(2,), make=Kalah,
    goal="Sow seeds around the board; the player with more in the store at the end wins.",
    options=(PITS, SEEDS), levels=("beginner", "club", "best"), slow=frozenset({"best"}),
    choose=choose, judge=judge, text_view=KalahTextView, page=files("tictac_kalah") / "page",
)  # fmt: skip

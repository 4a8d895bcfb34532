"""The entry of Reversi in the list of games."""

from functools import cache

from tictac.game import Dialect, GameType, Option
from tictac.plugins.games.reversi.opponent import choose, judge
from tictac.plugins.games.reversi.rules import Reversi
from tictac.plugins.games.reversi.text_view import ReversiTextView

GAME_TYPE = GameType(
    name="reversi",
    title="Reversi",
    goal="Enclose discs to make them yours. The player with more discs at the end wins.",
    seats=range(2, 3),
    make=cache(lambda size: Reversi(int(size))),
    options=(Option("size", "Rows and columns.", "8", choices=("4", "6", "8", "10")),),
    levels=("beginner", "club", "best"),
    ratings={"beginner": 986, "club": 1368, "best": 2146},
    slow=frozenset({"best"}),
    choose=choose,
    judge=judge,
    text_view=ReversiTextView,
    dialects={"gtp": Dialect(("boardsize {size}", "clear_board"))},
)

"""Connect Four as a game: boards and moves as text.

A position is the rows from the top, separated by slashes, each a string of ``.`` (empty), ``R``
and ``Y``; then a space and the side to move: ``..../..../.R../YR.. Y``. R has seat 0 and begins, Y
has seat 1. Where a repetition is a draw, a saved position has two more words: the keys of the
earlier positions, and of positions that came twice (rules.py), in hexadecimal with commas; ``-``
for none.

A move is ``3``, a drop into the third column from the left, or ``pop 3``, a pop from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from random import Random

from tictac.errors import NotAMove
from tictac.game import (
    DRAWN,
    Evaluation,
    Evaluator,
    GameType,
    OpenGame,
    Option,
    Played,
    Result,
    ShouldStop,
)
from tictac.plugins.games.connectfour import evaluation, opponent
from tictac.plugins.games.connectfour.rules import (
    DROP,
    LARGEST,
    POP,
    RED,
    SMALLEST,
    YELLOW,
    Keys,
    Move,
    Position,
    Rules,
)
from tictac.plugins.games.connectfour.text_view import ConnectFourTextView

CLUB_DEPTH = 4
"""Depth of the search at club level, in moves."""

_MOVE = re.compile("(pop )?([0-9]{1,2})", re.ASCII)
_SEATS = {RED: 0, YELLOW: 1}


def read_move(text: str) -> Move:
    """Return the move that a text describes. Raises NotAMove."""
    if not (found := _MOVE.fullmatch(text)):
        raise NotAMove(f"a move is a column, as in 3, or a pop, as in pop 3, not {text!r:.40}")
    return Move(POP if found[1] else DROP, int(found[2]))


def format_move(move: Move) -> str:
    """Return a move as text."""
    return f"pop {move.column}" if move.kind == POP else str(move.column)


class ConnectFour(OpenGame[Position]):
    """The game with its options."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def start(self, seats: int, rng: Random) -> Position:
        """Return the empty board."""
        return self.rules.initial()

    def turn(self, position: Position) -> int | None:
        """Return the seat that moves next; None once the game is over."""
        return None if self.rules.outcome(position) else _SEATS[position.to_move]

    def moves(self, position: Position) -> list[str]:
        """Return the drops from the left, then the pops."""
        return [format_move(move) for move in self.rules.legal_moves(position)]

    def play(self, position: Position, move: str, rng: Random | None) -> Played[Position]:
        """Drop or pop. Raises NotAMove or IllegalMove."""
        made = read_move(move)
        return Played(self.rules.play(position, made), format_move(made))

    def result(self, position: Position) -> Result | None:
        """Return the result of the game, or None while it continues."""
        outcome = self.rules.outcome(position)
        if outcome is None:
            return None
        return DRAWN if outcome.winner is None else Result(_SEATS[outcome.winner])

    def view(self, position: Position, seat: int | None) -> str:
        """Return the board and the side to move, without the earlier positions."""
        return f"{'/'.join(position.rows)} {position.to_move}"

    def dump(self, position: Position) -> str:
        """Return the position as text, with the earlier positions where they matter."""
        text = self.view(position, None)
        if self.rules.repetition:
            text += f" {_write_keys(position.once)} {_write_keys(position.twice)}"
        return text

    def load(self, text: str) -> Position:
        """Return the position that a text describes."""
        board, to_move, *keys = text.split(" ")
        once, twice = map(_read_keys, keys or ("-", "-"))
        columns, height = self.rules.columns, self.rules.rows
        stones = {RED: 0, YELLOW: 0, ".": 0}
        for row, cells in enumerate(reversed(board.split("/"))):
            for column, cell in enumerate(cells):
                stones[cell] |= 1 << column * (height + 1) + row
        return Position(columns, height, stones[RED], stones[YELLOW], to_move, once, twice)


def _write_keys(keys: Iterable[int]) -> str:
    return ",".join(f"{key:x}" for key in sorted(keys)) or "-"


def _read_keys(text: str) -> Keys:
    return Keys() if text == "-" else Keys(int(key, 16) for key in text.split(","))


@lru_cache(maxsize=64)
def make(columns: int, rows: int, pops: bool, repetition: bool) -> ConnectFour:
    """Return the game with these options, made once; without pops no position can come again."""
    return ConnectFour(Rules(columns, rows, pops, pops and repetition))


def choose(game: ConnectFour, position: Position, level: str, stop: ShouldStop, rng: Random) -> str:
    """Return the computer's move: careless, a few moves ahead, or as deep as time allows.

    The best level plays perfectly where a perfect player knows the rules.
    """
    if level == "beginner":
        return format_move(opponent.choose_carelessly(game.rules, position, rng))
    if level == "best" and (found := evaluation.perfect_move(game.rules, position, rng)):
        return format_move(found)
    deepest = CLUB_DEPTH if level == "club" else None
    return format_move(opponent.choose(game.rules, position, stop, rng, deepest))


def judge(game: ConnectFour) -> Evaluator:
    """Return an evaluator that uses the perfect player where it is known, else our search."""

    def weigh(position: Position, move: str, stop: ShouldStop) -> Evaluation:
        made = read_move(move)
        best, before, after, guessed = evaluation.weigh(game.rules, position, made, stop)
        return Evaluation(format_move(best), before, after, guessed=guessed)

    return weigh


GAME_TYPE = GameType(
    name="connectfour",
    title="Connect Four",
    goal="Drop pieces into columns. Be the first to get four in a row, a column, or a diagonal.",
    seats=range(2, 3),
    make=make,
    options=(
        Option("columns", "Columns of the board.", 7, SMALLEST, LARGEST),
        Option("rows", "Rows of the board.", 6, SMALLEST, LARGEST),
        Option(
            "pops", "Pop Out: a player can also take a piece of their own from the bottom.", False
        ),
        Option("repetition", "A position that comes for the third time is a draw.", True),
    ),
    levels=("beginner", "club", "best"),
    ratings={"beginner": 724, "club": 1855, "best": 1921},
    slow=frozenset({"club", "best"}),
    choose=choose,
    judge=judge,
    text_view=ConnectFourTextView,
)

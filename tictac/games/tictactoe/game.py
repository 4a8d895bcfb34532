"""Tic-tac-toe as a game: boards and moves as text.

A position has one digit for each cell, row by row from the top: ``0`` empty, ``1`` X, ``2`` O. On
3x3, these are the nine digits of BOARDSTATUS in the rooms protocol. X has seat 0, O has seat 1. The
turn follows from the number of marks and the option ``first``.

A move is ``column:row``, from 0: ``2:0`` is the top right cell of 3x3.
"""

from __future__ import annotations

import re
from functools import lru_cache
from random import Random

from tictac.errors import BadOption, IllegalMove, NotAMove, Refusal
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
from tictac.games.tictactoe import evaluation, opponent
from tictac.games.tictactoe.rules import EMPTY, LARGEST, NAMES, SMALLEST, Board, Mark, O, Rules, X
from tictac.games.tictactoe.text_view import TicTacToeTextView

_MARKS = {"X": X, "O": O}
_SEATS = {X: 0, O: 1}


class TicTacToe(OpenGame[Board]):
    """The game with its options."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        cells = range(rules.rows * rules.cols)
        self._texts = [f"{cell % rules.cols}:{cell // rules.cols}" for cell in cells]
        self._cells = {text: cell for cell, text in enumerate(self._texts)}
        # A cached look-up is all that a board costs on the path of a move.
        self._status = lru_cache(maxsize=8192)(self._judge)

    def start(self, seats: int, rng: Random) -> Board:
        """Return the empty board."""
        return self.rules.initial()

    def turn(self, position: Board) -> int | None:
        """Return the seat that moves next; None once the game is over."""
        return self._status(position)[0]

    def moves(self, position: Board) -> list[str]:
        """Return the free cells."""
        if self.turn(position) is None:
            return []
        return [text for text, mark in zip(self._texts, position, strict=True) if mark == EMPTY]

    def play(self, position: Board, move: str, rng: Random | None) -> Played[Board]:
        """Mark a cell. Raises NotAMove or IllegalMove."""
        cell = self._cells.get(move)
        mark = self._status(position)[2]
        if cell is None or mark is None or position[cell] != EMPTY:
            raise self._refusal(position, move, cell)
        return Played(position[:cell] + mark + position[cell + 1 :], move)

    def result(self, position: Board) -> Result | None:
        """Return the result of the game; None while it continues."""
        return self._status(position)[1]

    def dump(self, position: Board) -> str:
        """Return the position as text."""
        return position

    def load(self, text: str) -> Board:
        """Return the position that :meth:`dump` wrote."""
        return text

    def _judge(self, board: Board) -> tuple[int | None, Result | None, Mark | None]:
        """Return the seat to move, the result, and the mark of the side to move."""
        outcome = self.rules.outcome(board)
        if outcome is None:
            mark = self.rules.to_move(board)
            return _SEATS[mark], None, mark
        return None, DRAWN if outcome.winner is None else Result(_SEATS[outcome.winner]), None

    def _refusal(self, board: Board, move: str, cell: int | None) -> Refusal:
        if cell is None and not re.fullmatch("[0-9]{1,3}:[0-9]{1,3}", move):
            return NotAMove(f"a move is column:row, as in 2:0, not {move!r:.40}")
        if cell is None:
            return IllegalMove(f"{move} isn't on a board of {self.rules.cols}x{self.rules.rows}")
        if board[cell] != EMPTY:
            return IllegalMove(f"{move} is occupied by {NAMES[board[cell]]}")
        return IllegalMove(f"the game is over, so {move} can't be marked")


@lru_cache(maxsize=64)
def make(rows: int, columns: int, strike: int, first: str) -> TicTacToe:
    """Return the game with these options, from a cache."""
    if strike > min(rows, columns):
        raise BadOption(f"strike is {min(rows, columns)} at most on {columns}x{rows}, not {strike}")
    return TicTacToe(Rules(rows, columns, strike, _MARKS[first]))


def choose(game: TicTacToe, position: Board, level: str, stop: ShouldStop, rng: Random) -> str:
    """Return the computer's move."""
    if level == "beginner":
        return rng.choice(game.moves(position))
    if level == "club":
        cell = rng.choice(opponent.promising_cells(game.rules, position))
    else:
        cell = opponent.choose(game.rules, position, rng)
    return f"{cell % game.rules.cols}:{cell // game.rules.cols}"


def judge(game: TicTacToe) -> Evaluator:
    """Return the evaluator of moves: by perfect play on 3x3, by a short search elsewhere."""
    columns = game.rules.cols

    def weigh(position: Board, move: str, stop: ShouldStop) -> Evaluation:
        column, row = map(int, move.split(":"))
        made = row * columns + column
        best, before, after, guessed = evaluation.weigh(game.rules, position, made, stop)
        return Evaluation(f"{best % columns}:{best // columns}", before, after, guessed=guessed)

    return weigh


GAME_TYPE = GameType(
    name="tictactoe",
    title="Tic-tac-toe",
    goal="Be the first to get your marks in a row: across, down, or diagonally.",
    seats=range(2, 3),
    make=make,
    options=(
        Option("rows", "Rows of the board.", 3, SMALLEST, LARGEST),
        Option("columns", "Columns of the board.", 3, SMALLEST, LARGEST),
        Option("strike", "Marks in a row that win; 5 on 19x19 is Gomoku.", 3, SMALLEST, LARGEST),
        Option("first", "The mark that begins.", "X", choices=("X", "O")),
    ),
    levels=("beginner", "club", "best"),
    ratings={"beginner": 1144, "club": 1674, "best": 1682},
    choose=choose,
    judge=judge,
    text_view=TicTacToeTextView,
)

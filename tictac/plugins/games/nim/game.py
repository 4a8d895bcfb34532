"""Nim as a game: numbers and moves as text.

A position is the seat to move, a colon, and the numbers that are left, in order, with commas:
``0:24,17,3``. At the end no number is left: ``1:`` (the seat to move has lost).

A move is ``at:amount``: take ``amount`` from the number at index ``at``, from 0. When a number
becomes 0, the numbers after it move up.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

from tictac.errors import BadOption, NotAMove
from tictac.game import Evaluation, GameType, OpenGame, Option, Played, Result, ShouldStop
from tictac.plugins.games.nim import opponent
from tictac.plugins.games.nim.rules import FEWEST, LARGEST, MOST, Deal, Move, Position, take
from tictac.plugins.games.nim.text_view import NimTextView

MOST_MOVES = 1000
"""Maximum number of moves that a position lists."""

_MOVE = re.compile(r"([0-9]{1,3}):([0-9]{1,10})", re.ASCII)


class Nim(OpenGame[Position]):
    """The game, with the way in which its numbers are dealt."""

    def __init__(self, deal: Deal) -> None:
        self._deal = deal

    def start(self, seats: int, rng: Random) -> Position:
        """Return the first position, with numbers drawn by ``rng``."""
        return Position(self._deal.draw(rng))

    def turn(self, position: Position) -> int | None:
        """Return the seat that moves next; None once the game is over."""
        return position.mover if position.numbers else None

    def moves(self, position: Position) -> list[str]:
        """Return every move, by index and amount; none if there are more than MOST_MOVES."""
        if sum(position.numbers) > MOST_MOVES:
            return []
        return [
            f"{at}:{amount}"
            for at, number in enumerate(position.numbers)
            for amount in range(1, number + 1)
        ]

    def play(self, position: Position, move: str, rng: Random | None) -> Played[Position]:
        """Take from a number. Raises NotAMove or IllegalMove."""
        if not (found := _MOVE.fullmatch(move)):
            raise NotAMove(f"a move is at:amount, as in 0:3, not {move!r:.40}")
        at, amount = map(int, found.groups())
        numbers = take(position.numbers, Move(at, amount))
        return Played(Position(numbers, 1 - position.mover), f"{at}:{amount}")

    def result(self, position: Position) -> Result | None:
        """Return the result: the player who took the last wins."""
        return None if position.numbers else Result(1 - position.mover)

    def dump(self, position: Position) -> str:
        """Return the position as text."""
        return f"{position.mover}:{','.join(map(str, position.numbers))}"

    def load(self, text: str) -> Position:
        """Return the position that a text describes. Raises ValueError."""
        mover, _, listed = text.partition(":")
        numbers = tuple(map(int, listed.split(","))) if listed else ()
        if mover not in ("0", "1") or min(numbers, default=1) < 1:
            raise ValueError(f"{text!r:.40} isn't a position of Nim")
        return Position(numbers, int(mover))


def make(numbers: int, smallest: int, largest: int) -> Nim:
    """Return the game with these options."""
    if 0 < numbers < FEWEST:
        raise BadOption(f"numbers is 0, or from {FEWEST} to {MOST}, not {numbers}")
    if smallest > largest:
        raise BadOption(f"smallest is {largest} at most, like the largest number, not {smallest}")
    return Nim(Deal(smallest, largest, size=numbers or None))


def choose(game: Nim, position: Position, level: str, stop: ShouldStop, rng: Random) -> str:
    """Return the computer's move: random, half of the time random, or perfect."""
    if level == "beginner" or (level == "club" and rng.random() < 0.5):
        at, amount = opponent.choose_at_random(position.numbers, rng)
    else:
        at, amount = opponent.choose(position.numbers, rng)
    return f"{at}:{amount}"


def weigh(position: Position, move: str, stop: ShouldStop) -> Evaluation:
    """Evaluate a move by the theory of Nim."""
    at, amount = map(int, move.split(":"))
    best = opponent.best_moves(position.numbers)[0]
    before, after = (opponent.keeps_win(position.numbers, m) for m in (best, Move(at, amount)))
    text = move if after == before else f"{best.at}:{best.amount}"
    return Evaluation(text, float(before), float(after))


GAME_TYPE = GameType(
    name="nim",
    title="Nim",
    goal="Take as many as you like from one heap. The player who takes the last pebble wins.",
    seats=range(2, 3),
    make=make,
    options=(
        Option(
            "numbers",
            f"How many heaps: {FEWEST} to {MOST}, or 0 for the dice.",
            0,
            0,
            MOST,
            suggested=(4, 3, 5),
        ),
        Option("smallest", "The fewest pebbles in a heap.", 1, 1, LARGEST),
        Option("largest", "The most pebbles in a heap.", 20, 1, LARGEST, suggested=(7,)),
    ),
    levels=("beginner", "club", "best"),
    ratings={"beginner": 1034, "club": 1251, "best": 2215},
    choose=choose,
    judge=lambda game: weigh,
    text_view=NimTextView,
    page=Path(__file__).with_name("page"),
    hue=85,
)

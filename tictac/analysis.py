"""Analysis of a match: the value of each move, and the accuracy of each player.

Each game evaluates its moves (``GameType.judge``): against perfect play if known, else by the
computer's search. The verdicts and the accuracy are lichess's, by the lost part of the score. A
move whose loss no search has seen has lost nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from math import exp
from typing import Literal, NamedTuple, get_args

from tictac.game import Game, GameType, P, ShouldStop

Verdict = Literal["best", "good", "inaccuracy", "mistake", "blunder"]
VERDICTS = get_args(Verdict)

VERSION = 2
"""Version of the format of :func:`dump` and of the evaluation; older analyses are out of date."""

_LOST: tuple[tuple[float, Verdict], ...] = (
    (0.15, "blunder"),
    (0.10, "mistake"),
    (0.05, "inaccuracy"),
)
"""The verdict of a move that loses at least so much of the expected score."""


class EvaluatedMove(NamedTuple):
    """A move of a match, the ``number``-th from 0; for the rest see tictac.game.Evaluation."""

    number: int
    seat: int
    move: str
    best: str
    before: float
    after: float
    verdict: Verdict
    note: str


class Analysis(NamedTuple):
    """The analysis of a match; ``accuracy`` of each seat from 0 to 100, or None without choices."""

    moves: tuple[EvaluatedMove, ...]
    accuracy: tuple[float | None, ...]


def judge(
    game_type: GameType,
    game: Game[P],
    start: P,
    moves: Iterable[str],
    begin: Callable[[], ShouldStop] = lambda: lambda: False,
) -> Iterator[EvaluatedMove]:
    """Evaluate the moves of a record in order; yield none for a game without an evaluator.

    ``begin`` is called before each move, and returns a function that is true when its time is up.
    """
    if game_type.judge is None:
        return
    weigh, position = game_type.judge(game), start
    for number, move in enumerate(moves):
        seat = game.turn(position)
        worth = None if seat is None else weigh(position, move, begin())
        position = game.play(position, move, None).position
        if seat is not None and worth is not None:
            best, before, after, note, guessed = worth
            after = before if guessed else min(before, after)
            lost = before - after
            verdict: Verdict = "best" if best == move else "good"
            verdict = next((word for least, word in _LOST if lost >= least - 1e-9), verdict)
            before, after = round(before, 3), round(after, 3)
            yield EvaluatedMove(number, seat, move, best, before, after, verdict, note)


def judgement(seats: int, moves: Iterable[EvaluatedMove]) -> Analysis:
    """Return the analysis of a match: the moves, and the mean accuracy of each seat."""
    judged = tuple(moves)
    return Analysis(judged, tuple([_mean(judged, seat) for seat in range(seats)]))


def _mean(moves: Iterable[EvaluatedMove], seat: int) -> float | None:
    own = [accuracy(move.before - move.after) for move in moves if move.seat == seat]
    return round(sum(own) / len(own), 1) if own else None


def accuracy(lost: float) -> float:
    """Return the accuracy, 0 to 100, of a move that lost so much score (lichess, "Accuracy")."""
    return min(100.0, max(0.0, 103.1668 * exp(-0.04354 * 100 * lost) - 3.1669))


def dump(judged: Analysis) -> str:
    """Return an analysis as JSON."""
    moves = [move._asdict() for move in judged.moves]
    return json.dumps({"version": VERSION, "accuracy": judged.accuracy, "moves": moves})


def is_current(text: str) -> bool:
    """Return whether this version of :func:`dump` wrote the text."""
    return text.startswith(f'{{"version": {VERSION},')


def load(text: str) -> Analysis | None:
    """Return the analysis that :func:`dump` wrote; None for another version."""
    if not is_current(text):
        return None
    fields = json.loads(text)
    moves = tuple([EvaluatedMove(**move) for move in fields["moves"]])
    return Analysis(moves, tuple(fields["accuracy"]))

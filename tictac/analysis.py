"""Where a match went wrong: what each move was worth, and how accurate each player was.

Each game weighs its moves (``GameType.judge``): against perfect play where that is known, else by
the computer's search. The words and the accuracy are lichess's, by the score that was given away.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from math import exp
from typing import Any, Literal, NamedTuple, get_args

from tictac.game import Game, GameType, ShouldStop

Verdict = Literal["best", "good", "inaccuracy", "mistake", "blunder"]
VERDICTS = get_args(Verdict)

VERSION = 1
"""Of what :func:`dump` writes, and of how it is judged: older ones are of no more use."""

_LOST: tuple[tuple[float, Verdict], ...] = (
    (0.15, "blunder"),
    (0.10, "mistake"),
    (0.05, "inaccuracy"),
)
"""From so much of the score to expect on a move is called so."""


class EvaluatedMove(NamedTuple):
    """A move of a match, the ``number``-th from 0; for the rest see tictac.game.Worth."""

    number: int
    seat: int
    move: str
    best: str
    before: float
    after: float
    verdict: Verdict
    note: str


class Analysis(NamedTuple):
    """A match, judged. ``accuracy`` is that of each seat, from 0 to 100; None: it chose nothing."""

    moves: tuple[EvaluatedMove, ...]
    accuracy: tuple[float | None, ...]


def judge(
    game_type: GameType,
    game: Game[Any],
    start: Any,
    moves: Iterable[str],
    begin: Callable[[], ShouldStop] = lambda: lambda: False,
) -> Iterator[EvaluatedMove]:
    """Judge the moves of a record one after the other; none of a game that can't judge.

    ``begin`` is called before each, and says when its time is up.
    """
    if game_type.judge is None:
        return
    weigh, position = game_type.judge(game), start
    for number, move in enumerate(moves):
        seat = game.turn(position)
        worth = None if seat is None else weigh(position, move, begin())
        position = game.play(position, move, None).position
        if seat is not None and worth is not None:
            best, before, after, note = worth
            after = min(before, after)
            lost = before - after
            verdict: Verdict = "best" if best == move else "good"
            verdict = next((word for least, word in _LOST if lost >= least - 1e-9), verdict)
            before, after = round(before, 3), round(after, 3)
            yield EvaluatedMove(number, seat, move, best, before, after, verdict, note)


def judgement(seats: int, moves: Iterable[EvaluatedMove]) -> Analysis:
    """The moves of a match for so many, and the mean accuracy of each seat's."""
    judged = tuple(moves)
    return Analysis(judged, tuple([_mean(judged, seat) for seat in range(seats)]))


def _mean(moves: Iterable[EvaluatedMove], seat: int) -> float | None:
    own = [accuracy(move.before - move.after) for move in moves if move.seat == seat]
    return round(sum(own) / len(own), 1) if own else None


def accuracy(lost: float) -> float:
    """Of a move that gave so much of the score away, from 0 to 100 (lichess, "Accuracy")."""
    return min(100.0, max(0.0, 103.1668 * exp(-0.04354 * 100 * lost) - 3.1669))


def dump(judged: Analysis) -> str:
    """A judgement as JSON."""
    moves = [move._asdict() for move in judged.moves]
    return json.dumps({"version": VERSION, "accuracy": judged.accuracy, "moves": moves})


def is_current(text: str) -> bool:
    """Whether :func:`dump` wrote that, and not an earlier version."""
    return text.startswith(f'{{"version": {VERSION},')


def load(text: str) -> Analysis | None:
    """The judgement that :func:`dump` wrote; None: one of another version."""
    if not is_current(text):
        return None
    fields = json.loads(text)
    moves = tuple([EvaluatedMove(**move) for move in fields["moves"]])
    return Analysis(moves, tuple(fields["accuracy"]))

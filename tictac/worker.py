"""A process that thinks: a question on its standard input, an answer on its standard output.

``python -m tictac.worker`` is started by net/processes.py. A question is a line of JSON, the answer
another: the text of a move, or of the judgement of a match.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from random import Random
from typing import NamedTuple

from tictac.archive.match import Match
from tictac.errors import IllegalMove
from tictac.game import Stop, Value, time_is_up
from tictac.games.all import kind
from tictac.judging import Judgement, dump, judge, judgement
from tictac.net.answering import Hurried, answer_input


class Question(NamedTuple):
    """What to do for the side to move: ``position`` is as the game dumps it.

    ``seconds`` is how long to think, less if it is clear.
    """

    game: str
    options: Mapping[str, Value]
    position: str
    level: str
    seconds: float

    def line(self) -> bytes:
        """The question as a process reads it."""
        return json.dumps(self._asdict()).encode() + b"\n"


class Case(NamedTuple):
    """A match to judge: its first position as the game dumps it, and the moves of its record.

    ``seconds`` is how long to think about each move at most.
    """

    game: str
    options: Mapping[str, Value]
    seats: int
    start: str
    moves: Sequence[str]
    seconds: float = 1.0

    @classmethod
    def of(cls, match: Match) -> Case:
        """The match as a question."""
        moves = [fields[2] for _, fields in match.events if fields[0] == "moved"]
        last = match.events[-1].fields[3]
        moves += [] if last is None else [last]
        return cls(match.game, match.options, len(match.players), match.start, moves)

    def line(self) -> bytes:
        """The question as a process reads it."""
        return json.dumps(self._asdict()).encode() + b"\n"

    def judge(
        self, seconds: Callable[[], float], given_up: Callable[[], bool] = lambda: False
    ) -> Judgement:
        """Judge it, by the clock ``seconds``; only the first moves once it is ``given_up``."""
        asked = kind(self.game)
        game = asked.game(self.options)

        def begin() -> Stop:
            late = time_is_up(seconds, self.seconds)
            return lambda: late() or given_up()

        judged = judge(asked, game, game.load(self.start), self.moves, begin)
        return judgement(self.seats, takewhile(lambda _: not given_up(), judged))


def answer(line: bytes) -> str:
    """The text in an answer. Raises ValueError when there is none."""
    match json.loads(line):
        case str(text):
            return text
    raise ValueError(f"{line!r} is no answer")


def think(line: bytes, hurried: Hurried, seconds: Callable[[], float], dice: Random) -> bytes:
    """The answer to a question, as a line, by the clock ``seconds``."""
    fields = json.loads(line)
    if "moves" in fields:
        return json.dumps(dump(Case(**fields).judge(seconds, hurried))).encode() + b"\n"
    question = Question(**fields)
    asked = kind(question.game)
    game = asked.game(question.options)
    position = game.load(question.position)
    if asked.choose is None or game.turn(position) is None:
        raise IllegalMove(f"there is no move to choose in {question}")
    late = time_is_up(seconds, question.seconds)
    move = asked.choose(game, position, question.level, lambda: late() or hurried(), dice)
    return json.dumps(move).encode() + b"\n"


if __name__ == "__main__":
    answer_input(partial(think, seconds=time.monotonic, dice=Random()))

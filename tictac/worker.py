"""A process that thinks: a question on its standard input, a move on its standard output.

``python -m tictac.worker`` is started by net/processes.py. A question is a line of JSON, the answer
another: the text of the move.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import NamedTuple

from tictac.errors import IllegalMove
from tictac.game import Value, time_is_up
from tictac.games.all import kind
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


def answer(line: bytes) -> str:
    """The move in an answer. Raises ValueError when there is none."""
    match json.loads(line):
        case str(move):
            return move
    raise ValueError(f"{line!r} is no answer")


def think(line: bytes, hurried: Hurried, seconds: Callable[[], float], dice: Random) -> bytes:
    """The answer to a question, as a line, by the clock ``seconds``."""
    question = Question(**json.loads(line))
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

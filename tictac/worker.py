"""A process that thinks: questions on its standard input, moves on its standard output.

``python -m tictac.worker`` is started by thinking.py. A question is a line of JSON, the answer
another: the text of the move. A line is the parent's only question meanwhile, so whatever comes
while it is thought about means that nobody waits for the answer: an empty line, or the end of the
input when the parent has ended, after which this process ends too.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from random import Random
from typing import NamedTuple

from tictac.errors import IllegalMove
from tictac.game import Value, time_is_up
from tictac.games.all import kind

LOWEST_PRIORITY = 19


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


def think(
    line: bytes, hurried: Callable[[], bool], seconds: Callable[[], float], dice: Random
) -> bytes:
    """The answer to a question, as a line, by the clock ``seconds``.

    ``hurried`` says whether nobody waits for it any longer.
    """
    question = Question(**json.loads(line))
    asked = kind(question.game)
    game = asked.game(question.options)
    position = game.load(question.position)
    if asked.choose is None or game.turn(position) is None:
        raise IllegalMove(f"there is no move to choose in {question}")
    late = time_is_up(seconds, question.seconds)
    move = asked.choose(game, position, question.level, lambda: late() or hurried(), dice)
    return json.dumps(move).encode() + b"\n"


def main() -> None:
    """Answer until there are no more questions, and be in nobody's way."""
    os.nice(LOWEST_PRIORITY)
    # Ctrl-C and a hang-up go to all processes of the terminal; the parent says when it is over.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # What a search makes has no cycles, and looking for them takes a tenth of its time.
    gc.disable()
    source, waiting, unread, dice = sys.stdin.fileno(), select.poll(), b"", Random()
    waiting.register(source, select.POLLIN)

    def hurried() -> bool:
        return bool(unread or waiting.poll(0))

    while data := os.read(source, 65536):
        unread += data
        while b"\n" in unread:
            line, _, unread = unread.partition(b"\n")
            if line:
                sys.stdout.buffer.write(think(line, hurried, time.monotonic, dice))
                sys.stdout.flush()
                gc.collect()


if __name__ == "__main__":
    main()

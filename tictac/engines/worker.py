"""An engine process: questions on its standard input, answers on its standard output.

pool.py starts ``python -m tictac.engines.worker``. A question is a line of JSON, and so is
the answer: the text of a move, or of the analysis of a match. The parent sends no further question
before the answer. So any input meanwhile cancels the question: an empty line, or the end of the
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
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from tictac.analysis import Analysis, dump, judge, judgement
from tictac.errors import IllegalMove, Refusal
from tictac.game import ShouldStop, Value, time_is_up
from tictac.games.all import game_type_of

if TYPE_CHECKING:
    from tictac.archive.match import Match

LOWEST_PRIORITY = 19

LONGEST = 60.0
"""Maximum seconds for the analysis of a match of any length."""


class Question(NamedTuple):
    """A request for a move: ``position`` is as the game dumps it.

    ``seconds`` is the time to think; a clear position takes less.
    """

    game: str
    options: Mapping[str, Value]
    position: str
    level: str
    seconds: float


class AnalysisJob(NamedTuple):
    """A match to analyze: its first position as the game dumps it, and the moves of its record.

    ``a_move`` is the maximum seconds to think about each move.
    """

    game: str
    options: Mapping[str, Value]
    seats: int
    start: str
    moves: Sequence[str]
    a_move: float

    @property
    def seconds(self) -> float:
        """Maximum seconds to think."""
        return self.a_move * len(self.moves)

    @classmethod
    def of(cls, judged: Match) -> AnalysisJob:
        """Return the match as a question."""
        moves = judged.moves()
        a_move = min(1.0, LONGEST / max(1, len(moves)))
        return cls(judged.game, judged.options, len(judged.players), judged.start, moves, a_move)

    def judge(
        self, seconds: Callable[[], float], given_up: Callable[[], bool] = lambda: False
    ) -> Analysis:
        """Analyze the match, timed by ``seconds``; stop early once ``given_up`` is true."""
        asked = game_type_of(self.game)
        game = asked.game(self.options)

        def begin() -> ShouldStop:
            late = time_is_up(seconds, self.a_move)
            return lambda: late() or given_up()

        judged = judge(asked, game, game.load(self.start), self.moves, begin)
        return judgement(self.seats, takewhile(lambda _: not given_up(), judged))


def line_of(question: Question | AnalysisJob) -> bytes:
    """Return the question as a line for a process."""
    return json.dumps(question._asdict()).encode() + b"\n"


def answer(line: bytes) -> str:
    """Return the text in an answer. Raises ValueError for another line."""
    match json.loads(line):
        case str(text):
            return text
    raise ValueError(f"{line!r} isn't an answer")


def think(
    line: bytes, hurried: Callable[[], bool], seconds: Callable[[], float], rng: Random
) -> bytes:
    """Return the answer to a question, as a line, timed by ``seconds``.

    ``hurried`` returns whether the question was canceled.
    """
    fields = json.loads(line)
    if "moves" in fields:
        try:
            judged = dump(AnalysisJob(**fields).judge(seconds, hurried))
        except (ValueError, LookupError, TypeError, Refusal):
            judged = ""  # the rules of this match aren't known here
        return json.dumps(judged).encode() + b"\n"
    question = Question(**fields)
    asked = game_type_of(question.game)
    game = asked.game(question.options)
    position = game.load(question.position)
    if asked.choose is None or game.turn(position) is None:
        raise IllegalMove(f"there is no move to choose in {question}")
    late = time_is_up(seconds, question.seconds)
    move = asked.choose(game, position, question.level, lambda: late() or hurried(), rng)
    return json.dumps(move).encode() + b"\n"


def main() -> None:
    """Answer questions until the input ends, at the lowest priority."""
    os.nice(LOWEST_PRIORITY)
    # Ctrl-C and a hang-up go to all processes of the terminal; the parent decides about the end.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # A search makes no cycles, and the collector would take a tenth of its time.
    gc.disable()
    source, waiting, unread, rng = sys.stdin.fileno(), select.poll(), b"", Random()
    waiting.register(source, select.POLLIN)

    def hurried() -> bool:
        return bool(unread or waiting.poll(0))

    while data := os.read(source, 65536):
        unread += data
        while b"\n" in unread:
            line, _, unread = unread.partition(b"\n")
            if line:
                sys.stdout.buffer.write(think(line, hurried, time.monotonic, rng))
                sys.stdout.flush()
                gc.collect()


if __name__ == "__main__":
    main()

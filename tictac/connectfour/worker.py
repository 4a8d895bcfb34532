"""A process that thinks: a question on its standard input, a move on its standard output.

``python -m tictac.connectfour.worker`` is started by net/processes.py. A question is a line of
JSON, :func:`ask`; the answer another, :func:`answer`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from random import Random

from tictac.games.connectfour.opponent import choose
from tictac.games.connectfour.rules import DROP, POP, Move, Position, Rules
from tictac.net.answering import Hurried, answer_input


def ask(rules: Rules, position: Position, seconds: float) -> bytes:
    """The line that asks for a move."""
    question = {
        "pops": rules.pops,
        "repetition": rules.repetition,
        "seconds": seconds,
        "position": position.dump(),
    }
    return json.dumps(question).encode() + b"\n"


def answer(line: bytes) -> Move:
    """The move in an answer. Raises ValueError when there is none."""
    match json.loads(line):
        case [("DROP" | "POP") as kind, int(column)]:
            return Move(DROP if kind == "DROP" else POP, column)
    raise ValueError(f"{line!r} is no answer")


def think(line: bytes, seconds: Callable[[], float], dice: Random) -> bytes:
    """The answer to a question, as a line."""
    question = json.loads(line)
    position = Position.load(question["position"])
    rules = Rules(position.columns, position.height, question["pops"], question["repetition"])
    move = choose(rules, position, seconds, question["seconds"], dice)
    return json.dumps(move).encode() + b"\n"


def think_unhurried(dice: Random, line: bytes, hurried: Hurried) -> bytes:
    """:func:`think`, by the clock, which is at its end when somebody is in a hurry."""
    return think(line, lambda: float("inf") if hurried() else time.monotonic(), dice)


if __name__ == "__main__":
    answer_input(partial(think_unhurried, Random()))

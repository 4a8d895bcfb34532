"""A process that thinks: a question on its standard input, a move on its standard output.

``python -m tictac.connectfour.worker`` is started by thinking.py. A question is a line of JSON,
:func:`ask`; the answer another, :func:`answer`. It is the parent's only question meanwhile, so
whatever comes while it thinks means that nobody waits for the answer: an empty line, or the end
of the input when the parent has ended, after which it ends too.
"""

from __future__ import annotations

import gc
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from random import Random
from typing import BinaryIO

from tictac.connectfour.opponent import choose
from tictac.connectfour.rules import DROP, POP, Move, Position, Rules

LOWEST_PRIORITY = 19


def ask(rules: Rules, position: Position, seconds: float) -> bytes:
    """The line that asks for a move."""
    question = {"pops": rules.pops, "seconds": seconds, "position": position.dump()}
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
    rules = Rules(position.columns, position.height, question["pops"])
    move = choose(rules, position, seconds, question["seconds"], dice)
    return json.dumps(move).encode() + b"\n"


def serve(source: BinaryIO, target: BinaryIO, dice: Random) -> None:
    """Answer questions until there are no more."""
    waiting = select.poll()
    waiting.register(source, select.POLLIN)

    def seconds() -> float:
        return float("inf") if waiting.poll(0) else time.monotonic()

    for line in source:
        if line.strip():
            target.write(think(line, seconds, dice))
            target.flush()
            gc.collect()


def main() -> None:
    """Serve standard input and output, and be in nobody's way."""
    os.nice(LOWEST_PRIORITY)
    # Ctrl-C goes to all processes of the terminal; the parent says when it is over.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What a search makes has no cycles, and looking for them takes a tenth of its time.
    gc.disable()
    serve(sys.stdin.buffer, sys.stdout.buffer, Random())


if __name__ == "__main__":
    main()

"""What a process does that thinks: questions on its standard input, answers on its output.

A module that processes.py starts calls :func:`answer_input`. A line is the parent's only
question meanwhile, so whatever comes while it is thought about means that nobody waits for the
answer: an empty line, or the end of the input when the parent has ended, after which it ends too.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
from collections.abc import Callable
from typing import BinaryIO

LOWEST_PRIORITY = 19

Hurried = Callable[[], bool]
"""Whether nobody waits for the answer any longer."""

Think = Callable[[bytes, Hurried], bytes]
"""Makes of a question without its end an answer with one."""


def serve(source: int, target: BinaryIO, think: Think) -> None:
    """Answer the questions of a file descriptor until there are no more."""
    waiting = select.poll()
    waiting.register(source, select.POLLIN)
    unread = b""

    def hurried() -> bool:
        return bool(unread or waiting.poll(0))

    while data := os.read(source, 65536):
        unread += data
        while b"\n" in unread:
            line, _, unread = unread.partition(b"\n")
            if line:
                target.write(think(line, hurried))
                target.flush()
                gc.collect()


def answer_input(think: Think) -> None:
    """Serve standard input and output, and be in nobody's way."""
    os.nice(LOWEST_PRIORITY)
    # Ctrl-C and a hang-up go to all processes of the terminal; the parent says when it is over.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # What a search makes has no cycles, and looking for them takes a tenth of its time.
    gc.disable()
    serve(sys.stdin.fileno(), sys.stdout.buffer, think)

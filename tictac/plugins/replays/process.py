"""The process that replays: histories on its standard input, an empty line for each that is safe.

replayer.py starts ``python -m tictac.plugins.replays.process``. A history is a line of JSON. What
the rules of a game refuse is safe: the server refuses it, too.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections import deque
from contextlib import suppress
from random import Random

from tictac.archive.event_view import messages
from tictac.archive.match import BadMatch, load_match
from tictac.lobby.journal import KeptRoom, Opened, restored
from tictac.lobby.record import RecordLine

LOWEST_PRIORITY = 19


def replay(history: dict[str, list[object]]) -> None:
    """Replay a saved room as at a restart, or a match as for its readers."""
    match history:
        case {"room": [str(name), str(terms), str(start), list(lines)]}:
            kept = [RecordLine(*line) for line in lines]
            with suppress(ValueError):
                restored(KeptRoom(0, Opened(name, terms, start), kept), Random(), 0)
        case {"match": [str(line)]}:
            found = load_match(line)
            with suppress(BadMatch):
                deque(messages(found), maxlen=0)


def main() -> None:
    """Replay histories until the input ends, at the lowest priority."""
    os.nice(LOWEST_PRIORITY)
    # Ctrl-C and a hang-up go to all processes of the terminal; the parent decides about the end.
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # The output of a library is no answer.
    answers = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    for line in sys.stdin.buffer:
        replay(json.loads(line))
        os.write(answers, b"\n")


if __name__ == "__main__":
    main()

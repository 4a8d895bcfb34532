"""A game that ends or stops its process, as a library in C can, and a process that knows it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from random import Random
from threading import Event

from tests.terminal.processes import ROOT
from tictac.errors import NotAMove
from tictac.game import GameType, OpenGame, Played, Result
from tictac.games.all import GAMES
from tictac.plugins.replays import process

MOVES = ("count", "crash", "hang", "print", "exit")


class Deadly(OpenGame[int]):
    """Three moves end a game; some of them end the process."""

    def start(self, seats: int, rng: Random) -> int:
        return 0

    def turn(self, position: int) -> int | None:
        return None if position == 3 else position % 2

    def moves(self, position: int) -> Sequence[str]:
        return MOVES if position < 3 else ()

    def play(self, position: int, move: str, rng: Random | None) -> Played[int]:
        match move:
            case "crash":
                os.kill(os.getpid(), signal.SIGSEGV)
            case "exit":
                os._exit(0)
            case "hang":
                Event().wait()
            case "print":
                os.write(1, b"\nhow a library in C warns\n")
            case "count":
                pass
            case _:
                raise NotAMove(f"{move!r} is no move")
        return Played(position + 1, move)

    def result(self, position: int) -> Result | None:
        return Result(0) if position == 3 else None

    def dump(self, position: int) -> str:
        return str(position)

    def load(self, text: str) -> int:
        return int(text)


GAME = GameType("deadly", "Deadly", "Count.", range(2, 3), Deadly, native=True)


def start() -> subprocess.Popen[bytes]:
    """Start the process that replays, with this game."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.plugins.replays.deadly"],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        bufsize=0,
    )  # fmt: skip


if __name__ == "__main__":
    GAMES.loaded["deadly"] = GAME
    process.main()

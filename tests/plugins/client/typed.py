"""Matches that are played to their end at a terminal, by typing.

``python -m tests.plugins.client.typed [GAME…]`` plays games that are installed, each against a
beginner, and prints how it has ended.
"""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from tests.documents import BIN
from tests.plugins.web.browser import PageServer
from tests.terminal.processes import PATIENCE
from tictac.games.all import GAMES

MOST_MOVES = 1500

QUIET = 0.3
"""Seconds without output, after which the program waits for a person."""

END = re.compile(
    r"(?:You have (?:won|lost)|The game is a draw|No one won|There is no single winner)[^\r\n]*"
)
TURN = re.compile(r"It is your turn[^\r\n]*\.\r?\n")
LIST = re.compile(r"(?:^|\n)moves\r?\n([^\r\n]*\S[^\r\n]*)\r?\n")
MADE = re.compile(r"^(?:You|computer): (\S+)\r?$", re.MULTILINE)
MANY = "too many to list"
RARE = {"pass", "fold", "draw", "stop"}
"""Words that are typed only where there is nothing else."""


class Player:
    """A person at ``tictac play``."""

    def __init__(self, port: int, folder: str, *options: str) -> None:
        self._terminal, its = pty.openpty()
        self._process = subprocess.Popen(
            [BIN / "tictac", "play", "--plain", "--guest", *options, "127.0.0.1", str(port)],
            stdin=its, stdout=its, stderr=its, cwd=folder, env={**os.environ, "TERM": "dumb"},
            start_new_session=True,
        )  # fmt: skip
        os.close(its)
        self._seen = self._all = ""
        self._game = options[1]

    def play(self, rng: Random) -> tuple[int, str]:
        """Type moves until the match is over; return how many, and the last words."""
        for number in range(MOST_MOVES):
            found = self._wait(END, TURN)
            if found.re is END:
                return number, found[0]
            while select.select([self._terminal], [], [], QUIET)[0]:
                read_some(self._terminal)  # how to type a move
            self._type("moves")
            moves = re.split(r" {3,}", self._wait(LIST)[1].strip())
            if MANY in moves[0]:
                moves = self._replayed()
            rest = [move for move in moves if move not in RARE]
            self._type(rng.choice(rest or moves))
        return MOST_MOVES, "not over"

    def _replayed(self) -> list[str]:
        """Return the moves that are possible after all that was said, in a game without chance."""
        game: Any = GAMES[self._game].game()
        position = game.start(2, Random(0))
        for move in MADE.findall(self._all):
            position = game.play(position, move, None).position
        return list(game.moves(position))

    def _wait(self, *wanted: re.Pattern[str]) -> re.Match[str]:
        """Read until one of these is there, and forget what comes before its end."""
        while True:
            for pattern in wanted:
                if found := pattern.search(self._seen):
                    self._all += self._seen[: found.end()]
                    self._seen = self._seen[found.end() :]
                    return found
            self._seen += read_some(self._terminal)

    def _type(self, text: str) -> None:
        os.write(self._terminal, f"{text}\n".encode())

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait(PATIENCE)
        os.close(self._terminal)


def read_some(terminal: int) -> str:
    """Read what a terminal says next."""
    ready, _, _ = select.select([terminal], [], [], PATIENCE)
    assert ready, "it says nothing"
    return os.read(terminal, 65_536).decode(errors="replace")


def main(wanted: Sequence[str]) -> None:
    """Play them."""
    with TemporaryDirectory() as folder:
        server = PageServer(Path(folder), "--guests")
        try:
            for name in wanted or [
                each for each in GAMES if GAMES[each].group and GAMES[each].levels
            ]:
                player = Player(server.rooms, folder, "--game", name, "--computer", "beginner")
                moves, end = player.play(Random(name))
                print(f"{name}: {moves} moves, {end!r}", flush=True)
                player.close()
        finally:
            server.end()


if __name__ == "__main__":
    main(sys.argv[1:])

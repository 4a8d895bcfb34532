"""How much slower the slowest moves of rooms become while 20 games of Connect Four think.

Rooms play tic-tac-toe at a moderate pace, in turns without other load and while the engine thinks
in more games of Connect Four than its processes can keep up with. No process is pinned to a core:
the engine processes compete for all cores.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from random import Random

from bench.generator import Burst, Generator
from bench.report import Reach, parser, ratio, read, run, table
from bench.servers import tictac
from bench.wire import Wire
from tictac.plugins.check.target import free_port


class Opponent:
    """A weak player of Connect Four against the server, one game after the other."""

    def __init__(self, port: int, rng: Random) -> None:
        self.answers = 0
        self._port = port
        self._rng = rng
        self._begin()

    def _begin(self) -> None:
        self._wire = Wire(self._port)
        self._wire.expect("I32CFSP_HELLO bench", "WELCOME bench\r")
        self._wire.expect("AI_GAME", "READY\r")
        self._drop()

    def _drop(self) -> None:
        self._wire.send(f"DROP {self._rng.randint(1, 7)}")

    def go_on(self) -> None:
        """Answer, if the server has made a move."""
        while self._wire.has_answer():
            line = self._wire.read().strip()
            if line == "READY":
                self.answers += 1
                self._drop()
            elif line.startswith("WINNER"):
                self.close()
                self._begin()

    def close(self) -> None:
        """Leave the game."""
        self._wire.close()


def play_meanwhile(
    generator: Generator, opponents: Sequence[Opponent], seconds: float
) -> tuple[Burst, int]:
    """Play in the rooms while the games think; also return the number of moves of these games."""
    before = sum(opponent.answers for opponent in opponents)
    generator.begin(0.1, seconds)
    until = time.monotonic() + 0.1 + seconds
    while time.monotonic() < until:
        for opponent in opponents:
            opponent.go_on()
        time.sleep(0.02)
    return generator.end(), sum(opponent.answers for opponent in opponents) - before


def main(arguments: Sequence[str] | None = None) -> None:
    """Play with and without thinking games in turns, and compare the slowest moves."""
    made = parser(
        __doc__,
        rooms=(10, 5),
        think_ms=(8.0, 4.0),
        games=(20, 20),
        think=(1.0, 0.2),
        seconds=(3.0, 0.8),
        rounds=(5, 2),
    )
    options = read(made, arguments)
    port = free_port()
    asked = [
        *("--connectfour", f"tcp:{port}:interface=127.0.0.1"),
        *("--connectfour-think", f"{options.think}"),
    ]
    idle: list[Burst] = []
    busy: list[tuple[Burst, int]] = []
    with (
        tictac("tictac", *asked, pin=False) as server,
        Generator(server, options.rooms, think_ms=options.think_ms, pin=False) as generator,
    ):
        for number in range(options.rounds):
            idle.append(generator.play(0.1, options.seconds))
            with ExitStack() as stack:
                opponents = [Opponent(port, Random(number + n)) for n in range(options.games)]
                for opponent in opponents:
                    stack.callback(opponent.close)
                busy.append(play_meanwhile(generator, opponents, options.seconds))
            time.sleep(0.1)  # Wait until the server gives up the last search.
    rows = [
        [
            f"{number + 1}",
            f"{b.p99 / a.p99:.2f}",
            f"{b.p50 / a.p50:.2f}",
            f"{a.p99:.0f}",
            f"{b.p99:.0f}",
            f"{answers / options.seconds:.1f}",
        ]
        for number, (a, (b, answers)) in enumerate(zip(idle, busy, strict=True))
    ]
    table(["round", "p99/idle p99", "p50/idle p50", "idle p99 us", "p99 us", "answers/s"], rows)
    p99 = ratio([burst.p99 for burst, _ in busy], [burst.p99 for burst in idle])
    Reach("p99 of a move while games think, of the idle p99,", 3.0).tell(p99)


if __name__ == "__main__":
    run(main)

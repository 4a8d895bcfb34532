"""How much slower the moves of others become while some clients flood the server.

A flood is requests one behind the other, as fast as the socket accepts them: once a cheap request,
and once an expensive one. The rate limit is so high that the server disconnects no flooder. Four
others play at a moderate pace, in turns alone and beside the floods. No process is pinned.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median

from bench.generator import Burst, Generator
from bench.report import Reach, parser, ratio, read, run, table
from bench.servers import REPOSITORY, BenchError, tictac

REQUESTS = ("PLACE:0:0", "ROOMLIST:VIEWER")
"""Requests outside a room, so that the answer to the first is NOROOM."""


HONEST = Reach("p99 of honest players, of their idle p99,", 1.5)


@contextmanager
def attacking(module: str, *arguments: object) -> Iterator[Callable[[], str]]:
    """Run a program that attacks; yield a function that stops it and returns its output."""
    process = subprocess.Popen(
        [sys.executable, "-m", module, *map(str, arguments)],
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    stdin, stdout = process.stdin, process.stdout
    assert stdin is not None and stdout is not None

    def stop() -> str:
        print(flush=True, file=stdin)
        said = stdout.readline()
        if not said:
            raise BenchError(f"{module} has ended")
        return said

    with process:
        try:
            if stdout.readline() != "ready\n":
                raise BenchError(f"{module} didn't begin")
            yield stop
        finally:
            process.terminate()


def main(arguments: Sequence[str] | None = None) -> None:
    """Play with and without floods in turns, and compare the slowest moves."""
    made = parser(
        __doc__,
        clients=(4, 4),
        rooms=(2, 2),
        think_ms=(10.0, 10.0),
        seconds=(2.0, 0.6),
        rounds=(4, 2),
    )
    options = read(made, arguments)
    rows = []
    worst = worst_ratio = 0.0
    with (
        tictac("tictac", pin=False) as server,
        Generator(server, options.rooms, think_ms=options.think_ms, pin=False) as generator,
    ):
        for request in REQUESTS:
            alone: list[Burst] = []
            beside: list[Burst] = []
            rates: list[float] = []
            for _ in range(options.rounds):
                alone.append(generator.play(0.1, options.seconds))
                floods = ("bench.flooders", server.port, options.clients, request)
                with attacking(*floods) as stop:
                    beside.append(generator.play(0.1, options.seconds))
                    rates.append(int(stop()) / (options.seconds + 0.1))
            p99 = median(burst.p99 for burst in beside)
            slower = ratio([b.p99 for b in beside], [a.p99 for a in alone])
            worst, worst_ratio = max(worst, p99 / 1000), max(worst_ratio, slower)
            rows.append(
                [
                    f"{options.clients} x {request}",
                    f"{slower:.1f}",
                    f"{ratio([b.p50 for b in beside], [a.p50 for a in alone]):.1f}",
                    f"{median(burst.p99 for burst in alone) / 1000:.2f}",
                    f"{p99 / 1000:.2f}",
                    f"{median(rates):.0f}",
                ]
            )
    header = ["flood", "p99/idle p99", "p50/idle p50", "idle p99 ms", "p99 ms", "flood answers/s"]
    table(header, rows)
    Reach("p99 of the others' moves, in ms,", 5.0).tell(worst)
    HONEST.tell(worst_ratio)


if __name__ == "__main__":
    run(main)

"""How much slower the moves of others become while some clients flood the server.

A flood is requests one behind the other, as fast as the socket takes them, once of a cheap
request and once of a dear one; the limit on the rate is so high that nobody is cut off.
Others play at a moderate pace, by turns alone and beside the floods. Nothing is pinned to a core.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from statistics import median

from bench.generator import Burst, Generator
from bench.report import Reach, parser, ratio, read, run, table
from bench.servers import REPOSITORY, BenchError, Server, tictac

REQUESTS = ("PLACE:0:0", "ROOMLIST:VIEWER")
"""Outside a room, so that the first is answered with NOROOM."""


@contextmanager
def flooding(server: Server, clients: int, request: str) -> Iterator[list[int]]:
    """Flood meanwhile; afterwards the list has the number of answers."""
    command = [sys.executable, "-m", "bench.flooders", str(server.port), str(clients), request]
    process = subprocess.Popen(
        command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    answers: list[int] = []
    with process:
        try:
            assert process.stdout is not None and process.stdin is not None
            if process.stdout.readline() != "ready\n":
                raise BenchError("the floods didn't begin")
            yield answers
            process.stdin.close()
            count = process.stdout.readline()
            if process.wait() or not count:
                raise BenchError("a flood was cut off")
            answers.append(int(count))
        finally:
            process.terminate()


def main(arguments: Sequence[str] | None = None) -> None:
    """Play with and without floods in turns, and compare the slowest moves."""
    made = parser(
        __doc__,
        clients=(4, 4),
        rooms=(20, 20),
        think_ms=(10.0, 10.0),
        seconds=(2.0, 0.6),
        rounds=(4, 2),
    )
    options = read(made, arguments)
    rows = []
    worst = 0.0
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
                with flooding(server, options.clients, request) as answers:
                    beside.append(generator.play(0.1, options.seconds))
                rates.append(answers[0] / (options.seconds + 0.1))
            p99 = median(burst.p99 for burst in beside)
            worst = max(worst, p99 / 1000)
            rows.append(
                [
                    f"{options.clients} x {request}",
                    f"{ratio([b.p99 for b in beside], [a.p99 for a in alone]):.1f}",
                    f"{ratio([b.p50 for b in beside], [a.p50 for a in alone]):.1f}",
                    f"{median(burst.p99 for burst in alone) / 1000:.2f}",
                    f"{p99 / 1000:.2f}",
                    f"{median(rates):.0f}",
                ]
            )
    header = ["flood", "p99/idle p99", "p50/idle p50", "idle p99 ms", "p99 ms", "flood answers/s"]
    table(header, rows)
    Reach("p99 of the others' moves, in ms,", 5.0).tell(worst)


if __name__ == "__main__":
    run(main)

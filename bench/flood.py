"""How much slower the moves of others become while some clients flood the server.

A flood is requests one behind the other, as fast as the sockets accept them, of five clients from
one address, and of five from each of eight. The limits are the server's defaults, except that no
flooder's burst ends. Four others play at a moderate pace, in turns alone and beside the floods. No
process is pinned, and the flooders run only when no other process needs the core.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from statistics import median

from bench.generator import Burst, Generator
from bench.report import Reach, Rows, parser, ratio, read, run
from bench.servers import REPOSITORY, BenchError, tictac

REQUESTS = ("PLACE:0:0", "ROOMLIST:VIEWER", '{"do":"ping"}', '{"do":"rules","game":"reversi"}')
"""Requests outside a room, so that the answer to the first is NOROOM."""

ADDRESSES = (1, 8)

ENDLESS = ("--budget-burst", "1000000000")
"""A burst that no flood uses up; the rate stays the default."""

HONEST = Reach("p50 of honest players, of their idle p50,", 2.0)
SLOWEST = Reach("p99 of honest players, in ms,", 5.0)


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
        clients=(5, 5),
        rooms=(2, 2),
        think_ms=(10.0, 10.0),
        seconds=(2.0, 0.6),
        rounds=(3, 1),
    )
    options = read(made, arguments)
    header = ["flood", "addresses", "p50/idle p50", "p99/idle p99", "p50 ms", "p99 ms", "answers/s"]
    rows = Rows(*header, widths=[24])
    worst = worst_ratio = 0.0
    with (
        tictac("tictac", pin=False, limits=ENDLESS) as server,
        Generator(server, options.rooms, think_ms=options.think_ms, pin=False) as generator,
    ):
        for request, addresses in product(REQUESTS, ADDRESSES):
            alone: list[Burst] = []
            beside: list[Burst] = []
            rates: list[float] = []
            for _ in range(options.rounds):
                alone.append(generator.play(0.1, options.seconds))
                clients = addresses * options.clients
                floods = ("bench.flooders", server.port, clients, addresses, request)
                with attacking(*floods) as stop:
                    beside.append(generator.play(0.1, options.seconds))
                    rates.append(int(stop()) / (options.seconds + 0.1))
            slower = ratio([b.p50 for b in beside], [a.p50 for a in alone])
            p99 = median(burst.p99 for burst in beside) / 1000
            worst, worst_ratio = max(worst, p99), max(worst_ratio, slower)
            rows.add(
                request,
                str(addresses),
                f"{slower:.1f}",
                f"{ratio([b.p99 for b in beside], [a.p99 for a in alone]):.1f}",
                f"{median(b.p50 for b in beside) / 1000:.2f}",
                f"{p99:.2f}",
                f"{median(rates):.0f}",
            )
    HONEST.tell(worst_ratio)
    SLOWEST.tell(worst)


if __name__ == "__main__":
    run(main)

"""Rooms in Redis: one and two nodes on it beside one node that keeps them in memory.

Whole matches, as fast as they go and then at a steady pace. With two nodes the players of
each room sit on different ones. Redis hands every move to the system before it answers, so that
only a crash of the machine loses some, or, with --appendfsync always, to the disk. All programs
share the machine, and their processor time includes that of Redis.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.engines import DURABLE, WRITTEN, Redis
from bench.generator import Burst, Generator, build
from bench.report import Reach, parser, ratio, read, run, table
from bench.servers import Server, tictac

MEMORY, ONE, TWO = "in memory", "one node on Redis", "two nodes on Redis"
ON_DISK = "with appendfsync always"

ON_REDIS = ((ONE, 1, WRITTEN), (TWO, 2, WRITTEN), (ON_DISK, 2, DURABLE))

STEPS_A_MOVE = 11 / 9
"""A match has nine moves, and two requests before them."""


@dataclass(frozen=True)
class Case:
    """What plays: its nodes, and other processes whose time counts."""

    name: str
    nodes: Sequence[Server]
    helpers: Sequence[int] = ()


@contextmanager
def cases() -> Iterator[list[Case]]:
    """All of them, each with accounts and rooms of its own."""
    with tempfile.TemporaryDirectory(prefix="tictac-bench-") as top, ExitStack() as stack:
        made = [Case(MEMORY, [stack.enter_context(tictac(MEMORY, pin=False))])]
        for name, count, options in ON_REDIS:
            folder = Path(top, name)
            folder.mkdir()
            redis = stack.enter_context(Redis(folder, *options))
            nodes = [
                stack.enter_context(
                    tictac(
                        name,
                        "--rooms",
                        redis.url,
                        "--rejoin-timeout",
                        "0",
                        pin=False,
                        database=folder / "users.db",
                    )
                )
                for _ in range(count)
            ]
            made.append(Case(name, nodes, [redis.pid]))
        yield made


Bursts = dict[str, list[Burst]]


def measure(made: Sequence[Case], rooms: int, think_ms: float, rounds: int, time: float) -> Bursts:
    """Let all of them play in turns."""
    bursts: Bursts = {case.name: [] for case in made}
    with ExitStack() as stack:
        generators = [
            stack.enter_context(
                Generator(case.nodes, rooms, 0, think_ms, pin=False, helpers=case.helpers)
            )
            for case in made
        ]
        for _ in range(rounds):
            for case, generator in zip(made, generators, strict=True):
                bursts[case.name].append(generator.play(time / 4, time))
    return bursts


def added(name: str, bursts: Bursts, field: str) -> float:
    """Milliseconds that a move takes longer than in memory."""
    times = {case: median(getattr(burst, field) for burst in bursts[case]) for case in bursts}
    more: float = times[name] - times[MEMORY]
    return more / 1000


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print one table."""
    made = parser(__doc__, rounds=(7, 3), seconds=(1.0, 0.3), rooms=(50, 20), pace=(2500, 1000))
    options = read(made, arguments)
    build()
    think_ms = options.rooms / (options.pace * STEPS_A_MOVE) * 1000
    with cases() as all_of_them:
        fast = measure(all_of_them, options.rooms, 0, options.rounds, options.seconds)
        steady = measure(all_of_them, options.rooms, think_ms, options.rounds, options.seconds)
    rows, moves = [], {}
    for name in fast:
        rates = {case: [b.moves / b.seconds for b in bursts] for case, bursts in fast.items()}
        cpu = {case: [b.cpu_a_request for b in bursts] for case, bursts in fast.items()}
        moves[name] = ratio(rates[name], rates[MEMORY])
        rows.append(
            [
                name,
                f"{moves[name]:.2f}",
                f"{ratio(cpu[name], cpu[MEMORY]):.2f}",
                f"{added(name, steady, 'p50'):+.2f}",
                f"{added(name, steady, 'p99'):+.2f}",
                f"{median(rates[name]):.0f}",
                f"{median(cpu[name]):.1f}",
            ]
        )
    header = ["rooms", "moves/memory", "CPU/memory", "p50 + ms", "p99 + ms", "moves/s"]
    table([*header, "us a request"], rows)
    pace = median(b.moves / b.seconds for b in steady[TWO])
    print(f"{options.rooms} rooms; p50 and p99 at {pace:.0f} moves a second")
    Reach("moves a second of two nodes, of one in memory,", 0.35, least=True).tell(moves[TWO])
    Reach("ms that the p50 of two nodes is above that", 0.5).tell(added(TWO, steady, "p50"))


if __name__ == "__main__":
    run(main)

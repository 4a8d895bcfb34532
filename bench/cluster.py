"""Rooms that outlive their server: in SQLite, and in PostgreSQL with one and two nodes.

Clients play whole matches, at full speed and then at a steady pace, in turns with one node that
has its rooms in memory. With two nodes, the players of a room are on different ones. PostgreSQL
commits to disk. All programs share the machine, and processor time includes the database's.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.engines import Postgres
from bench.generator import Burst, Generator, build
from bench.report import Reach, parser, ratio, read, run, table
from bench.servers import Server, tictac
from tictac.plugins.check.target import free_port

MEMORY, SQLITE = "in memory", "in SQLite"
ONE, TWO = "in PostgreSQL, one node", "in PostgreSQL, two nodes"

SEATS = ("--rejoin-timeout", "0")
"""Rooms end with the connections of a generator, because the next one starts from scratch."""

LEAST = {SQLITE: (0.6, 0.7), ONE: (0.4, 0.6), TWO: (0.26, 0.48)}
"""Minimum share of the moves per second in memory, with 50 and with 250 rooms."""

STEPS_A_MOVE = 11 / 9
"""A match has nine moves, and two requests before them."""


@dataclass(frozen=True)
class Case:
    """One setup: its nodes, and the database whose time counts."""

    name: str
    nodes: Sequence[Server]
    database: Postgres | None = None

    def helpers(self) -> Sequence[int]:
        """Return the processes of the database."""
        return () if self.database is None else self.database.pids


def node_options(folder: Path) -> tuple[str, ...]:
    """Return the options of a node that other nodes reach; the folder has their shared secret."""
    secret = folder / "secret"
    secret.write_text("known to all nodes")
    return ("--node", f"tcp:127.0.0.1:{free_port()}", "--node-secret", str(secret))


@contextmanager
def cases() -> Iterator[list[Case]]:
    """Start all setups, each with separate accounts and rooms."""
    with tempfile.TemporaryDirectory(prefix="tictac-bench-") as top, ExitStack() as stack:
        made = []
        for name, options in ((MEMORY, ()), (SQLITE, ("--journal", "sqlite"))):
            server = stack.enter_context(tictac(name, *options, *SEATS, pin=False))
            made.append(Case(name, [server]))
        for name, count in ((ONE, 1), (TWO, 2)):
            folder = Path(top, name)
            folder.mkdir()
            postgres = stack.enter_context(Postgres(folder))
            nodes = [
                stack.enter_context(
                    tictac(name, *node_options(folder), *SEATS, pin=False, database=postgres.url)
                )
                for _ in range(count)
            ]
            made.append(Case(name, nodes, postgres))
        yield made


Bursts = dict[str, list[Burst]]


def measure(made: Sequence[Case], rooms: int, think_ms: float, rounds: int, time: float) -> Bursts:
    """Measure all setups in turns."""
    bursts: Bursts = {case.name: [] for case in made}
    with ExitStack() as stack:
        generators = [
            stack.enter_context(
                Generator(case.nodes, rooms, 0, think_ms, pin=False, helpers=case.helpers())
            )
            for case in made
        ]
        for _ in range(rounds):
            for case, generator in zip(made, generators, strict=True):
                bursts[case.name].append(generator.play(time / 4, time))
    return bursts


def added(name: str, bursts: Bursts, field: str) -> float:
    """Return the milliseconds that a move takes longer than in memory."""
    times = {case: median(getattr(burst, field) for burst in bursts[case]) for case in bursts}
    more: float = times[name] - times[MEMORY]
    return more / 1000


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print one table."""
    made = parser(__doc__, rooms=(0, 20), rounds=(7, 3), seconds=(1.0, 0.3), pace=(2300, 1000))
    options = read(made, arguments)
    build()
    rows, reaches = [], []
    sizes = [options.rooms] if options.rooms else [50, 250]  # 0 means both.
    with cases() as all_of_them:
        for rooms in sizes:
            think_ms = rooms / (options.pace * STEPS_A_MOVE) * 1000
            fast = measure(all_of_them, rooms, 0, options.rounds, options.seconds)
            steady = measure(all_of_them, rooms, think_ms, options.rounds, options.seconds)
            rates = {name: [b.moves / b.seconds for b in bursts] for name, bursts in fast.items()}
            cpu = {name: [b.cpu_a_request for b in bursts] for name, bursts in fast.items()}
            for name in fast:
                moves, work = (ratio(each[name], each[MEMORY]) for each in (rates, cpu))
                p50 = added(name, steady, "p50")
                rows.append(
                    [
                        f"{name}, {rooms} rooms",
                        f"{moves:.2f}",
                        f"{work:.2f}",
                        f"{p50:+.2f}",
                        f"{added(name, steady, 'p99'):+.2f}",
                        f"{median(rates[name]):.0f}",
                        f"{median(cpu[name]):.1f}",
                    ]
                )
                if name in LEAST:
                    what = f"moves a second {name}, {rooms} rooms, of those in memory,"
                    reaches.append((Reach(what, LEAST[name][rooms >= 100], least=True), moves))
                if name in (ONE, TWO):
                    reaches.append((Reach(f"ms that the p50 is above, {rows[-1][0]}", 0.8), p50))
                    if rooms == 250:
                        what = f"times the CPU a request, {rows[-1][0]}"
                        reaches.append((Reach(what, 2.5), work))
    header = ["rooms", "moves/memory", "CPU/memory", "p50 + ms", "p99 + ms", "moves/s"]
    table([*header, "us a request"], rows)
    print(f"p50 and p99 at {options.pace:g} moves a second")
    for reach, figure in reaches:
        reach.tell(figure)


if __name__ == "__main__":
    run(main)

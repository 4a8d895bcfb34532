"""Rooms in a journal: one process that keeps them in SQLite beside one that doesn't.

Clients play whole matches, at full speed and then at a steady pace, in turns on each server. The
server saves events before it sends them, so kill -9 loses none. Then the benchmark kills a process
with many rooms and restarts it. All programs share the machine.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from statistics import median

from bench.generator import Burst, Generator, build
from bench.report import Reach, parser, ratio, read, run, table
from bench.servers import BenchError, tictac
from bench.wire import Wire

MEMORY, SQLITE = "in memory", "in SQLite"
HELD = ("--rejoin-timeout", "30", "--drain", "0")
KEPT = ("--journal", "sqlite", *HELD)

STEPS_A_MOVE = 11 / 9
"""A match has nine moves, and two requests before them."""

Bursts = dict[str, list[Burst]]


def measure(rooms: int, think_ms: float, rounds: int, seconds: float) -> Bursts:
    """Measure both servers in turns."""
    with ExitStack() as stack:
        servers = [
            stack.enter_context(tictac(name, *options, pin=False))
            for name, options in ((MEMORY, HELD), (SQLITE, KEPT))
        ]
        generators = [
            stack.enter_context(Generator([server], rooms, 0, think_ms, pin=False))
            for server in servers
        ]
        bursts: Bursts = {server.name: [] for server in servers}
        for _ in range(rounds):
            for server, generator in zip(servers, generators, strict=True):
                bursts[server.name].append(generator.play(seconds / 4, seconds))
    return bursts


def added(field: str, bursts: Bursts) -> float:
    """Return the milliseconds that a move takes longer than in memory."""
    kept, memory = (median(getattr(b, field) for b in bursts[n]) for n in (SQLITE, MEMORY))
    milliseconds: float = (kept - memory) / 1000
    return milliseconds


def starting_again(rooms: int) -> float:
    """Return the additional seconds of a start with that many rooms to read."""
    times = []
    with tempfile.TemporaryDirectory(prefix="tictac-bench-") as folder:
        database = Path(folder, "users.db")
        with (
            suppress(BenchError),  # The process has ended, as intended.
            tictac(SQLITE, *KEPT, database=database) as server,
            ExitStack() as stack,
        ):
            for number in range(rooms):
                wire = stack.enter_context(Wire(server.port))
                wire.expect("LOGIN:ann:pw", "LOGIN:ACKSTATUS:0")
                wire.expect(f"CREATE:room {number}", "CREATE:ACKSTATUS:0")
            server.process.kill()
            server.process.wait()
        for options in (HELD, KEPT):
            begun = time.monotonic()
            with tictac(SQLITE, *options, database=database):
                times.append(time.monotonic() - begun)
    return times[1] - times[0]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print one table."""
    made = parser(__doc__, rounds=(7, 3), seconds=(1.0, 0.3), pace=(2300, 1000), killed=(1000, 100))
    made.add_argument("--rooms", type=int, metavar="N", help="only this many rooms")
    options = read(made, arguments)
    build()
    rows, figures = [], []
    for rooms in [options.rooms] if options.rooms else [50, 250]:
        think_ms = rooms / (options.pace * STEPS_A_MOVE) * 1000
        fast = measure(rooms, 0, options.rounds, options.seconds)
        steady = measure(rooms, think_ms, options.rounds, options.seconds)
        rates = {name: [b.moves / b.seconds for b in bursts] for name, bursts in fast.items()}
        cpu = {name: [b.cpu_a_request for b in bursts] for name, bursts in fast.items()}
        moves = ratio(rates[SQLITE], rates[MEMORY])
        figures.append((rooms, moves))
        rows.append(
            [
                str(rooms),
                f"{moves:.2f}",
                f"{ratio(cpu[SQLITE], cpu[MEMORY]):.2f}",
                f"{added('p50', steady):+.2f}",
                f"{added('p99', steady):+.2f}",
                f"{median(rates[SQLITE]):.0f}",
            ]
        )
    table(["rooms", "moves/memory", "CPU/memory", "p50 + ms", "p99 + ms", "moves/s"], rows)
    for rooms, moves in figures:
        least = 0.6 if rooms < 100 else 0.7
        Reach(f"moves a second, of those in memory, {rooms} rooms", least, least=True).tell(moves)
    again = median(starting_again(options.killed) for _ in range(options.rounds))
    Reach(f"s that a start takes more after kill -9 with {options.killed} rooms", 0.5).tell(again)


if __name__ == "__main__":
    run(main)

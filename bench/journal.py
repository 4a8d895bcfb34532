"""Rooms in a journal: one process in memory, one with SQLite, and one with PostgreSQL.

Clients play whole matches, at full speed and then at a steady pace, in turns on each server. The
server saves events before it sends them, so kill -9 loses none. Then the benchmark kills a process
with many rooms and restarts it. At last, four pairs make the moves of an hour in one go, on a
server that merges its write-ahead log and on one that doesn't. All programs share the machine.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from statistics import median
from threading import Event, Thread

from bench.engines import Postgres
from bench.generator import Burst, Generator, build
from bench.report import Reach, parser, ratio, read, run, table
from bench.servers import BenchError, tictac
from bench.wire import Wire

MEMORY, SQLITE, POSTGRES = "in memory", "in SQLite", "in PostgreSQL"
HELD = ("--rejoin-timeout", "30", "--drain", "0")
KEPT = ("--journal", "sqlite", *HELD)

LEAST = {SQLITE: (0.6, 0.7), POSTGRES: (0.4, 0.6)}
"""Minimum share of the moves per second in memory, with 50 and with 250 rooms."""

STEPS_A_MOVE = 11 / 9
"""A match has nine moves, and two requests before them."""

Bursts = dict[str, list[Burst]]

PAIRS = 4
"""Each makes a move per second in an hour: 14,400 moves."""

MIB = 1 << 20

MERGED, GROWING = "merged", "growing"
NEVER_MERGED = "import tictac.storage.disk as disk; disk.LONG = 1 << 60"


def measure(rooms: int, think_ms: float, rounds: int, seconds: float) -> Bursts:
    """Measure both servers in turns."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tictac-bench-")))
        postgres = stack.enter_context(Postgres(folder))
        servers = [
            stack.enter_context(tictac(name, *options, pin=False, database=database))
            for name, options, database in (
                (MEMORY, HELD, None),
                (SQLITE, KEPT, None),
                (POSTGRES, ("--journal", "postgres", *HELD), postgres.url),
            )
        ]
        generators = [
            stack.enter_context(
                Generator(
                    [server], rooms, 0, think_ms, pin=False,
                    helpers=postgres.pids if server.name == POSTGRES else (),
                )
            )
            for server in servers
        ]  # fmt: skip
        bursts: Bursts = {server.name: [] for server in servers}
        for _ in range(rounds):
            for server, generator in zip(servers, generators, strict=True):
                bursts[server.name].append(generator.play(seconds / 4, seconds))
    return bursts


def added(name: str, field: str, bursts: Bursts) -> float:
    """Return the milliseconds that a move takes longer than in memory."""
    kept, memory = (median(getattr(b, field) for b in bursts[n]) for n in (name, MEMORY))
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


class Watch(Thread):
    """Looks at the size of a file every few milliseconds; ``most`` is its largest size, in MiB."""

    def __init__(self, path: Path) -> None:
        super().__init__(daemon=True)
        self.most = 0.0
        self._path = path
        self._over = Event()

    def run(self) -> None:
        while not self._over.wait(0.005):
            with suppress(OSError):
                self.most = max(self.most, self._path.stat().st_size / MIB)

    def __enter__(self) -> Watch:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.join()


def hour(moves: int, seconds: float) -> tuple[dict[str, float], Bursts]:
    """Let ``PAIRS`` pairs make that many moves; return the largest logs in MiB, and the bursts."""
    largest: dict[str, float] = {}
    bursts: Bursts = {MERGED: [], GROWING: []}
    with ExitStack() as stack:
        generators, watches = {}, {}
        for name, first in ((MERGED, ""), (GROWING, NEVER_MERGED)):
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tictac-bench-"))
            database = Path(folder, "users.db")
            server = stack.enter_context(
                tictac(name, *KEPT, pin=False, database=database, first=first)
            )
            generators[name] = stack.enter_context(Generator([server], PAIRS, 0, 0, pin=False))
            watches[name] = stack.enter_context(Watch(Path(f"{database}-wal")))
        while sum(burst.moves for burst in bursts[MERGED]) < moves:
            for name, generator in generators.items():
                bursts[name].append(generator.play(0, seconds))
        largest = {name: watch.most for name, watch in watches.items()}
    return largest, bursts


def tell_hour(moves: int, seconds: float) -> None:
    """Print a table of the log under an hour's moves without a pause."""
    largest, bursts = hour(moves, seconds)
    p99s = {name: [burst.p99 for burst in each] for name, each in bursts.items()}
    p99 = ratio(p99s[MERGED], p99s[GROWING])
    worst = ratio(*([burst.worst for burst in bursts[name]] for name in (MERGED, GROWING)))
    rows = [
        [name, str(sum(b.moves for b in bursts[name])), f"{largest[name]:.1f}",
         f"{median(p99s[name]) / 1000:.2f}"]
        for name in (MERGED, GROWING)
    ]  # fmt: skip
    rows[0] += [f"{p99:.2f}", f"{worst:.2f}"]
    rows[1] += ["1.00", "1.00"]
    print()
    table(["log", "moves", "largest MiB", "p99 ms", "p99/growing", "worst/growing"], rows)
    Reach("MiB of the write-ahead log, while it is merged", 32).tell(largest[MERGED])
    Reach("p99 of a move, of that without checkpoints,", 1.5).tell(p99)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print one table."""
    made = parser(
        __doc__,
        rounds=(7, 3),
        seconds=(1.0, 0.3),
        pace=(2300, 1000),
        killed=(1000, 100),
        hour=(14_400, 3000),
    )
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
        for name in (SQLITE, POSTGRES):
            moves = ratio(rates[name], rates[MEMORY])
            figures.append((name, rooms, moves))
            rows.append(
                [
                    f"{name}, {rooms} rooms",
                    f"{moves:.2f}",
                    f"{ratio(cpu[name], cpu[MEMORY]):.2f}",
                    f"{added(name, 'p50', steady):+.2f}",
                    f"{added(name, 'p99', steady):+.2f}",
                    f"{median(rates[name]):.0f}",
                ]
            )
    table(["rooms", "moves/memory", "CPU/memory", "p50 + ms", "p99 + ms", "moves/s"], rows)
    for name, rooms, moves in figures:
        least = LEAST[name][rooms >= 100]
        what = f"moves a second {name}, of those in memory, {rooms} rooms"
        Reach(what, least, least=True).tell(moves)
    tell_hour(options.hour, 8 * options.seconds)
    again = median(starting_again(options.killed) for _ in range(options.rounds))
    Reach(f"s that a start takes more after kill -9 with {options.killed} rooms", 0.5).tell(again)


if __name__ == "__main__":
    run(main)

"""A class logs in from one address, at once, and then plays, all matches at once.

300 people log in at the default limits. Each must succeed, and no later than a loop of bcrypt
with as many threads needs for all passwords. Then the benchmark compares the p99 of a move in 150
matches with the p99 in a few matches. No process is pinned to a core.
"""

from __future__ import annotations

import os
import select
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import bcrypt

from bench.generator import Generator
from bench.report import Reach, parser, percentile, ratio, read, run, table
from bench.servers import tictac
from bench.wire import Wire
from tictac.accounts.passwords import hash_password
from tictac.accounts.tables import Account, AccountTables
from tictac.storage.databases import opened
from tictac.storage.workers import lower_priority

PASSWORD = b"pw"
FEW = 5
"""Number of matches on an idle server."""


def hash_alone(people: int, stored: str) -> float:
    """Return the seconds that the checks of all passwords take without a server."""
    began = time.monotonic()
    with ThreadPoolExecutor(os.cpu_count(), initializer=lower_priority) as pool:
        checks = [pool.submit(bcrypt.checkpw, PASSWORD, stored.encode()) for _ in range(people)]
        assert all(check.result() for check in checks)
    return time.monotonic() - began


def log_in(port: int, people: int) -> list[float]:
    """Log all people in at the same moment; return the seconds that each one waited."""
    with ExitStack() as stack:
        wires = [stack.enter_context(Wire(port)) for _ in range(people)]
        poll = select.poll()
        by_file = {wire.socket.fileno(): wire for wire in wires}
        for file in by_file:
            poll.register(file, select.POLLIN)
        began = time.monotonic()
        for number, wire in enumerate(wires):
            wire.send(f"LOGIN:pupil {number}:{PASSWORD.decode()}")
        waited: list[float] = []
        while by_file:
            for file, _ in poll.poll():
                by_file.pop(file).take("LOGIN:ACKSTATUS:0")
                poll.unregister(file)
                waited.append(time.monotonic() - began)
    return waited


def main(arguments: Sequence[str] | None = None) -> None:
    """Log all people in, let them play, and print a comparison."""
    made = parser(
        __doc__,
        people=(300, 20),
        bcrypt_rounds=(12, 6),
        matches=(150, 10),
        think_ms=(200.0, 20.0),
        seconds=(5.0, 0.5),
        rounds=(5, 2),
    )
    options = read(made, arguments)
    stored = hash_password(PASSWORD, options.bcrypt_rounds)
    with tempfile.TemporaryDirectory(prefix="tictac-bench-") as folder:
        place = str(Path(folder, "users.db"))
        with opened(place) as database:
            names = [f"pupil {number}" for number in range(options.people)]
            AccountTables(database).add_many([Account(name, stored) for name in names])
        before = hash_alone(options.people, stored)
        with tictac(
            "class", rounds=options.bcrypt_rounds, database=place, limits=(), pin=False
        ) as server:
            waited = log_in(server.port, options.people)
    alone = (before + hash_alone(options.people, stored)) / 2
    header = ["logins", "slowest/bcrypt alone", "p50/bcrypt alone", "slowest s", "bcrypt alone s"]
    half, slowest = percentile(waited, 0.5), max(waited)
    shares = [f"{slowest / alone:.2f}", f"{half / alone:.2f}", f"{slowest:.1f}", f"{alone:.1f}"]
    table(header, [[str(len(waited)), *shares]])
    with ExitStack() as stack:
        # Each has a separate server, because the names of the rooms are the same.
        servers = [stack.enter_context(tictac(name, pin=False)) for name in ("few", "many")]
        few, many = (
            stack.enter_context(Generator(server, rooms, think_ms=options.think_ms, pin=False))
            for server, rooms in zip(servers, (FEW, options.matches), strict=True)
        )
        bursts = [
            (few.play(0.2, options.seconds), many.play(0.2, options.seconds))
            for _ in range(options.rounds)
        ]
    rows = [
        [str(number), f"{b.p99 / a.p99:.2f}", f"{a.p99:.0f}", f"{b.p99:.0f}", f"{b.rate:.0f}"]
        for number, (a, b) in enumerate(bursts, start=1)
    ]
    table(["round", "p99/idle p99", "idle p99 us", "p99 us", "requests/s"], rows)
    Reach("slowest login, of bcrypt alone,", 1.1).tell(slowest / alone)
    p99 = ratio([b.p99 for _, b in bursts], [a.p99 for a, _ in bursts])
    Reach(f"p99 of a move in {options.matches} matches, of the idle p99,", 2.0).tell(p99)


if __name__ == "__main__":
    run(main)

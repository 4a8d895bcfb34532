"""Registrations a second, against what hashing alone and durable inserts alone do.

Before a registration is answered, the server hashes a password and writes a row that survives a
power cut. The benchmark measures in turns: our server, registering for many clients at once; bcrypt
alone on as many threads of the same low priority; and inserts in SQLite, each in a transaction,
in WAL mode with full synchronization, as in the server.
"""

from __future__ import annotations

import itertools
import os
import selectors
import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import bcrypt

from bench.report import parser, ratio, read, run, table
from bench.servers import Server, tictac
from bench.wire import Wire
from tictac.storage.workers import lower_priority

CLIENTS = 32
FEWEST_ROUNDS = 4


def registrations(server: Server, names: Iterator[int], seconds: float) -> float:
    """Return registrations per second, with one pending request for each client."""
    done = 0
    with ExitStack() as stack, selectors.DefaultSelector() as selector:
        wires = [stack.enter_context(Wire(server.port)) for _ in range(CLIENTS)]
        begin = time.monotonic()
        for wire in wires:
            selector.register(wire.socket, selectors.EVENT_READ, wire)
            wire.send(f"REGISTER:user{next(names)}:pw")
        while time.monotonic() - begin < seconds or not done:
            for key, _ in selector.select():
                key.data.take("REGISTER:ACKSTATUS:0")
                done += 1
                key.data.send(f"REGISTER:user{next(names)}:pw")
        rate = done / (time.monotonic() - begin)
    with Wire(server.port) as last:
        # The pending ones have left the queue, or are before this one in it.
        last.expect(f"REGISTER:user{next(names)}:pw", "REGISTER:ACKSTATUS:0")
    return rate


def hashes(rounds: int, threads: int, seconds: float) -> float:
    """Return the hashes per second of bcrypt alone."""
    begin = time.monotonic()
    counts: list[int] = []

    def work() -> None:
        lower_priority()
        for number in itertools.count(1):
            bcrypt.hashpw(b"pw", bcrypt.gensalt(rounds))
            if time.monotonic() - begin >= seconds:
                counts.append(number)
                return

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return sum(counts) / (time.monotonic() - begin)


def inserts(seconds: float) -> float:
    """Return the durable inserts per second, one after the other."""
    with tempfile.TemporaryDirectory(prefix="tictac-bench-") as folder:
        connection = sqlite3.connect(Path(folder) / "rows.db", isolation_level=None)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE users (name TEXT PRIMARY KEY, hash TEXT) WITHOUT ROWID")
        begin = time.monotonic()
        done = 0
        while time.monotonic() - begin < seconds:
            connection.execute("INSERT INTO users VALUES (?, ?)", (f"user{done}", "h" * 60))
            done += 1
        rate = done / (time.monotonic() - begin)
        connection.close()
        return rate


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all three in turns, with few rounds and with the usual number."""
    options = read(
        parser(__doc__, bcrypt_rounds=(12, 12), seconds=(1.2, 0.4), rounds=(3, 2)), arguments
    )
    threads = os.cpu_count() or 1
    names = itertools.count()
    rows = []
    for cost in (FEWEST_ROUNDS, options.bcrypt_rounds):
        # Only few hashes of 12 rounds fit into a second.
        seconds = options.seconds * (1 if cost == FEWEST_ROUNDS else 3)
        ours: list[float] = []
        hashing: list[float] = []
        inserting: list[float] = []
        with tictac("tictac", rounds=cost, pin=False) as server:
            for _ in range(options.rounds):
                ours.append(registrations(server, names, seconds))
                hashing.append(hashes(cost, threads, seconds))
                inserting.append(inserts(options.seconds))
        rows.append(
            [
                f"{cost}",
                f"{ratio(ours, hashing):.2f}",
                f"{ratio(ours, inserting):.3f}",
                *(f"{median(rates):.1f}" for rates in (ours, hashing, inserting)),
            ]
        )
    header = ["rounds", "of bcrypt alone", "of inserts alone", "registrations/s"]
    table([*header, "hashes/s", "inserts/s"], rows)


if __name__ == "__main__":
    run(main)

"""The start and the end of the servers to compare, on 127.0.0.1."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.wire import Wire

REPOSITORY = Path(__file__).parents[1]

RAISED = [
    *("--budget", "100000000", "--budget-burst", "100000000"),
    *("--max-connections", "100000", "--max-connections-per-peer", "100000"),
    *("--max-rooms", "10000"),
]
"""Limits that no benchmark reaches; 0 would turn them off, and save the server work."""

USERS = ("ann", "ben", "vic")
"""The accounts of the benchmarks; their password is ``pw``."""

STARTS_IN = 120.0
STOPS_IN = 15.0


class BenchError(Exception):
    """A run that failed, and has no result."""


class Server:
    """A running server."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], port: int) -> None:
        self.name = name
        self.process = process
        self.port = port

    @property
    def pid(self) -> int:
        """The ID of the server's process."""
        return self.process.pid

    def cpu_seconds(self) -> float:
        """Return the processor seconds of all threads, user and system."""
        # clock_getcpuclockid(3), which isn't in Python.
        return time.clock_gettime((~self.pid << 3) | 2)

    def resident_bytes(self) -> int:
        """Return the bytes of memory in use."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * resource.getpagesize()


def tictac_command(
    port: int,
    database: Path | str,
    rounds: int,
    *options: str,
    limits: Sequence[str] = RAISED,
    first: str = "",
) -> list[str]:
    """Return the command that starts our server, after the Python statements ``first``."""
    program = "import sys; from twisted.scripts.twistd import run; sys.argv[0] = 'twistd'; run()"
    program = f"{first}; {program}" if first else program
    return [
        *(sys.executable, "-c", program, "-n", "--pidfile=", "tictac", *limits),
        *("--port", f"tcp:{port}:interface=127.0.0.1", "--database", str(database)),
        *("--bcrypt-rounds", str(rounds), "--journal", "none", *options),
    ]


@contextmanager
def tictac(
    name: str,
    *options: str,
    rounds: int = 4,
    pin: bool = True,
    database: Path | str | None = None,
    limits: Sequence[str] = RAISED,
    checkout: Path = REPOSITORY,
    first: str = "",
) -> Iterator[Server]:
    """Run our server, with raised limits and a separate database of accounts.

    With ``database``, the server shares that one. ``limits`` () are the server's defaults.
    ``checkout`` is the folder whose program is run. ``first`` are Python statements before that.
    """
    with tempfile.TemporaryDirectory(prefix="tictac-bench-") as folder:
        accounts = database or Path(folder, "users.db")
        command = tictac_command(0, accounts, rounds, *options, limits=limits, first=first)
        with running(name, command, Path(folder), pin, _logged_port, checkout) as server:
            with Wire(server.port) as wire:
                for user in USERS:
                    wire.expect(
                        f"REGISTER:{user}:pw", "REGISTER:ACKSTATUS:0", "REGISTER:ACKSTATUS:1"
                    )
            yield server


@contextmanager
def floor(kind: str, pin: bool = True) -> Iterator[Server]:
    """Run one of the servers of floors.py."""
    command = [sys.executable, "-m", "bench.floors", kind]
    with (
        tempfile.TemporaryDirectory(prefix="tictac-bench-") as folder,
        running(kind, command, Path(folder), pin, _printed_port) as server,
    ):
        yield server


def pin_to(core: int, process: int) -> None:
    """Pin a process to one core, if there are several: servers to 0, clients to 1."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        os.sched_setaffinity(process, {cores[core]})


def raise_open_files() -> None:
    """Allow this process as many open files as the system grants."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


@contextmanager
def running(
    name: str,
    command: Sequence[str],
    folder: Path,
    pin: bool,
    find_port: Callable[[str], int | None],
    checkout: Path = REPOSITORY,
) -> Iterator[Server]:
    log = folder / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=checkout, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )
    try:
        if pin:
            pin_to(0, process.pid)
        yield Server(name, process, _wait_for_port(name, process, log, find_port))
        if process.poll() is not None:
            raise BenchError(f"{name} has ended with status {process.returncode}")
    finally:
        process.terminate()
        try:
            process.wait(STOPS_IN)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_for_port(
    name: str, process: subprocess.Popen[bytes], log: Path, find_port: Callable[[str], int | None]
) -> int:
    deadline = time.monotonic() + STARTS_IN
    while time.monotonic() < deadline and process.poll() is None:
        port = find_port(log.read_text(errors="replace"))
        if port is not None:
            return port
        time.sleep(0.02)
    raise BenchError(f"{name} didn't start: {log.read_text(errors='replace')[-2000:]}")


def _logged_port(text: str) -> int | None:
    found = re.search(r"listening on .*?(\d+)\n", text)
    return int(found[1]) if found else None


def _printed_port(text: str) -> int | None:
    return int(text) if text.endswith("\n") else None

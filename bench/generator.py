"""The load generator: generator.c, compiled on first use."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from bench.servers import BenchError, Server, pin_to

SOURCE = Path(__file__).with_name("generator.c")
PROGRAM = SOURCE.parent / "build" / "generator"

ATTEMPTS = 5


@dataclass(frozen=True)
class Burst:
    """The counts of some seconds of play. Times of moves are in microseconds."""

    seconds: float
    requests: int
    moves: int
    lines: int
    cpu: float
    own_cpu: float
    p50: float
    p99: float
    worst: float
    errors: int

    @property
    def rate(self) -> float:
        """Requests per second."""
        return self.requests / self.seconds

    @property
    def cpu_a_request(self) -> float:
        """Microseconds of the server's processor time for one request."""
        return self.cpu / self.requests * 1e6


def build() -> None:
    """Compile the generator, unless the program is newer than its source."""
    if PROGRAM.exists() and PROGRAM.stat().st_mtime >= SOURCE.stat().st_mtime:
        return
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise BenchError("the load generator needs a C compiler: gcc or cc")
    PROGRAM.parent.mkdir(exist_ok=True)
    new = PROGRAM.with_suffix(f".{os.getpid()}")
    subprocess.run([compiler, "-O2", "-Wall", "-o", new, SOURCE], check=True)
    new.replace(PROGRAM)


class Generator:
    """Rooms full of clients of one server, or of several that share their rooms.

    Between two bursts, the clients send nothing.
    """

    def __init__(
        self,
        server: Server | Sequence[Server],
        rooms: int,
        viewers: int = 0,
        think_ms: float = 0.0,
        *,
        rules: bool = True,
        pin: bool = True,
        helpers: Sequence[int] = (),
    ) -> None:
        """Start logging all clients in.

        With ``rules=False``, the server needn't recognize the end of a match. ``helpers`` are
        processes whose time counts as the servers'.
        """
        servers = [server] if isinstance(server, Server) else server
        build()
        last = "GAMEEND:" if rules else "BOARDSTATUS:"
        ports = ",".join(str(each.port) for each in servers)
        pids = ",".join(map(str, (*(each.pid for each in servers), *helpers)))
        numbers = (ports, rooms, viewers, think_ms, pids)
        self._name = f"the generator for {servers[0].name}"
        self._process = subprocess.Popen(
            [PROGRAM, *map(str, numbers), last],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        if pin:
            pin_to(1, self._process.pid)

    def __enter__(self) -> Generator:
        self._read()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()

    def begin(self, warm_up: float, seconds: float) -> None:
        """Start playing for that many seconds; :meth:`end` waits for the result."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{warm_up} {seconds}\n")
        self._process.stdin.flush()

    def end(self) -> Burst:
        """Return the counts. Raises BenchError if an answer was wrong."""
        burst = Burst(**json.loads(self._read()))
        if burst.errors:
            raise BenchError(f"{self._name} got {burst.errors} wrong answers")
        return burst

    def play(self, warm_up: float, seconds: float) -> Burst:
        """Play a burst to its end; repeat it if the machine stood still meanwhile."""
        for _ in range(ATTEMPTS):
            self.begin(warm_up, seconds)
            burst = self.end()
            if burst.requests and burst.worst:
                return burst
        raise BenchError(f"{self._name} got no answers")

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise BenchError(f"{self._name} has ended with status {self._process.wait()}")
        return line

"""Redis for the nodes of a cluster: a process of its own, on 127.0.0.1."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from pathlib import Path

from bench.servers import STARTS_IN, BenchError, free_port

WRITTEN = ("--appendonly", "yes", "--appendfsync", "everysec")
"""What it has acknowledged outlives the process, but perhaps not the machine."""

DURABLE = ("--appendonly", "yes", "--appendfsync", "always", "--aof-use-rdb-preamble", "no")
"""What it has acknowledged is on disk, as the commands that led there."""


class Redis:
    """A Redis that can be killed and started again with what it has on disk."""

    def __init__(self, folder: Path, *options: str) -> None:
        program = shutil.which("redis-server")
        if program is None:
            raise BenchError("this needs redis-server (Debian: apt install redis-server)")
        self.port = free_port()
        self.folder = folder
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._command = [program, "--bind", "127.0.0.1", "--port", str(self.port)]
        self._command += ["--dir", str(folder), "--save", "", "--auto-aof-rewrite-percentage", "0"]
        self._command += options
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """The number of its process."""
        assert self._process is not None
        return self._process.pid

    def __enter__(self) -> Redis:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with (self.folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        deadline = time.monotonic() + STARTS_IN
        while not self._answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise BenchError(f"redis-server didn't start: {self._log()}")
            time.sleep(0.02)

    def kill(self) -> None:
        """End it as a crash does."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as asking:
                asking.sendall(b"PING\r\n")
                return asking.recv(64) == b"+PONG\r\n"
        except OSError:
            return False

    def _log(self) -> str:
        return (self.folder / "redis.log").read_text(errors="replace")[-1000:]

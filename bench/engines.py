"""PostgreSQL for the servers of a benchmark, in a separate process on 127.0.0.1."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

from bench.servers import STARTS_IN, BenchError
from tictac.plugins.check.target import free_port


def _programs() -> Path:
    """Return the folder of the newest PostgreSQL; Debian doesn't put it on the path."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if found:
        return max(found, key=lambda path: float(path.parent.name))
    program = shutil.which("initdb")
    if program is None:
        raise BenchError("this needs PostgreSQL (Debian: apt install postgresql)")
    return Path(program).resolve().parent


class Postgres:
    """A PostgreSQL that commits on disk, and that a test can kill and restart.

    PostgreSQL refuses to run as root, so it then runs as the user ``nobody``.
    """

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.folder = folder / "postgres"
        self.data = self.folder / "data"
        self.url = self.at_its_port()
        self._programs = _programs()
        self._process: subprocess.Popen[bytes] | None = None
        self._user: dict[str, Any] = {}
        self.folder.mkdir()
        self.data.mkdir(mode=0o700)
        if os.getuid() == 0:
            nobody = pwd.getpwnam("nobody")
            for path in (folder, *folder.parents[: len(folder.parts) - 3]):
                path.chmod(0o755)
            for path in (self.folder, self.data):
                os.chown(path, nobody.pw_uid, nobody.pw_gid)
            self._user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        command = ["initdb", "-D", str(self.data), "-U", "postgres", "-A", "trust", "-E", "UTF8"]
        self.run(*command, "--locale=C")

    @property
    def pids(self) -> list[int]:
        """The processes of PostgreSQL; those of connections come and go."""
        assert self._process is not None
        pid = self._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        return [pid, *map(int, children.split())]

    def __enter__(self) -> Postgres:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def at_its_port(self) -> str:
        """Return the address of the database."""
        return self.at_port(self.port)

    def at_port(self, port: int) -> str:
        """Return the address of the database behind another port."""
        return f"postgresql://postgres@127.0.0.1:{port}/postgres"

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs."""
        done = subprocess.run(
            [program, *arguments],
            cwd="/",
            capture_output=True,
            env={**os.environ, "PATH": f"{self._programs}{os.pathsep}{os.environ['PATH']}"},
            **self._user,
        )
        if done.returncode:
            raise BenchError(f"{program}: {done.stderr[-1000:]!r}")

    def start(self) -> None:
        """Start PostgreSQL, and wait until it accepts connections."""
        options = ["-c", "listen_addresses=127.0.0.1", "-c", f"port={self.port}"]
        options += ["-c", "unix_socket_directories=", "-c", "shared_buffers=128MB"]
        log = self.folder / "postgres.log"
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self.data, *options],
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                **self._user,
            )
        deadline = time.monotonic() + STARTS_IN
        while not self._answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                raise BenchError(f"PostgreSQL didn't start: {log.read_text()[-1000:]}")
            time.sleep(0.05)

    def kill(self) -> None:
        """Kill PostgreSQL, as a crash does."""
        assert self._process is not None
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()

    def signal_all(self, number: signal.Signals) -> None:
        """Send a signal to all processes, to stop or continue them."""
        for pid in self.pids:
            os.kill(pid, number)

    def _answers(self) -> bool:
        """Return whether PostgreSQL accepts connections: it sends an authentication request."""
        version = b"\x00\x03\x00\x00user\x00postgres\x00\x00"
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as asking:
                asking.sendall((len(version) + 4).to_bytes(4, "big") + version)
                return asking.recv(1) == b"R"
        except OSError:
            return False

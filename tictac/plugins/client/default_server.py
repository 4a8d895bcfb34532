"""The server of a command line without a port: one at a usual port, or a local one."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from tictac.plugins.client.address import HERE, PORT, TLS_PORT, ServerAddress

PATIENCE = 30.0
"""Maximum time for a local server to start, in seconds."""

REACH = 5.0
"""Maximum time for a connection to a usual port, in seconds."""

_SERVE = "from tictac.server.cli import main; main()"


def find(host: str) -> ServerAddress | None:
    """Return the server at a usual port of ``host``; None if there is none."""
    for port, tls in ((PORT, False), (TLS_PORT, True)):
        try:
            socket.create_connection((host, port), REACH).close()
        except (OSError, UnicodeError):
            continue
        return ServerAddress(host, port, tls)
    return None


@contextmanager
def server_here() -> Iterator[ServerAddress]:
    """Run a private local server for the body. Raises ValueError if the server doesn't start."""
    with TemporaryDirectory(prefix="tictac-") as directory:
        path = Path(directory) / "socket"
        options = ["--port", f"unix:{path}:mode=600", "--computer-workers", "1", "--drain", "0"]
        server = subprocess.Popen(
            [sys.executable, "-c", _SERVE, "serve", "-n", *options],
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            until = time.monotonic() + PATIENCE
            while not answers(path):
                if server.poll() is not None or time.monotonic() > until:
                    raise ValueError("a server can't be started here")
                time.sleep(0.02)
            yield ServerAddress(f"{HERE}{path}", 0)
        finally:
            server.terminate()
            server.wait()


def answers(path: Path) -> bool:
    """Return whether a server answers; at first it only checks whether it can listen there."""
    with suppress(OSError), socket.socket(socket.AF_UNIX) as client:
        client.settimeout(PATIENCE)
        client.connect(str(path))
        client.sendall(b'{"do": "hello"}\n')
        return client.recv(4096) != b""
    return False

"""The choice of a server if the command line has none: the last one, another, or a local one."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tictac.client.address import HERE, ServerAddress, read_place
from tictac.client.keyring import Keyring, folder

PATIENCE = 30.0
"""Maximum time for a local server to start, in seconds."""

_SERVE = "from tictac.cli import main; main()"


def ask_where(environment: Mapping[str, str]) -> ServerAddress | None:
    """Ask for a server; None: a local one. Raises EOFError, or ValueError with a sentence."""
    usual = Keyring(folder(environment) / "servers.json").last or "here"
    print("Where do you want to play? HOST PORT or tls://HOST:PORT; or here, alone.")
    typed = input(f"[{usual}] ").strip() or usual
    return None if typed == "here" else read_place(typed)


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
            while not _listens(path):
                if server.poll() is not None or time.monotonic() > until:
                    raise ValueError("a server can't be started here")
                time.sleep(0.02)
            yield ServerAddress(f"{HERE}{path}", 0)
        finally:
            server.terminate()
            server.wait()


def _listens(path: Path) -> bool:
    """Return whether a server listens; the socket file exists a little earlier."""
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(str(path)) == 0

"""Run a program in its sandbox for `tictac check`, and connect it to the checker.

Its arguments are PORT FOLDER WISH WORDS: the port of the checker, a folder for a Unix socket, the
request for a match as JSON, and the words of the sandbox, in which ``{socket}`` is replaced by the
path of the socket. The checker accepts only connections of the processes that it has started;
therefore, the runner itself can't make them.

This is a program of its own. It starts for each case of the check, so it imports little.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from tictac.plugins.submissions.runner.sandbox import give_away
from tictac.plugins.submissions.runner.translation import for_checker

LONGEST = 1 << 20
"""Maximum bytes of a program's line."""


def main(port: int, folder: str, wish: Mapping[str, object], words: Sequence[str]) -> None:
    """Run the sandbox, and end as it has ended."""
    path = Path(tempfile.mkdtemp(dir=folder), "server")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        path.chmod(0o666)
        give_away(path.parent)
        listener.listen()
        child = subprocess.Popen(
            [word.replace("{socket}", str(path)) for word in words], stdin=subprocess.DEVNULL
        )
        threading.Thread(target=_serve, args=(listener, port, wish), daemon=True).start()
        os._exit(child.wait() % 256)


def _serve(listener: socket.socket, port: int, wish: Mapping[str, object]) -> None:
    while True:
        client, _ = listener.accept()
        threading.Thread(target=_connect, args=(client, port, wish), daemon=True).start()


def _connect(client: socket.socket, port: int, wish: Mapping[str, object]) -> None:
    with client, suppress(OSError), socket.create_connection(("127.0.0.1", port)) as server:
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        program = ProgramSide(client)
        passing = threading.Thread(target=_pass_back, args=(server, program), daemon=True)
        passing.start()
        with client.makefile("rb") as lines, suppress(OSError):
            while line := lines.readline(LONGEST):
                forward, back = for_checker(line, wish) if line.endswith(b"\n") else (line, None)
                if forward is not None:
                    server.sendall(forward + b"\n" * line.endswith(b"\n"))
                if back is not None:
                    program.answer(back + b"\n")
        with suppress(OSError):
            server.shutdown(socket.SHUT_WR)
        passing.join()


def _pass_back(server: socket.socket, program: ProgramSide) -> None:
    with suppress(OSError):
        while data := server.recv(1 << 16):
            program.passed(data)
    program.close()


class ProgramSide:
    """The program's side of a connection. It keeps answers of the runner out of lines."""

    def __init__(self, client: socket.socket) -> None:
        self._client, self._lock = client, threading.Lock()
        self._waiting, self._is_between = b"", True

    def passed(self, data: bytes) -> None:
        """Send data of the checker. Raises OSError."""
        with self._lock:
            self._client.sendall(data)
            self._is_between = data.endswith(b"\n")
            self._flush()

    def answer(self, line: bytes) -> None:
        """Send a line of the runner between lines of the checker. Raises OSError."""
        with self._lock:
            self._waiting += line
            self._flush()

    def _flush(self) -> None:
        if self._is_between and self._waiting:
            self._client.sendall(self._waiting)
            self._waiting = b""

    def close(self) -> None:
        """Close the connection, also for reading."""
        with suppress(OSError):
            self._client.shutdown(socket.SHUT_RDWR)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]), sys.argv[4:])

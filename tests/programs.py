"""The whole server in a process of its own, as its operator runs it, and callers over sockets."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.terminal.processes import PATIENCE, ROOT, end, read_until

TWISTD = str(Path(sys.executable).with_name("twistd"))
WITHOUT_BROTLI = (
    sys.executable, "-c", "import sys; sys.argv[0] = 'twistd'; sys.modules['brotli'] = None\n"
    "from twisted.scripts.twistd import run; run()",
)  # fmt: skip
"""twistd that compresses no page by Brotli, which takes each start longer than all the rest."""

LOCAL = "tcp:0:interface=127.0.0.1"
EXAMPLE = ["1:1", "0:0", "0:2", "1:0", "2:0"]


def address_in(log: str) -> tuple[str, int]:
    """Return the TCP address at which a server listens, by its log."""
    found = re.search(r"listening on (\S+) port (\d+)", log)
    assert found, log
    return found[1], int(found[2])


class Program:
    """``twistd -n tictac`` in a directory of its own, until the end of the test."""

    def __init__(
        self,
        case: SynchronousTestCase,
        directory: Path,
        *options: str,
        path: str = str(ROOT),
        within: Sequence[str] = (),
    ) -> None:
        self.log = ""
        self.process = subprocess.Popen(
            [
                *within, *WITHOUT_BROTLI, "-n", "--pidfile=", "tictac", "--bcrypt-rounds", "4",
                *options,
            ],
            cwd=directory,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )  # fmt: skip
        case.addCleanup(end, self.process)

    def wait_for(self, text: str) -> None:
        """Read the log up to ``text``."""
        assert self.process.stdout is not None
        self.log = read_until(self.process.stdout.fileno(), text, self.log)

    def address(self) -> tuple[str, int]:
        """Return the TCP address at which the program listens."""
        self.wait_for("tictac is up")
        return address_in(self.log)

    def connect(self, case: SynchronousTestCase, end: bytes = b"\n") -> Caller:
        """Open a TCP connection to the program."""
        return Caller(case, socket.create_connection(self.address()), end)

    def signal(self, number: int = signal.SIGTERM) -> None:
        self.process.send_signal(number)

    def finish(self) -> tuple[int, str, str]:
        """Return the exit status, the whole log, and the standard error."""
        out, errors = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, self.log + out.decode(), errors.decode()


class Caller:
    """The other end of a connection: reads exactly what it expects."""

    def __init__(self, case: SynchronousTestCase, connection: socket.socket, end: bytes) -> None:
        self.socket = connection
        self.socket.settimeout(PATIENCE)
        self.end = end
        case.addCleanup(self.socket.close)

    def send(self, message: str) -> None:
        self.socket.sendall(message.encode() + self.end)

    def expect(self, *messages: str) -> None:
        """Read these messages, byte by byte as they must be."""
        for message in messages:
            wanted = message.encode() + (b"\n" if self.end else b"")
            found = b""
            while len(found) < len(wanted):
                data = self.socket.recv(len(wanted) - len(found))
                assert data, f"closed after {found!r}, before {wanted!r}"
                found += data
            assert found == wanted

    def ask(self, message: str, *answers: str) -> None:
        """Send a message and read what must come back."""
        self.send(message)
        self.expect(*answers)

    def sign_up(self, user: str, password: str = "secret") -> Caller:
        """Make an account and log in."""
        self.ask(f"REGISTER:{user}:{password}", "REGISTER:ACKSTATUS:0")
        self.ask(f"LOGIN:{user}:{password}", "LOGIN:ACKSTATUS:0")
        return self

    def at_end(self) -> bool:
        """Return whether the server has closed the connection, with nothing more to read."""
        with contextlib.suppress(ConnectionError):
            return self.socket.recv(1) == b""
        return True


class ServerCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.directory = temporary_directory(self)

    def start(self, *options: str, port: str | None = LOCAL) -> Program:
        """Start a server; without a ``port`` the options name one."""
        return Program(self, self.directory, *(["--port", port] if port else []), *options)

    def fill(self, program: Program, end: bytes = b"\n") -> tuple[Caller, Caller]:
        """Begin a match of alice and bob in den."""
        alice, bob = (program.connect(self, end).sign_up(user) for user in ("alice", "bob"))
        alice.ask("CREATE:den", "CREATE:ACKSTATUS:0")
        bob.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", "BEGIN:alice:bob")
        alice.expect("BEGIN:alice:bob")
        return alice, bob

    def play_example(self, alice: Caller, bob: Caller, *viewers: Caller) -> None:
        """Play the example match of rooms.md; every occupant sees every board."""
        players = [alice, bob]
        boards = ["000010000", "200010000", "200010100", "220010100"]
        for number, move in enumerate(EXAMPLE):
            players[number % 2].send(f"PLACE:{move}")
            for caller in (*players, *viewers):
                caller.expect(
                    f"BOARDSTATUS:{boards[number]}"
                    if number < len(boards)
                    else "GAMEEND:221010100:0:alice"
                )

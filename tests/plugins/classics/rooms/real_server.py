"""A real server of rooms, and the console client in processes of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.classics.rooms.console_helpers import PASSWORD, USER
from tests.terminal.processes import read_until, start

BIN = Path(sys.executable).parent
LOGGED_IN = USER + PASSWORD + "{} {}\n" + USER + PASSWORD + "Welcome {}\n"


class RealServerCase(SynchronousTestCase):
    """One server for each test, with ``options``."""

    options: Sequence[str] = ()

    def setUp(self) -> None:
        directory = TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.start_server("0")

    def start_server(self, port: str) -> None:
        """Start the server in its directory."""
        self.server = server = start(
            self,
            [
                str(BIN / "twistd"), "-n", "--pidfile=", "tictac",
                "--bcrypt-rounds", "4", "--port", f"tcp:{port}:interface=127.0.0.1",
                *self.options,
            ],
            cwd=self.directory, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert server.stdout is not None
        log = read_until(server.stdout.fileno(), "tictac is up")
        found = re.search(r"rooms: listening on 127\.0\.0\.1 port (\d+)", log)
        assert found is not None, log
        self.address = ["127.0.0.1", found[1]]

    def play(self, script: str, *options: str) -> tuple[subprocess.Popen[bytes], int]:
        """Start a client with all of its input, and give where its output can be read."""
        client = start(self, self.command(*options), stderr=subprocess.STDOUT)
        assert client.stdin is not None
        assert client.stdout is not None
        client.stdin.write(script.replace(" ", "\n").encode())
        client.stdin.close()
        return client, client.stdout.fileno()

    def command(self, *options: str) -> list[str]:
        return [str(BIN / "tictac"), "rooms", *options, *self.address]

    def login(self, user: str) -> str:
        return f"REGISTER {user} secret LOGIN {user} secret "

    def logged_in(self, user: str) -> str:
        return LOGGED_IN.format("Successfully created user account", user, user)

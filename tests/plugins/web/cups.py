"""A server for browsers, whose operator makes tournaments and series."""

from __future__ import annotations

import subprocess

from tests.documents import BIN
from tests.plugins.web.browser import PageServer
from tests.terminal.processes import PATIENCE


class CupServer(PageServer):
    """A server whose operator makes tournaments. It needs the socket ``sock`` of its folder."""

    def admin(self, *arguments: str) -> None:
        """Run a command of `tictac admin tournament`."""
        self.operate("tournament", *arguments)

    def operate(self, *arguments: str) -> None:
        """Run a command of `tictac admin`."""
        command = [f"{BIN}/tictac", "admin", "-s", f"{self.folder}/sock", *arguments]
        subprocess.run(command, check=True, timeout=PATIENCE, capture_output=True)

    def promote(self, user: str) -> None:
        """Make an account an admin."""
        command = [f"{BIN}/tictac", "users", "-d", f"{self.folder}/users.db", "admin", user]
        subprocess.run(command, check=True, timeout=PATIENCE, capture_output=True)

    def make(self, id: str, *options: str) -> None:
        """Make a tournament of tic-tac-toe."""
        self.admin("create", id, "--game", "tictactoe", "--time", "600", *options)

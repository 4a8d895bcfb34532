"""Servers in processes of their own that share a database."""

from __future__ import annotations

import socket
import urllib.request

from tests.plugins.postgres.matches import begin
from tests.programs import LOCAL, Caller, Program, ServerCase, address_in
from tests.storage.postgres import running
from tests.terminal.processes import PATIENCE

GONE = ("INPROGRESS:bob:alice", "BOARDSTATUS:000010000")

LEASE = "5"
"""Seconds: a server that waits for a busy machine keeps its turn."""


class TwoCase(ServerCase):
    """Processes that share a database."""

    def setUp(self) -> None:
        super().setUp()
        self.postgres = running()
        self.url = self.postgres.new_place()

    def serve(self, *more: str, until: str = "rooms restored") -> Program:
        """Start a server, and wait until it is active, or what else is awaited."""
        program = self.start("--database", self.url, "--admin", LOCAL, "--lease", LEASE, *more)
        program.wait_for(until)
        return program

    def standby(self, *more: str) -> Program:
        return self.serve(*more, until="standby: ")

    def call(self, program: Program) -> Caller:
        return Caller(self, socket.create_connection(address_in(rooms_of(program))), b"\n")

    def log_in(self, program: Program, user: str) -> Caller:
        caller = self.call(program)
        caller.ask(f"LOGIN:{user}:secret", "LOGIN:ACKSTATUS:0")
        return caller

    def begin_match(self, program: Program) -> tuple[Caller, Caller]:
        """Begin a match of alice and bob, and make a move."""
        alice, bob = (self.call(program).sign_up(user) for user in ("alice", "bob"))
        begin(alice, bob)
        return alice, bob

    def check_goes_on(self, program: Program) -> None:
        """Check that both players of the match have their seats in this process."""
        program.wait_for("1 rooms restored")
        alice, bob = (self.log_in(program, user) for user in ("alice", "bob"))
        for caller in (alice, bob):
            caller.ask("JOIN:den:PLAYER", "JOIN:ACKSTATUS:0", *GONE)
        bob.ask("PLACE:0:0", "BOARDSTATUS:200010000")
        alice.expect("BOARDSTATUS:200010000")

    def health(self, program: Program, path: str = "ready") -> tuple[int, str]:
        """Return the answer to ``/health/ready``."""
        line = next(line for line in program.log.splitlines() if "admin: listening" in line)
        url = f"http://127.0.0.1:{line.split()[-1]}/health/{path}"
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode().strip()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode().strip()


def rooms_of(program: Program) -> str:
    """Return the log from the line about the port of the rooms on."""
    return "rooms: listening" + program.log.rpartition("rooms: listening")[2]

"""`tictac xmpp` through Prosody with TLS: a match with a client of slixmpp."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.documents import make_certificate
from tests.plugins.xmpp.xmpp import DOMAIN, SECRET, Prosody, needs_xmpp
from tests.programs import Program
from tests.terminal.processes import read_until, start
from tictac.plugins.xmpp.client.commands import PASSWORD

TICTAC = Path(sys.executable).with_name("tictac")


@needs_xmpp
class ClientTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.directory = temporary_directory(self)
        self.directory.chmod(0o755)
        (self.directory / "prosody").mkdir()
        (self.directory / "secret").write_text(f"{SECRET}\n")
        make_certificate(self.directory)
        (self.directory / "key.pem").chmod(0o644)  # prosody runs as an ordinary user
        self.prosody = Prosody(
            self.directory / "prosody", "alice", "bob", certificate=self.directory
        )
        self.addCleanup(self.prosody.stop)
        self.prosody.start()

    def client(self, name: str, password: str = "secret") -> tuple[int, int]:
        """Start the program in the room den; return where to write and to read."""
        process = start(
            self,
            [
                *(str(TICTAC), "xmpp", f"{name}@localhost", f"den@{DOMAIN}", "--server"),
                *(f"127.0.0.1:{self.prosody.clients}", "--ca", str(self.directory / "cert.pem")),
            ],
            env={**os.environ, PASSWORD: password},
        )
        assert process.stdin and process.stdout and process.stderr
        self.errors, self.process = process.stderr.fileno(), process
        return process.stdin.fileno(), process.stdout.fileno()

    def test_a_match(self) -> None:
        service = Program(
            self,
            self.directory,
            *("--xmpp-component", DOMAIN, "--xmpp-secret-file", "secret", "--drain", "0"),
            *("--xmpp-server", f"tcp:127.0.0.1:{self.prosody.components}"),
        )
        service.wait_for("xmpp: linked to")
        to_alice, of_alice = self.client("alice")
        read_until(of_alice, "write open")
        os.write(to_alice, b"open\n")
        read_until(of_alice, "Done.")
        to_bob, of_bob = self.client("bob")
        read_until(of_bob, "bob looks on.")
        for to, line, of, seen in (
            (to_alice, b"x\n", of_bob, "alice, owner, plays x."),
            (to_bob, b"o\n", of_alice, "plays o."),
            (to_alice, b"start\n", of_bob, "alice has started."),
            (to_bob, b"start\n", of_alice, "Your turn"),
            (to_alice, b"2 2\n", of_bob, "Your turn"),
        ):
            os.write(to, line)
            read_until(of, seen)
        os.write(to_bob, b"none\nQUIT\n")
        assert self.process.wait() == 0
        assert "The match is interrupted" in read_until(of_alice, "bob has left.")

    def test_a_wrong_password(self) -> None:
        self.client("alice", "wrong")
        read_until(self.errors, "Error: the server refuses your address or password.")
        assert self.process.wait() == 1

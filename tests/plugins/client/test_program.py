"""The shell as a program: a real server, and a pseudo-terminal."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.documents import make_certificate
from tests.programs import LOCAL, ServerCase
from tests.terminal.processes import PATIENCE, PseudoTerminal
from tictac.plugins.client.keyring import Keyring

BIN = Path(sys.executable).parent


class ShellCase(ServerCase):
    def setUp(self) -> None:
        super().setUp()
        self.home = temporary_directory(self)

    def open_shell(self, *words: str, command: str = "play") -> Shell:
        return Shell(self, self.home, (command, *words))


class Shell:
    """Somebody who types into it."""

    def __init__(self, case: SynchronousTestCase, home: Path, words: tuple[str, ...]) -> None:
        self._terminal = PseudoTerminal(case)
        environment = {**os.environ, "TERM": "xterm", "NO_COLOR": "1", "XDG_CONFIG_HOME": str(home)}
        command = [str(BIN / "tictac"), *words]
        self.process = self._terminal.start(case, command, environment)

    def type(self, line: str) -> None:
        """Type a line; Enter is a carriage return in raw mode."""
        os.write(self._terminal.far, line.encode() + b"\r")

    def read_until(self, text: str) -> str:
        """Read the output up to ``text``, or further."""
        return self._terminal.read_until(text)

    def play_and_quit(self, level: str) -> None:
        """Make a move against the computer, and lose the match by leaving."""
        for line, then in (
            (f"open tictactoe {level}", "It is your turn."),
            ("b2", "You: b2"),
            ("quit", "loses the match."),
        ):
            self.type(line)
            self.read_until(then)
        self.type("yes")
        assert self.status() == 0

    def status(self) -> int:
        """Wait for the program to end, and return its exit status."""
        return self.process.wait(PATIENCE)


class ProgramTests(ShellCase):
    def test_from_an_account_to_a_match_and_back_without_a_password(self) -> None:
        program = self.start(port=LOCAL)
        host, port = program.address()
        shell = self.open_shell(host, str(port))
        shell.read_until("not logged in")
        shell.type("register alice")
        for question in ("Password:", "Again:"):
            shell.read_until(question)
            shell.type("sesame")
        seen = shell.read_until("Welcome alice")
        assert "sesame" not in seen
        shell.play_and_quit("club")
        again = self.open_shell(host, str(port), "--game", "nim", "--computer", "club")
        # One read: both may come at once.
        assert "Welcome alice" in again.read_until("A move is")
        os.write(again._terminal.far, b"\x04")
        again.read_until("loses the match.")
        again.type("y")
        assert again.status() == 0

    def test_a_host_without_a_server_at_a_usual_port(self) -> None:
        shell = self.open_shell("host.invalid")
        shell.read_until("Error: there is no server at host.invalid port 5000; tictac serve starts")
        assert shell.status() == 1

    def test_watch_goes_to_the_last_server_as_a_guest(self) -> None:
        host, port = self.start(port=LOCAL).address()
        Keyring(self.home / "tictac" / "servers.json").visit(f"{host}:{port}")
        shell = self.open_shell(command="watch")
        shell.read_until("There is no room yet")
        named = self.open_shell("attic", "--server", f"{host}:{port}", command="watch")
        named.read_until("Error: there is no room")

    def test_a_signal_ends_it(self) -> None:
        host, port = self.start(port=LOCAL).address()
        shell = self.open_shell(host, str(port))
        shell.read_until("not logged in")
        shell.process.send_signal(signal.SIGINT)
        assert shell.status() == 130

    def test_nobody_is_there(self) -> None:
        shell = self.open_shell("127.0.0.1", "1")
        shell.read_until("Error: there is no server at 127.0.0.1 port 1.")
        assert shell.status() == 1


class SilentServerTests(ShellCase):
    """A server that takes a connection and answers nothing."""

    def setUp(self) -> None:
        super().setUp()
        self.server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(self.server.close)
        self.server.settimeout(PATIENCE)

    def open(self) -> tuple[Shell, socket.socket]:
        """Open a shell; return it and the server's end of its first connection."""
        host, port = self.server.getsockname()
        return self.open_shell(host, str(port)), self.accept()

    def accept(self) -> socket.socket:
        connection, _ = self.server.accept()
        self.addCleanup(connection.close)
        connection.settimeout(PATIENCE)
        return connection

    def test_nobody_has_to_wait_for_it(self) -> None:
        shell, _ = self.open()
        shell.type("quit")
        assert shell.status() == 0
        shell, _ = self.open()
        shell.process.send_signal(signal.SIGINT)
        assert shell.status() == 130


class TlsTests(ShellCase):
    def serve(self) -> tuple[int, int]:
        """Start a server; its ports with and without TLS."""
        make_certificate(self.directory)
        secure = "ssl:0:interface=127.0.0.1:privateKey=key.pem:certKey=cert.pem"
        program = self.start("--port", LOCAL, port=secure)
        program.wait_for("tictac is up")
        tls, plain = re.findall(r"listening on 127\.0\.0\.1 port (\d+)", program.log)
        return int(tls), int(plain)

    def test_tls_and_what_is_said_where_it_doesnt_fit(self) -> None:
        tls, plain = map(str, self.serve())
        ca = str(self.directory / "cert.pem")
        shell = self.open_shell(f"tls://localhost:{tls}", "--ca", ca, "--guest")
        shell.read_until("Welcome guest-")
        shell.type("quit")
        assert shell.status() == 0
        for words, why in (
            ((f"tls://localhost:{tls}",), "isn't trusted; --ca FILE names one that is."),
            ((f"tls://127.0.0.1:{tls}", "--ca", ca), "the server is for another host name"),
            ((f"tls://localhost:{plain}", "--ca", ca), "doesn't speak TLS: try it without tls://."),
            ((f"tls://localhost:{tls}", "--ca", "no.pem"), "no.pem can't be read: No such file"),
        ):
            other = self.open_shell(*words)
            other.read_until(why)
            assert other.status() == 1
        other = self.open_shell("localhost", tls)
        other.read_until(f"does it speak TLS? Try tls://localhost:{tls}.")
        assert other.status() == 1

    def test_tls_line_by_line(self) -> None:
        tls, plain = map(str, self.serve())
        here, ca = f"tls://localhost:{tls}", ("--ca", str(self.directory / "cert.pem"))
        not_here = f"tls://localhost:{plain}"
        lobby = ("--game", "nim", "--computer", "club", "--guest")
        for words, status, said in (
            ((here, *ca, *lobby), 0, "Welcome guest-"),
            ((here, *ca), 0, "there is no command 'nonsense'"),
            ((here, *lobby), 1, "isn't trusted; --ca FILE names one that is."),
            ((here,), 1, "isn't trusted; --ca FILE names one that is."),
            ((not_here, *ca), 1, "doesn't speak TLS: try it without tls://."),
            (("localhost", plain, *ca), 1, "--ca is for tls://."),
        ):
            command = [str(BIN / "tictac"), "play", "--plain", *words]
            done = subprocess.run(command, input=b"nonsense\nquit\n", capture_output=True)
            assert (done.returncode, said in (done.stdout + done.stderr).decode()) == (status, True)

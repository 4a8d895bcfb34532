"""A session with a real server, real clients and real sockets."""

from __future__ import annotations

import os
import signal
import subprocess

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.documents import BIN
from tests.plugins.classics.binary import Caller
from tests.plugins.classics.rooms.console_helpers import MY_TURN, NOT_MY_TURN, drawn
from tests.plugins.classics.session.helpers import integers
from tests.programs import LOCAL, Program
from tests.terminal.processes import PATIENCE, PseudoTerminal, read_all, read_until, start

BOARDS = ["100000000", "100020000", "110020000", "110020002", "111020002"]


class SessionProcessesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.directory = temporary_directory(self)
        self.program = Program(self, self.directory, "--session", LOCAL)
        self.address = self.program.address()

    def command(self) -> list[str]:
        return [str(BIN / "tictac"), "session", self.address[0], str(self.address[1])]

    def play(self, script: str) -> tuple[subprocess.Popen[bytes], int]:
        """Start a client with all of its input, and give where its output can be read."""
        client = start(self, self.command(), stderr=subprocess.STDOUT)
        assert client.stdin is not None and client.stdout is not None
        client.stdin.write(script.replace(" ", "\n").encode())
        client.stdin.close()
        return client, client.stdout.fileno()

    def stop(self, counts: str) -> None:
        self.program.signal()
        status, log, errors = self.program.finish()
        assert (status, errors) == (0, "")
        assert f"session: matches: {counts}; refusals" in log

    def test_two_clients(self) -> None:
        one, out = self.play("0 0 1 0 2 0 ")
        seen = read_until(out, "Waiting for other player...\n")
        two, other_out = self.play("1 1 2 2 ")
        begin = "You are player 1, with X.\nWaiting for other player...\n" + MY_TURN
        turns = [NOT_MY_TURN, MY_TURN, NOT_MY_TURN, MY_TURN, "Congratulations, you won!\n"]
        expected = "".join(drawn(b) + t for b, t in zip(BOARDS, turns, strict=True))
        self.assertEqual(seen + read_all(out), begin + expected)
        turns = [MY_TURN, NOT_MY_TURN] * 2 + ["Sorry you lost. Good luck next time.\n"]
        expected = "".join(drawn(b) + t for b, t in zip(BOARDS, turns, strict=True))
        self.assertEqual(
            read_all(other_out), "You are player 2, with O.\n" + NOT_MY_TURN + expected
        )
        assert one.wait(PATIENCE) == two.wait(PATIENCE) == 0
        self.stop("{'won': 1}")

    def test_bytes_one_at_a_time_and_nobody_left_hanging(self) -> None:
        stranger = Caller(self, self.address)
        stranger.expect(integers(1))
        stranger.send(b"HELLO")
        stranger.expect_end()
        one, two = Caller(self, self.address), Caller(self, self.address)
        # Who was accepted first is asked first.
        one.expect(integers(1))
        two.expect(integers(2))
        one.expect(integers(1))
        for byte in integers(1, 1):
            one.send(bytes([byte]))
        two.expect(integers(4, 1, 1))
        two.send(integers(1, 1))
        two.expect_end()
        one.expect_end()
        self.stop("{'refused': 1}")

    def test_who_has_left_before_it_was_accepted_is_skipped(self) -> None:
        self.program.signal(signal.SIGSTOP)
        for _ in range(3):
            gone = Caller(self, self.address)
            gone.socket.close()
        one, two = Caller(self, self.address), Caller(self, self.address)
        self.program.signal(signal.SIGCONT)
        one.expect(integers(1, 1))
        two.expect(integers(2))

    def test_who_has_left_while_the_next_one_came_is_skipped(self) -> None:
        waiting = Caller(self, self.address)
        waiting.expect(integers(1))
        self.program.signal(signal.SIGSTOP)
        one = Caller(self, self.address)
        waiting.socket.close()
        two = Caller(self, self.address)
        self.program.signal(signal.SIGCONT)
        one.expect(integers(1, 1))
        two.expect(integers(2))

    def test_at_a_terminal(self) -> None:
        terminal = PseudoTerminal(self)
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        person = terminal.start(self, self.command(), environment | {"TERM": "xterm"})
        terminal.read_until("Waiting for other player...")
        other = start(self, self.command(), stderr=subprocess.STDOUT)
        assert other.stdin is not None and other.stdout is not None
        terminal.read_until("Column: ")
        terminal.type("1")
        terminal.read_until("Row: ")
        terminal.type("1")
        read_until(other.stdout.fileno(), MY_TURN)
        other.stdin.write(b"QUIT\n")
        other.stdin.flush()
        seen = terminal.read_until("the other player has probably left.")
        assert "|   | \x1b[36mX\x1b[0m |   |\r\n" in seen
        assert other.wait(PATIENCE) == 0
        assert person.wait(PATIENCE) == 1
        self.stop("{'left': 1}")

"""Console programs as processes: every kind of input and output, and every way to end."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.terminal.child import LINES
from tests.terminal.processes import PATIENCE, ROOT, PseudoTerminal, read_until, start


def command(name: str) -> list[str]:
    # As a file: the package of the tests loads more than these programs need.
    return [sys.executable, "-P", str(ROOT / "tests" / "terminal" / "child.py"), name]


class StreamsTests(SynchronousTestCase):
    """What can stand for standard input and output."""

    def run_to_end(
        self, name: str, typed: bytes | None = None, **options: Any
    ) -> tuple[int, bytes, bytes]:
        process = start(self, command(name), **options)
        out, err = process.communicate(typed, timeout=PATIENCE)
        return process.returncode, out, err

    def in_shell(self, name: str, redirections: str) -> tuple[int, bytes, bytes]:
        line = f"exec {shlex.join(command(name))} {redirections}"
        process = start(self, ["sh", "-c", line], stdin=subprocess.DEVNULL)
        out, err = process.communicate(timeout=PATIENCE)
        return process.returncode, out, err

    def test_a_pipe(self) -> None:
        expected = (7, b"? got one\n? got two\n? ", b"")
        self.assertEqual(self.run_to_end("echo", b"one\ntwo"), expected)

    def test_a_file(self) -> None:
        with tempfile.TemporaryFile() as script, tempfile.TemporaryFile() as result:
            script.write(b"".join(b"line %d\n" % number for number in range(1000)))
            script.seek(0)
            status, _, err = self.run_to_end("echo", stdin=script, stdout=result)
            result.seek(0)
            shown = result.read()
        self.assertEqual((status, err), (7, b""))
        expected = b"".join(b"? got line %d\n" % number for number in range(1000))
        self.assertEqual(shown, expected + b"? ")

    def test_nothing(self) -> None:
        self.assertEqual(self.in_shell("echo", "< /dev/null"), (7, b"? ", b""))
        self.assertEqual(self.in_shell("echo", "> /dev/null"), (7, b"", b""))

    def test_closed(self) -> None:
        self.assertEqual(self.in_shell("echo", "<&-"), (7, b"? ", b""))
        self.assertEqual(self.in_shell("echo", ">&-"), (7, b"", b""))
        self.assertEqual(self.in_shell("alternate", "2>&-"), (0, b"out 0\nout 1\nout 2\n", b""))

    def test_everything_is_written_in_the_end(self) -> None:
        expected = b"".join(b"%d\n" % number for number in range(LINES))
        self.assertEqual(self.run_to_end("chatter"), (0, expected, b""))

    def test_output_and_errors_in_one_file_keep_their_order(self) -> None:
        status, out, _ = self.run_to_end("alternate", stderr=subprocess.STDOUT)
        self.assertEqual((status, out), (0, b"out 0\nerr 0\nout 1\nerr 1\nout 2\nerr 2\n"))

    def test_output_and_errors_apart(self) -> None:
        expected = (0, b"out 0\nout 1\nout 2\n", b"err 0\nerr 1\nerr 2\n")
        self.assertEqual(self.run_to_end("alternate"), expected)

    def test_a_mistake_is_shown(self) -> None:
        status, out, err = self.run_to_end("fail")
        self.assertEqual((status, out), (1, b"so far so good\n"))
        self.assertIn(b"ZeroDivisionError: a mistake", err)

    def test_a_reader_who_goes_away_ends_it_quietly(self) -> None:
        process = start(self, command("gossip"))
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        read_until(process.stdout.fileno(), "? ")
        process.stdout.close()
        self.assertEqual(process.wait(PATIENCE), 1)
        self.assertEqual(process.stderr.read(), b"")


class SignalsTests(SynchronousTestCase):
    """Ctrl-C and the like."""

    def test_status(self) -> None:
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            process = start(self, command("wait"))
            assert process.stdout is not None
            read_until(process.stdout.fileno(), "waiting\n")
            process.send_signal(number)
            _, err = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, err), (status, b""))

    def test_while_it_connects(self) -> None:
        process = start(self, command("connect"))
        assert process.stdout is not None
        read_until(process.stdout.fileno(), "waiting\n")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, err), (130, b""))

    def test_nohup(self) -> None:
        process = start(self, ["nohup", *command("wait")])
        assert process.stdout is not None
        read_until(process.stdout.fileno(), "waiting\n")
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 143)

    def test_output_that_nobody_takes_is_not_waited_for(self) -> None:
        process = start(self, command("chatter"))
        assert process.stdout is not None
        read_until(process.stdout.fileno(), "10\n")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), 130)


class TerminalTests(SynchronousTestCase):
    """At a pseudo-terminal."""

    def setUp(self) -> None:
        self.terminal = PseudoTerminal(self)

    def test_hidden_input(self) -> None:
        process = self.terminal.start(self, command("hide"))
        self.assertEqual(self.terminal.read_until("Secret: "), "Secret: ")
        self.assertFalse(self.terminal.echoes())
        self.terminal.type("123")
        self.assertEqual(self.terminal.read_until("123\r\n"), "\r\ngot 123\r\n")
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertTrue(self.terminal.echoes())

    def test_end_of_input(self) -> None:
        process = self.terminal.start(self, command("echo"))
        self.terminal.read_until("? ")
        os.write(self.terminal.far, b"\x04")
        self.assertEqual(process.wait(PATIENCE), 7)
        self.assertEqual(self.terminal.read_until("\n"), "\r\n")

    def test_a_signal_leaves_the_terminal_as_it_was(self) -> None:
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            process = self.terminal.start(self, command("hide"))
            self.terminal.read_until("Secret: ")
            self.assertFalse(os.get_blocking(self.terminal.near))
            process.send_signal(number)
            self.assertEqual(process.wait(PATIENCE), status)
            self.assertTrue(self.terminal.echoes())
            self.assertTrue(os.get_blocking(self.terminal.near))
            self.assertEqual(self.terminal.read_until("\n"), "\r\n")

    def test_the_shell_goes_on_in_a_new_line(self) -> None:
        process = self.terminal.start(self, command("wait"))
        self.terminal.read_until("waiting\r\n")
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), 130)
        self.assertEqual(self.terminal.read_until("\n"), "\r\n")

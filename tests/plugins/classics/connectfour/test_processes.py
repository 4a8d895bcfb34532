"""Connect Four with real processes and sockets: server, program, and a client of a few lines."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.documents import BIN
from tests.plugins.classics.connectfour.helpers import EXAMPLE, moves
from tests.programs import Program
from tests.terminal.processes import PATIENCE, ROOT
from tictac.plugins.games.connectfour.rules import Move, Rules

LOCAL = "tcp:0:interface=127.0.0.1"
FAST = ["--connectfour-think", "0.05", "--connectfour-workers", "2"]


PROGRAM = (BIN / "tictac", "connectfour")
MODULES = [
    (sys.executable, "-m", f"tictac.connectfour{module}") for module in ("", ".console", ".network")
]


def run(
    script: str, *arguments: str, program: tuple[str | Path, ...] = PROGRAM
) -> tuple[int, str, str]:
    """Run the program with these lines of input; return its status, output, and errors."""
    ran = subprocess.run(
        [*program, *arguments],
        input="".join(f"{line}\n" for line in script.split(", ")),
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    return ran.returncode, ran.stdout, ran.stderr


class Client:
    """A client as a student would write it: send a line, read lines."""

    def __init__(self, case: SynchronousTestCase, address: tuple[str, int]) -> None:
        connection = socket.create_connection(address, PATIENCE)
        case.addCleanup(connection.close)
        self._socket = connection
        self._file = connection.makefile(encoding="ascii", newline="\r\n")
        case.addCleanup(self._file.close)

    def send(self, line: str) -> None:
        self._socket.sendall(f"{line}\r\n".encode())

    def read(self) -> str:
        """Return the next line, or an empty text at the end."""
        return self._file.readline().removesuffix("\r\n")

    def ask(self, line: str, *answers: str) -> None:
        """Send a line, and read what must come back."""
        self.send(line)
        for answer in answers:
            assert self.read() == answer


class ProcessTests(SynchronousTestCase):
    def start(self, *options: str) -> Program:
        self.directory = temporary_directory(self)
        return Program(self, self.directory, "--connectfour", LOCAL, *FAST, *options)

    def begin(self, program: Program) -> Client:
        """Open a connection, and begin a game."""
        client = Client(self, program.address())
        client.ask("I32CFSP_HELLO boo", "WELCOME boo")
        client.ask("AI_GAME", "READY")
        return client

    def play(self, client: Client) -> str:
        """Play a game to its end, with pops and illegal moves; return who won, or ``drawn``."""
        rules = Rules()
        position = rules.initial()
        wishes = moves("1 -1 2 9 -2 0 3 -7") + moves("1 2 3 4 5 6 7 -1 -2 -3 -4 -5 -6 -7") * 100
        for wish in wishes:
            client.send(str(wish))
            word = client.read()
            if word == "INVALID":
                assert wish not in rules.legal_moves(position)
                assert client.read() == "READY"
                continue
            position = rules.play(position, wish)
            if word == "OKAY" and rules.outcome(position) is None:
                verb, column = client.read().split()
                position = rules.play(
                    position, Move("POP" if verb == "POP" else "DROP", int(column))
                )
                word = client.read()
            outcome = rules.outcome(position)
            if outcome is not None:
                if outcome.winner is not None:
                    assert word == {"R": "WINNER_RED", "Y": "WINNER_YELLOW"}[outcome.winner]
                    assert client.read() == ""
                return {"R": "red", "Y": "yellow", None: "drawn"}[outcome.winner]
            assert word == "READY"
        raise AssertionError("it doesn't end")

    def test_whole_games_and_a_stop(self) -> None:
        program = self.start()
        end = self.play(self.begin(program))
        left = self.begin(program)
        left.send("drop 1")
        assert left.read() == ""
        program.signal()
        status, log, errors = program.finish()
        assert (status, errors) == (0, "")
        games = {end: 1, "closed": 1}
        assert f"connectfour: games: {games}; refusals: " in log

    def test_a_stop_waits_for_the_game(self) -> None:
        program = self.start("--drain", "600")
        client = self.begin(program)
        program.signal()
        program.wait_for("1 running matches")
        self.play(client)
        assert program.finish()[0] == 0

    def test_the_program_against_the_server(self) -> None:
        host, port = self.start().address()
        script = "hello, 1, POP 1, 9, , " + ", ".join(["1", "2", "3", "4", "5", "6", "7"] * 50)
        status, seen, errors = run(script, host, str(port), "--username", "boo")
        assert (status, errors) == (0, "")
        assert seen.splitlines()[-1] in ("Red has won.", "Yellow has won.", "The game is a draw.")
        assert "That isn't a move: hello." in seen
        # What isn't given is asked for; then the input ends.
        status, seen, errors = run(f"{port}, boo", host)
        assert seen.startswith("Port (4444): User name: Welcome boo. You are red")
        assert (status, errors) == (1, "Error: the input has ended, and the game has not.\n")

    def test_the_program_without_a_server(self) -> None:
        for program in (PROGRAM, *MODULES[:2]):
            status, seen, errors = run("1, 2, 1, 2, 1, 2, 1", program=program)
            assert (status, errors) == (0, "")
            assert seen.endswith(
                "R . . . . . .\nR Y . . . . .\nR Y . . . . .\nR Y . . . . .\nRed has won.\n"
            )

    def test_the_module_for_a_server_asks_for_one(self) -> None:
        _, seen, _ = run("here", program=MODULES[2])
        assert seen.startswith("Host: ")

    def test_nobody_there(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        status, seen, errors = run("", "127.0.0.1", str(port), "--username", "boo")
        assert (status, seen) == (1, "")
        assert errors.startswith(f"Error: cannot connect to 127.0.0.1 port {port}: ")
        assert "refused" in errors

    def test_a_server_that_isnt_one(self) -> None:
        """The example of connect-four.md, from a server that stops in the middle of it."""
        example = [(line[0], line[2:].encode() + b"\r\n") for line in EXAMPLE.splitlines()[:7]]
        with socket.create_server(("127.0.0.1", 0)) as server:
            arguments = ["127.0.0.1", str(server.getsockname()[1]), "--username", "boo"]
            program = subprocess.Popen(
                [BIN / "tictac", "connectfour", *arguments],
                cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
            self.addCleanup(program.kill)
            connection, _ = server.accept()
            with connection, connection.makefile("rb") as lines:
                connection.settimeout(PATIENCE)
                assert program.stdin is not None
                program.stdin.write("3\n")
                program.stdin.flush()
                for who, line in example:
                    if who == "<":
                        connection.sendall(line)
                    else:
                        assert lines.readline() == line
                connection.sendall(b"WINNER_RED\r\n")
                seen, errors = program.communicate(timeout=PATIENCE)
        assert program.returncode == 1
        assert errors == "Error: the server sent a message that doesn't fit now: WINNER_RED\n"
        assert "Welcome boo" in seen

"""Clue with real servers, real clients and real sockets; a referee reads along (referee.py)."""

from __future__ import annotations

import os
import re
import select
import socket
import subprocess
import threading
from itertools import cycle

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.documents import BIN
from tests.plugins.clue.helpers import BOARD
from tests.plugins.clue.referee import Referee
from tests.programs import LOCAL, Program
from tests.terminal.processes import PATIENCE, ROOT, PseudoTerminal, start

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb"}
FOUR = "sensible,leech,random,sensible"


class Tap:
    """Passes a connection on to the server, and notes what is said on it."""

    def __init__(self, case: SynchronousTestCase, address: tuple[str, int]) -> None:
        self.said = {"got": b"", "sent": b""}
        self.named = threading.Event()
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._server = socket.create_connection(address, PATIENCE)
        self.port: int = self._listening.getsockname()[1]
        for each in (self._listening, self._server):
            case.addCleanup(each.close)
        self._thread = threading.Thread(target=self._pass_on, daemon=True)
        self._thread.start()

    def lines(self, which: str) -> list[str]:
        """Return the lines sent, after both sides have closed; the last one must be whole."""
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        *lines, rest = self.said[which].decode().split("\n")
        assert rest == ""
        return lines

    def _pass_on(self) -> None:
        client, _ = self._listening.accept()
        with client:
            back = threading.Thread(target=self._pump, args=(self._server, client, "got"))
            back.start()
            self._pump(client, self._server, "sent")
            back.join()

    def _pump(self, source: socket.socket, target: socket.socket, which: str) -> None:
        while data := source.recv(4096):
            self.said[which] += data
            if which == "sent":
                self.named.set()
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


class Typist:
    """Plays at a terminal by what it reads there, as a person would."""

    PROMPT = re.compile(
        r"(or help\? |Where to with \d+\? |to suggest in the [\w ]+: |do you show \w+, .*\? )\Z"
        r"|You have won!|The game is over|Error: "
    )

    def __init__(self, terminal: PseudoTerminal) -> None:
        self._terminal = terminal
        self._pairs = cycle((w, p) for w in ("rope", "knife", "wr") for p in ("plum", "3", "White"))
        self.seen = ""

    def play(self) -> None:
        """Play until the game is over."""
        while (answer := self._answer(self._read())) is not None:
            self._terminal.type(answer)

    def _read(self) -> str:
        screen = ""
        while not self.PROMPT.search(screen):
            ready, _, _ = select.select([self._terminal.far], [], [], PATIENCE)
            assert ready, f"silent after {screen!r}"
            screen += os.read(self._terminal.far, 65_536).decode()
        self.seen += screen
        return screen

    def _answer(self, screen: str) -> str | None:
        if screen.endswith("or help? "):
            return "roll"
        if screen.endswith("? ") and "Where to with" in screen:
            goals = screen[screen.rindex("You can go to") :].split("\r\n")[0]
            cell = re.search(r"such as (\d+ \d+)", goals)
            room = re.match(r"You can go to the ([\w ]+?)(,| or|\.)", goals)
            assert room or cell, goals
            return room[1] if room else cell[1] if cell else None
        if screen.endswith(": "):
            return " ".join(next(self._pairs))
        found = re.search(r"do you show \w+, ([\w ]+) or .*\? \Z", screen)
        return found[1] if found else None


class ClueProcessesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.directory = temporary_directory(self)

    def serve(self, *options: str) -> tuple[Program, tuple[str, int]]:
        program = Program(self, self.directory, "--clue", LOCAL, *options)
        return program, program.address()

    def command(self, port: int, name: str, *options: str) -> list[str]:
        return [
            str(BIN / "tictac"), "clue", "127.0.0.1", str(port), "--name", name, *options,
        ]  # fmt: skip

    def start(self, port: int, name: str, *options: str) -> subprocess.Popen[bytes]:
        """Start a client without a player."""
        command = self.command(port, name, *options)
        return start(self, command, stdin=subprocess.DEVNULL, env=ENVIRONMENT)

    def finish(self, client: subprocess.Popen[bytes]) -> str:
        """Return the last line that a client has printed."""
        out, errors = client.communicate(timeout=PATIENCE)
        assert (client.returncode, errors) == (0, b""), (out, errors)
        return out.decode().splitlines()[-1]

    def stop(self, program: Program) -> str:
        """Stop the server; its log."""
        program.signal()
        status, log, errors = program.finish()
        assert (status, errors) == (0, "")
        return log

    def test_a_detective_a_person_and_four_of_the_server(self) -> None:
        program, address = self.serve(
            "--clue-humans", "2", "--clue-players", FOUR, "--clue-seed", "7"
        )
        taps = [Tap(self, address), Tap(self, address)]
        detective = self.start(taps[0].port, "holmes", "--strategy", "detective", "--seed", "1")
        assert taps[0].named.wait(PATIENCE)
        terminal = PseudoTerminal(self)
        person = terminal.start(self, self.command(taps[1].port, "ann"), ENVIRONMENT)
        typist = Typist(terminal)
        typist.play()
        assert person.wait(PATIENCE) == 0
        ends = [self.finish(detective), typist.seen.splitlines()[-1]]
        got, sent = (
            {seat: tap.lines(which) for seat, tap in enumerate(taps)} for which in ("got", "sent")
        )
        winner = Referee(list(BOARD.rows), got, sent).judge()
        log = self.stop(program)
        [ended] = re.findall(r"game 1 has ended: (\w+); winner: '?(\w+)'?; rounds: (\d+)", log)
        names: dict[int | None, str] = {0: "holmes", 1: "ann"}
        assert ended[0] == "won"
        assert names.get(winner) == (ended[1] if ended[1] in names.values() else None)
        for seat, said in enumerate(ends):
            assert ("You have won!" in said) is (seat == winner), said
        assert "is out" not in log and "was refused" not in log
        assert len(got[1]) > 30, "a game of a few turns"

    def test_a_script_plays_the_mini_game(self) -> None:
        """From a pipe of lines with a mistake in them."""
        program, (_, port) = self.serve("--clue-mini", "--clue-seed", "235")
        script = ["roll", "study", "ballroom", "scarlet knife", "roll", "c", "0 knife", "passage",
                  "Scarlet knife", "accuse scarlet with the knife in the lounge"]  # fmt: skip
        client = start(self, self.command(port, "ann"), env=ENVIRONMENT)
        out, errors = client.communicate("".join(f"{line}\n" for line in script).encode(), PATIENCE)
        assert (client.returncode, errors) == (0, b"")
        seen = out.decode()
        assert "You can't get to the study with 8 steps." in seen
        assert "All three are right!" in seen
        assert seen.endswith("in the lounge.\nYou have won!\n")
        log = self.stop(program)
        assert "clue: game 1 has ended: won; winner: 'ann'; rounds: 4" in log

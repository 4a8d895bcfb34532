"""Nim with a real server, real clients and real sockets."""

from __future__ import annotations

import re
import select
import socket
import subprocess
from collections import Counter

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.documents import BIN
from tests.plugins.classics.binary import Caller
from tests.plugins.classics.nim.helpers import EXIT, PLAY, WIN, move, turn
from tests.programs import LOCAL, Program
from tests.terminal.processes import PATIENCE, PseudoTerminal, start

START = turn(24, 17, 3)


def spoken_to(callers: list[Caller]) -> Caller:
    """Return the caller that has received data, and remove it from the list."""
    sockets = {caller.socket: caller for caller in callers}
    [found], _, _ = select.select(list(sockets), [], [], PATIENCE)
    callers.remove(sockets[found])
    return sockets[found]


class NimProcessesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.directory = temporary_directory(self)

    def serve(self, *options: str) -> tuple[Program, tuple[str, int]]:
        program = Program(self, self.directory, "--nim", LOCAL, *options)
        return program, program.address()

    def client(self, address: tuple[str, int], *options: str) -> list[str]:
        host, port = address
        return [str(BIN / "tictac"), "nim", "-h", host, "-p", str(port), *options]

    def stop(self, program: Program) -> Counter[str]:
        """Stop the server; how its matches have ended."""
        program.signal()
        status, log, errors = program.finish()
        assert (status, errors) == (0, "")
        found = re.search(r"nim: matches: \{(.*?)\}; refusals", log)
        assert found, log
        return Counter({word: int(n) for word, n in re.findall(r"'([\w ]+)': (\d+)", found[1])})

    def test_five_of_whom_one_withdraws_one_breaks_off_and_one_cheats(self) -> None:
        program, address = self.serve("--nim-list", "24,17,3")
        waiting = [Caller(self, address) for _ in range(5)]
        for caller in waiting:
            caller.send(PLAY)
        first = spoken_to(waiting)
        first.expect(START)
        first.send(move(0, 6))
        second = spoken_to(waiting)
        second.expect(turn(18, 17, 3))
        withdrawn = waiting.pop()
        withdrawn.send(EXIT)
        withdrawn.expect_end()
        second.socket.close()
        first.expect(WIN)
        third = spoken_to(waiting)
        third.expect(START)
        third.send(move(1, 17))
        first.expect(turn(24, 3))
        first.send(move(1, 4))
        first.expect_end()
        third.expect(WIN)
        [fourth] = waiting
        fourth.expect(START)
        fourth.send(EXIT)
        fourth.expect_end()
        third.expect(WIN)
        assert self.stop(program) == {"left": 1, "refused": 1, "forfeited": 1}

    def test_clients_that_play_by_themselves(self) -> None:
        program, address = self.serve()
        clients = [
            start(self, self.client(address, "--auto", how, "--games", "1"),
                  stdin=subprocess.DEVNULL)
            for how in ("best", "random")
        ]  # fmt: skip
        ends = []
        for client in clients:
            out, errors = client.communicate(timeout=PATIENCE)
            assert (client.returncode, errors) == (0, b"")
            ends.append(out.decode().splitlines()[-1])
        assert sorted(ends) == ["You have lost.", "You have won!"]
        assert self.stop(program) == {"won": 1}

    def test_a_person_against_best_play(self) -> None:
        program, address = self.serve("--nim-list", "1,1,1")
        terminal = PseudoTerminal(self)
        person = terminal.start(self, self.client(address))
        terminal.read_until("(positions count from 1")
        auto = start(self, self.client(address, "--auto", "best", "--games", "1"))
        seen = terminal.read_until("Position and amount: ")
        began = "1: 1   2: 1   3: 1" in seen
        terminal.type("7 1")
        assert "Positions are from 1 to" in terminal.read_until("Position and amount: ")
        terminal.type("1 1")
        if began:
            terminal.read_until("Position and amount: ")
            terminal.type("1 1")
            terminal.read_until("You have won!")
            terminal.type("QUIT")
        else:
            terminal.read_until("You have lost.")
        assert person.wait(PATIENCE) == auto.wait(PATIENCE) == 0
        assert self.stop(program) == {"won": 1}

    def test_a_server_at_fault_is_one_line(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            client = start(self, self.client(listening.getsockname()))
            connection, _ = listening.accept()
            with connection:
                assert connection.recv(1) == PLAY
                connection.sendall(START + START)
                out, errors = client.communicate(timeout=PATIENCE)
        assert client.returncode == 1
        assert errors == b"Error: the server is at fault: a second turn before the move.\n"
        assert out.startswith(b"Waiting for an opponent...\nYour turn.")

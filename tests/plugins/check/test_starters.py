"""The programs to begin with: short, at home on our server, and judged by the checker.

So are our own clients.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from tests.accounts.helpers import in_reactor, temporary_directory
from tests.documents import BIN
from tests.plugins.check.clients import STARTERS, faults_of
from tests.programs import LOCAL, Program
from tests.terminal.processes import PATIENCE, read_until, start

ALL = sorted([*STARTERS.glob("*.py"), *STARTERS.glob("*.c")])
OWN = (
    "rooms {host} {port}",
    "session {host} {port}",
    "nim -h {host} -p {port}",
    "connectfour {host} {port} --username {name}",
    "clue {host} {port} --strategy sensible",
)
BOTS = {"python": "lobby_bot.py", "c": "lobby.c"}
"""For each language of the starters one that plays by itself."""

LEFT_TO_DO = {
    "rooms.py": (
        "1.3 1.4 1.8 2.2 2.3 2.5 2.6 2.7 2.8 2.9 3.6 3.7 3.8 3.11 3.12 3.13 3.14 3.15 3.16 3.17 "
        "4.7 4.8 4.17 4.18 4.19 4.20 5.1 5.2 5.3 5.4 6.3 7.1 7.2"
    ),
    "rooms.c": (
        "1.3 1.4 1.8 2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 3.1 3.2 3.3 3.5 3.6 3.7 3.8 3.10 3.11 "
        "3.12 3.13 3.14 3.15 3.16 3.17 4.1 4.3 4.4 4.5 4.7 4.10 4.11 4.12 4.13 4.16 4.17 "
        "4.18 4.19 4.20 5.1 5.2 5.3 5.4 7.1 7.2"
    ),
    "connectfour.py": "1.5",
    "connectfour.c": "1.5 2.8 4.2 4.8",
    "lobby.c": "2.4",
    "clue.py": "4.1",
    "clue.c": "4.1",
}
"""What the starters leave to those who begin: the cases that find it."""


def test_they_are_short() -> None:
    assert {path.stem for path in ALL} == {
        "rooms", "session", "nim", "connectfour", "clue", "lobby", "lobby_bot",
    }  # fmt: skip
    for path in ALL:
        lines = path.read_text("ascii").splitlines()
        assert len(lines) <= 60 and max(map(len, lines)) <= 100, path.name


def command(path: Path, folder: Path) -> list[str]:
    """How a starter is started, up to its arguments; one in C is compiled into ``folder``."""
    if path.suffix == ".py":
        return [sys.executable, str(path)]
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise SkipTest("there is no C compiler")
    program = folder / path.stem
    flags = ["-O1", "-Wall", "-Wextra", "-Werror"]
    subprocess.run([compiler, *flags, "-o", program, path], check=True, timeout=PATIENCE)
    return [str(program)]


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.name)
@in_reactor
async def test_they_do_all_but_what_they_leave_to_others(path: Path, tmp_path: Path) -> None:
    protocol = path.stem.removesuffix("_bot")
    found = await faults_of(protocol, " ".join(command(path, tmp_path)))
    assert set(found) == set(LEFT_TO_DO.get(path.name, "").split()), found


@pytest.mark.parametrize("arguments", OWN, ids=lambda arguments: arguments.split()[0])
@in_reactor
async def test_our_own_clients_pass_everything(arguments: str) -> None:
    program, _, rest = arguments.partition(" ")
    found = await faults_of(program, f"{BIN / 'tictac'} {program}", rest=rest, waits=True)
    assert found == {}


class PlayTests(SynchronousTestCase):
    """They play on our server."""

    def serve(self, *options: str) -> list[str]:
        """Start a server; host and port."""
        self.server = Program(self, temporary_directory(self), *options)
        host, port = self.server.address()
        return [host, str(port)]

    def play(
        self, name: str, address: list[str], typed: str, *more: str
    ) -> subprocess.Popen[bytes]:
        """Start a starter with all of its input there."""
        client = start(
            self, [*command(STARTERS / name, temporary_directory(self)), *address, *more]
        )
        assert client.stdin is not None
        client.stdin.write("".join(f"{line}\n" for line in typed.split("|")).encode())
        client.stdin.flush()
        return client

    def said(self, client: subprocess.Popen[bytes]) -> str:
        """All that it says, when it has ended well."""
        out, errors = client.communicate(timeout=PATIENCE)
        assert (client.returncode, errors) == (0, b""), (out, errors)
        return out.decode()

    def test_rooms(self) -> None:
        address = self.serve("--port", LOCAL)
        account = "REGISTER|{0}|secret|LOGIN|{0}|secret|"
        moves = "PLACE|1|1|PLACE|0|2|PLACE|2|0|QUIT"
        alice = self.play("rooms.py", address, account.format("alice") + "CREATE|den|" + moves)
        assert alice.stdout is not None
        read_until(alice.stdout.fileno(), "Waiting for other player...")
        moves = "JOIN|den|PLAYER|PLACE|0|0|PLACE|1|0|QUIT"
        bob = self.play("rooms.c", address, account.format("bob") + moves)
        assert "Congratulations, you won!" in self.said(alice)
        assert "GAMEEND:221010100:0:alice" in self.said(bob)

    def test_session(self) -> None:
        address = self.serve("--session", LOCAL)
        one = self.play("session.py", address, "0|0|1|0|2|0")
        assert one.stdout is not None
        read_until(one.stdout.fileno(), "You are player 1")
        two = self.play("session.c", address, "1|1|2|2")
        assert self.said(one).endswith("It is over: player 1 has won\n")
        assert self.said(two).endswith("You have lost.\n")

    def test_nim(self) -> None:
        address = self.serve("--nim", LOCAL, "--nim-list", "1,1,1", "--drain", "60")
        players = [self.play(name, address, "1 1|1 1") for name in ("nim.py", "nim.c")]
        stdout = players[1].stdout
        assert stdout is not None
        begun = read_until(stdout.fileno(), "Position and amount: ")
        # The server lets them end; then the winner waits no longer for the next one.
        self.server.signal()
        said = [player.communicate(timeout=PATIENCE)[0].decode() for player in players]
        said[1] = begun + said[1]
        assert sorted("You have won!" in each for each in said) == [False, True]
        assert sorted("You have lost." in each for each in said) == [False, True]

    def test_connect_four(self) -> None:
        address = self.serve("--connectfour", LOCAL, "--connectfour-think", "0")
        moves = "|".join(f"DROP {column}" for column in (8, 1, 2, 3, 4, 5, 6, 7))
        for name in ("connectfour.py", "connectfour.c"):
            client = self.play(name, address, "|".join([moves] * 60), "boo")
            assert self.said(client).splitlines()[-1].startswith("WINNER_")

    def test_clue(self) -> None:
        players = "leech,leech,leech,leech"
        address = self.serve(
            "--clue", LOCAL, "--clue-humans", "2", "--clue-max-rounds", "9",
            "--clue-players", players,
        )  # fmt: skip
        clients = [self.play(name, address, "", "ann") for name in ("clue.py", "clue.c")]
        for client in clients:
            assert self.said(client).endswith("The game is over.\n")

    def test_lobby(self) -> None:
        address = self.serve("--port", LOCAL)
        cells = "|".join(f"{column}:{row}" for column in range(3) for row in range(3))
        person = self.play("lobby.py", address, "|".join([cells] * 5), "ann")
        program = self.play("lobby.c", address, "", "bob")
        assert "It is over" in self.said(program)
        assert self.said(person).splitlines()[-1].startswith(("You have won.", "It is over: "))

    def test_a_bot_of_each_language_plays_in_a_tournament(self) -> None:
        assert {Path(bot).suffix for bot in BOTS.values()} == {path.suffix for path in ALL}
        folder = temporary_directory(self)
        players = []
        for name, bot in BOTS.items():
            program = shlex.join(command(STARTERS / bot, folder))
            players.append(f"--player={name}={program} {{host}} {{port}} {{name}}")
        results = folder / "cup"
        subprocess.run(
            [str(BIN / "tictac"), "tournament", str(results), *players],
            check=True, capture_output=True, timeout=PATIENCE,
        )  # fmt: skip
        lines = [json.loads(line) for line in results.read_text().splitlines()[1:]]
        games = [(line[3] in ("won", "drawn"), line[5:]) for line in lines if line[0] == "ended"]
        assert games == [(True, [])] * 2, lines

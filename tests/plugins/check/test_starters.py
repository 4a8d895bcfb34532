"""The programs to begin with: short, at home on our server, and judged by the checker.

So are our own clients.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from abc import ABC, abstractmethod
from pathlib import Path

import pytest
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from tests.accounts.helpers import in_reactor, temporary_directory
from tests.documents import BIN
from tests.plugins.check.clients import STARTERS, faults_of
from tests.programs import LOCAL, Program
from tests.protocols.lobby.helpers import Message
from tests.protocols.lobby.observer import RoomObserver
from tests.terminal.processes import PATIENCE, ROOT, read_until, start
from tictac import bot
from tictac.plugins.check.target import free_port
from tictac.plugins.xmpp.client.commands import PASSWORD

ALL = sorted(path for end in ("py", "c", "js", "java") for path in STARTERS.glob(f"*.{end}"))
OWN = (
    "rooms {host} {port}",
    "session {host} {port}",
    "nim -h {host} -p {port}",
    "connectfour {host} {port} --username {name}",
    "clue {host} {port} --strategy sensible",
)
BOTS = {
    "python": "lobby_bot.py", "c": "lobby_bot.c", "js": "lobby_bot.js", "java": "LobbyBot.java",
}  # fmt: skip
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
    "clue.py": "4.1",
    "mug.py": "1.5 1.6 1.7 1.11 2.2 2.3 3.4",
    "clue.c": "4.1",
}
"""What the starters leave to those who begin: the cases that find it."""


def test_they_are_short() -> None:
    assert {path.stem for path in ALL} == {
        "rooms", "session", "nim", "connectfour", "clue", "lobby", "lobby_bot", "LobbyBot",
        "mug",
    }  # fmt: skip
    for path in ALL:
        lines = path.read_text("ascii").splitlines()
        assert len(lines) <= 60 and max(map(len, lines)) <= 100, path.name


def test_no_program_reads_and_writes_one_text_file() -> None:
    """A text file of mode rw drops at each write what it has read ahead: lines are lost."""
    wrong = re.compile(r"""makefile\(\s*['"](?:rw|wr|r\+|w\+)['"]""")
    folders = ("docs", "examples", "games", "tests", "tictac")
    files = [path for each in folders for path in ROOT.joinpath(each).rglob("*.py")]
    assert [str(path) for path in files if wrong.search(path.read_text("utf-8"))] == []


def command(path: Path, folder: Path) -> list[str]:
    """Return how a starter is started, up to its arguments. ``folder`` is for compiled ones."""
    match path.suffix:
        case ".py":
            return [sys.executable, str(path)]
        case ".js":
            return [needed("node"), str(path)]
        case ".java":
            build = [needed("javac"), "-Xlint:all", "-Werror", "-d", str(folder), str(path)]
            program = [needed("java"), "-XX:TieredStopAtLevel=1", "-cp", str(folder), path.stem]
        case _:
            program = [str(folder / path.stem)]
            flags = ["-O1", "-Wall", "-Wextra", "-Werror"]
            build = [needed("cc", "gcc"), *flags, "-o", program[0], str(path)]
    subprocess.run(build, check=True, timeout=PATIENCE)
    return program


def needed(*names: str) -> str:
    """Return the path of the first program that there is; skip the test without one."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise SkipTest(f"there is no {names[0]}")
    return found


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.name)
@in_reactor
async def test_they_do_all_but_what_they_leave_to_others(path: Path, tmp_path: Path) -> None:
    is_bot = path.name in BOTS.values()  # which tries again when there is no server
    protocol = "lobby" if is_bot else path.stem
    found = await faults_of(protocol, shlex.join(command(path, tmp_path)), waits=is_bot)
    assert set(found) == set(LEFT_TO_DO.get(path.name, "").split()), found


@pytest.mark.parametrize("arguments", OWN, ids=lambda arguments: arguments.split()[0])
@in_reactor
async def test_our_own_clients_pass_everything(arguments: str) -> None:
    program, _, rest = arguments.partition(" ")
    found = await faults_of(program, f"{BIN / 'tictac'} {program}", rest=rest, waits=True)
    assert found == {}


@in_reactor
async def test_our_own_mug_client_passes_everything() -> None:
    program = f"env {PASSWORD}={{password}} {BIN / 'tictac'} xmpp"
    rest = "{jid} {room} --server {host}:{port} --ca {ca}"
    assert await faults_of("mug", program, rest=rest) == {}


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
        self.play("lobby_bot.c", address, "", "bob")
        assert self.said(person).splitlines()[-1].startswith(("You have won.", "It is over: "))

    def test_a_bot_of_each_language_plays_in_a_tournament(self) -> None:
        assert {Path(file).suffix for file in BOTS.values()} == {path.suffix for path in ALL}
        folder = temporary_directory(self)
        players = []
        for name, file in BOTS.items():
            program = shlex.join(command(STARTERS / file, folder))
            players.append(f"--player={name}={program} {{host}} {{port}} {{name}}")
        results = folder / "cup"
        subprocess.run(
            [str(BIN / "tictac"), "tournament", str(results), *players],
            check=True, capture_output=True, timeout=PATIENCE,
        )  # fmt: skip
        lines = [json.loads(line) for line in results.read_text().splitlines()[1:]]
        games = [(line[3] in ("won", "drawn"), line[5:]) for line in lines if line[0] == "ended"]
        assert games == [(True, [])] * 12, lines


class OtherLanguages(ABC):
    """The bots in C, JavaScript, and Java are checked, each by a test."""

    @abstractmethod
    def check(self, name: str) -> None: ...

    def test_c(self) -> None:
        self.check("lobby_bot.c")

    def test_javascript(self) -> None:
        self.check("lobby_bot.js")

    def test_java(self) -> None:
        self.check("LobbyBot.java")


class ChallengeTests(OtherLanguages, SynchronousTestCase):
    """Bots wait for challenges, if their wish is to hear of them."""

    def check(self, name: str) -> None:
        server = Program(self, temporary_directory(self), "--port", LOCAL)
        ann = RoomObserver(server)
        self.addCleanup(ann.close)
        ann.send(do="register", user="ann", password="secret")
        ann.send(do="login", user="ann", password="secret")
        ann.send(do="people")
        program = command(STARTERS / name, temporary_directory(self))
        wish = '{"do":"hello","takes":["challenge"]}'
        more = [*map(str, server.address()), "bob", wish]
        start(self, [*program, *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not any(
            each["user"] == "bob" and each["challenge"] for each in ann.until("people")["changed"]
        ):
            pass
        for _ in range(2):  # it waits for the next one after a match
            ann.send(do="challenge", user="bob", game="tictactoe")
            told = ann.until("room")
            while told["event"] != "ended":
                told = make_move(ann, told)
            assert told["how"] in ("won", "drawn")


def make_move(person: RoomObserver, told: Message) -> Message:
    """Make a move when it is the person's turn; return the next event of the match."""
    while not told.get("moves"):
        if told["event"] == "ended":
            return told
        told = person.until("moved", "ended")
    person.send(do="move", room=told["room"], move=told["moves"][0], at=told["n"])
    return person.until("moved", "ended")


class ReturnTests(OtherLanguages, SynchronousTestCase):
    """Bots go on with a match after kill -9 of the server, and of the bots."""

    def bot(self, name: str, address: tuple[str, int]) -> subprocess.Popen[bytes]:
        """Start a bot as bob, who seeks a match of Reversi."""
        path = Path(bot.__file__) if name == "bot.py" else STARTERS / name
        program = command(path, temporary_directory(self))
        wish = "reversi" if name == "bot.py" else '{"do":"seek","game":"reversi"}'
        more = [*map(str, address), "bob", wish]
        return start(self, [*program, *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def serve(self, port: int) -> Program:
        endpoint = f"tcp:{port}:interface=127.0.0.1"
        return Program(
            self, self.folder, "--port", endpoint, "-d", "users.db", "--rejoin-timeout", "600"
        )

    def person(self, server: Program) -> RoomObserver:
        person = RoomObserver(server)
        self.addCleanup(person.close)
        person.send(do="hello", id="hello")
        person.send(do="login", user="ann", password="secret", id="login")
        while (told := person.read()).get("answer") != "login":
            pass
        assert "error" not in told
        return person

    def check(self, name: str) -> None:
        self.folder = temporary_directory(self)
        port = free_port()
        server = self.serve(port)
        first = RoomObserver(server)
        self.addCleanup(first.close)
        first.send(do="register", user="ann", password="secret")
        first.read()
        ann = self.person(server)
        ann.send(do="seek", game="reversi")
        den = ann.until("room")["room"]
        program = self.bot(name, server.address())
        told = make_move(ann, ann.until("began"))
        server.signal(signal.SIGKILL)
        server.process.wait()
        server = self.serve(port)
        ann = self.person(server)
        ann.send(do="join", room=den)
        told = make_move(ann, ann.until("room"))  # after the bot's move
        assert told["room"] == den and told["n"] > 4
        program.kill()
        program.wait()
        self.bot(name, server.address())
        while told["event"] != "ended":
            told = make_move(ann, told)
        assert told["room"] == den and told["how"] in ("won", "drawn")

    def test_python(self) -> None:
        self.check("bot.py")

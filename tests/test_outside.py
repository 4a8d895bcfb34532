"""Plug-ins of others, installed as an operator installs them.

A game, a protocol, a command, and plug-ins that can't be used (tests/outside, examples/kalah).
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import copy, copytree, ignore_patterns
from typing import Any
from zipfile import ZipFile

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.documents import blocks, page
from tests.installing import CROSSES, KALAH, installing
from tests.programs import LOCAL, Program
from tests.terminal.processes import PATIENCE, ROOT
from tests.testing import secrets

TELETYPE = ROOT / "examples" / "teletype"
OUTSIDE = ROOT / "tests" / "outside"
LOCAL_PORT = "tcp:{port}:interface=127.0.0.1"
BOT = """
import socket, sys
with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as connection:
    for line in connection.makefile():
        if line == "* It is your turn\\n":
            connection.sendall(b"1 1\\n")
"""
TICTAC = str(Path(sys.executable).with_name("tictac"))
BROKEN = {
    "command 'broken'": "AttributeError: module 'tictac_outside.finger' has no attribute 'nothing'",
    "game 'broken'": "RuntimeError: no luck today",
    "game 'nim'": "tictac has a game of that name",
    "server 'broken'": "ModuleNotFoundError: No module named 'tictac_outside.missing'",
}


LANGUAGES = {"py": "python", "toml": "toml", "js": "js", "css": "css", "json": "json"}
"""The languages of the guides' examples, by the ends of files' names."""


@pytest.fixture(scope="module", autouse=True)
def installed() -> Iterator[None]:
    """Install them once for all tests."""
    with installing(KALAH, TELETYPE, OUTSIDE) as OutsideCase.path:
        yield


class OutsideCase(SynchronousTestCase):
    """``path`` leads to tictac and to what was installed."""

    path: str

    def setUp(self) -> None:
        self.directory = temporary_directory(self)

    def run_tictac(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the ``tictac`` command to its end."""
        return subprocess.run(
            [TICTAC, *arguments],
            cwd=self.directory,
            env={**os.environ, "PYTHONPATH": self.path},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )

    def start(self, *options: str) -> Program:
        """Start a server with a port of the rooms protocol."""
        return Program(self, self.directory, "--port", LOCAL, *options, path=self.path)


class CommandTests(OutsideCase):
    def test_the_help_lists_a_command_of_a_plugin(self) -> None:
        assert re.search(r"^ +finger +list the rooms", self.run_tictac("--help").stdout, re.M)

    def test_each_broken_plugin_costs_a_line_at_the_start_of_a_server(self) -> None:
        program = self.start()
        program.address()
        program.signal()
        status, _, errors = program.finish()
        wanted = [
            f"tictac: cannot use the {what} of tictac-outside 0.1: {why}"
            for what, why in BROKEN.items()
            if not what.startswith("command")
        ]
        assert (status, sorted(errors.splitlines())) == (0, sorted(wanted))

    def test_a_command_of_ours_says_nothing_of_broken_ones(self) -> None:
        done = self.run_tictac("users", "-d", "none.db", "list")
        assert "cannot use" not in done.stderr


class ServerTests(OutsideCase):
    def test_a_protocol_of_a_plugin_shows_a_room_of_its_game(self) -> None:
        program = self.start("--finger", LOCAL, "--guests")
        program.wait_for("tictac is up")
        ports = dict(re.findall(r"(\w+): listening on \S+ port (\d+)", program.log))
        with socket.create_connection(("127.0.0.1", int(ports["rooms"])), PATIENCE) as client:
            lines = client.makefile()
            for request in ({"do": "guest"}, {"do": "open", "game": "kalah", "room": "den"}):
                client.sendall(f"{json.dumps(request)}\n".encode())
                assert "error" not in json.loads(lines.readline())
            done = self.run_tictac("finger", ports["finger"])
        assert done.stdout.splitlines()[0].split("\t") == ["den", "Kalah", "1 of 2"]

    def test_a_match_against_the_computer_is_kept_and_replayed(self) -> None:
        program = self.start()
        host, port = program.address()
        with socket.create_connection((host, port), PATIENCE) as client:
            ended = self.play(client)
        program.signal()
        assert program.finish()[0] == 0
        shown = self.run_tictac("matches", "-d", "users.db", "show", ended["match"])
        assert "  B  0" in shown.stdout, shown

    def test_a_client_without_the_game_shows_its_picture(self) -> None:
        host, port = self.start().address()
        wish = ("--game", "kalah", "--option", "pits=3", "--option", "seeds=1")
        done = subprocess.run(
            [TICTAC, "play", host, str(port), *wish, "--computer", "club", "--guest"],
            cwd=self.directory,
            input="quit\n",
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert "\n  B  0           0 A\n       1  1  1\n" in done.stdout, done.stdout

    def play(self, client: socket.socket) -> dict[str, Any]:
        """Play a match by always sowing the first pit that can be; its end."""

        def ask(**request: object) -> None:
            client.sendall(f"{json.dumps(request)}\n".encode())

        ask(do="hello", draws=[])
        ask(do="guest")
        ask(do="open", game="kalah", room="den", options={"pits": 3, "seeds": 1}, computer="club")
        for line in client.makefile():
            message: dict[str, Any] = json.loads(line)
            assert "error" not in message, message
            if "position" in message:
                assert message["picture"][2].startswith("  B"), message
            if message.get("event") == "ended":
                return message
            if message.get("moves"):
                ask(do="move", room="den", move=message["moves"][0], at=message["n"])
        raise AssertionError("the match has no end")


class TeletypeTests(OutsideCase):
    def test_two_people_play_as_in_the_guide(self) -> None:
        guide = page("a-protocol-of-your-own")
        [transcript] = [block for block in blocks(guide) if block.language == "text"]
        program = self.start("--teletype", LOCAL)
        program.wait_for("tictac is up")
        [port] = re.findall(r"teletype: listening on \S+ port (\d+)", program.log)
        first, second = [
            socket.create_connection(("127.0.0.1", int(port)), PATIENCE) for _ in range(2)
        ]
        with first, second, first.makefile() as lines:
            for line in transcript.lines:
                if line.startswith("> "):
                    first.sendall(f"{line[2:]}\n".encode())
                    continue
                assert lines.readline().rstrip("\n") == line
                if "You sit in" in line:
                    second.sendall(b"join den\n")

    def test_a_program_plays_by_it_in_a_tournament(self) -> None:
        Path(self.directory, "bot.py").write_text(BOT)
        bot = f"bot=teletype: {sys.executable} bot.py {{host}} {{port}}"
        done = self.run_tictac(
            "tournament", "cup.jsonl", "--game=nim", f"--player={bot}", "--player=a=computer:best"
        )
        assert done.returncode == 0, done
        _, *lines = map(json.loads, Path(self.directory, "cup.jsonl").read_text().splitlines())
        assert [line[3] for line in lines if line[0] == "ended"] == ["won", "won"]

    def test_a_tournament_refuses_what_it_has_no_words_for(self) -> None:
        done = self.run_tictac(
            "tournament", "cup.jsonl", "--game=clue", "--seats=6", "--player=a=teletype: ./bot"
        )
        assert done.stderr.endswith("Error: teletype has no words for this game of Clue\n")


class CheckTests(OutsideCase):
    def test_a_suite_of_a_plugin_judges_a_server(self) -> None:
        command = f"{TICTAC} serve -n -d {{scratch}}/users.db --finger {LOCAL_PORT}"
        done = self.run_tictac("check", "finger", "--command", command)
        assert done.stdout.startswith("Nothing failed.\n"), done

    def test_the_help_lists_it(self) -> None:
        # Without blanks, since lines are wrapped.
        assert "mug,mug-client,finger" in "".join(self.run_tictac("check", "--help").stdout.split())


class KalahTests(OutsideCase):
    def test_a_tournament_of_computers(self) -> None:
        players = [f"--player={level}=computer:{level}" for level in ("beginner", "club")]
        done = self.run_tictac("tournament", "cup.jsonl", "--game", "kalah", *players)
        assert done.returncode == 0, done
        assert Path(self.directory, "cup.jsonl").read_text().count("\n") > 2


class OwnTests(OutsideCase):
    """The tests of the distributions themselves, with trial."""

    def check(self, source: Path, module: str) -> None:
        """Run a file by a relative path, as the guides do."""
        file = os.path.relpath(source / "tests" / f"{module}.py", self.directory)
        done = subprocess.run(
            [sys.executable, "-m", "twisted.trial", "--temp-directory", "_trial", file],
            cwd=self.directory,
            env={**os.environ, "PYTHONPATH": self.path},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stdout

    def test_a_game(self) -> None:
        self.check(KALAH, "test_kalah")

    def test_a_protocol(self) -> None:
        self.check(TELETYPE, "test_teletype")

    def test_a_plain_protocol_and_a_command(self) -> None:
        self.check(OUTSIDE, "test_finger")


def test_a_wheel_of_tictac_has_the_pages_of_games(tmp_path: Path) -> None:
    """What isn't Python stands in setup.cfg."""
    source = tmp_path / "source"
    for name in ("tictac", "twisted"):
        copytree(ROOT / name, source / name, ignore=ignore_patterns("__pycache__"))
    for name in ("setup.cfg", "pyproject.toml", "README.md", "LICENSE"):
        copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(tmp_path)]
    done = subprocess.run([*pip, str(source)], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"pip can't build here: {done.stderr.strip().splitlines()[-1]}")
    (wheel,) = tmp_path.glob("*.whl")
    folders = [*ROOT.glob("tictac/plugins/**/page"), ROOT / "tictac" / "plugins" / "web" / "static"]
    files = {f.relative_to(ROOT).as_posix() for each in folders for f in each.rglob("*.*")}
    assert len(files) > 40
    with ZipFile(wheel) as archive:
        assert files - {*archive.namelist()} == set()


def test_a_game_takes_few_lines() -> None:
    texts = [path.read_text() for path in KALAH.joinpath("tictac_kalah").glob("*.py")]
    assert 0 < sum(text.count("\n") for text in texts) <= 205


@pytest.mark.parametrize(
    "name", ["a-game-of-your-own", "a-board-of-your-own", "a-protocol-of-your-own"]
)
def test_a_guide_shows_the_example_as_it_is(name: str) -> None:
    guide = page(name)
    folders = (KALAH, TELETYPE, OUTSIDE, CROSSES)
    files = [p for each in folders for p in each.rglob("*.*") if p.suffix[1:] in LANGUAGES]
    files.append(Path(secrets.__file__))
    sources = {line for each in files for line in each.read_text().splitlines()}
    shown = [block for block in blocks(guide) if block.language in LANGUAGES.values()]
    assert len(shown) > 2
    for block in shown:
        assert all(line in sources for line in block.text.splitlines()), block

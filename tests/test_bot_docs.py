"""The tutorial of bots: its program plays the computer and another bot, in each language."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.documents import BIN, STARTERS, blocks, commands, page
from tests.programs import LOCAL, Program
from tests.protocols.lobby.observer import RoomObserver
from tests.terminal.processes import PATIENCE, read_until, start
from tictac import bot

PAGE = page("a-bot-of-your-own")
LADDER = "On a ladder, in five minutes"


class BotTutorialTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = temporary_directory(self)
        for path in (Path(bot.__file__), *STARTERS.glob("*.*")):
            shutil.copy(path, self.folder)
        options = ("--port", LOCAL, "--admin-socket", "admin.sock")
        self.home = temporary_directory(self)
        self.server = Program(self, self.home, *options)
        self.port = str(self.server.address()[1])
        (mine,), (call,) = (blocks(PAGE, heading, "python") for heading in ("Ten lines", LADDER))
        for name, lines in (("mine.py", mine.lines), ("climb.py", (*mine.lines[:-2], *call.lines))):
            text = "\n".join(lines).replace("5000", self.port)
            (self.folder / name).write_text(text + "\n")

    def run_line(self, line: str) -> subprocess.Popen[bytes]:
        """Start a command of the page with the test's Python and port."""
        line = line.replace("5000", self.port)
        line = re.sub(r"^python3 ", f"exec {sys.executable} ", line)
        line = re.sub(r"^(node|java) ", r"exec \1 ", line).replace("&& ./", "&& exec ./")
        return start(self, ["sh", "-c", line], cwd=self.folder)

    def result(self, program: subprocess.Popen[bytes]) -> str:
        out, errors = program.communicate(timeout=PATIENCE)
        assert (program.returncode, errors) == (0, b""), errors
        return out.decode()

    def test_it_plays_the_computer_and_another_bot(self) -> None:
        alone, *two = commands(PAGE, "Ten lines")
        (shown,) = blocks(PAGE, "Ten lines", "text")
        fields = re.findall(r"(\w+)=", shown.lines[0])
        assert re.findall(r"(\w+)=", self.result(self.run_line(alone))) == fields
        players = [self.run_line(line) for line in two]
        results = [self.result(each) for each in players]
        assert [re.findall(r"(\w+)=", each) for each in results] == [fields] * 2

    def admin(self, line: str) -> str:
        """Return what a command of the page says to the server's admin."""
        words = [f"{BIN}/tictac", *line.split()[1:]]
        found = subprocess.run(words, cwd=self.home, capture_output=True, timeout=PATIENCE)
        assert (found.returncode, found.stderr) == (0, b""), found
        return found.stdout.decode()

    def test_it_has_a_rank_on_a_ladder_and_plays_people_meanwhile(self) -> None:
        make, climb, show = commands(PAGE, LADDER)
        assert self.admin(make) == "Done.\n"
        program = self.run_line(climb.replace("python3", "python3 -u"))
        assert program.stdout is not None
        seen = read_until(program.stdout.fileno(), "Result(")
        # The next game is paired when the last one is counted.
        read_until(program.stdout.fileno(), "Result(", seen.partition("Result(")[2])
        assert re.search(r"^ +1\. robbie +\d+ ± \d+", self.admin(show), re.M)
        person = RoomObserver(self.server)
        for do in ("register", "login"):
            person.send(do=do, user="ann", password="secret")
        person.send(do="challenge", user="robbie", game="reversi")
        told = person.until("room")
        assert told["players"][1 - told["seat"]]["user"] == "robbie"
        person.close()
        program.kill()
        program.wait()

    def test_bots_of_other_languages_play_a_person(self) -> None:
        for line in commands(PAGE, "Other languages"):
            if not shutil.which(line.split()[0]):
                raise SkipTest(f"there is no {line.split()[0]}")
            program = self.run_line(line)
            person = RoomObserver(self.server)
            name = f"ann{line.split()[0]}"
            for do in ("register", "login"):
                person.send(do=do, user=name, password="secret")
            person.send(do="seek", game="reversi")
            told = person.until("room")
            while told["event"] != "ended":
                if told.get("moves"):
                    move = told["moves"][0]
                    person.send(do="move", room=told["room"], move=move, at=told["n"])
                told = person.until("began", "moved", "ended")
            assert told["how"] in ("won", "drawn")
            person.close()
            program.kill()
            program.wait()

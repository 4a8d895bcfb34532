"""The package of games/env, installed as users install it, with and without other games.

Its tutorial leads from nothing to a bot that plays on a server.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.documents import blocks, commands
from tests.installing import ENVIRONMENTS, OPENSPIEL, installing
from tests.programs import LOCAL, Program

pytest.importorskip("pettingzoo", reason="pip install pettingzoo")

TUTORIAL = ENVIRONMENTS / "README.md"
PATIENCE = 900
"""Seconds for a program, on a machine that is busy with other tests."""


@pytest.fixture(scope="module", autouse=True)
def installed() -> Iterator[None]:
    """Install the packages once."""
    with installing(ENVIRONMENTS, OPENSPIEL) as path:
        TutorialTests.path = path
        yield


class TutorialTests(SynchronousTestCase):
    path = ""

    def run_python(self, *arguments: str, folder: Path) -> str:
        """Run Python with the packages; return what it prints."""
        done = subprocess.run(
            [sys.executable, *arguments], cwd=folder, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": self.path}, timeout=PATIENCE,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def test_the_package_keeps_what_it_promises(self) -> None:
        """Every game that is installed passes the tests of the API."""
        tests = ENVIRONMENTS / "tests"
        folder = temporary_directory(self)
        shutil.copy(tests / "test_env.py", folder)
        out = self.run_python("-m", "twisted.trial", "test_env", folder=folder)
        assert re.search("test_chess .*OK|test_chess(.|\n)*?OK", out), out

    def test_the_examples_of_the_tutorial(self) -> None:
        folder = temporary_directory(self)
        for block in blocks(TUTORIAL, language="python"):
            program = folder / "example.py"
            program.write_text("\n".join(block.lines) + "\n")
            self.run_python(str(program), folder=folder)

    def test_the_tutorial_leads_to_a_bot_that_plays(self) -> None:
        folder = temporary_directory(self)
        shutil.copy(ENVIRONMENTS / "learn.py", folder)
        server = Program(self, temporary_directory(self), "--port", LOCAL)
        port = str(server.address()[1])
        (alone, on_server) = commands(TUTORIAL, "Learn")
        assert alone == "python3 learn.py"
        _, *words = on_server.replace("5000", port).split()
        out = self.run_python(*words, folder=folder)
        found = re.search(r"^won (\d+) drawn (\d+) lost (\d+)$", out, re.MULTILINE)
        assert found, out
        won, drawn, lost = map(int, found.groups())
        assert won + drawn + lost == 10 and lost <= 2  # the table isn't whole

    def test_the_learner_seldom_loses_to_the_computer(self) -> None:
        """Against the perfect computer it draws nearly all of 100 games with each seat."""
        folder = temporary_directory(self)
        shutil.copy(ENVIRONMENTS / "learn.py", folder)
        code = (
            "import learn; from random import Random; from tictac_env import env\n"
            "from tictac.games.all import GAMES\n"
            "learn.learn(); rng = Random(5); kind = GAMES['tictactoe']; rules = kind.game()\n"
            "def play(level, seat):\n"
            "    game = env('tictactoe'); game.reset()\n"
            "    me = f'player_{seat}'; at = rules.start(2, rng)\n"
            "    while not any(game.terminations.values()):\n"
            "        seen = game.observe(game.agent_selection)\n"
            "        move = game.move_of(learn.best(seen)) if game.agent_selection == me else (\n"
            "            kind.choose(rules, at, level, lambda: False, rng))\n"
            "        game.step(int(move[2]) * 3 + int(move[0]))\n"
            "        at = rules.play(at, move, None).position\n"
            "    return game.rewards[me]\n"
            "print(*[sum(play(level, n % 2) == -1 for n in range(200)) for level in kind.levels])\n"
        )
        lost = self.run_python("-c", code, folder=folder).split()
        assert max(map(int, lost)) <= 10, lost

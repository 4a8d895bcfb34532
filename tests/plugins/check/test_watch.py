"""`tictac check --watch` checks again at a save, and shows what changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from tictac.plugins.check.cases import Outcome, Suite, Verdict
from tictac.plugins.check.exports import Run
from tictac.plugins.check.rules import Level, Rule
from tictac.plugins.check.scene import Scene
from tictac.plugins.check.watch import LOOK, files_of, watch

RULES = {"R1.1": Rule("R1.1", Level.REQUIRED, "Section", "It is so.")}
SUITE = Suite("toy", "docs/reference/rooms.md", RULES, Scene)
for number in ("1.1", "1.2"):
    SUITE.script(number, f"case {number}", "R1.1", f"Mend {number}.", script="")


class Watched:
    """A check whose verdicts a test decides, and its folder."""

    def __init__(self, folder: Path, during: str = "") -> None:
        self.folder, self.during, self.clock = folder, during, Clock()
        self.verdicts, self.checks, self.saves = [Verdict.PASS, Verdict.PASS], 0, 0
        self.save("server.py")
        self.watching = Deferred.fromCoroutine(
            watch(self.clock, folder, "python3 server.py {port}", self.check)
        )

    async def check(self) -> Run:
        self.checks += 1
        if self.during:
            self.save(self.during)
            self.during = ""
        found = zip(SUITE.cases, self.verdicts, strict=True)
        return Run(SUITE, [Outcome(case, verdict, "this", "that") for case, verdict in found], 1)

    def save(self, name: str) -> None:
        self.saves += 1
        (self.folder / name).touch()
        os.utime(self.folder / name, ns=(0, self.saves))

    def look(self) -> int:
        """Let a look pass; return how many checks there were."""
        self.clock.advance(LOOK)
        return self.checks


def test_it_checks_again_at_a_save_alone(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    assert watched.look() == watched.look() == 1
    watched.save("server.py")
    assert watched.look() == watched.look() == 2
    watched.save("new.py")
    assert watched.look() == 3


def test_it_shows_what_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    watched = Watched(tmp_path)
    watched.verdicts[1] = Verdict.FAIL
    watched.save("server.py")
    watched.look()
    told = capsys.readouterr().out
    assert told.startswith("Mend this first: case 1.2: expected this; that. Mend 1.2.\n")
    assert "toy-1.2: pass -> fail (case 1.2)\n  R1.1 MUST" in told and "toy-1.1" not in told


def test_what_the_program_writes_begins_no_check(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    watched.during = "users.db"
    watched.save("server.py")
    assert watched.look() == watched.look() == 2


def test_a_save_during_a_check_begins_another_one(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    watched.during = "server.py"
    watched.save("other.py")
    assert watched.look() == 2
    assert watched.look() == watched.look() == 3


def test_hidden_and_compiled_files_are_not_watched(tmp_path: Path) -> None:
    for name in (".git/index", "__pycache__/server.pyc", "src/server.py", ".swp"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [path.name for path in files_of(tmp_path)] == ["server.py"]

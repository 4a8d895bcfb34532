"""The commands of docs/guides/tournament.md that start programs, each to its end."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

from tests.documents import BIN, ROOT, STARTERS, blocks, page
from tests.terminal.processes import PATIENCE

GUIDE = page("tournament")


def run(command: str, folder: Path) -> str:
    """Run a command of the guide in a folder, and return its tables."""
    done = subprocess.run(
        ["sh", "-c", command.replace("docs/", f"{ROOT}/docs/")], cwd=folder,
        env={**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"},
        capture_output=True, text=True, timeout=4 * PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_bot_plays_two_levels(tmp_path: Path) -> None:
    (block,) = blocks(GUIDE, "By `tictac tournament`", "sh")
    assert "3 players, 12 of 12 games\n" in run(block.text, tmp_path)


def test_two_versions_are_compared(tmp_path: Path) -> None:
    (block,) = blocks(GUIDE, "How many games are enough", "sh")
    for name in ("new", "old"):
        bot = shlex.join([sys.executable, str(STARTERS / "lobby_bot.py")])
        (tmp_path / name).write_text(f'#!/bin/sh\nexec {bot} "$@" {name}\n')
        (tmp_path / name).chmod(0o700)
    assert "--games 20000 " in block.text
    command = block.text.replace("--games 20000 ", "--games 4 --json new.json ")
    assert "4 of 4 games\n" in run(command, tmp_path)
    results = json.loads((tmp_path / "new.json").read_text())
    assert results["sprt"]["pairs"] == [*map(int, results["sprt"]["pairs"])]
    assert {*results} == {"plan", "standings", "against", "byes", "sprt", "games"}

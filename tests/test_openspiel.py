"""The tests of games/openspiel, with trial, where the package is installed as operators do."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.installing import OPENSPIEL, installing

pytest.importorskip("pyspiel", reason="pip install open_spiel")

MODULES = sorted(path.stem for path in OPENSPIEL.glob("tests/test_*.py"))
PATIENCE = 900
"""Seconds for a module, on a machine that is busy with other tests."""


@pytest.fixture(scope="module")
def path() -> Iterator[str]:
    """Install the package once; the path to it and tictac."""
    with installing(OPENSPIEL) as found:
        yield found


@pytest.mark.parametrize("module", MODULES)
def test_the_package_keeps_what_it_promises(module: str, path: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "twisted.trial", "--temp-directory", "_trial", module],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([path, str(OPENSPIEL / "tests")])},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stdout


def test_pip_installs_it_beside_tictac(path: str, tmp_path: Path) -> None:
    """The server lists its games, and imports pyspiel only when a room is opened."""
    code = (
        "import sys; from tictac.games.all import GAMES; print(*GAMES);"
        "print('pyspiel' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    names, is_loaded = done.stdout.splitlines()
    assert {"tictactoe", "chess", "go", "backgammon"} <= {*names.split()}
    assert is_loaded == "False", done.stderr

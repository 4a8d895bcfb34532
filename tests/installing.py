"""Packages of strangers, installed by pip into a folder of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

import pytest

from tests.terminal.processes import ROOT

KALAH = ROOT / "examples" / "kalah"
CROSSES = ROOT / "tests" / "crosses"
OPENSPIEL = ROOT / "games" / "openspiel"
ENVIRONMENTS = ROOT / "games" / "env"


@contextmanager
def installing(*distributions: Path) -> Iterator[str]:
    """Install distributions into a folder of their own, with pip; the path to tictac and them."""
    with TemporaryDirectory() as folder:
        packages = Path(folder, "packages")
        # Copies, for pip builds where the sources are.
        sources = [copytree(each, Path(folder, each.name)) for each in distributions]
        pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(packages)]
        done = subprocess.run([*pip, *sources], capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"pip can't install here: {done.stderr.strip().splitlines()[-1]}")
        yield os.pathsep.join([str(ROOT), str(packages)])

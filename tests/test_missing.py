"""Without a package of the extra ``test``, the tests end with one line."""

from __future__ import annotations

import os
import site
import subprocess
import sys
from pathlib import Path

from tests.documents import ROOT

LINE = "tests need hypothesis: .venv/bin/pip install -e '.[test]'\n"


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python with all installed packages but hypothesis."""
    for installed in site.getsitepackages():
        for each in Path(installed).glob("[!.]*"):
            if "hypothesis" not in each.name and not (folder / each.name).exists():
                (folder / each.name).symlink_to(each)
    # Without -S, Python would add what is installed.
    command = [sys.executable, "-S", "-m", *arguments]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)])}
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)


def test_pytest_ends_with_the_line(tmp_path: Path) -> None:
    done = run(tmp_path, "pytest", "tests/games")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", LINE)


def test_trial_ends_with_an_error_that_ends_with_the_line(tmp_path: Path) -> None:
    (packages := tmp_path / "packages").mkdir()
    temporary = f"--temp-directory={tmp_path / 'trial'}"
    done = run(packages, "twisted.trial", temporary, "tests.games")
    assert done.returncode == 1 and "Ran 1 tests" in done.stdout
    assert f"SystemExit: {LINE}" in done.stdout

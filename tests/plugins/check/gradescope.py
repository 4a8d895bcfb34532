"""Gradescope's harness, as its specification has it: folders, the image, and a submission.

The image has the zip in ``source`` and a copy of ``run_autograder``. What ``setup.sh`` installs is
this Python with the tictac of the zip.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

NOBODY = "nobody"
"""The user without rights that each system has."""

KEYS = {
    "score", "execution_time", "output", "visibility", "stdout_visibility", "extra_data", "tests",
    "leaderboard", "output_format",
}  # fmt: skip
TEST_KEYS = {
    "score", "max_score", "status", "name", "name_format", "number", "output", "output_format",
    "tags", "visibility", "extra_data",
}  # fmt: skip
"""What results.json and its tests can have."""

PATIENCE = 300


def build(archive: Path, root: Path) -> None:
    """Make the image of a zip in ``root``."""
    root.chmod(0o755)
    source = root / "source"
    with ZipFile(archive) as packed:
        packed.extractall(source)
        modes = {info.filename: info.external_attr >> 16 for info in packed.infolist()}
    assert {"setup.sh", "run_autograder"} <= modes.keys()
    for name in ("setup.sh", "run_autograder"):
        assert modes[name] & 0o111 and (source / name).read_bytes().startswith(b"#!"), name
        subprocess.run(["bash", "-n", source / name], check=True)
    shutil.copy(source / "run_autograder", root)
    (root / "run_autograder").chmod(0o755)
    (wheel,) = source.glob("*.whl")
    site, programs = root / "site", root / "venv/bin"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", site,
         wheel], check=True, timeout=PATIENCE,
    )  # fmt: skip
    programs.mkdir(parents=True)
    # As a script that pip makes of an entry point, it doesn't look for modules where it is started.
    (programs / "tictac").write_text(
        f"#!{sys.executable}\nimport sys\nsys.path[0] = {str(site)!r}\n"
        "from tictac.server.cli import main\nsys.exit(main())\n"
    )
    (programs / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    for path in programs.iterdir():
        path.chmod(0o755)


def grade(root: Path, submission: Mapping[str, str]) -> dict[str, Any]:
    """Let the image in ``root`` check the files of a submission; return its results.json."""
    for name in ("submission", "results"):
        shutil.rmtree(root / name, ignore_errors=True)
        (root / name).mkdir()
    for name, text in submission.items():
        (root / "submission" / name).write_text(text, "utf-8")
    environment = {
        "AUTOGRADER": str(root), "STUDENT": NOBODY, "PATH": "/usr/local/bin:/usr/bin:/bin",
    }  # fmt: skip
    done = subprocess.run(
        [root / "run_autograder"], cwd=root, env=environment, capture_output=True, text=True,
        timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    results: dict[str, Any] = json.loads((root / "results/results.json").read_text("utf-8"))
    assert results.keys() <= KEYS and results["tests"]
    for test in results["tests"]:
        assert test.keys() <= TEST_KEYS and test["status"] in ("passed", "failed")
    assert round(sum(test["max_score"] for test in results["tests"]), 2) == 100
    return results


def mark(results: Mapping[str, Any]) -> float:
    """Return the points of all tests."""
    points = sum(float(test["score"]) for test in results["tests"])
    return round(points, 2)


IS_ROOT = os.geteuid() == 0

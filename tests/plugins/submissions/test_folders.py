"""The folder of a runner, and the folders of killed runners."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from tests.terminal.processes import PATIENCE
from tictac.plugins.submissions.runner.folders import HELD, PREFIX, make_folder

RUNNER = """
import signal, subprocess, sys
from pathlib import Path
from tictac.plugins.submissions.runner.folders import make_folder
folder = make_folder(Path(sys.argv[1]))
(folder / "program").mkdir()
print(folder, flush=True)
signal.pause()
"""


def begin(parent: Path) -> tuple[subprocess.Popen[str], Path]:
    """Begin another process with a folder below ``parent``; return both."""
    words = [sys.executable, "-c", RUNNER, str(parent)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_the_folder_of_a_killed_runner_goes(tmp_path: Path) -> None:
    killed, left = begin(tmp_path)
    running, kept = begin(tmp_path)
    killed.kill()
    killed.communicate(timeout=PATIENCE)
    assert (left / "program").exists()
    own = make_folder(tmp_path)
    assert not left.exists() and (kept / "program").exists() and (own / HELD).exists()
    assert make_folder(tmp_path) != own and own.exists(), "this process has it"
    running.send_signal(signal.SIGTERM)
    running.communicate(timeout=PATIENCE)


def test_what_is_no_folder_of_a_runner_stays(tmp_path: Path) -> None:
    begins = tmp_path / f"{PREFIX}begins"
    begins.mkdir()
    other = tmp_path / "other"
    other.mkdir()
    (other / HELD).touch()
    (tmp_path / f"{PREFIX}link").symlink_to(other)
    (tmp_path / f"{PREFIX}file").touch()
    make_folder(tmp_path)
    assert begins.exists() and (other / HELD).exists()
    assert len(list(tmp_path.glob(f"{PREFIX}*"))) == 4

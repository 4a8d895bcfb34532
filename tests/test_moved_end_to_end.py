"""A bundled plug-in in a distribution of its own: the rest of tictac doesn't notice."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import temporary_directory
from tests.terminal.processes import PATIENCE, ROOT, read_until, start

OLD, NEW = "tictac.plugins.classics.nim", "tictac_nim"
TICTAC = [
    sys.executable,
    "-P",
    "-c",
    "from tictac.server.cli import main; raise SystemExit(main())",
]


class MovedTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = temporary_directory(self)
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "tictac", self.folder / "tictac", ignore=ignored)
        shutil.copytree(ROOT / "twisted", self.folder / "twisted", ignore=ignored)
        moved = self.folder / NEW
        shutil.move(self.folder / Path(*OLD.split(".")), moved)
        for module in moved.rglob("*.py"):
            module.write_text(module.read_text().replace(OLD, NEW))
        own = {each.name: each.value for each in distribution("tictac").entry_points.select(
            group="tictac.plugins")}  # fmt: skip
        self.install("tictac", {name: value for name, value in own.items() if name != "nim"})
        self.install(NEW, {"nim": f"{NEW}:PLUGIN"})

    def install(self, name: str, plugins: dict[str, str]) -> None:
        """Write the metadata of a distribution with these plug-ins."""
        metadata = self.folder / f"{name}-1.0.dist-info"
        metadata.mkdir()
        metadata.joinpath("METADATA").write_text(f"Name: {name}\nVersion: 1.0\n")
        lines = (f"{key} = {value}\n" for key, value in plugins.items())
        metadata.joinpath("entry_points.txt").write_text(f"[tictac.plugins]\n{''.join(lines)}")

    def test_its_server_passes_its_suite(self) -> None:
        environment = {**os.environ, "PYTHONPATH": str(self.folder)}
        serving = [*TICTAC, "serve", "-n", "nim", "-p", "tcp:0:interface=127.0.0.1"]
        server = start(self, serving, cwd=self.folder, env=environment, stderr=subprocess.STDOUT)
        assert server.stdout is not None
        log = read_until(server.stdout.fileno(), "tictac is up")
        [port] = re.findall(r"nim: listening on \S+ port (\d+)", log)
        done = subprocess.run(
            [*TICTAC, "check", "nim", "127.0.0.1", port],
            cwd=self.folder, env=environment, capture_output=True, text=True, timeout=PATIENCE,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, ""), done
        assert done.stdout.startswith("Nothing failed.\n"), done

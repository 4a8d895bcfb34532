"""Our own servers pass every case of theirs."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from tests.documents import ROOT
from tests.programs import LOCAL, ServerCase
from tests.terminal.processes import PATIENCE

PROTOCOLS = ("session", "nim", "connectfour", "clue")
"""Those that have a port of their own."""

CHECK = "import sys; from tictac.server.cli import main; sys.exit(main(['check', *sys.argv[1:]]))"

LIMITS = ("--limit", "60", "--case-limit", "240")
"""Seconds: the computers of Clue have the lowest priority, and wait for all other tests."""


class OwnServerTests(ServerCase):
    def test_all_of_them_pass(self) -> None:
        ports = [word for protocol in PROTOCOLS for word in (f"--{protocol}", LOCAL)]
        program = self.start(*ports, "--connectfour-think", "0")
        addresses = {"lobby": program.address()[1]}
        for protocol in PROTOCOLS:
            found = re.search(rf"{protocol}: listening on \S+ port (\d+)", program.log)
            assert found, program.log
            addresses[protocol] = int(found[1])
        checks = {
            protocol: subprocess.Popen(
                [sys.executable, "-c", CHECK, *LIMITS, protocol, "127.0.0.1", str(port)],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
            for protocol, port in addresses.items()
        }  # fmt: skip
        for protocol, check in checks.items():
            self.addCleanup(check.kill)
            said, _ = check.communicate(timeout=PATIENCE)
            assert check.returncode == 0 and said.startswith("Nothing failed."), (
                f"{protocol}: {said}"
            )
            assert ", 0 differ" in said, f"{protocol}: {said}"

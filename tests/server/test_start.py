"""What a command loads before it runs: a person waits for it at each start."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.terminal.processes import ROOT

LARGE = {"twisted", "asyncio", "ssl", "sqlite3", "psycopg", "autobahn", "prompt_toolkit", "msgspec"}

LOADED = """
import sys
from contextlib import suppress
from tictac.server.cli import main
with suppress(SystemExit):
    main(sys.argv[1:])
print("loaded:", *sys.modules)
"""


def loaded(*arguments: str) -> set[str]:
    """Return the modules that are loaded after a command has ended."""
    output = subprocess.check_output(
        [sys.executable, "-c", LOADED, *arguments], text=True, cwd=ROOT
    )
    return set(output.rpartition("loaded:")[2].split())


@pytest.mark.parametrize(
    "arguments", ["--help", "play --help", "check --help", "users list --help", "tournament --help"]
)
def test_help_loads_nothing_that_only_a_running_command_needs(arguments: str) -> None:
    assert loaded(*arguments.split()) & LARGE == set()


def test_an_engine_loads_the_rules_of_a_game_and_no_server() -> None:
    program = "import sys, tictac.engines.worker; print(*sys.modules)"
    output = subprocess.check_output([sys.executable, "-c", program], text=True, cwd=ROOT)
    assert set(output.split()) & {*LARGE, "importlib.metadata"} == set()

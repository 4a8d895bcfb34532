"""The ``tictac`` command: the programs that a person runs beside the server."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tictac import __version__
from tictac.accounts import commands as users
from tictac.rooms import commands as rooms


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one sub-command; the exit status."""
    parser = argparse.ArgumentParser(
        prog="tictac", description="Play on a tictac server, or keep its accounts."
    )
    parser.add_argument("--version", action="version", version=f"tictac {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    rooms.add_parser(commands)
    users.add_parser(commands)
    chosen = parser.parse_args(sys.argv[1:] if arguments is None else arguments)
    status: int = chosen.run(chosen)
    return status

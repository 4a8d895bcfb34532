"""The ``tictac`` command: the programs that a person runs beside the server."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from tictac import __version__
from tictac.parts import PARTS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one sub-command; the exit status. Ctrl-C while it loads is 130, as in a shell."""
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        return 130


def _run(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="tictac", description="Play on a tictac server, or keep its accounts."
    )
    parser.add_argument("--version", action="version", version=f"tictac {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    # Only the part that is asked for is loaded; for the help, all of them.
    parts = [part for part in PARTS if part.command is not None]
    wanted = [part for part in parts if arguments and part.command == arguments[0]]
    for part in wanted or parts:
        import_module(f"tictac.{part.folder}.commands").add_parser(subparsers)
    chosen = parser.parse_args(arguments)
    status: int = chosen.run(chosen)
    return status

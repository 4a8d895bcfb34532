"""The ``tictac`` command: the programs that a person runs beside the server."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from tictac import __version__

COMMANDS = {
    "play": "tictac.rooms.commands",
    "users": "tictac.accounts.commands",
}
"""Where each sub-command is: a module whose ``add_parser(subparsers)`` adds it.

A module is loaded only when its command, or the help, is asked for.
"""


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
    wanted = COMMANDS.get(arguments[0]) if arguments else None
    for module in [wanted] if wanted else COMMANDS.values():
        import_module(module).add_parser(subparsers)
    chosen = parser.parse_args(arguments)
    status: int = chosen.run(chosen)
    return status

"""The ``tictac`` command: the programs that a person runs beside the server, and the server."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from tictac import __version__, manual
from tictac.parts import PARTS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one sub-command; the exit status. Ctrl-C while it loads is 130, as in a shell."""
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        return 130


def _run(arguments: Sequence[str]) -> int:
    if not arguments and sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty():
        arguments = ["play"]
    if arguments and arguments[0] == "serve":
        return _serve(arguments[1:])
    parser = argparse.ArgumentParser(
        prog="tictac",
        description="Play on a tictac server, run one, or look after its accounts and matches.",
    )
    parser.add_argument("--version", action="version", version=f"tictac {__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    # Named for the help alone: its arguments are twistd's to read.
    subparsers.add_parser("serve", help="run a server: serve OPTIONS is twistd -n tictac OPTIONS")
    # Only the part that is asked for is loaded; for the help, all of them.
    parts = [part for part in PARTS if part.commands]
    wanted = [part for part in parts if arguments and arguments[0] in part.commands]
    for part in wanted or parts:
        import_module(f"tictac.{part.folder}.commands").add_parser(subparsers)
    if not wanted:
        manual.add_parsers(parser, subparsers)
    chosen = parser.parse_args(arguments)
    status: int = chosen.run(chosen)
    return status


def _serve(arguments: Sequence[str]) -> int:
    """``twistd -n tictac ARGUMENTS``, which exits by itself when its status isn't 0.

    After the name of a game ``-p`` is the port of that game.
    """
    from twisted.scripts.twistd import run

    games = [part.folder.rpartition(".")[2] for part in PARTS if part.served and part.commands]
    if arguments and arguments[0] in games:
        option = "port" if arguments[0] == "rooms" else arguments[0]
        parser = argparse.ArgumentParser(prog="tictac serve", add_help=False, allow_abbrev=False)
        parser.add_argument("-p", "--port", action="append", default=[])
        given, rest = parser.parse_known_args(arguments[1:])
        arguments = [*(f"--{option}={port}" for port in given.port), *rest]
    sys.argv = ["twistd", "-n", "tictac", *arguments]
    run()
    return 0

"""The ``tictac`` command: the programs that a person runs beside the server, and the server."""

from __future__ import annotations

import argparse
import gc
import io
import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec

from tictac import __version__
from tictac.plugin import Added
from tictac.server import manual

AddParser = Callable[["argparse._SubParsersAction[argparse.ArgumentParser]"], None]


def _check(name: str, loaded: object) -> str | None:
    taken = name in ("serve", "config", "man", "completion")
    return "tictac has a command of that name" if taken else None


COMMANDS: Added[AddParser] = Added("commands", "command", check=_check)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one sub-command; return the exit status. Ctrl-C while it loads is 130, as in a shell.

    The status is 141 when the program that reads the output ended, as in ``tictac man | head``.
    """
    _open_streams()
    try:
        try:
            return _run(sys.argv[1:] if arguments is None else arguments)
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes it again
        return 141


def _open_streams() -> None:
    """Open closed standard streams: a database would otherwise get the number of one."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            if nothing != number:
                os.dup2(nothing, number)
                os.close(nothing)
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, mode))
    # A terminal without UTF-8 shows the code of a character that it has not.
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.encoding.lower() != "utf-8":
        sys.stdout.reconfigure(errors="backslashreplace")


def _run(arguments: Sequence[str]) -> int:
    if not arguments and sys.stdin.isatty() and sys.stdout.isatty():
        arguments = ["play"]
    if arguments and arguments[0] in _SERVER_COMMANDS:
        return _SERVER_COMMANDS[arguments[0]](arguments[1:])
    gc.disable()  # of what a start loads, nothing is garbage
    try:
        chosen = parser_of(arguments).parse_args(arguments)
    finally:
        gc.enable()
    return int(chosen.run(chosen))


def parser_of(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser of these arguments. Its help names all commands."""
    parser = argparse.ArgumentParser(
        prog="tictac",
        description="Play on a tictac server, run one, or manage its accounts and matches.",
    )
    parser.add_argument("--version", action="version", version=f"tictac {__version__}")
    if list(arguments) == ["--version"]:
        parser.parse_args(arguments)  # before any plug-in is loaded
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    # These names are only for the help: twistd reads their arguments.
    summary = "run a server in the background; -n: in the foreground, until Ctrl-C"
    subparsers.add_parser("serve", help=summary, description=summary)
    summary = "print the effective settings of serve, and the origin of each"
    subparsers.add_parser("config", help=summary, description=summary)
    # Load only the plug-in of the command; for the help, load all of them.
    wanted = COMMANDS.load(arguments[0]) if arguments else None
    if wanted is not None:
        wanted(subparsers)
    else:
        for add_parser in dict.fromkeys(each for _, each in COMMANDS.all()):
            add_parser(subparsers)
        manual.add_parsers(parser, subparsers)
    return parser


def _serve(arguments: Sequence[str]) -> int:
    """Run ``twistd tictac ARGUMENTS``, which exits by itself; with ``-n`` ``twistd -n tictac``.

    After the name of a game, ``-p`` is the port of that game; without it, the port that the game's
    client takes without one.
    """
    from tictac.server import early  # noqa: F401, I001  # first: the others take most of the start
    from twisted.scripts.twistd import run

    from tictac.server.settings import MAKERS, Options

    Options.offers_page = _has_page()
    foreground = {"-n", "--nodaemon"}
    rest = [argument for argument in arguments if argument not in foreground]
    ports = {maker.port: maker.default_port for maker in MAKERS if maker.default_port is not None}
    if rest and rest[0] in ("rooms", *ports):
        option = "port" if rest[0] == "rooms" else rest[0]
        if option in ports:
            Options.game = option, ports[option]
        parser = argparse.ArgumentParser(prog="tictac serve", add_help=False, allow_abbrev=False)
        parser.add_argument("-p", "--port", action="append", default=[])
        given, rest = parser.parse_known_args(rest[1:])
        rest = [*(f"--{option}={port}" for port in given.port), *rest]
    if foreground.isdisjoint(arguments):
        sys.argv = ["twistd", "tictac", *rest]
        # twistd closes standard output before the server runs.
        Options.terminal = os.dup(sys.stdout.fileno())
    else:
        sys.argv = ["twistd", "-n", "tictac", *rest]
    run()
    return 0


def _has_page() -> bool:
    """Return whether the extra for the page is installed."""
    return find_spec("autobahn") is not None


def _config(arguments: Sequence[str]) -> int:
    from tictac.errors import SetupError
    from tictac.net.service import fail
    from tictac.server.config import as_toml
    from tictac.server.settings import GROUPS, Options

    Options.offers_page = _has_page()
    options = Options()
    options.parseOptions(arguments)
    try:
        print("\n".join(as_toml(GROUPS, options.in_force(), options.given)))
    except SetupError as error:
        fail(error)
    return 0


_SERVER_COMMANDS = {"serve": _serve, "config": _config}

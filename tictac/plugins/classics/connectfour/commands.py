"""`tictac connectfour`: Connect Four at a terminal as a program."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tictac.options import typed
from tictac.plugins.classics.connectfour import wire
from tictac.plugins.classics.connectfour.wire import DEFAULT_PORT
from tictac.plugins.games.connectfour.rules import LARGEST, SMALLEST, Rules
from tictac.plugins.programs.console import as_command

if TYPE_CHECKING:
    from twisted.internet.interfaces import IReactorTime

    from tictac.terminal.terminal import Terminal

_DESCRIPTION = (
    "Connect Four with Pop Out: two people at one keyboard, or with HOST, --username, or"
    " --network, one against a server. The program asks for missing values."
)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `connectfour` to the program's commands; it sets `run(args) -> exit status`."""
    summary = "play Connect Four with Pop Out, here or against a server"
    parser = subparsers.add_parser("connectfour", help=summary, description=_DESCRIPTION)
    _add_arguments(parser)


def main(module: str, network: bool = False) -> int:
    """Run the program as a module (tictac/connectfour/), or with --network; return the status."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=_DESCRIPTION)
    _add_arguments(parser)
    parser.set_defaults(network=network)
    args = parser.parse_args()
    return int(args.run(args))


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    side = typed(read_side)
    parser.add_argument("host", metavar="HOST", nargs="?", type=typed(read_host))
    parser.add_argument("port", metavar="PORT", nargs="?", type=typed(read_port))
    parser.add_argument("--network", action="store_true", help="play against a server")
    parser.add_argument("--username", metavar="NAME", type=typed(read_name), help="your name there")
    parser.add_argument("--columns", metavar="N", type=side, default=7, help="4 to 20; default: 7")
    parser.add_argument("--rows", metavar="N", type=side, default=6, help="4 to 20; default: 6")
    parser.set_defaults(run=as_command(play))


async def play(reactor: IReactorTime, terminal: Terminal, args: argparse.Namespace) -> int:
    """Play; return 0 if the game is over or the person leaves, 1 if the game can't continue."""
    from twisted.internet.error import ConnectError

    from tictac.net.client_connection import connect
    from tictac.plugins.classics.connectfour.client import ConnectFourClient
    from tictac.plugins.classics.connectfour.console import (
        ask_until,
        play_here,
        play_server,
        report_end_of_input,
    )

    rules = Rules(args.columns, args.rows)
    if args.host is None and args.username is None and not args.network:
        return await play_here(terminal, terminal.style, rules)
    try:
        host = args.host or await ask_until(terminal, "Host: ", read_host)
        port = args.port or await ask_until(terminal, f"Port ({DEFAULT_PORT}): ", read_port)
        user = args.username or await ask_until(terminal, "User name: ", read_name)
    except EOFError:
        return report_end_of_input(terminal)
    try:
        client = await connect(reactor, host, port, ConnectFourClient(reactor))
    except (ConnectError, OSError, ValueError) as error:
        terminal.error(f"Error: cannot connect to {host} port {port}: {error}")
        return 1
    return await play_server(client, terminal, terminal.style, rules, user)


# Parsers of arguments and typed answers; each raises ValueError with a sentence.


def read_host(text: str) -> str:
    """Return the name or address of a host."""
    if not text or any(c.isspace() for c in text):
        raise ValueError("A host has a name or an address without blanks")
    return text


def read_port(text: str) -> int:
    """Return a port number; the default one for an empty line."""
    if not text:
        return DEFAULT_PORT
    if not (text.isascii() and text.isdecimal() and len(text) < 6 and 0 < int(text) < 65536):
        raise ValueError("A port is a number from 1 to 65535")
    return int(text)


def read_name(text: str) -> str:
    """Return a user name."""
    if not wire.valid_name(text):
        raise ValueError("A user name is anything without white space, of a line at most")
    return text


def read_side(text: str) -> int:
    """Return the number of columns or rows of a board."""
    if not (text.isascii() and text.isdecimal() and SMALLEST <= int(text[:9]) <= LARGEST):
        raise ValueError(f"A board has {SMALLEST} to {LARGEST} columns and as many rows")
    return int(text)

"""`tictac play`: the rooms client as a program, and, for other games, that of the lobby."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from random import Random
from typing import Any

from tictac.client import commands as lobby
from tictac.doors.rooms.client import Link, connect
from tictac.doors.rooms.console import play
from tictac.terminal.dialog import reach
from tictac.terminal.program import run_program
from tictac.terminal.style import style_for
from tictac.terminal.terminal import Terminal


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `play` to the program's commands; it sets `run(args) -> exit status`."""
    summary = "play any game on a server, or watch"
    usage = "%(prog)s [-h] [--bare] [--reconnect | --no-reconnect] HOST PORT [option ...]"
    parser = subparsers.add_parser("play", help=summary, description=summary, usage=usage)
    # Any number is taken, as rooms.md has a text of its own for a wrong one.
    parser.add_argument("address", metavar="HOST PORT", nargs="*", help="where the server is")
    parser.add_argument(
        "--bare", action="store_true", help="send messages without a newline, for old servers"
    )
    parser.add_argument(
        "--reconnect",
        action=argparse.BooleanOptionalAction,
        help="come back when the connection was lost (default: for somebody at a terminal)",
    )
    lobby.add_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play until the person leaves (0), or it can't go on (1); 128 + N for a signal N."""
    if len(args.address) != 2 or not args.address[1].isdecimal():
        print("Error: Expecting 2 arguments: <server address> <port>", file=sys.stderr)
        return 1
    try:
        wish = lobby.wish_of(args)
    except ValueError as error:
        print(f"Error: {error}.", file=sys.stderr)
        return 1
    where = {"host": args.address[0], "port": int(args.address[1]), "reconnect": args.reconnect}
    if wish is not None:
        return run_program(partial(lobby.connect_and_play, wish=wish, **where))
    return run_program(partial(connect_and_play, bare=args.bare, **where))


async def connect_and_play(
    reactor: Any,
    terminal: Terminal,
    host: str,
    port: int,
    bare: bool,
    reconnect: bool | None = None,
) -> int:
    """Play on the server at ``host`` and ``port``; the exit status.

    With a ``reconnect`` of None only somebody at a terminal comes back after the connection
    was lost: a script shall see the documented lines and no others.
    """
    connect_again = partial(connect, reactor, host, port, bare)
    client = await reach(connect_again(), terminal, host, port)
    if client is None:
        return 1
    if reconnect is None:
        reconnect = terminal.is_interactive
    link = Link(client, reactor, connect_again if reconnect else None, Random())
    return await play(link, terminal, style_for(terminal.output_is_terminal, os.environ))

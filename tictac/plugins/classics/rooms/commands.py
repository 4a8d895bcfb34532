"""`tictac rooms`: the client of the rooms protocol as a program.

Source: rooms-client.md, "The client".
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

from tictac.plugins.client.commands import add_connection_options
from tictac.plugins.programs.console import run_program

if TYPE_CHECKING:
    from twisted.internet.interfaces import IReactorTime

    from tictac.net.client_connection import Tls
    from tictac.terminal.terminal import Terminal


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `rooms` to the program's commands; it sets `run(args) -> exit status`."""
    summary = "play tic-tac-toe by the rooms protocol, in its own dialogue"
    usage = "%(prog)s [-h] [option ...] HOST PORT | tls://HOST:PORT"
    parser = subparsers.add_parser("rooms", help=summary, description=summary, usage=usage)
    # Any number is taken, as rooms-client.md has a text of its own for a wrong one.
    parser.add_argument("address", metavar="HOST PORT", nargs="*", help="address of the server")
    parser.add_argument(
        "--bare", action="store_true", help="send messages without a newline, for old servers"
    )
    add_connection_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play until the person leaves (0), or can't continue (1); 128 + N for a signal N."""
    is_tls = len(args.address) == 1 and args.address[0].startswith("tls://")
    if not is_tls and (len(args.address) != 2 or not args.address[1].isdecimal()):
        print("Error: Expecting 2 arguments: <server address> <port>", file=sys.stderr)
        return 1
    where: dict[str, Any]
    if is_tls or args.ca is not None:
        from tictac.plugins.client.address import read_address, trust

        try:
            address = read_address(" ".join(args.address), args.ca)
            where = {"host": address.host, "port": address.port, "tls": trust(address)}
        except ValueError as error:
            print(f"Error: {error}.", file=sys.stderr)
            return 1
    else:
        where = {"host": args.address[0], "port": int(args.address[1])}
    where |= {"bare": args.bare, "reconnect": args.reconnect}
    return run_program(partial(connect_and_play, **where))


async def connect_and_play(
    reactor: IReactorTime,
    terminal: Terminal,
    host: str,
    port: int,
    bare: bool,
    reconnect: bool | None = None,
    tls: Tls = None,
) -> int:
    """Play on the server at ``host`` and ``port``; return the exit status.

    With a ``reconnect`` of None only a person at a terminal reconnects: a script gets the
    documented lines and no others.
    """
    from random import Random

    from tictac.plugins.classics.rooms.client import RoomsReconnector, connect
    from tictac.plugins.classics.rooms.console import play
    from tictac.terminal.dialog import reach

    connect_again = partial(connect, reactor, host, port, bare, tls)
    client = await reach(connect_again(), terminal, host, port)
    if client is None:
        return 1
    if reconnect is None:
        reconnect = terminal.is_interactive
    link = RoomsReconnector(client, reactor, connect_again if reconnect else None, Random())
    return await play(link, terminal, terminal.style)

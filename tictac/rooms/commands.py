"""`tictac play`: the rooms client as a program."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from tictac.rooms.client import connect
from tictac.rooms.console import play
from tictac.terminal.dialog import reach
from tictac.terminal.program import run_program
from tictac.terminal.style import style_for
from tictac.terminal.terminal import Terminal


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `play` to the program's commands; it sets `run(args) -> exit status`."""
    summary = "play on a rooms server, or watch"
    usage = "%(prog)s [-h] [--bare] HOST PORT"
    parser = subparsers.add_parser("play", help=summary, description=summary, usage=usage)
    # Any number is taken, as rooms.md has a text of its own for a wrong one.
    parser.add_argument("address", metavar="HOST PORT", nargs="*", help="where the server is")
    parser.add_argument(
        "--bare", action="store_true", help="send messages without a newline, for old servers"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play until the person leaves (0), or it can't go on (1); 128 + N for a signal N."""
    if len(args.address) != 2 or not args.address[1].isdecimal():
        print("Error: Expecting 2 arguments: <server address> <port>", file=sys.stderr)
        return 1
    from twisted.internet import reactor

    host, port = args.address[0], int(args.address[1])

    async def main(terminal: Terminal) -> int:
        return await connect_and_play(reactor, terminal, host, port, args.bare)

    return run_program(reactor, main)


async def connect_and_play(
    reactor: Any, terminal: Terminal, host: str, port: int, bare: bool
) -> int:
    """Play on the server at ``host`` and ``port``; the exit status."""
    client = await reach(connect(reactor, host, port, bare), terminal, host, port)
    if client is None:
        return 1
    return await play(client, terminal, style_for(terminal.output_is_terminal, os.environ))

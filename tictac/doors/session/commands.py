"""`tictac session`: the session client as a program."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

from tictac.doors.session.console import play
from tictac.doors.session.wire import Decoder
from tictac.net.client import DecodingClient, connect
from tictac.terminal.dialog import reach
from tictac.terminal.program import run_program
from tictac.terminal.terminal import Terminal

DEFAULT_PORT = 8000


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `session` to the program's commands; it sets `run(args) -> exit status`."""
    summary = "play one match on a session server"
    parser = subparsers.add_parser("session", help=summary, description=summary)
    parser.add_argument("host", metavar="HOST", help="where the server is")
    parser.add_argument(
        "port", metavar="PORT", type=int, nargs="?", default=DEFAULT_PORT,
        help="and its port (%(default)s)",
    )  # fmt: skip
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play a match to its end, or until the person leaves (0), or it can't go on (1).

    128 + N for a signal N.
    """
    return run_program(partial(connect_and_play, host=args.host, port=args.port))


async def connect_and_play(reactor: Any, terminal: Terminal, host: str, port: int) -> int:
    """Play on the server at ``host`` and ``port``; the exit status."""
    connecting = connect(reactor, host, port, DecodingClient(Decoder()))
    client = await reach(connecting, terminal, host, port)
    if client is None:
        return 1
    return await play(client, terminal, terminal.style)

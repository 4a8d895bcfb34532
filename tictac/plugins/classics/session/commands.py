"""`tictac session`: the session client as a program."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tictac.options import port, typed
from tictac.plugins.classics.session.wire import DEFAULT_PORT, Decoder
from tictac.plugins.programs.console import as_command

if TYPE_CHECKING:
    from twisted.internet.interfaces import IReactorTime

    from tictac.terminal.terminal import Terminal


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `session` to the program's commands; it sets `run(args) -> exit status`."""
    summary = "play one match on a session server"
    parser = subparsers.add_parser("session", help=summary, description=summary)
    parser.add_argument("host", metavar="HOST", help="host of the server")
    parser.add_argument(
        "port", metavar="PORT", type=typed(port), nargs="?", default=DEFAULT_PORT,
        help="port of the server (%(default)s)",
    )  # fmt: skip
    parser.set_defaults(run=as_command(connect_and_play))


async def connect_and_play(
    reactor: IReactorTime, terminal: Terminal, args: argparse.Namespace
) -> int:
    """Play a match; return 0 at its end or if the person leaves, 1 if it can't continue."""
    from tictac.net.client_connection import DecodingClient, connect
    from tictac.plugins.classics.session.console import play
    from tictac.terminal.dialog import reach

    connecting = connect(reactor, args.host, args.port, DecodingClient(Decoder()))
    client = await reach(connecting, terminal, args.host, args.port)
    if client is None:
        return 1
    return await play(client, terminal, terminal.style)

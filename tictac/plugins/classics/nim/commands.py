"""`tictac nim`: the Nim client as a program."""

from __future__ import annotations

import argparse
from functools import partial
from random import Random
from typing import TYPE_CHECKING

from tictac.options import count, port, seconds, typed
from tictac.plugins.classics.nim.wire import DEFAULT_PORT, TYPES, read_types
from tictac.plugins.games.nim import opponent
from tictac.plugins.programs.console import as_command

if TYPE_CHECKING:
    from twisted.internet.interfaces import IReactorTime

    from tictac.terminal.terminal import Terminal

_CHOOSERS = {"best": opponent.choose, "random": opponent.choose_at_random}

_TIMEOUT = "seconds to wait for an answer (%(default)g; 0: no limit)"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `nim` to the program's commands; it sets `run(args) -> exit status`."""
    summary = "play Nim on a server"
    # -h is the host in this program (nim.md, "The client").
    parser = subparsers.add_parser("nim", help=summary, description=summary, add_help=False)
    add = parser.add_argument
    add("--help", action="help", help="show this help message and exit")
    add("-h", "--host", default="localhost", help="host of the server (%(default)s)")
    text = "port of the server (%(default)s)"
    add("-p", "--port", type=typed(port), default=DEFAULT_PORT, help=text)
    add(
        "--types", type=typed(read_types), default=TYPES, help="types of the messages (%(default)s)"
    )
    add("--auto", choices=_CHOOSERS, help="let the program play: perfectly, or at random")
    add("--games", type=typed(count), default=0, metavar="N", help="leave after N matches won")
    add("--timeout", type=typed(seconds), default=300.0, metavar="S", help=_TIMEOUT)
    parser.set_defaults(run=as_command(connect_and_play))


async def connect_and_play(
    reactor: IReactorTime, terminal: Terminal, args: argparse.Namespace
) -> int:
    """Play; return 0 if a match is lost or the person leaves, 1 if the match can't continue."""
    from tictac.net.client_connection import connect
    from tictac.plugins.classics.nim.client import NimClient
    from tictac.plugins.classics.nim.console import play
    from tictac.terminal.dialog import reach

    choose = partial(_CHOOSERS[args.auto], rng=Random()) if args.auto else None
    client = NimClient(reactor, args.types, args.timeout)
    connecting = connect(reactor, args.host, args.port, client)
    reached = await reach(connecting, terminal, args.host, args.port)
    return 1 if reached is None else await play(client, terminal, choose, args.games)

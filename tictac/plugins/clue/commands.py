"""The command `tictac clue`, the Clue client."""

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tictac.errors import NotAMove, SetupError
from tictac.options import count, port, typed
from tictac.plugins.clue.game.opponent import PLAYERS, Newcomer
from tictac.plugins.clue.wire import DEFAULT_PORT, read_name
from tictac.plugins.programs.console import as_command

if TYPE_CHECKING:
    from twisted.internet.interfaces import IReactorTime

    from tictac.plugins.clue.console import Respond
    from tictac.plugins.clue.game.board import Board
    from tictac.plugins.clue.game.messages import Message
    from tictac.plugins.clue.game.position import Answer
    from tictac.terminal.terminal import Terminal

PERSON = "person"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command `clue` to the parser; it sets `run(args) -> exit status`."""
    summary = "play Clue on a server, or let a strategy play"
    parser = subparsers.add_parser("clue", help=summary, description=summary)
    add = parser.add_argument
    add("host", metavar="HOST")
    text = "port of the server (%(default)s)"
    add("port", metavar="PORT", type=typed(port), nargs="?", default=DEFAULT_PORT, help=text)
    add("--name", type=typed(_read_name), default="guest", help="name of the player (%(default)s)")
    add("--strategy", choices=[*PLAYERS, PERSON], default=PERSON, help="which player (%(default)s)")
    summary = "short for --strategy leech"
    add("-l", dest="strategy", action="store_const", const="leech", help=summary)
    add("--board", metavar="FILE", type=Path, help="file with the map of the server")
    add("--seed", metavar="N", type=typed(count), help="random seed of the strategy")
    parser.set_defaults(run=as_command(connect_and_play))


async def connect_and_play(
    reactor: IReactorTime, terminal: Terminal, args: argparse.Namespace
) -> int:
    """Play one game; return 0 at its end or when the person leaves, and 1 after an error."""
    from tictac.net.client_connection import connect
    from tictac.plugins.clue.client import ClueClient
    from tictac.plugins.clue.console import play
    from tictac.plugins.clue.game.board import read_board, shipped_board
    from tictac.terminal.dialog import reach

    try:
        board = shipped_board() if args.board is None else read_board(args.board)
    except SetupError as error:
        terminal.error(f"Error: {error}")
        return 1
    connecting = connect(reactor, args.host, args.port, ClueClient(reactor))
    client = await reach(connecting, terminal, args.host, args.port)
    if client is None:
        return 1
    return await play(
        client, terminal, terminal.style, board, args.name, _make_respond(args, board)
    )


def _make_respond(args: argparse.Namespace, board: Board) -> Respond | None:
    """Return a function that lets the strategy answer, in a thread because that can take long."""
    from twisted.internet.threads import deferToThread

    if args.strategy == PERSON:
        return None
    player = Newcomer(args.strategy, board, Random(args.seed))

    async def respond(message: Message) -> Answer | None:
        return await deferToThread(player.respond, message)

    return respond


def _read_name(text: str) -> str:
    try:
        return read_name(text.encode("utf-8", "surrogateescape"))
    except NotAMove as refusal:
        raise ValueError(str(refusal)) from None

"""`tictac play` and `tictac watch`: the shell on a server, at a terminal or line by line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from tictac.lobby.clock import TimeControl
from tictac.options import typed
from tictac.plugins.programs.console import run_program

if TYPE_CHECKING:
    from tictac.plugins.client.address import ServerAddress
    from tictac.plugins.client.seek import Seek

_OF_A_GAME = ("option", "computer", "second", "room", "seek", "clock", "rated")
_NOT_BOTH = (
    ("game", "watch"), ("seek", "room"), ("seek", "computer"), ("guest", "user"),
    ("rated", "computer"), ("rated", "guest"),
)  # fmt: skip


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `play` and `watch` to the program's commands; they set `run(args) -> exit status`."""
    summary = "play any game on a server, or watch"
    usage = "%(prog)s [-h] [option ...] [HOST [PORT] | tls://HOST[:PORT]]"
    parser = subparsers.add_parser("play", help=summary, description=summary, usage=usage)
    where = "server and port (localhost; 5000, or 5443 with TLS)"
    parser.add_argument("address", metavar="HOST PORT", nargs="*", help=where)
    _add_common(parser)
    _add_options(parser)
    parser.set_defaults(run=_run, start=_play)
    summary = "watch a room: play --watch"
    watch = subparsers.add_parser("watch", help=summary, description=summary)
    add = watch.add_argument
    add("watch", metavar="ROOM", nargs="?", default="", help="without it, choose from a list")
    add(
        "--server", metavar="PLACE",
        help="HOST:PORT or tls://HOST:PORT; default: the last server",
    )  # fmt: skip
    add("--key", help="key of a private room")
    add("--user", metavar="NAME", help="account to log in; without it, you are a guest")
    _add_common(watch)
    others = dict.fromkeys(("game", "computer", "room", "clock"))
    flags = dict.fromkeys(("second", "seek", "rated", "guest"), False)
    watch.set_defaults(run=_run, start=_watch, option=[], **others, **flags)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--plain", action="store_true",
        help="write only lines, for a screen reader or a program",
    )  # fmt: skip
    add_connection_options(parser)


def add_connection_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--ca`` and ``--reconnect``."""
    parser.add_argument("--ca", metavar="FILE", help="certificate to trust, with tls://HOST:PORT")
    parser.add_argument(
        "--reconnect",
        action=argparse.BooleanOptionalAction,
        help="reconnect after a lost connection (default: at a terminal)",
    )


def _add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that :func:`wish_of` reads."""
    add = parser.add_argument_group("any game").add_argument
    add("--game", metavar="NAME", help="game to play")
    add(
        "--option", metavar="NAME=VALUE", action="append", default=[],
        help="option of the game, such as rows=19; repeatable",
    )  # fmt: skip
    add("--computer", metavar="LEVEL", help="play the computer at this level, such as club")
    add("--second", action="store_true", help="let the computer begin")
    add("--room", metavar="NAME", help="room to join, or to open if there is none")
    add(
        "--clock", metavar="TIME", type=typed(TimeControl.parse),
        help="time and increment of each player: 300+3; with a delay: 300d3;"
        " with 3 byo-yomi periods of 30 seconds: 600+3x30, or 10m+3x30",
    )  # fmt: skip
    add("--key", help="key of a private room")
    add("--seek", action="store_true", help="play the next player who seeks the same")
    add("--rated", action="store_true", help="play for ratings")
    add(
        "--watch", metavar="ROOM", nargs="?", const="",
        help="room to watch; without a name, choose from a list",
    )  # fmt: skip
    add("--user", metavar="NAME", help="account to log in")
    add("--guest", action="store_true", help="play without an account")


def suits_shell(environment: Mapping[str, str]) -> bool:
    """Return whether input and output are a terminal that can edit a line."""
    streams = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    return streams and environment.get("TERM", "dumb") not in ("dumb", "")


def wish_of(args: argparse.Namespace) -> Seek:
    """Return the wish in the options.

    Raises ValueError, with a sentence, for options that don't go together.
    """
    from tictac.plugins.client.seek import Seek

    given = {name for name, value in vars(args).items() if value not in (None, False, [])}
    for one, other in _NOT_BOTH:
        if {one, other} <= given:
            raise ValueError(f"--{one} and --{other} don't go together")
    for name in _OF_A_GAME:
        if name in given and args.game is None:
            raise ValueError(f"--{name} needs --game")
    if args.key is not None and not given & {"game", "watch"}:
        raise ValueError("--key needs --game or --watch")
    if args.second and args.computer is None:
        raise ValueError("--second needs --computer")
    return Seek(
        args.game, tuple(args.option), args.computer, args.room, args.key,
        args.clock, args.seek, args.watch, args.user, args.guest, args.rated, args.second,
    )  # fmt: skip


def _run(args: argparse.Namespace) -> int:
    """Play until the person leaves (0), or can't continue (1); 128 + N for a signal N."""
    try:
        return int(args.start(args))
    except EOFError:
        return 0
    except ValueError as error:
        print(f"Error: {error}.", file=sys.stderr)
        return 1


def _play(args: argparse.Namespace) -> int:
    """As :func:`_run`; raises ValueError for arguments that don't go together."""
    from tictac.plugins.client.address import PORT, has_port, read_address
    from tictac.plugins.client.default_server import find, server_here

    wish = wish_of(args)
    given = " ".join(args.address) or "localhost"
    address = read_address(given, args.ca)
    if has_port(given) or address.tls:
        return _start(address, args, wish)
    found = find(address.host)
    if found is not None:
        return _start(found, args, wish)
    if args.address or not _in_shell(args):
        raise ValueError(
            f"there is no server at {address.host} port {PORT}; tictac serve starts one"
        )
    print(f"There is no server at localhost port {PORT}: starting one for you alone.")
    print("For one that others reach, too: tictac serve")
    with server_here() as here:
        return _start(here, args, replace(wish, guest=True, user=None))


def _watch(args: argparse.Namespace) -> int:
    from tictac.plugins.client.address import read_address
    from tictac.plugins.client.keyring import Keyring, folder

    known = args.server or Keyring(folder(os.environ) / "servers.json").last or "localhost"
    args.guest = args.user is None and not _in_shell(args)  # where no token is kept
    return _start(read_address(known, args.ca), args, wish_of(args))


def _in_shell(args: argparse.Namespace) -> bool:
    return not args.plain and suits_shell(os.environ)


def _start(address: ServerAddress, args: argparse.Namespace, wish: Seek) -> int:
    """Play on a server. Raises ValueError for a certificate that can't be read."""
    from tictac.plugins.client.address import trust
    from tictac.plugins.client.program import play_plainly, run_shell

    trust(address)
    if _in_shell(args):
        return run_shell(address, wish, args.reconnect is not False)
    return run_program(partial(play_plainly, address=address, wish=wish, reconnect=args.reconnect))

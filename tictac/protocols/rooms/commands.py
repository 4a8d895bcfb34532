"""`tictac play`: the shell, or the dialogue of the rooms protocol."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tictac.client import commands as lobby
from tictac.client.keyring import Keyring, folder
from tictac.client.seek import Seek
from tictac.terminal.program import run_program
from tictac.terminal.terminal import Terminal

if TYPE_CHECKING:
    from tictac.client.address import ServerAddress


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `play` and `watch` to the program's commands; they set `run(args) -> exit status`."""
    summary = "play any game on a server, or watch"
    usage = "%(prog)s [-h] [option ...] [HOST PORT | tls://HOST:PORT]"
    parser = subparsers.add_parser("play", help=summary, description=summary, usage=usage)
    # Any number is taken, as rooms.md has a text of its own for a wrong one.
    parser.add_argument("address", metavar="HOST PORT", nargs="*", help="where the server is")
    parser.add_argument(
        "--bare", action="store_true", help="send messages without a newline, for old servers"
    )
    _add_common(parser)
    lobby.add_options(parser)
    parser.set_defaults(run=run, start=_play)
    summary = "watch a table: play --watch"
    watch = subparsers.add_parser("watch", help=summary, description=summary)
    add = watch.add_argument
    add("watch", metavar="ROOM", nargs="?", default="", help="without one, choose from a list")
    add(
        "--server", metavar="PLACE",
        help="HOST:PORT or tls://HOST:PORT; default: the last one that was played on",
    )  # fmt: skip
    add("--key", help="the key of a private table")
    add("--user", metavar="NAME", help="log in under this name; otherwise come as a guest")
    _add_common(watch)
    others = dict.fromkeys(("game", "computer", "room", "clock"))
    flags = dict.fromkeys(("bare", "second", "seek", "rated", "guest"), False)
    watch.set_defaults(run=run, start=_watch, option=[], **others, **flags)


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--plain", action="store_true",
        help="lines alone, as on a pipe: for a screen reader, or another program",
    )  # fmt: skip
    parser.add_argument("--ca", metavar="FILE", help="a certificate to trust, with tls://HOST:PORT")
    parser.add_argument(
        "--reconnect",
        action=argparse.BooleanOptionalAction,
        help="come back when the connection was lost (default: for somebody at a terminal)",
    )


def run(args: argparse.Namespace) -> int:
    """Play until the person leaves (0), or it can't go on (1); 128 + N for a signal N."""
    try:
        return int(args.start(args))
    except EOFError:
        return 0
    except ValueError as error:
        print(f"Error: {error}.", file=sys.stderr)
        return 1


def _watch(args: argparse.Namespace) -> int:
    """Watch a table; as :func:`_play`."""
    from tictac.client.address import read_place

    known = args.server or Keyring(folder(os.environ) / "servers.json").last
    place = read_place(known, args.ca) if known else None
    in_shell = not args.plain and lobby.suits_shell(os.environ)
    if place is None and not in_shell:
        raise ValueError("where? --server HOST:PORT")
    args.address = []
    if place is not None:
        args.address = [str(place)] if place.tls else [place.host, str(place.port)]
    args.guest = args.user is None and not in_shell  # where no token is kept
    return _play(args)


def _play(args: argparse.Namespace) -> int:
    """As :func:`run`; raises ValueError for arguments that don't go together, and EOFError."""
    is_tls = len(args.address) == 1 and args.address[0].startswith("tls://")
    in_shell = not (args.plain or args.bare) and lobby.suits_shell(os.environ)
    if in_shell and not args.address:
        return _play_somewhere(args)
    if not is_tls and (len(args.address) != 2 or not args.address[1].isdecimal()):
        print("Error: Expecting 2 arguments: <server address> <port>", file=sys.stderr)
        return 1
    wish = lobby.wish_of(args, ("user", "guest") if in_shell else ())
    if in_shell or wish is not None or is_tls or args.ca is not None:
        from tictac.client.address import read_place, trust

        place = read_place(" ".join(args.address), args.ca)
        where: dict[str, Any] = {"host": place.host, "port": place.port, "tls": trust(place)}
    else:
        where = {"host": args.address[0], "port": int(args.address[1])}
    if in_shell:
        return _run_shell(place, args, wish)
    if wish is not None:
        from tictac.client.program import play_plainly

        playing = partial(play_plainly, place=place, wish=wish, reconnect=args.reconnect)
        return run_program(playing)
    where |= {"bare": args.bare, "reconnect": args.reconnect}
    return run_program(partial(connect_and_play, **where))


def _run_shell(place: ServerAddress, args: argparse.Namespace, wish: Seek | None) -> int:
    """Play at ``place`` in the shell, or in the dialogue if nothing is wished and the server speaks
    nothing else. Raises ValueError for a certificate that can't be read."""
    from tictac.client.address import trust
    from tictac.client.program import run_shell

    dialogue = partial(
        connect_and_play, host=place.host, port=place.port, bare=False,
        reconnect=args.reconnect, tls=trust(place),
    )  # fmt: skip
    fall_back = dialogue if wish is None else None
    return run_shell(place, wish or Seek(), args.reconnect is not False, fall_back)


def _play_somewhere(args: argparse.Namespace) -> int:
    """Ask where; raises as :func:`_play`."""
    from tictac.client.program import run_shell
    from tictac.client.where import ask_where, server_here

    wish = lobby.wish_of(args, ("user", "guest"))
    place = ask_where(os.environ)
    if place is not None:
        return _run_shell(place, args, wish)
    print("Starting a server for you alone...")
    with server_here() as here:
        return run_shell(here, replace(wish or Seek(), guest=True, user=None))


async def connect_and_play(
    reactor: Any,
    terminal: Terminal,
    host: str,
    port: int,
    bare: bool,
    reconnect: bool | None = None,
    tls: Any = None,
) -> int:
    """Play on the server at ``host`` and ``port``; the exit status.

    With a ``reconnect`` of None only somebody at a terminal comes back after the connection
    was lost: a script shall see the documented lines and no others.
    """
    from random import Random

    from tictac.protocols.rooms.client import RoomsReconnector, connect
    from tictac.protocols.rooms.console import play
    from tictac.terminal.dialog import reach

    connect_again = partial(connect, reactor, host, port, bare, tls)
    client = await reach(connect_again(), terminal, host, port)
    if client is None:
        return 1
    if reconnect is None:
        reconnect = terminal.is_interactive
    link = RoomsReconnector(client, reactor, connect_again if reconnect else None, Random())
    return await play(link, terminal, terminal.style)

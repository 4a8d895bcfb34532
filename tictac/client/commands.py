"""The options of `tictac play` for the lobby protocol."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping

from tictac.client.seek import Seek
from tictac.lobby.clock import TimeControl
from tictac.options import typed

_OF_A_GAME = ("option", "computer", "second", "room", "seek", "clock", "rated")
_OF_THE_LOBBY = (*_OF_A_GAME, "key", "user", "guest")
_NOT_BOTH = (
    ("game", "watch"), ("seek", "room"), ("seek", "computer"), ("guest", "user"),
    ("rated", "computer"), ("rated", "guest"),
)  # fmt: skip


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that :func:`wish_of` reads."""
    group = parser.add_argument_group(
        "any game",
        "From a pipe, or with --plain, it is tic-tac-toe in a dialogue of commands without --game"
        " and --watch.",
    )
    add = group.add_argument
    add("--game", metavar="NAME", help="play this game, at a table of your own unless told so")
    add(
        "--option", metavar="NAME=VALUE", action="append", default=[],
        help="an option of the game, such as rows=19; repeatable",
    )  # fmt: skip
    add("--computer", metavar="LEVEL", help="against the computer, at a level like club")
    add("--second", action="store_true", help="let the computer have the first seat, and begin")
    add("--room", metavar="NAME", help="sit down at this table; it is opened if it isn't there")
    add(
        "--clock", metavar="TIME", type=typed(TimeControl.parse),
        help="seconds for each player, and for each move: 300+3; with a delay: 300d3;"
        " with byo-yomi, 3 periods of 30 seconds: 600+3x30; 10m are 600",
    )  # fmt: skip
    add("--key", help="the key of a private table")
    add("--seek", action="store_true", help="against whoever seeks the same")
    add("--rated", action="store_true", help="play for ratings, against another account")
    add(
        "--watch", metavar="ROOM", nargs="?", const="",
        help="watch this table; without a name, choose one from a list",
    )  # fmt: skip
    add("--user", metavar="NAME", help="log in under this name; only the password is asked for")
    add("--guest", action="store_true", help="play the computer, or watch, without an account")


def suits_shell(environment: Mapping[str, str]) -> bool:
    """Return whether input and output are a terminal that can edit a line."""
    streams = sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()
    return streams and environment.get("TERM", "dumb") not in ("dumb", "")


def wish_of(args: argparse.Namespace, alone: tuple[str, ...] = ()) -> Seek | None:
    """Return the wish in the options, None if none; those in ``alone`` need no game.

    Raises ValueError, with a sentence, for options that don't go together.
    """
    given = {name for name, value in vars(args).items() if value not in (None, False, [])}
    if not given & {"game", "watch", *alone}:
        for name in _OF_THE_LOBBY:
            if name in given:
                raise ValueError(
                    f"--{name} needs --game{'' if name in _OF_A_GAME else ' or --watch'}"
                )
        return None
    if args.bare:
        raise ValueError("--bare is for the dialogue without --game and --watch")
    for one, other in _NOT_BOTH:
        if {one, other} <= given:
            raise ValueError(f"--{one} and --{other} don't go together")
    for name in _OF_A_GAME:
        if name in given and args.game is None:
            raise ValueError(f"--{name} needs --game")
    if args.second and args.computer is None:
        raise ValueError("--second needs --computer")
    return Seek(
        args.game, tuple(args.option), args.computer, args.room, args.key,
        args.clock, args.seek, args.watch, args.user, args.guest, args.rated, args.second,
    )  # fmt: skip

"""`tictac matches …`: the archive, also while a server uses the database."""

from __future__ import annotations

import argparse

from tictac.accounts.commands import CREATE, add_database, new_command
from tictac.archive.pages import RESULTS
from tictac.options import count, typed

_HERE, _ANALYSIS = "tictac.plugins.matches.actions", "tictac.plugins.matches.analysis_commands"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `matches` and its commands to the program's (see accounts.commands)."""
    matches = subparsers.add_parser("matches", help="list, show, and export finished matches")
    add_database(matches)
    commands = matches.add_subparsers(required=True, metavar="COMMAND")
    found = new_command(commands, "list", f"{_HERE}:list_all", "list matches, the newest first")
    show = new_command(commands, "show", f"{_HERE}:show", "print the board after each move")
    step = "step through a match at a terminal"
    replays = [
        new_command(commands, "replay", f"{_HERE}:replay", step),
        new_command(subparsers, "replay", f"{_HERE}:replay", step, ""),
    ]
    judged = new_command(commands, "judge", f"{_ANALYSIS}:judge", "analyze each move of a match")
    rated = new_command(
        commands, "ratings", f"{_ANALYSIS}:ratings", "list the best players of a game"
    )
    write = new_command(
        commands,
        "export",
        f"{_HERE}:export",
        "write matches to a file, as JSON Lines, the oldest first",
    )
    read = new_command(commands, "import", f"{_HERE}:import_file", "add the matches of a file")
    read.add_argument("--create", action="store_true", help=CREATE)
    for parser in (found, write):
        _add_filter(parser)
    for parser in (found, rated):
        parser.add_argument(
            "--limit", type=typed(count), default=20, metavar="N", help="0: all; default: 20"
        )
    rated.add_argument("game", metavar="GAME")
    rated.add_argument("--group", help="only players of this group")
    for parser in (show, *replays, judged):
        parser.add_argument("id", metavar="ID")
    for parser in (show, *replays):
        parser.add_argument("--as", dest="player", metavar="NAME", help="player whose view to show")
    text = "pgn, sgf, or another format; matches of games without it are left out"
    write.add_argument("--format", metavar="SUFFIX", help=text)
    write.add_argument("file", metavar="FILE", nargs="?", default="-", help="- is standard output")
    read.add_argument("file", metavar="FILE", help="- is standard input")


def _add_filter(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--game", metavar="NAME", help="only matches of this game")
    add("--player", metavar="NAME", help="only matches with this player")
    add("--group", help="only matches with a player of this group")
    add("--result", choices=RESULTS, help="result of --player, or of any player")
    add("--since", metavar="TIME", help="earliest end: 2026-11-22, or 2026-11-22T08:30, in UTC")
    add("--until", metavar="TIME", help="only matches that ended before")

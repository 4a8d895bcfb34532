"""`tictac admin series …`: create and administer series of a running server."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from io import StringIO

from tictac.lobby.clock import TimeControl
from tictac.plugins.tournament.hosting.commands import read_option
from tictac.plugins.tournament.ladder.series_plan import NIGHTS
from tictac.protocols.lobby.json_view import Message
from tictac.sheets import write_sheet

COLUMNS = ("rank", "name", "level", "rating", "error", "games", "version", "seen", "losses")


def add_admin_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `series` to the commands of `tictac admin`."""
    summary = "create and manage series of tournaments"
    series = commands.add_parser("series", help=summary, description=summary)
    acts = series.add_subparsers(required=True, metavar="COMMAND")

    def deed(
        name: str, summary: str, act: str, show: Callable[[Message], object]
    ) -> argparse.ArgumentParser:
        parser = acts.add_parser(name, help=summary, description=summary)
        parser.add_argument("series", metavar="ID", help="1 to 5 of a-z and 0-9")
        parser.set_defaults(ask=_asked, show=show, act=act)
        return parser

    for name, summary in (
        ("create", "make a series"),
        ("change", "replace its settings, from the next tournament on"),
    ):
        parser = deed(name, summary, name, _done)
        _add_plan(parser)
        parser.set_defaults(ask=_asked_plan)
    parser = acts.add_parser("list", help="list the series", description="list the series")
    parser.set_defaults(ask=lambda args: {"do": "series"}, show=_list, act="")
    deed("show", "show the players with their ratings and losses", "players", _show)
    deed("export", "print the players as a CSV file", "players", _export)
    deed("freeze", "take no new players and versions, and play the finals", "freeze", _done)
    deed("end", "end it now", "end", _done)
    deed("remove", "delete it, but not its tournaments", "remove", _done)


def _add_plan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--game", metavar="NAME", help="game to play", required=True)
    parser.add_argument(
        "--time", metavar="TIME", help="each player's clock, such as 30+0.3", required=True
    )
    parser.add_argument("--name", metavar="TEXT", help="title (default: the ID)")
    text = "option of the game; repeatable"
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=text)
    text = "level of the computer that takes part as a fixed mark; repeatable"
    parser.add_argument("--level", action="append", default=[], metavar="LEVEL", help=text)
    for name, value, text in (
        ("group", "TEXT", "only accounts of this group enter"),
        ("zone", "ZONE", "time zone of the hours (default: UTC)"),
        ("hours", "HH:MM-HH:MM", "hours of the day's arena (default: 06:00-23:30)"),
        ("night", "SYSTEM", f"{', '.join(NIGHTS)} (default: {NIGHTS[0]})"),
        ("ends", "TIME", "time of the end, such as 2026-12-18T15:30:00Z (default: by hand)"),
    ):
        parser.add_argument(f"--{name}", metavar=value, help=text)
    for name, text in (
        ("games", "games of each pair at night (default: 2)"),
        ("enough", "games after which a pair with the same versions rests at night (default: 20)"),
        ("most", "maximum games of a pair for the finals (default: 200)"),
    ):
        parser.add_argument(f"--{name}", type=int, metavar="N", help=text)


def _asked(args: argparse.Namespace) -> Message:
    return {"do": "ladder", "act": args.act, "series": args.series}


def _asked_plan(args: argparse.Namespace) -> Message:
    """Return the request for a plan. Raises a Refusal, or ValueError."""
    names = ("name", "game", "group", "zone", "hours", "night", "ends", "games", "enough", "most")
    plan = {name: value for name in names if (value := getattr(args, name)) is not None}
    plan.setdefault("name", args.series)
    plan |= {"clock": TimeControl.parse(args.time).fields(), "levels": args.level}
    plan |= {"options": dict(map(read_option, args.option))}
    return {**_asked(args), "plan": plan}


# Answers


def _done(answer: Message) -> Iterator[str]:
    yield "Done."


def _list(answer: Message) -> Iterator[str]:
    for each in answer["series"]:
        at = each["tournament"] or (f"opens {each['opens']}" if each["opens"] else each["state"])
        yield f"{each['id']}: {each['name']} ({each['game']}, {each['players']} players), {at}"


def _show(answer: Message) -> Iterator[str]:
    for each in answer["rows"]:
        rank = "" if each["rank"] is None else f"{each['rank']}."
        name = each["user"] or f"({each['level']})"
        rating = "" if each["rating"] is None else f"{each['rating']:5} ± {each['error']}"
        yield f"{rank:>4} {name:20} {rating:12} {each['games']:6} games  {_losses(each)}"


def _losses(row: Message) -> str:
    # The end of a game is "won" for both: by the winner.
    losses = {"beaten" if why == "won" else why: n for why, n in row.get("losses", {}).items()}
    return ", ".join(f"{number} {why}" for why, number in losses.items())


def _export(answer: Message) -> Iterator[str]:
    rows = [
        [
            each["rank"] or "", each["user"] or "", each["level"] or "", each["rating"] or "",
            "" if each["error"] is None else each["error"], each["games"], each["version"],
            each.get("seen", ""), _losses(each),
        ]
        for each in answer["rows"]
    ]  # fmt: skip
    file = StringIO(newline="")
    write_sheet(COLUMNS, [list(map(str, row)) for row in rows], file)
    yield from file.getvalue().splitlines()

"""`tictac admin runners` and `tictac admin submissions`."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from io import StringIO

from tictac.protocols.lobby.json_view import Message
from tictac.sheets import write_sheet

COLUMNS = ("user", "group", "number", "series", "state", "changed", "games", "lost", "reasons",
           "report")  # fmt: skip


def add_runners_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `runners` to the commands of `tictac admin`."""
    summary = "list, add, and remove runners of submitted programs"
    runners = commands.add_parser("runners", help=summary, description=summary)
    acts = runners.add_subparsers(required=True, metavar="COMMAND")
    for act, summary, show in (
        ("list", "list the runners", _runners),
        ("add", "add a runner, and print its token once", _added),
        ("remove", "delete a runner; others get its programs", _done),
    ):
        parser = acts.add_parser(act, help=summary, description=summary)
        if act != "list":
            parser.add_argument("runner", metavar="NAME", help="1 to 40 characters")
        parser.set_defaults(ask=_ask_runners, show=show, act=act, runner=None)


def _ask_runners(args: argparse.Namespace) -> Message:
    runner = {} if args.runner is None else {"runner": args.runner}
    return {"do": "runners", "act": args.act, **runner}


def _runners(answer: Message) -> Iterator[str]:
    if not answer["runners"]:
        yield "No runners."
    for each in answer["runners"]:
        seen = each["seen"] or "never"
        yield f"{each['runner']:20} {each['programs']:4} programs  seen {seen}"


def _added(answer: Message) -> Iterator[str]:
    yield answer["token"]


def _done(answer: Message) -> Iterator[str]:
    yield "Done."


def add_submissions_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `submissions` to the commands of `tictac admin`."""
    summary = "list the latest submitted program of each account"
    parser = commands.add_parser("submissions", help=summary, description=summary)
    parser.add_argument("--group", metavar="TEXT", help="only accounts of this group")
    parser.add_argument("--csv", action="store_true", help="print a CSV file")
    # The command picks the form of the answer when it shows it.
    parser.set_defaults(ask=_ask_submissions, show=_list, act="")


def _ask_submissions(args: argparse.Namespace) -> Message:
    if args.csv:
        args.show = _csv
    group = {} if args.group is None else {"group": args.group}
    return {"do": "submissions", "act": "submissions", **group}


def _list(answer: Message) -> Iterator[str]:
    if not answer["submissions"]:
        yield "No programs."
    for each in answer["submissions"]:
        games = f"{each['games']} games, {each['lost']} lost"
        yield f"{each['user']:20} {each['number']:4}  {each['state']:9} {games}  {each['report']}"


def _csv(answer: Message) -> Iterator[str]:
    text = StringIO()
    rows = [
        [_cell(each[name]) for name in COLUMNS]
        for each in answer["submissions"]
    ]  # fmt: skip
    write_sheet(COLUMNS, rows, text)
    yield from text.getvalue().splitlines()


def _cell(value: object) -> str:
    if isinstance(value, dict):
        # The end of a game is "won" for both: by the winner.
        losses = {"beaten" if why == "won" else why: number for why, number in value.items()}
        return ", ".join(f"{number} {why}" for why, number in losses.items())
    return str(value)

"""`tictac admin reports`: what players reported to the admins."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from tictac.protocols.lobby.json_view import Message


def add_admin_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `reports` to the commands of `tictac admin`."""
    summary = "list reports about players, with the last texts of the room"
    parser = commands.add_parser("reports", help=summary, description=summary)
    parser.add_argument("--close", type=int, metavar="NUMBER", help="delete a report first")
    parser.set_defaults(ask=ask, show=lines, act="")


def ask(args: argparse.Namespace) -> Message:
    """Return the request."""
    close = {} if args.close is None else {"close": args.close}
    return {"do": "reports", "act": "reports", **close}


def lines(message: Message) -> Iterator[str]:
    """Return the lines of an answer to the request ``reports``."""
    if not message["reports"]:
        yield "No reports."
    for each in message["reports"]:
        room = f" in room {each['room']}" if each["room"] else ""
        yield f"{each['number']}. {each['at']}: {each['by']} reported {each['user']}{room}"
        yield f"   {each['text']}"
        for user, text in each["said"]:
            yield f"   | {user}: {text}"

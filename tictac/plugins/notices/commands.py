"""`tictac admin notices`: the messages of a running server that wait or have failed."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from tictac.protocols.lobby.json_view import Message


def add_admin_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `notices` to the commands of `tictac admin`."""
    summary = "list messages to players that wait, and addresses that were given up"
    parser = commands.add_parser("notices", help=summary, description=summary)
    parser.set_defaults(ask=lambda args: {"do": "outbox", "act": "notices"}, show=lines, act="")


def lines(message: Message) -> Iterator[str]:
    """Return the lines of an answer to the request ``outbox``."""
    yield f"Waiting: {message['count']}."
    for each in message["waiting"]:
        why = f", failed {each['tries']} times: {each['failed']}" if each["failed"] else ""
        when = f"in {each['seconds']} s" if each["seconds"] else "now"
        yield f"{each['user']:20}  {each['channel']:8}  {each['kind']:6}  {when}{why}"
    hidden = message["count"] - len(message["waiting"])
    if hidden > 0:
        yield f"and {hidden} more"
    for each in message["given_up"]:
        yield f"{each['user']:20}  {each['channel']:8}  given up {each['at']}: {each['why']}"

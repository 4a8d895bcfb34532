"""`tictac admin notices` and `bounced`: what waits or has failed, and mails that came back."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from tictac.protocols.lobby.json_view import Message


def add_admin_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `notices` to the commands of `tictac admin`."""
    summary = "list waiting messages to players, and stopped addresses"
    parser = commands.add_parser("notices", help=summary, description=summary)
    parser.set_defaults(ask=lambda args: {"do": "outbox", "act": "notices"}, show=lines, act="")
    summary = "stop messages to the address of a returned mail, read from standard input"
    parser = commands.add_parser("bounced", help=summary, description=summary)
    parser.set_defaults(ask=_bounced, show=_given_up, act="")


def _bounced(args: argparse.Namespace) -> Message:
    from tictac.plugins.notices.bounces import read_bounce

    bounce = read_bounce(sys.stdin.buffer)
    about = {} if bounce is None else {"message": bounce.message, "why": bounce.why}
    return {"do": "outbox", "act": "bounced", **about}


def _given_up(message: Message) -> Iterator[str]:
    yield f"{message['user']} gets no more mails there." if message["user"] else "No address."


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

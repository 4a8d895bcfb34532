"""`tictac admin …`: administers a running server over its Unix socket."""

from __future__ import annotations

import argparse
import json
import os
import re
import socket
import sys
from collections.abc import Callable, Iterator
from functools import partial
from io import BufferedIOBase
from typing import Any

from tictac.characters import name_of
from tictac.errors import Refusal
from tictac.plugin import Added
from tictac.protocols.lobby.json_view import Message
from tictac.terminal.style import visible

DEFAULT = "admin.sock"

ADMIN_COMMANDS: Added[Callable[[Any], None]] = Added("admin_commands", "command of admin")

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `admin` and its commands to the parser; each sets `run(args) -> exit status`."""
    admin = subparsers.add_parser("admin", help="manage a running server")
    admin.add_argument(
        "-s", "--admin-socket", default=DEFAULT, metavar="PATH", help="default: %(default)s"
    )
    admin.add_argument("--json", action="store_true", help="print the answer of the server")
    commands = admin.add_subparsers(required=True, metavar="COMMAND")
    for act, summary in (
        ("on", "list connections: name, address, protocol, and start"),
        ("rooms", "list all rooms"),
        ("watch", "print the events of a room as lines of JSON"),
        ("kick", "close the connections of a user or an address"),
        ("ban", "kick a user or an address, and refuse it from now on"),
        ("unban", "end a ban"),
        ("bans", "list all bans"),
        ("announce", "show a text to all clients of the lobby protocol"),
        ("drain", "stop the server after its matches"),
    ):
        parser = commands.add_parser(act, help=summary, description=summary)
        parser.set_defaults(act=act, user=None, address=None, ask=_asked, show=partial(_lines, act))
        if act in ("kick", "ban", "unban"):
            whom = parser.add_mutually_exclusive_group(required=True)
            whom.add_argument("user", metavar="NAME", nargs="?")
            whom.add_argument("--address", metavar="ADDRESS", help="IPv6: its /64 network")
        if act == "ban":
            parser.add_argument(
                "--for", dest="seconds", type=_time, metavar="TIME", help="30m, 2h, 7d; or forever"
            )
        if act == "watch":
            parser.add_argument("room", metavar="ROOM")
        if act == "announce":
            parser.add_argument("text", metavar="TEXT")
    admin.set_defaults(run=_run)
    for _, add_admin_parser in ADMIN_COMMANDS.all():
        add_admin_parser(commands)


def _time(text: str) -> int:
    found = re.fullmatch(r"(\d{1,6})([smhd])", text)
    if found is None or int(found[1]) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} isn't like 30m, 2h, or 7d")
    return int(found[1]) * _UNITS[found[2]]


def _asked(args: argparse.Namespace) -> Message:
    """Return the request of a command."""
    if args.act == "watch":
        return {"do": "watch", "room": args.room}
    names = ("user", "address", "seconds", "text")
    return {"do": "admin", "act": args.act, **{name: getattr(args, name, None) for name in names}}


def _run(args: argparse.Namespace) -> int:
    try:
        request = args.ask(args)
    except Refusal as refusal:
        print(f"Error: {visible(str(refusal))}", file=sys.stderr)
        return 1
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.connect(args.admin_socket)
            server.sendall(json.dumps(request).encode() + b"\n")
        except OSError as error:
            why = error.strerror or error
            where = "run it in the server's folder, or give -s PATH"
            print(f"Error: no server at {args.admin_socket}: {why}; {where}", file=sys.stderr)
            return 1
        try:
            with server.makefile("rwb") as file:
                return _print_answers(args, file)
        except Refusal as refusal:  # by what shows the answer
            print(f"Error: {visible(str(refusal))}", file=sys.stderr)
            return 1
        except ConnectionResetError:
            return _closed()
        except BrokenPipeError:  # The reader of the output closed its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1


def _print_answers(args: argparse.Namespace, file: BufferedIOBase) -> int:
    """Print the answer; of a command with ``asks_on`` all its parts, one after the other."""
    for line in file:
        try:
            message = dict(json.loads(line))
        except (ValueError, TypeError):
            print(f"Error: no tictac server answers at {args.admin_socket}", file=sys.stderr)
            return 1
        if "error" in message:
            print(f"Error: {visible(message['message'])}", file=sys.stderr)
            return 1
        if args.act == "watch":
            if "event" in message:
                print(_harmless(line.decode().rstrip()), flush=True)
            if message.get("event") in ("ended", "closing"):
                return 0
        elif "answer" in message:
            del message["answer"]
            lines = [json.dumps(message)] if args.json else args.show(message)
            print("\n".join(map(visible, lines)), flush=True)
            args.first = message.get("next") if getattr(args, "asks_on", False) else None
            if args.first is None:
                return 0
            file.write(json.dumps(args.ask(args)).encode() + b"\n")
            file.flush()
    if args.act == "drain":
        return 0
    return _closed()


def _closed() -> int:
    print("Error: the server has closed the connection", file=sys.stderr)
    return 1


def _harmless(text: str) -> str:
    """Return the same JSON without the control characters of terminals, which chat can contain."""
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


_SHOWN = {"UNIXAddress": "this machine", "operator": "admin"}
"""Values of the protocol for which people have other words."""


def _lines(act: str, message: Message) -> Iterator[str]:
    match act:
        case "on":
            for each in message["on"]:
                address, protocol = (_SHOWN.get(each[of], each[of]) for of in ("address", "door"))
                user, since = each["user"] or "-", each["since"]
                yield f"{user:20}  {address:15}  {protocol:10}  {since}"
        case "rooms":
            for each in message["rooms"]:
                known = each.get("computers", {})
                called = (player and name_of(player, known) for player in each["players"])
                players = " against ".join(player or "no one yet" for player in called)
                marks = [word for word in ("begun", "private") if each[word]]
                marks += [f"{each['viewers']} watching"] * bool(each["viewers"])
                marks += [each["door"]] * bool(each["door"])
                about = f" ({', '.join(marks)})" if marks else ""
                yield f"{each['room']}: {each['game']}, {players}{about}"
        case "bans":
            for each in message["bans"]:
                who = each.get("user") or f"address {each['address']}"
                yield f"{who}, {'until ' + each['until'] if each['until'] else 'for ever'}"
        case "kick":
            yield f"Connections closed here: {message['ended']}."
        case "announce":
            yield f"Connections that got the text: {message['told']}."
        case _:
            yield "Done."
    hidden = message.get("count", 0) - len(message.get(act, ()))
    if hidden > 0:
        yield f"and {hidden} more"

"""`tictac bot push`: sends the folder of a program to a server, and follows what becomes of it."""

from __future__ import annotations

import argparse
import base64
import json
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from getpass import getpass
from pathlib import Path

from tictac.errors import Refusal, SetupError
from tictac.plugins.client.keyring import Keyring, folder
from tictac.plugins.submissions.package import pack
from tictac.protocols.lobby.json_view import Message
from tictac.terminal.style import visible

PATIENCE = 60.0
"""Seconds for an answer of the server."""

EVERY = 2.0
"""Seconds between two questions of ``--wait``."""

MEANING = {
    "received": "it waits for a runner, which checks it",
    "checked": "it passed the check; four games against beginner follow",
    "trial": "it plays four games against beginner",
    "ladder": "it is on the ladder",
    "refused": "it was refused",
    "replaced": "a later version took its place",
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `bot` to the program's commands; each sets `run(args) -> exit status`."""
    summary = "send your program to a server, which plays it"
    bot = subparsers.add_parser("bot", help=summary, description=summary)
    acts = bot.add_subparsers(required=True, metavar="COMMAND")
    summary = "send the program in a folder as your next version"
    push = acts.add_parser("push", help=summary, description=summary)
    add = push.add_argument
    add("folder", metavar="FOLDER", help="with bot.toml, or main.py, main.js, Main.java, main.c")
    add("server", metavar="URL", help="the page of the server, such as https://play.example")
    add("--user", metavar="NAME", help="your account; default: the one of the last push there")
    add("--wait", action="store_true", help="wait until the program is on the ladder or refused")
    push.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Push a program; return the exit status: 1 if it was refused, 2 if it wasn't sent."""
    try:
        data = pack(Path(args.folder))
        server = Server(args.server)
        ring = Keyring(folder(os.environ) / "servers.json")
        address = log_in(server, ring, args.user)
        version = server.ask(address, data)
    except (SetupError, Refusal, OSError) as error:
        print(f"Error: {visible(str(error))}", file=sys.stderr)
        return 2
    except (EOFError, KeyboardInterrupt):
        return 2
    print(f"Version {version['number']} is for the series {version['series']}.", flush=True)
    if not args.wait:
        return 0
    try:
        again = partial(log_in, server, ring, args.user)
        return follow(server, address, version["number"], again, time.sleep)
    except KeyboardInterrupt:
        return 0
    except SetupError as error:
        print(f"Error: {visible(str(error))}", file=sys.stderr)
        return 2


class Server:
    """The web port of a server. ``url`` is that of its page. Raises SetupError."""

    def __init__(self, url: str) -> None:
        if not url.startswith(("http://", "https://")):
            raise SetupError(f"{url!r:.80} isn't a URL such as https://play.example")
        self.url = url.rstrip("/")

    def ask(self, path: str, body: bytes | None = None, login: str = "") -> Message:
        """Return the answer to a GET, or to a POST with a body. Raises SetupError."""
        from urllib.error import HTTPError, URLError
        from urllib.request import Request, urlopen

        headers = {"Content-Type": "application/zip"} if body is not None else {}
        if login:
            headers["Authorization"] = login
        request = Request(self.url + path, body, headers)
        try:
            with urlopen(request, timeout=PATIENCE) as answer:
                return _message(answer.read())
        except HTTPError as error:
            with error:
                found = _message(error.read())
            why = str(found.get("message", f"the server answered {error.code}"))
            raise RefusedError(str(found.get("error", "")), why) from None
        except URLError as error:
            reason = getattr(error.reason, "strerror", None) or error.reason
            raise AwayError(f"{self.url} can't be reached: {reason}") from None
        except OSError as error:
            raise AwayError(f"{self.url} doesn't answer: {error}") from None


class RefusedError(SetupError):
    """An error of the server, with its ``code``."""

    def __init__(self, code: str, why: str) -> None:
        super().__init__(why)
        self.code = code


class AwayError(SetupError):
    """A server that doesn't answer."""


def _message(body: bytes) -> Message:
    try:
        found: object = json.loads(body)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        return {"message": "that URL isn't the page of a tictac server that takes programs"}
    return found


def log_in(server: Server, ring: Keyring, user: str | None) -> str:
    """Return the path for an upload, after a login by token or password. Raises SetupError."""
    known = ring.login(server.url)
    if known is not None and user in (None, known["user"]):
        try:
            login = _authorization("Token", known["user"], known["token"])
            return str(_upload(server.ask("/programs/login", b"", login)))
        except RefusedError as error:
            if error.code != "bad-token":
                raise
            ring.keep(server.url, None)
            user = known["user"]
    if user is None:
        user = input("Your account: ") if sys.stdin.isatty() else ""
    if not user:
        raise SetupError("which account pushes the program? --user NAME")
    password = os.environ.get("PASSWORD")
    if password is None:
        password = getpass(f"Password of {visible(user)}: ")
    answer = server.ask("/programs/login", b"", _authorization("Basic", user, password))
    if "token" in answer:
        ring.keep(server.url, {"user": user, "token": str(answer["token"])})
    return _upload(answer)


def _upload(answer: Message) -> str:
    if not isinstance(answer.get("upload"), str):
        raise SetupError(str(answer.get("message", "the server takes no programs")))
    return str(answer["upload"])


def _authorization(scheme: str, user: str, secret: str) -> str:
    return f"{scheme} {base64.b64encode(f'{user}:{secret}'.encode()).decode()}"


def follow(
    server: Server, address: str, number: int, again: Callable[[], str],
    rest: Callable[[float], object],
) -> int:  # fmt: skip
    """Print each state of a version until the last; return the exit status. Raises SetupError.

    A server that was restarted has forgotten the ``address``: ``again`` returns another one, which
    leads to the latest version.
    """
    last = ""
    while True:
        try:
            found = server.ask(address.replace("/upload/", "/state/"))
        except AwayError:
            rest(EVERY)  # it can come back
            continue
        except RefusedError as error:
            if error.code != "no-such-program":
                raise
            address = again()
            rest(EVERY)
            continue
        state = str(found.get("state")) if found.get("number") == number else "replaced"
        if state != last:
            print(f"{state}: {MEANING.get(state, '')}".rstrip(": "), flush=True)
            last = state
        if state in ("ladder", "refused", "replaced"):
            for name, title in (("report", ""), ("stderr", "Its standard error ended with:\n")):
                if found.get(name) and state == "refused":
                    text = "\n".join(map(visible, str(found[name]).splitlines()))
                    print(f"\n{title}{text}", flush=True)
            return 0 if state == "ladder" else 1
        rest(EVERY)

"""The shell as a program: at a terminal with a line that is edited, or line by line."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectError, ConnectionClosed
from twisted.logger import globalLogBeginner
from twisted.python.failure import Failure

from tictac.client.connection import Link, LobbyClient, Refused
from tictac.client.keyring import Keyring, folder
from tictac.client.place import HERE, Place, way_to, why_not
from tictac.client.plain import Plain
from tictac.client.seating import Wish
from tictac.client.shell import Shell
from tictac.client.visit import GivenUp
from tictac.net.client import UnknownMessage
from tictac.net.link import NoWayBack
from tictac.terminal.style import style_for, visible
from tictac.terminal.terminal import Terminal


def run_shell(place: Place, wish: Wish, reconnect: bool = True) -> int:
    """Play at ``place`` until the person leaves; the exit status."""
    from twisted.internet import asyncioreactor

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    asyncioreactor.install(loop)
    from twisted.internet import reactor

    # What goes wrong is said below; Twisted would write it across the line that is typed.
    globalLogBeginner.beginLoggingTo([], redirectStandardIO=False, discardBuffer=True)
    statuses: list[int] = []

    def stop(outcome: int | Failure) -> None:
        if isinstance(outcome, Failure):
            outcome.printTraceback(sys.stderr)  # as there is no log
        statuses.append(1 if isinstance(outcome, Failure) else outcome)
        reactor.stop()

    def start() -> None:
        Deferred.fromCoroutine(_edit(reactor, place, wish, reconnect)).addBoth(stop)

    reactor.callWhenRunning(start)
    reactor.run()
    return statuses[0] if statuses else 130


async def _edit(reactor: Any, place: Place, wish: Wish, reconnect: bool) -> int:
    from prompt_toolkit.history import FileHistory

    from tictac.terminal.editor import Editor

    link = await _reach(reactor, place, reconnect, _fail)
    if link is None:
        return 1
    keyring, history = None, None
    try:
        history = FileHistory(_history(folder(os.environ)))
        keyring = _keyring(place)
    except OSError as error:
        _fail(f"Nothing can be kept in {folder(os.environ)}: {error.strerror}.")
    shell = Shell(link, style_for(True, os.environ), wish, str(place), keyring)
    editor = Editor(shell.status, shell.complete, history)
    shell.screen = editor
    editor.start()
    # A signal ends the reactor alone, and the terminal is to be left as it was found.
    reactor.addSystemEventTrigger(
        "before", "shutdown", lambda: Deferred.fromCoroutine(editor.stop())
    )
    try:
        why = await _serve(shell, link, place)
    finally:
        await editor.stop()
    return _status(why, _fail)


async def play_plainly(
    reactor: Any, terminal: Terminal, place: Place, wish: Wish, reconnect: bool | None = None
) -> int:
    """Play at ``place`` by lines alone; the exit status.

    With a ``reconnect`` of None only somebody at a terminal comes back after a loss.
    """
    interactive = terminal.is_interactive
    back = interactive if reconnect is None else reconnect
    link = await _reach(reactor, place, back, terminal.error)
    if link is None:
        return 1
    keyring = None
    if interactive:
        with suppress(OSError):
            keyring = _keyring(place)
    style = style_for(terminal.output_is_terminal, os.environ)
    shell = Shell(link, style, wish, str(place), keyring, marks=False)
    shell.screen = Plain(terminal)
    return _status(await _serve(shell, link, place), terminal.error)


async def _reach(
    reactor: Any, place: Place, reconnect: bool, fail: Callable[[str], object]
) -> Link | None:
    """A connection to a server that speaks the lobby protocol; None, after a word about why not."""
    try:
        connect = way_to(reactor, place)
        client: LobbyClient = await connect()
        await client.request("hello")
    except (ConnectError, ConnectionClosed, OSError, UnknownMessage, Refused, ValueError) as error:
        is_said = isinstance(error, Refused | ValueError)
        why = str(error) if is_said else why_not(place, error)
        _status(why, fail)
        return None
    return Link(client, reactor, connect if reconnect else None, Random())


async def _serve(shell: Shell, link: Link, place: Place) -> str:
    """Serve the person until they leave; why it can't go on, or nothing."""
    try:
        await shell.run()
    except (NoWayBack, Refused, GivenUp) as error:
        return str(error)
    except ConnectionClosed:
        return link.client.ending
    except UnknownMessage as error:
        return why_not(place, error)
    return ""


def _status(why: str, fail: Callable[[str], object]) -> int:
    if why:
        fail(f"Error: {visible(why).rstrip('.')}.")
    return 1 if why else 0


def _fail(line: str) -> None:
    print(line, file=sys.stderr)


def _keyring(place: Place) -> Keyring | None:
    """Where tokens are kept, with this server noted as the last. Raises OSError."""
    if place.host.startswith(HERE):
        return None
    keyring = Keyring(folder(os.environ) / "servers.json")
    keyring.visit(str(place))
    return keyring


def _history(private: Path) -> str:
    private.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = private / "history"
    path.touch(mode=0o600)
    return str(path)

"""The shell as a program: the event loop, the terminal, and where to play."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from random import Random
from typing import Any

from prompt_toolkit.history import FileHistory
from twisted.internet import asyncioreactor
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectError, ConnectionClosed
from twisted.logger import globalLogBeginner
from twisted.python.failure import Failure

from tictac.client.connection import Link, LobbyClient, Refused
from tictac.client.keyring import Keyring, folder
from tictac.client.place import HERE, Place, way_to, why_not
from tictac.client.seating import Wish
from tictac.client.shell import Shell
from tictac.net.client import UnknownMessage
from tictac.net.link import NoWayBack
from tictac.terminal.editor import Editor
from tictac.terminal.style import style_for, visible


def run_shell(place: Place, wish: Wish, reconnect: bool = True) -> int:
    """Play at ``place`` until the person leaves; the exit status."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    asyncioreactor.install(loop)
    from twisted.internet import reactor

    # What goes wrong is said below; Twisted would write it across the line that is typed.
    globalLogBeginner.beginLoggingTo([], redirectStandardIO=False, discardBuffer=True)
    statuses: list[int] = []

    def stop(outcome: int | Failure) -> None:
        if isinstance(outcome, Failure):
            outcome.printTraceback()
        statuses.append(1 if isinstance(outcome, Failure) else outcome)
        reactor.stop()

    def start() -> None:
        Deferred.fromCoroutine(_run(reactor, place, wish, reconnect)).addBoth(stop)

    reactor.callWhenRunning(start)
    reactor.run()
    return statuses[0] if statuses else 130


async def _run(reactor: Any, place: Place, wish: Wish, reconnect: bool) -> int:
    style = style_for(True, os.environ)
    private = folder(os.environ)
    try:
        connect = way_to(reactor, place)
        client: LobbyClient = await connect()
        await client.request("hello")
    except (ConnectError, ConnectionClosed, OSError, UnknownMessage, Refused, ValueError) as error:
        is_said = isinstance(error, Refused | ValueError)
        why = str(error) if is_said else why_not(place, error)
        print(f"Error: {visible(why)}.", file=sys.stderr)
        return 1
    keyring, history = None, None
    try:
        history = FileHistory(_history(private))
        if not place.host.startswith(HERE):
            keyring = Keyring(private / "servers.json")
            keyring.visit(str(place))
    except OSError as error:
        keyring = None
        print(f"Nothing can be kept in {private}: {error.strerror}.", file=sys.stderr)
    link = Link(client, reactor, connect if reconnect else None, Random())
    shell = Shell(link, style, wish, str(place), keyring)
    editor = Editor(shell.status, shell.complete, history)
    shell.screen = editor
    editor.start()
    # A signal ends the reactor alone, and the terminal is to be left as it was found.
    reactor.addSystemEventTrigger(
        "before", "shutdown", lambda: Deferred.fromCoroutine(editor.stop())
    )
    why = ""
    try:
        return await shell.run()
    except (NoWayBack, Refused, ConnectionClosed) as error:
        why = str(link.client.ending if isinstance(error, ConnectionClosed) else error)
    except UnknownMessage as error:
        why = why_not(place, error)
    finally:
        await editor.stop()
        if why:
            print(f"Error: {visible(why).rstrip('.')}.", file=sys.stderr)
    return 1


def _history(private: Path) -> str:
    private.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = private / "history"
    path.touch(mode=0o600)
    return str(path)

"""The shell as a program: at a terminal with line editing, or line by line."""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

from twisted.internet.defer import CancelledError, Deferred, TimeoutError
from twisted.internet.error import ConnectError, ConnectionClosed
from twisted.internet.interfaces import IReactorTime
from twisted.logger import globalLogBeginner

from tictac.net.client_connection import UnknownMessage
from tictac.net.reconnector import NoWayBack
from tictac.plugins.client.address import HERE, ServerAddress, connector_to, why_not
from tictac.plugins.client.connection import LobbyReconnector, Refused
from tictac.plugins.client.keyring import Keyring, folder
from tictac.plugins.client.plain import Plain
from tictac.plugins.client.seek import Seek
from tictac.plugins.client.session import GivenUp
from tictac.plugins.client.shell import Shell
from tictac.plugins.programs.console import run_program
from tictac.reactor import Reactor
from tictac.terminal.dialog import Quit, meanwhile
from tictac.terminal.style import style_for, visible
from tictac.terminal.terminal import Terminal

PATIENCE = 3.0
"""Seconds after which the client assumes that a silent server speaks another protocol."""


class Unreachable(Exception):
    """A server that the shell can't use; ``str()`` is the reason, without its period."""


def run_shell(address: ServerAddress, wish: Seek, reconnect: bool = True) -> int:
    """Play on the server ``address`` until the user leaves; return the exit status."""
    from twisted.internet import asyncioreactor

    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    asyncioreactor.install(loop)
    # Errors are printed below; Twisted would write them across the typed line.
    globalLogBeginner.beginLoggingTo([], redirectStandardIO=False, discardBuffer=True)

    async def main(reactor: Reactor, terminal: Terminal) -> int:
        try:
            return await _visit(reactor, terminal, address, wish, reconnect)
        except CancelledError:
            raise
        except Exception:
            traceback.print_exc()  # because there is no log
            return 1

    return run_program(main)


async def _visit(
    reactor: Reactor, terminal: Terminal, address: ServerAddress, wish: Seek, reconnect: bool
) -> int:
    early: list[str] = []
    try:
        link = await meanwhile(terminal, _reach(reactor, address, reconnect), early.append)
    except Quit:
        return 0
    except Unreachable as why:
        return _status(str(why), terminal.error)
    await terminal.close()
    terminal.restore()
    return await _edit(reactor, link, address, wish, early)


async def _edit(
    reactor: Reactor, link: LobbyReconnector, address: ServerAddress, wish: Seek, early: list[str]
) -> int:
    from prompt_toolkit.history import FileHistory

    from tictac.plugins.client.editor import Editor

    keyring, history = None, None
    try:
        history = FileHistory(_history(folder(os.environ)))
        keyring = _keyring(address)
    except OSError as error:
        _fail(f"Nothing can be kept in {folder(os.environ)}: {error.strerror}.")
    shell = Shell(link, style_for(True, os.environ), wish, str(address), keyring)
    editor = Editor(shell.status, shell.complete, history)
    shell.screen = editor
    editor.start()
    for line in early:
        editor.take(line)
    # A signal stops only the reactor, so restore the terminal here.
    reactor.addSystemEventTrigger(
        "before", "shutdown", lambda: Deferred.fromCoroutine(editor.stop())
    )
    try:
        why = await _serve(shell, link, address)
    finally:
        await editor.stop()
    return _status(why, _fail)


async def play_plainly(
    reactor: IReactorTime,
    terminal: Terminal,
    address: ServerAddress,
    wish: Seek,
    reconnect: bool | None = None,
) -> int:
    """Play on the server ``address`` line by line; return the exit status.

    If ``reconnect`` is None, only a client at a terminal reconnects.
    """
    interactive = terminal.is_interactive
    back = interactive if reconnect is None else reconnect
    try:
        link = await _reach(reactor, address, back)
    except Unreachable as why:
        return _status(str(why), terminal.error)
    keyring = None
    if interactive:
        with suppress(OSError):
            keyring = _keyring(address)
    shell = Shell(link, terminal.style, wish, str(address), keyring, marks=False)
    shell.screen = Plain(terminal)
    return _status(await _serve(shell, link, address), terminal.error)


async def _reach(
    reactor: IReactorTime, address: ServerAddress, reconnect: bool
) -> LobbyReconnector:
    """Connect to a server that speaks the lobby protocol. Raises Unreachable."""
    try:
        connect = connector_to(reactor, address)
        client = await connect()
    except ValueError as error:
        raise Unreachable(str(error)) from None
    except (ConnectError, ConnectionClosed, OSError) as error:
        raise Unreachable(why_not(address, error)) from None
    try:
        await Deferred.fromCoroutine(client.greet()).addTimeout(PATIENCE, reactor)
    except BaseException as error:
        client.close()
        if client.why:
            raise Unreachable(client.ending) from None
        if isinstance(error, Refused):
            raise Unreachable(str(error)) from None
        if isinstance(error, ConnectionClosed | UnknownMessage | TimeoutError):
            raise Unreachable(why_not(address, error)) from None
        raise
    return LobbyReconnector(client, reactor, connect if reconnect else None, Random())


async def _serve(shell: Shell, link: LobbyReconnector, address: ServerAddress) -> str:
    """Run the shell until the user leaves; return why it ended early, or an empty text."""
    try:
        await shell.run()
    except (NoWayBack, Refused, GivenUp) as error:
        return str(error)
    except ConnectionClosed:
        return link.client.ending
    except UnknownMessage as error:
        return why_not(address, error)
    return ""


def _status(why: str, fail: Callable[[str], object]) -> int:
    if why:
        fail(f"Error: {visible(why).rstrip('.')}.")
    return 1 if why else 0


def _fail(line: str) -> None:
    print(line, file=sys.stderr)


def _keyring(address: ServerAddress) -> Keyring | None:
    """Return the keyring, with this server saved as the last. Raises OSError."""
    if address.host.startswith(HERE):
        return None
    keyring = Keyring(folder(os.environ) / "servers.json")
    keyring.visit(str(address))
    return keyring


def _history(private: Path) -> str:
    private.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = private / "history"
    path.touch(mode=0o600)
    return str(path)

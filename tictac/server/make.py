"""The service of ``twistd tictac``, as its options describe it."""

from __future__ import annotations

import gc
import os
import time
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from twisted.internet.error import ReactorNotRunning

from tictac.server import early  # noqa: F401  # first: the others take most of the start

# isort: split

from tictac.errors import SetupError
from tictac.games.all import GAMES
from tictac.logs import Log, open_log_file
from tictac.net.listening import check_endpoint
from tictac.net.running_time import running_time
from tictac.net.service import MainService, fail, install_signal_handlers
from tictac.net.settings import ServerOptions
from tictac.options import Settings
from tictac.runtime import Runtime
from tictac.server.settings import ADD_ONS, LOBBIES, MAKERS, Options
from tictac.storage.databases import is_url, shown
from tictac.storage.file_lock import FileLock, HeldError

gc.enable()

# twistd looks for these, as do plug-ins that run a server.
__all__ = ["MAKERS", "Options", "makeService"]


def makeService(options: Options, reactor: Any = None) -> MainService:
    """Return the whole server, with all possible checks before twistd forks; open nothing yet.

    The program ends with one line on standard error if the server can't start.
    """
    if reactor is None:
        from twisted.internet import reactor as main

        reactor = main
        # Twisted's timers follow the time of day: if it is set back, they would stop for as long.
        reactor.seconds = time.monotonic
    list(GAMES)  # faults of a game are reported here, where a person reads them
    runtime = Runtime(Settings(options), reactor, LOBBIES.values())
    settings = runtime.settings[ServerOptions]
    try:
        if options.parent is not None and options.parent["chroot"] is None:
            enter(options.parent)
        make_parts(runtime, options)
        log_file = open_log_file(options.parent, settings.log_files)
        pid_file = take_pid_file(options.pid_file) if options.pid_file else None
    except SetupError as error:
        for claim in runtime.claims:
            claim.release()
        fail(error)
    twistd = options.parent
    as_json = settings.log_json and (twistd is None or not (twistd["logger"] or twistd["syslog"]))
    log, most = Log(reactor, settings.log_lines, log_file, as_json), settings.max_connections
    service = MainService(
        reactor, settings.drain, runtime.parts, log, most, runtime.behind, runtime.disks,
        runtime.turn,
    )  # fmt: skip
    service.end, service.claims, service.pid_file = partial(stop, reactor), runtime.claims, pid_file
    service.time = running_time
    runtime.lost = service.lost
    if options.terminal is not None:
        service.started = partial(print_line, options.terminal, service, log_file, runtime.database)
    reactor.callWhenRunning(install_signal_handlers, reactor, service)
    return service


def make_parts(runtime: Runtime, options: Options) -> None:
    """Make what the options ask for, and then check the ports. Raises SetupError.

    The database comes first: a port in use would hide its faults.
    """
    made = {}
    for maker in MAKERS:
        if ports := options.ports[maker.port]:
            made[maker.port] = part = maker.make(ports, runtime)
            if part not in runtime.parts:  # the lobby's is there already
                runtime.parts.append(part)
    if runtime.lobby_service is not None:
        for add_on in ADD_ONS.values():
            if (added := add_on.make(runtime)) is not None:
                runtime.parts.append(added)
    for maker in MAKERS:
        # The active process on this machine can have the port until the turn of this one.
        waits = runtime.turn is not None and maker.port in made and made[maker.port].waits
        for port in options.ports[maker.port] if maker.listens else ():
            check_endpoint(port, maker.port, waits)


def enter(twistd: Any) -> None:
    """Change to the folder of twistd's options, which does so later. Raises SetupError."""
    folder, twistd["rundir"] = twistd["rundir"], "."
    try:
        os.chdir(folder)
    except OSError as error:
        raise SetupError(f"--rundir: {folder}: {error.strerror}") from None


def take_pid_file(path: str) -> FileLock:
    """Return the locked file for this process's id. Raises SetupError."""
    try:
        return FileLock.take(Path(path).absolute())
    except HeldError as held:
        why = f"{path}: another server has it, pid {held}; stop it, or name another --pidfile"
        raise SetupError(why) from None
    except OSError as error:
        raise SetupError(f"{path} can't be locked: {error.strerror}") from error


def stop(reactor: Any) -> None:
    """Stop the reactor, unless it stops already."""
    with suppress(ReactorNotRunning):
        reactor.stop()


def print_line(terminal: int, service: MainService, log: Any, database: str) -> None:
    """Print one line about the running server, and close the terminal."""
    ports = [
        f"{part.what} at {port.url() if part.what == 'web' else port.address()}"
        for part in service.parts
        for port in part.listeners
        if port.port is not None
    ]
    data = shown(database) if is_url(database) else str(Path(database).absolute())
    line = (
        f"tictac runs in the background: {', '.join(ports) or 'it listens nowhere now'};"
        f" log: {log.path}; data: {data}; stop it with: kill {os.getpid()}\n"
    )
    with suppress(OSError):
        os.write(terminal, line.encode())
    os.close(terminal)

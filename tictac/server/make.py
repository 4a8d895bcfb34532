"""The service of ``twistd tictac``, as its options describe it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import ReactorNotRunning
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger

from tictac.server import early  # noqa: F401  # first: the others take most of the start

# isort: split

from tictac.accounts.accounts import Accounts
from tictac.accounts.passwords import PasswordHasher
from tictac.accounts.registration import Registration
from tictac.accounts.throttle import LoginThrottle
from tictac.accounts.tokens import Tokens
from tictac.accounts.transfer import DATABASE_NAME, import_once
from tictac.archive.room_journal import SqliteJournal
from tictac.archive.write_behind import WriteBehind
from tictac.errors import SetupError
from tictac.games.all import GAMES
from tictac.lobby.outbox import Journaled
from tictac.lobby.registry import Registry
from tictac.logs import Log, open_log_file
from tictac.net.listening import check_endpoint
from tictac.net.plugin import ProtocolService, Shared, Turn
from tictac.net.running_time import running_time
from tictac.net.service import MainService, fail, install_signal_handlers
from tictac.net.storage_quota import Storage
from tictac.protocols.rooms.service import registry_arguments, rejoin_timeout, report_lost
from tictac.server.settings import ADD_ONS, LOBBIES, MAKERS, Options
from tictac.storage.databases import check_place, is_url, shown, store_at
from tictac.storage.disk import MIB, Disk
from tictac.storage.file_lock import FileLock, HeldError, lock_beside
from tictac.storage.store import Store

_log = Logger()

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
    parts: dict[str, ProtocolService] = {}

    def part(port: str) -> ProtocolService:
        if port not in parts:
            maker = next(maker for maker in MAKERS if maker.port == port)
            parts[port] = maker.make(options, options.ports[port], shared)
        return parts[port]

    disks: list[Disk] = []

    def is_behind() -> bool:
        return any(disk.is_behind() for disk in disks)

    @cache
    def database() -> str:
        found = find_database(options)
        if not is_url(found):
            disks.append(make_disk(options, reactor, found))
        return found

    def store(what: str) -> Store:
        return store_at(database(), what, reactor, options["engine-timeout"])

    claims: list[FileLock] = []
    storage = Storage(time.monotonic, options["stored-a-day"] * MIB, options["trusted-net"], disks)

    @cache
    def accounts() -> Accounts:
        made = make_accounts(options, reactor, store)
        made.admits = storage.register
        return made

    try:
        if options.parent is not None and options.parent["chroot"] is None:
            enter(options.parent)
        behind = cache(partial(make_archive, options, reactor, store))

        turns: list[Turn] = []

        @cache
        def lobby() -> Registry:
            registry, turn = make_lobby(
                options, reactor, database, is_behind, lambda why: service.lost(why)
            )
            registry.archivist = behind()
            registry.storage = storage
            turns.extend([turn] if turn is not None else [])
            return registry

        def why_not() -> str:
            return turns[0].why_not() if turns else ""

        def archive() -> Store | None:
            found = behind()
            return None if found is None else found.archive

        def claim(what: str) -> str:
            # Before the database is opened: a close would remove another server's write-ahead log,
            # if the file was replaced meanwhile.
            given = options["database"]
            if is_url(given):
                return ""
            try:
                place = database() if given.endswith(".json") else given
                claims.append(lock_beside(place, f".{what}.lock"))
            except HeldError as held:
                return str(held) or "another process"
            except SetupError:
                database()  # mostly has the better reason
                raise
            return ""

        shared = Shared(
            reactor, accounts, store, part, lambda: [*parts.values()], lobby, archive, claim,
            why_not,
        )  # fmt: skip
        # The database first: a port in use would hide its faults.
        for name, ports in options.ports.items():
            if ports:
                part(name)
        if "port" in parts:
            for name, add_on in ADD_ONS.items():
                if (added := add_on.make(options, shared)) is not None:
                    parts[name] = added
        for maker in MAKERS:
            # The active process on this machine can have the port until the turn of this one.
            waits = turns and parts[maker.port].waits if maker.port in parts else False
            for port in options.ports[maker.port] if maker.listens else ():
                check_endpoint(port, maker.port, bool(waits))
        log_file = open_log_file(options.parent, options["log-files"])
        pid_file = take_pid_file(options.pid_file) if options.pid_file else None
    except SetupError as error:
        for each in claims:
            each.release()
        fail(error)
    log = Log(reactor, options["log-lines"], log_file)
    most = options["max-connections"]
    every, turn = [*parts.values()], turns[0] if turns else None
    service = MainService(reactor, options["drain"], every, log, most, behind(), disks, turn)
    service.end, service.claims, service.pid_file = partial(stop, reactor), claims, pid_file
    service.time = running_time
    if options.terminal is not None:
        service.started = partial(tell, options.terminal, service, log_file, database())
    reactor.callWhenRunning(install_signal_handlers, reactor, service)
    return service


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


def tell(terminal: int, service: MainService, log: Any, database: str) -> None:
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


def find_database(options: Mapping[str, Any]) -> str:
    """Return the path or URL of the database of the options, created or upgraded if needed.

    Raises SetupError if the database is unusable.
    """
    database: str = options["database"]
    if database.endswith(".json") and not is_url(database):
        given, existed = database, Path(database).with_name(DATABASE_NAME).exists()
        database = import_once(given)
        if existed:
            _log.info(
                "accounts: using {database}; {given} was not read", database=database, given=given
            )
    check_place(database)
    return database


def make_disk(options: Mapping[str, Any], reactor: Any, path: str) -> Disk:
    """Return what keeps the write-ahead log of the file short, and some of its disk free."""

    def in_thread(function: Callable[..., Any], *words: Any) -> Deferred[Any]:
        return deferToThreadPool(reactor, reactor.getThreadPool(), function, *words)

    return Disk(reactor, path, options["disk-reserve"] * MIB, in_thread)


def make_archive(
    options: Mapping[str, Any], reactor: Any, store: Callable[[str], Store]
) -> WriteBehind | None:
    """Return the queue of finished matches for the archive; None without an archive."""
    if options["no-archive"]:
        return None
    queue, days = options["archive-queue"], options["keep-matches"]
    return WriteBehind(store("matches"), reactor, running_time.seconds, queue, days)


def make_lobby(
    options: Mapping[str, Any],
    reactor: Any,
    database: Callable[[], str],
    waits: Callable[[], bool] = bool,
    lost: Callable[[str], object] = str,
) -> tuple[Registry, Turn | None]:
    """Return the registry of the rooms of every protocol in this process, and its turn, if any.

    While ``waits`` returns True, a journal in a file writes nothing. ``lost`` is called with the
    reason when another process has taken the saved rooms over. Raises SetupError if such a database
    can't have a journal.
    """
    arguments = registry_arguments(options)
    filled = {**options, "rejoin-timeout": rejoin_timeout(options)}
    for maker in LOBBIES.values():
        made = maker.make(reactor, filled, database, report_lost, *arguments)
        if made is not None:
            return made
    chosen = options["journal"]
    if chosen == "none":
        return Registry(*arguments), None
    try:
        path = database()
    except SetupError as error:
        kept = options["database"]
        if not Path(kept).exists() or os.access(kept, os.W_OK):
            raise
        why = str(error).rstrip(".")
        raise SetupError(f"{why}; it is for rooms, too, unless you add --journal none") from None
    if is_url(path):
        raise SetupError("--journal sqlite needs a --database that is a file")
    journal = SqliteJournal(path, running_time.seconds, reactor.callLater, waits, lost)
    outbox = partial(Journaled, journal, reactor.callLater)
    return Registry(*arguments, on_lost=report_lost, outbox=outbox), None


def make_accounts(
    options: Mapping[str, Any], reactor: Any, store: Callable[[str], Store]
) -> Accounts:
    """Return the accounts of the options; `store` makes a store of the database."""
    hasher = PasswordHasher(reactor, options["bcrypt-rounds"], options["password-threads"] or None)
    throttle = LoginThrottle(
        reactor,
        time.monotonic,
        options["login-failures"],
        options["login-delay"],
        options["login-delay-max"],
        options["login-forgive"],
        options["trusted-net"],
    )
    stored = store("accounts")
    tokens = Tokens(stored, options["token-days"], options["max-tokens-per-user"])
    registration = Registration(options["registration"])
    return Accounts(stored, hasher, throttle, tokens, registration, options["min-password"])

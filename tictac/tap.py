"""The service of ``twistd tictac``, as its options describe it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger

from tictac.accounts.accounts import Accounts
from tictac.accounts.databases import check_place, is_url, shown, store_at
from tictac.accounts.disk import MIB, Disk
from tictac.accounts.journal import SqliteJournal
from tictac.accounts.passwords import PasswordHasher
from tictac.accounts.registration import Registration
from tictac.accounts.store import Store
from tictac.accounts.throttle import LoginThrottle
from tictac.accounts.tokens import Tokens
from tictac.accounts.transfer import DATABASE_NAME, import_once
from tictac.archive.write_behind import WriteBehind
from tictac.errors import SetupError
from tictac.games.all import GAMES
from tictac.lobby.outbox import Journaled
from tictac.lobby.registry import Registry
from tictac.logs import Log, open_log_file
from tictac.net.listening import check_endpoint
from tictac.net.plugin import ProtocolService, Shared
from tictac.net.service import MainService, fail, install_signal_handlers
from tictac.net.storage import Storage
from tictac.protocols.rooms.service import registry_arguments, rejoin_timeout, report_lost
from tictac.settings import ADD_ONS, LOBBIES, MAKERS, Options

_log = Logger()

# twistd looks for these, as do plug-ins that run a server.
__all__ = ["MAKERS", "Options", "makeService"]


def makeService(options: Options, reactor: Any = None) -> MainService:
    """Return the whole server, checked as far as possible before twistd forks; open nothing yet.

    The program ends with one line on standard error if the server can't start.
    """
    if reactor is None:
        from twisted.internet import reactor as main

        reactor = main
        # Twisted's timers follow the time of day: if it is set back, they would stop for as long.
        reactor.seconds = time.monotonic
    list(GAMES)  # faults of a game are reported here, where a person reads them
    # Before the server runs, there is nothing to reload, and a hang-up would end it.
    signal.signal(signal.SIGHUP, lambda *_: None)
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

    storage = Storage(time.monotonic, options["stored-a-day"] * MIB, options["trusted-net"], disks)

    @cache
    def accounts() -> Accounts:
        made = make_accounts(options, reactor, store)
        made.admits = storage.register
        return made

    try:
        behind = cache(partial(make_archive, options, reactor, store))

        @cache
        def lobby() -> Registry:
            registry = make_lobby(options, reactor, database, is_behind)
            registry.archivist = behind()
            registry.storage = storage
            return registry

        def archive() -> Store | None:
            found = behind()
            return None if found is None else found.archive

        shared = Shared(reactor, accounts, store, part, lambda: [*parts.values()], lobby, archive)
        # The database first: a port in use would hide its faults.
        for name, ports in options.ports.items():
            if ports:
                part(name)
        if "port" in parts:
            for name, add_on in ADD_ONS.items():
                if (added := add_on.make(options, shared)) is not None:
                    parts[name] = added
        for maker in MAKERS:
            for port in options.ports[maker.port] if maker.listens else ():
                check_endpoint(port, maker.port)
        log_file = open_log_file(options.parent, options["log-files"])
    except SetupError as error:
        fail(error)
    log = Log(reactor, options["log-lines"], log_file)
    most = options["max-connections"]
    found = behind()
    service = MainService(reactor, options["drain"], [*parts.values()], log, most, found, disks)
    if options.terminal is not None:
        service.started = partial(tell, options.terminal, service, log_file, database())
    reactor.callWhenRunning(install_signal_handlers, reactor, service)
    return service


def tell(terminal: int, service: MainService, log: Any, database: str) -> None:
    """Print one line about the running server, and close the terminal."""
    ports = [
        f"{part.what} at {port.url() if part.what == 'web' else port.address()}"
        for part in service.parts
        for port in part.listeners
    ]
    data = shown(database) if is_url(database) else str(Path(database).absolute())
    line = (
        f"tictac runs in the background: {', '.join(ports) or 'it listens nowhere'};"
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
    return WriteBehind(store("matches"), reactor, time.monotonic, queue, days)


def make_lobby(
    options: Mapping[str, Any],
    reactor: Any,
    database: Callable[[], str],
    waits: Callable[[], bool] = bool,
) -> Registry:
    """Return the registry of the rooms of every protocol in this process (net.plugin.Shared).

    While ``waits`` returns True, a journal in a file writes nothing.

    Raises SetupError if such a database can't have a journal.
    """
    arguments = registry_arguments(options)
    filled = {**options, "rejoin-timeout": rejoin_timeout(options)}
    for maker in LOBBIES.values():
        registry = maker.make(reactor, filled, database, report_lost, *arguments)
        if registry is not None:
            return registry
    chosen = options["journal"]
    if chosen == "none" or (chosen == "auto" and is_url(options["database"])):
        return Registry(*arguments)
    try:
        path = database()
    except SetupError as error:
        if os.access(options["database"], os.W_OK):
            raise
        raise SetupError(f"{error}; it is for rooms, too, unless you add --journal none") from None
    if is_url(path):
        raise SetupError("--journal sqlite needs a --database that is a file")
    journal = SqliteJournal(path, time.monotonic, reactor.callLater, waits)
    outbox = partial(Journaled, journal, reactor.callLater)
    return Registry(*arguments, on_lost=report_lost, outbox=outbox)


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

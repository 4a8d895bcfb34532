"""``twistd tictac``: options, and the service that they describe. Knows every part."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from typing import Any

from twisted.application.service import IService
from twisted.internet.threads import deferToThreadPool
from twisted.python import usage

from tictac import options as read
from tictac.accounts.accounts import Accounts
from tictac.accounts.journal import SqliteJournal, merge
from tictac.accounts.passwords import PasswordHasher
from tictac.accounts.places import account_store, archive, check_place, is_url
from tictac.accounts.registration import OPEN, Registration, read_registration
from tictac.accounts.throttle import LoginThrottle
from tictac.accounts.tokens import Tokens
from tictac.accounts.transfer import import_once
from tictac.archive.behind import WriteBehind
from tictac.doors.rooms.config import read_config
from tictac.doors.rooms.service import registry_arguments, rejoin_timeout, report_lost
from tictac.errors import SetupError
from tictac.lobby.keeping import KeepingRegistry
from tictac.lobby.registry import MemoryRegistry
from tictac.logs import Log, open_log_file
from tictac.net.listening import BACKLOG, check_endpoint, endpoint_description
from tictac.net.part import Flag, ListOption, Parameter, PartMaker, PartService, Shared
from tictac.net.service import MainService, fail, heed_signals
from tictac.parts import PARTS
from tictac.ratings.store import Ratings

GENERAL: list[Parameter] = [
    ("config", "c", None, "A JSON file with port, userDatabase and any option below.", None),
    ("drain", None, 10.0, "Seconds that running matches get to finish at a stop.", read.seconds),
    ("backlog", None, BACKLOG, "Connections that may wait to be accepted.", read.positive),
    ("max-connections", None, 10_000, "Connections a listener holds.", read.count),
    ("max-connections-per-peer", None, 600, "Connections from one address.", read.count),
    ("max-half-closed", None, 8, "Of one address, at their end, that await answers.", read.count),
    ("connect-rate", None, 200, "Connects a second from one address.", read.count),
    ("max-questions-per-peer", None, 100, "Computer moves of one address that wait.", read.count),
    ("rate", None, 200, "Messages a second and connection.", read.count),
    ("burst", None, 400, "Messages of a connection at once.", read.count),
    ("max-unsent", None, 262_144, "Bytes that may wait for a slow reader.", read.count),
    ("keepalive", None, 60.0, "Seconds until a vanished peer is noticed.", read.seconds),
    ("log-lines", None, 60, "Log lines of one kind a minute.", read.count),
    ("log-files", None, 10, "Old log files that are kept.", read.count),
    ("engine-timeout", None, 5.0, "Seconds to wait for PostgreSQL, or a node.", read.seconds),
]

GENERAL_FLAGS: list[Flag] = [
    ("no-eager-send", None, "Send as Twisted does by itself, a reactor turn later."),
    ("no-archive", None, "Keep no matches that have ended."),
]

ACCOUNTS: list[Parameter] = [
    ("database", "d", "users.db", "A file or postgresql:// URL with the accounts.", None),
    ("keep-matches", None, 0, "Days that ended matches are kept; 0: for ever.", read.count),
    ("archive-queue", None, 10_000, "Ended matches that wait for the database.", read.count),
    ("registration", None, OPEN, "Who registers: open, closed or code:FILE.", read_registration),
    ("bcrypt-rounds", None, 12, "The cost of password hashes, 4 to 16.", read.rounds),
    ("password-threads", None, 0, "Threads that check passwords; 0: one a core.", read.count),
    ("login-failures", None, 5, "Failed logins before the next are slowed.", read.count),
    ("login-delay", None, 0.25, "Seconds the first slowed one waits; it doubles.", read.seconds),
    ("login-delay-max", None, 8.0, "Seconds that a slowed login waits at most.", read.seconds),
    ("login-forgive", None, 600.0, "Seconds after which a failure is forgotten.", read.seconds),
    ("token-days", None, 30, "Days that an unused token lasts; 0: none is given.", read.count),
    ("max-tokens-per-user", None, 20, "Tokens of an account; the oldest ends.", read.count),
]

ACCOUNT_LISTS: list[ListOption] = [
    ("trusted-net", "A network, like 192.0.2.0/24, that may fail at logins; repeatable.", read.net),
]

CLUSTER: list[Parameter] = [
    ("node", None, None, "Share rooms with others, who reach this one at tcp:HOST:PORT.", None),
    ("node-listen", None, None, "Listen for them here instead, an endpoint string.", None),
    ("node-secret", None, None, "A file that all nodes have, so that no others join.", None),
    ("lease", None, 1.0, "Seconds after which others take a silent process for dead.", read.lease),
]

MAKERS: list[PartMaker] = [
    import_module(f"tictac.{part.folder}.service").PART for part in PARTS if part.served
]

PARAMETERS = [*GENERAL, *ACCOUNTS, *CLUSTER, *(p for maker in MAKERS for p in maker.parameters)]
FLAGS = [*GENERAL_FLAGS, *(flag for maker in MAKERS for flag in maker.flags)]
LISTS = [*ACCOUNT_LISTS, *(option for maker in MAKERS for option in maker.lists)]


def _naming(name: str, reader: Callable[[str], object] | None) -> Callable[[str], object] | None:
    """``reader``, but what it complains of names the option."""

    def read_option(text: str) -> object:
        assert reader is not None
        try:
            return reader(text)
        except ValueError as error:
            raise ValueError(f"--{name}: {error}") from None

    return read_option if reader else None


class Options(usage.Options):
    """The command line of ``twistd tictac``; 0 turns a limit off.

    ``ports`` are the endpoint strings to listen on, by the name of their option.
    ``repeated`` are the texts of every option that may be repeated.
    """

    synopsis = "[options] --port N"
    longdesc = "A limit of 0 is none. See docs/operations.md."
    optParameters = [
        [name, short, default, text, _naming(name, reader)]
        for name, short, default, text, reader in PARAMETERS
    ]
    optFlags = [list(flag) for flag in FLAGS]

    def __init__(self) -> None:
        super().__init__()
        self.ports: dict[str, list[str]] = {}
        self.repeated: dict[str, list[str]] = {}
        self._forget_repeated()

    def _forget_repeated(self) -> dict[str, list[str]]:
        """Begin anew with the options that may be repeated; what they were."""
        before = self.repeated
        names = [*(maker.port for maker in MAKERS), *(name for name, _, _ in LISTS)]
        self.repeated = {name: [] for name in names}
        return before

    def parseOptions(self, options: Sequence[str] | None = None) -> None:
        """Read the command line, and the configuration file that it names.

        Ends the program with one line on standard error when either is wrong, where
        Twisted would print all of the help to standard output.
        """
        try:
            super().parseOptions(options)
            if self["config"] is not None:
                # Again over the values of the file: the command line wins.
                self._take_config(read_config(self["config"]))
                from_file = self._forget_repeated()
                super().parseOptions(options)
                for name, texts in self.repeated.items():
                    texts[:] = texts or from_file[name]
            self._read_repeated()
            if not any(self.ports.values()):
                raise usage.UsageError("nothing to serve: give a --port")
        except (usage.UsageError, ValueError, SetupError) as error:
            fail(str(error).removeprefix("Parameter type enforcement failed: "))

    def _read_repeated(self) -> None:
        for maker in MAKERS:
            texts = self.repeated[maker.port]
            if maker.listens:
                texts = [endpoint_description(text, self["backlog"]) for text in texts]
            self.ports[maker.port] = self[maker.port] = texts
        for name, _, reader in LISTS:
            read_text = _naming(name, reader)
            self[name] = [read_text(text) if read_text else text for text in self.repeated[name]]

    def _take_config(self, config: dict[str, Any]) -> None:
        self["database"] = config.pop("userDatabase")
        readers = {name: reader for name, _, _, _, reader in PARAMETERS}
        flags = {flag[0] for flag in FLAGS}
        for name, value in config.items():
            if name in self.repeated and _is_port(value):
                self.repeated[name] = [str(value)]
            elif name in self.repeated and isinstance(value, list) and all(map(_is_port, value)):
                self.repeated[name] = [str(port) for port in value]
            elif name in flags and isinstance(value, bool):
                self[name] = int(value)
            elif name in readers and name != "config" and not isinstance(value, bool):
                self[name] = self._read(name, readers[name], value)
            else:
                raise SetupError(f"{self['config']}: {name} isn't an option, or not like this")

    def _read(self, name: str, reader: Callable[[Any], object] | None, value: object) -> object:
        try:
            return reader(value) if reader else str(value)
        except (TypeError, ValueError) as error:
            raise SetupError(f"{self['config']}: {name}: {error}") from None


def _is_port(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _add_repeatable(name: str, letter: str | None, text: str) -> None:
    """Give Options the method that usage.Options calls each time the option is there."""

    def opt(self: Options, value: str) -> None:
        self.repeated[name].append(value)

    opt.__doc__ = text
    for spelling in filter(None, (name, letter)):
        setattr(Options, f"opt_{spelling.replace('-', '_')}", opt)


for _maker in MAKERS:
    _add_repeatable(_maker.port, _maker.port_letter, _maker.port_help)
for _name, _text, _ in LISTS:
    _add_repeatable(_name, None, _text)


def makeService(options: Options, reactor: Any = None) -> IService:
    """The whole server. Checks what it can before twistd forks; opens nothing yet.

    Ends the program with one line on standard error when it couldn't start.
    """
    if reactor is None:
        from twisted.internet import reactor
    # Until it runs there is nothing to read again, and a hang-up would end it.
    signal.signal(signal.SIGHUP, lambda *_: None)
    parts: dict[str, PartService] = {}

    def part(port: str) -> PartService:
        if port not in parts:
            maker = next(maker for maker in MAKERS if maker.port == port)
            made = maker.make(options, options.ports[port], shared)
            parts[port] = made
        return parts[port]

    database = cache(partial(find_database, options))
    accounts = cache(lambda: make_accounts(options, reactor, database()))
    try:
        stored = cache(lambda: archive(database(), reactor, options["engine-timeout"]))
        behind = cache(partial(make_archive, options, reactor, stored))
        lobby = cache(partial(make_lobby, options, reactor, database, behind))

        def kept() -> Ratings | None:
            return None if behind() is None else stored()

        shared = Shared(reactor, accounts, database, part, lambda: [*parts.values()], lobby, kept)
        # The database first: its faults are the ones that a port in use would hide.
        for name, ports in options.ports.items():
            if ports:
                part(name)
        for maker in MAKERS:
            for port in options.ports[maker.port] if maker.listens else ():
                check_endpoint(port)
        log_file = open_log_file(options.parent, options["log-files"])
    except SetupError as error:
        fail(error)
    log = Log(reactor, options["log-lines"], log_file)
    most = options["max-connections"]
    service = MainService(reactor, options["drain"], [*parts.values()], log, most, behind())
    reactor.callWhenRunning(heed_signals, reactor, service)
    return service


def find_database(options: Mapping[str, Any]) -> str:
    """The path or URL of the database that the options ask for, made or upgraded if need be.

    Raises SetupError when it can't be used.
    """
    database: str = options["database"]
    if database.endswith(".json") and not is_url(database):
        database = import_once(database)
    check_place(database)
    return database


def make_archive(
    options: Mapping[str, Any], reactor: Any, stored: Callable[[], Ratings]
) -> WriteBehind | None:
    """The way of matches that end into the archive, if they are kept."""
    if options["no-archive"]:
        return None
    return WriteBehind(
        stored(),
        reactor,
        time.monotonic,
        options["archive-queue"],
        options["keep-matches"],
    )


def make_lobby(
    options: Mapping[str, Any],
    reactor: Any,
    database: Callable[[], str],
    archivist: Callable[[], WriteBehind | None],
) -> MemoryRegistry:
    """The registry of the rooms in this process, of every door (net.part.Shared).

    Raises SetupError when they can't be kept in such a database.
    """
    registry = _make_registry(options, reactor, database)
    registry.archivist = archivist()
    return registry


def _make_registry(
    options: Mapping[str, Any], reactor: Any, database: Callable[[], str]
) -> MemoryRegistry:
    arguments = registry_arguments(options)
    node, journal_kind = options["node"] is not None, options["journal"]
    if node and not is_url(database()):
        raise SetupError("--node needs a --database that is a postgresql:// URL")
    if node and journal_kind == "sqlite":
        raise SetupError("--node keeps rooms in PostgreSQL: leave --journal out")
    if journal_kind != "none" and is_url(database()) is (journal_kind == "sqlite"):
        place = "a file" if journal_kind == "sqlite" else "a postgresql:// URL"
        raise SetupError(f"--journal {journal_kind} needs a --database that is {place}")
    if node or journal_kind == "postgres":
        from tictac.nodes.opening import open_node  # psycopg, which needn't be installed

        chosen = {**options, "rejoin-timeout": rejoin_timeout(options)}
        return open_node(reactor, chosen, database(), report_lost, *arguments)
    if journal_kind == "none":
        return MemoryRegistry(*arguments)
    pool = reactor.getThreadPool()
    journal = SqliteJournal(
        database(),
        time.monotonic,
        reactor.callLater,
        lambda path: deferToThreadPool(reactor, pool, merge, path),
    )
    return KeepingRegistry(journal, reactor.callLater, report_lost, *arguments)


def make_accounts(options: Mapping[str, Any], reactor: Any, database: str) -> Accounts:
    """The accounts that the options ask for, in a place that :func:`find_database` gave."""
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
    store = account_store(database, reactor, options["engine-timeout"])
    tokens = Tokens(store, options["token-days"], options["max-tokens-per-user"])
    return Accounts(store, hasher, throttle, tokens, Registration(options["registration"]))

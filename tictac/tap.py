"""``twistd tictac``: options, and the service that they describe. Knows every part."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from twisted.application.service import IService
from twisted.python import usage

from tictac import options as read
from tictac.accounts.accounts import Accounts
from tictac.accounts.passwords import PasswordHasher
from tictac.accounts.sqlite import SqliteAccounts, check_database
from tictac.accounts.throttle import LoginThrottle
from tictac.accounts.transfer import import_once
from tictac.errors import SetupError
from tictac.net.connection import Limits
from tictac.net.framing import MODES, Framing
from tictac.net.listening import BACKLOG, check_endpoint, endpoint_description
from tictac.net.service import MainService, fail, stop_on_signals
from tictac.rooms.config import read_config
from tictac.rooms.service import RoomsService, Settings

Parameter = tuple[str, str | None, object, str, Callable[[str], object] | None]


def _framing_mode(text: str) -> str:
    if text not in MODES:
        raise ValueError(f"{text} isn't one of {', '.join(MODES)}")
    return text


GENERAL: list[Parameter] = [
    ("config", "c", None, "A JSON file with port, userDatabase and any option below.", None),
    ("drain", None, 10.0, "Seconds that running matches get to finish at a stop.", read.seconds),
    ("backlog", None, BACKLOG, "Connections that may wait to be accepted.", read.positive),
]

ACCOUNTS: list[Parameter] = [
    ("database", "d", "users.db", "The file with the accounts.", None),
    ("bcrypt-rounds", None, 12, "The cost of password hashes, 4 to 16.", read.rounds),
    ("password-threads", None, 0, "Threads that check passwords; 0: one a core.", read.count),
    ("login-failures", None, 5, "Failed logins before the next are slowed.", read.count),
    ("login-delay", None, 0.25, "Seconds the first slowed one waits; it doubles.", read.seconds),
    ("login-delay-max", None, 8.0, "Seconds that a slowed login waits at most.", read.seconds),
    ("login-forgive", None, 60.0, "Seconds after which a failure is forgotten.", read.seconds),
]

ROOMS: list[Parameter] = [
    ("framing", None, "auto", "How messages end: auto, line or bare.", _framing_mode),
    ("max-message", None, 8192, "Bytes of the longest message, from 100.", read.message_size),
    ("bare-complete", None, 0.03, "Seconds of silence that end a whole request.", read.seconds),
    ("bare-incomplete", None, 0.5, "Seconds of silence that end anything else.", read.seconds),
    ("bare-gap", None, 0.02, "Seconds between two messages to a bare peer.", read.seconds),
    ("turn-budget", None, 16, "Messages of a connection in a reactor turn.", read.positive),
    ("computer", None, None, "The house player joins rooms that wait so long.", read.seconds),
    ("login-timeout", None, 60.0, "Seconds to log in.", read.seconds),
    ("move-timeout", None, 600.0, "Seconds for a move; then it is a forfeit.", read.seconds),
    ("idle-timeout", None, 3600.0, "Seconds of silence outside a room.", read.seconds),
    ("wait-timeout", None, 3600.0, "Seconds a room waits for its second player.", read.seconds),
    ("max-connections", None, 10_000, "Connections a listener holds.", read.count),
    ("max-connections-per-peer", None, 100, "Connections from one address.", read.count),
    ("max-rooms", None, 256, "Rooms at a time.", read.count),
    ("rate", None, 200, "Messages a second and connection.", read.count),
    ("burst", None, 400, "Messages of a connection at once.", read.count),
    ("max-unsent", None, 262_144, "Bytes that may wait for a slow reader.", read.count),
]


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
    """The command line of ``twistd tictac``; 0 turns a limit off."""

    synopsis = "[options] --port N"
    longdesc = "A limit of 0 is none. See docs/operations.md."
    optParameters = [
        [name, short, default, text, _naming(name, reader)]
        for name, short, default, text, reader in GENERAL + ACCOUNTS + ROOMS
    ]
    optFlags = [
        ["log-matches", None, "Log each match, not only the counts at the end."],
        ["no-eager-send", None, "Send as Twisted does by itself, a reactor turn later."],
    ]

    def __init__(self) -> None:
        super().__init__()
        self.ports: list[str] = []

    def opt_port(self, port: str) -> None:
        """Listen for the rooms protocol on this port, or endpoint string; repeatable."""
        self.ports.append(port)

    opt_p = opt_port

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
                self.ports, from_file = [], self.ports
                super().parseOptions(options)
                self.ports = self.ports or from_file
            self.ports = [endpoint_description(p, self["backlog"]) for p in self.ports]
            if not self.ports:
                raise usage.UsageError("nothing to serve: give a --port")
        except (usage.UsageError, ValueError, SetupError) as error:
            fail(str(error).removeprefix("Parameter type enforcement failed: "))

    def _take_config(self, config: dict[str, Any]) -> None:
        self.ports = [str(config.pop("port"))]
        self["database"] = config.pop("userDatabase")
        readers = {name: reader for name, _, _, _, reader in GENERAL + ACCOUNTS + ROOMS}
        flags = {flag[0] for flag in self.optFlags}
        for name, value in config.items():
            if name in flags and isinstance(value, bool):
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


def makeService(options: Options, reactor: Any = None) -> IService:
    """The whole server. Checks what it can before twistd forks; opens nothing yet.

    Ends the program with one line on standard error when it couldn't start.
    """
    if reactor is None:
        from twisted.internet import reactor
    try:
        database = options["database"]
        if database.endswith(".json"):
            database = import_once(database)
        check_database(database)
        for port in options.ports:
            check_endpoint(port)
    except SetupError as error:
        fail(error)
    accounts = make_accounts(options, database, reactor)
    rooms = RoomsService(reactor, make_settings(options), accounts)
    service = MainService(reactor, options["drain"], [rooms])
    reactor.callWhenRunning(stop_on_signals, reactor, service)
    return service


def make_accounts(options: Options, database: str, reactor: Any) -> Accounts:
    """The accounts in ``database``, with the limits that the options ask for."""
    hasher = PasswordHasher(reactor, options["bcrypt-rounds"], options["password-threads"] or None)
    throttle = LoginThrottle(
        time.monotonic,
        options["login-failures"],
        options["login-delay"],
        options["login-delay-max"],
        options["login-forgive"],
    )
    return Accounts(SqliteAccounts(database, reactor), hasher, throttle, reactor)


def make_settings(options: Options) -> Settings:
    """The options of the rooms server, as values of its own types."""
    framing = Framing(
        mode=options["framing"],
        max_message=options["max-message"],
        complete_after=options["bare-complete"],
        incomplete_after=options["bare-incomplete"],
        gap=options["bare-gap"],
        turn_budget=options["turn-budget"],
    )
    limits = Limits(
        login_timeout=options["login-timeout"],
        idle_timeout=options["idle-timeout"],
        max_connections=options["max-connections"],
        max_connections_per_peer=options["max-connections-per-peer"],
        rate=options["rate"],
        burst=options["burst"],
        max_unsent=options["max-unsent"],
    )
    return Settings(
        ports=options.ports,
        framing=framing,
        limits=limits,
        max_rooms=options["max-rooms"],
        move_timeout=options["move-timeout"],
        wait_timeout=options["wait-timeout"],
        computer=options["computer"],
        log_matches=bool(options["log-matches"]),
        eager=not options["no-eager-send"],
    )

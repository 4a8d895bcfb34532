"""Every option of ``twistd tictac`` from every plug-in, and the command line that sets them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from getopt import getopt
from importlib import import_module
from typing import Any

from twisted.python import usage

from tictac import builtin
from tictac import options as read
from tictac.accounts.registration import OPEN, read_registration
from tictac.entry_points import Plugins
from tictac.errors import SetupError
from tictac.net.listening import BACKLOG, endpoint_description
from tictac.net.plugin import Flag, ListOption, Parameter
from tictac.net.service import fail
from tictac.net.tls import certificate_file, key_file, with_tls
from tictac.runtime import AddOn, LobbyPlugin, ServerPlugin
from tictac.server import config
from tictac.server.config import Row
from tictac.storage.databases import shown

GENERAL: list[Parameter] = [
    ("config", "c", None, "File with these options: FILE.toml, or JSON.", None),
    ("tls-cert", None, None, "Certificate for TLS on every port, in PEM.", certificate_file),
    ("tls-key", None, None, "Key of the certificate, if it has its own file.", key_file),
    ("drain", None, 10.0, "Seconds to finish running matches at a shutdown.", read.seconds),
    ("backlog", None, BACKLOG, "Maximum connections that wait to be accepted.", read.positive),
    ("max-connections", None, 10_000, "Maximum connections of a port.", read.count),
    ("max-connections-per-peer", None, 600, "Maximum connections from one address.", read.count),
    ("max-half-closed", None, 8, "Maximum half-closed connections per address.", read.count),
    ("connect-rate", None, 200, "Maximum new connections per second from one address.", read.count),
    ("max-questions-per-peer", None, 100, "Maximum waiting moves of an address.", read.count),
    ("budget", None, 8000, "Units of work per second for one address.", read.count),
    ("budget-burst", None, 80_000, "Units of work at once for one address.", read.count),
    ("max-unsent", None, 262_144, "Maximum unread bytes of a slow client.", read.count),
    ("keepalive", None, 60.0, "Seconds until the server notices a vanished client.", read.seconds),
    ("log-lines", None, 60, "Maximum log lines of one kind per minute.", read.count),
    ("log-files", None, 10, "Number of old log files to keep.", read.count),
    ("engine-timeout", None, 5.0, "Timeout in seconds for PostgreSQL.", read.seconds),
]

GENERAL_FLAGS: list[Flag] = [
    ("no-eager-send", None, "Send a reactor turn later, as Twisted does by default."),
    ("no-archive", None, "Don't archive finished matches."),
]

ACCOUNTS: list[Parameter] = [
    ("database", "d", "users.db", "File or postgresql:// URL with the accounts.", None),
    ("keep-matches", None, 0, "Days to keep finished matches. 0 keeps them forever.", read.count),
    ("disk-reserve", None, 64, "Free MiB below which guests and chat stop.", read.count),
    ("stored-a-day", None, 32, "Maximum MiB that an address's guests store per day.", read.count),
    ("archive-queue", None, 10_000, "Maximum matches that wait for the database.", read.count),
    ("registration", None, OPEN, "Registration: open, closed, or code:FILE.", read_registration),
    ("min-password", None, 1, "Minimum characters of a new password.", read.password_length),
    ("bcrypt-rounds", None, 12, "Cost of password hashes, 4 to 16 rounds.", read.rounds),
    ("password-threads", None, 0, "Threads that check passwords. 0: one per core.", read.count),
    ("login-failures", None, 5, "Failed logins without a delay.", read.count),
    ("login-delay", None, 0.25, "First delay of a login, in seconds; it doubles.", read.seconds),
    ("login-delay-max", None, 8.0, "Maximum delay of a login, in seconds.", read.seconds),
    ("login-forgive", None, 600.0, "Seconds until a failed login is forgotten.", read.seconds),
    ("token-days", None, 30, "Days until an unused token ends. 0 turns tokens off.", read.count),
    ("max-tokens-per-user", None, 20, "Maximum tokens; the oldest one ends.", read.count),
]

ACCOUNT_LISTS: list[ListOption] = [
    ("trusted-net", "Network with fewer limits, such as 192.0.2.0/24. Repeatable.", read.net)
]

LOBBIES: dict[str, LobbyPlugin] = {
    name: import_module(f"tictac.{folder}.service").LOBBY
    for name, folder in builtin.LOBBIES.items()
}
ADD_ONS: dict[str, AddOn] = {
    name: import_module(f"tictac.{folder}.service").ADD_ON
    for name, folder in builtin.ADD_ONS.items()
}
_OTHERS: dict[str, Sequence[Parameter]] = {
    **{name: maker.parameters for name, maker in LOBBIES.items()},
    **{name: add_on.parameters for name, add_on in ADD_ONS.items()},
}
_OTHER = [parameter for parameters in _OTHERS.values() for parameter in parameters]


def find_makers() -> dict[str, ServerPlugin]:
    """Return the server plug-ins by the name of their option group: built-in ones first."""
    makers: dict[str, ServerPlugin] = {
        part.folder.rpartition(".")[2]: import_module(f"tictac.{part.folder}.service").PLUGIN
        for part in builtin.PLUGINS
        if part.served
    }
    rows = _rows([*GENERAL, *ACCOUNTS, *_OTHER], GENERAL_FLAGS, ACCOUNT_LISTS)
    for maker in makers.values():
        rows += _rows_of(maker)
    taken = {"help", "version"} | _names(rows)

    def check(name: str, loaded: object) -> str | None:
        if not isinstance(loaded, ServerPlugin):
            return "it isn't a tictac.runtime.ServerPlugin"
        if twice := _names(_rows_of(loaded)) & taken:
            return f"there is another option {min(twice)!r}"
        return None

    own = {"ports", "server", "accounts", *_OTHERS, *makers}
    for name, maker in Plugins("server", own, check).all():
        makers[name] = maker
        taken.update(_names(_rows_of(maker)))
    return makers


def _rows(
    parameters: Sequence[Parameter], flags: Sequence[Flag], lists: Sequence[ListOption]
) -> list[Row]:
    kinds = {int: "N", float: "SECONDS"}
    rows = [Row(*given[:4], kinds.get(type(given[2]), "VALUE")) for given in parameters]
    rows += [Row(name, None, [], text, "VALUE", True) for name, text, _ in lists]
    return rows + [Row(name, letter, 0, text, "") for name, letter, text in flags]


def _rows_of(maker: ServerPlugin) -> list[Row]:
    """Return the row of the port, and those of the options."""
    port = Row(maker.port, maker.port_letter, [], maker.port_help, "PORT", True)
    return [port, *_rows(maker.parameters, maker.flags, maker.lists)]


def _names(rows: Sequence[Row]) -> set[str]:
    return {name for row in rows for name in (row.name, row.letter) if name}


_MAKERS = find_makers()
MAKERS: list[ServerPlugin] = list(_MAKERS.values())

PARAMETERS = [*GENERAL, *ACCOUNTS, *_OTHER, *(p for maker in MAKERS for p in maker.parameters)]
FLAGS = [*GENERAL_FLAGS, *(flag for maker in MAKERS for flag in maker.flags)]
LISTS = [*ACCOUNT_LISTS, *(option for maker in MAKERS for option in maker.lists)]

GROUPS: config.Groups = {
    "ports": [_rows_of(maker)[0] for maker in MAKERS],
    "server": _rows(GENERAL, GENERAL_FLAGS, []),
    "accounts": _rows(ACCOUNTS, [], ACCOUNT_LISTS),
    **{name: _rows(parameters, [], []) for name, parameters in _OTHERS.items()},
    **{name: rows for name, maker in _MAKERS.items() if (rows := _rows_of(maker)[1:])},
}
_NAMES = [row.name for rows in GROUPS.values() for row in rows]


def _naming(name: str, reader: Callable[[str], object] | None) -> Callable[[str], object] | None:
    """Return ``reader`` with the option's name in its errors."""

    def read_option(text: str) -> object:
        assert reader is not None
        try:
            return reader(text)
        except ValueError as error:
            raise ValueError(f"--{name}: {error}") from None

    return read_option if reader else None


PORT, WEB_PORT = 5000, 8080
"""Ports of a server that has no port in its options."""


class Options(usage.Options):
    """The command line of ``twistd tictac``; 0 turns a limit off.

    ``ports`` are the endpoint strings to listen on, by the name of their option. ``repeated`` are
    the texts of every repeatable option. ``given`` is the source of each given option; ``said`` is
    the text of each one that isn't repeatable. ``terminal`` is a descriptor for one line about the
    server in the background. ``game`` is the option and port of the only game that was named: that
    port counts if the option isn't given. Without a port it listens on ``PORT``, and where it
    ``offers_page`` on ``WEB_PORT``, too. ``pid_file`` is the path of twistd's ``--pidfile``, or an
    empty text.
    """

    terminal: int | None = None
    game: tuple[str, int] | None = None
    pid_file = ""
    offers_page = False

    synopsis = "[options]"
    optParameters = [
        [name, short, default, text, _naming(name, reader)]
        for name, short, default, text, reader in PARAMETERS
    ]
    optFlags = [list(flag) for flag in FLAGS]

    def __init__(self) -> None:
        super().__init__()
        self.ports: dict[str, list[str]] = {}
        names = [*(maker.port for maker in MAKERS), *(name for name, _, _ in LISTS)]
        self.repeated: dict[str, list[str]] = {name: [] for name in names}
        self.update({name: [] for name, _, _ in LISTS})
        self.given: dict[str, str] = {}
        self.said = {row.name: row.default for rows in GROUPS.values() for row in rows}

    def getUsage(self, width: int | None = None) -> str:
        return config.usage(GROUPS)

    def parseOptions(self, options: Sequence[str] | None = None) -> None:
        """Read the command line, and the configuration file that it names.

        If either is wrong, the program ends with one line on standard error. Twisted would print
        all of the help to standard output.
        """
        try:
            options = sys.argv[1:] if options is None else options
            super().parseOptions(options)
            for option, text in getopt(options, self.shortOpt, self.longOpt)[0]:
                name = self.synonyms[option.lstrip("-")]
                self.given[name], self.said[name] = "option", text
            if self["config"] is not None:
                self._take_config(self["config"])
            self._read_repeated()
            if self.parent is not None and self.parent["pidfile"]:
                # twistd takes any process with the number in the file for a running server.
                self.pid_file, self.parent["pidfile"] = self.parent["pidfile"], ""
        except (usage.UsageError, ValueError, SetupError) as error:
            said = str(error).removeprefix("Parameter type enforcement failed: ")
            unknown = re.fullmatch(r"option --(\S+) not recognized", said)
            fail(said + (config.near(unknown[1], _NAMES) if unknown else ""))

    def _read_repeated(self) -> None:
        cert, key = self["tls-cert"], self["tls-key"]
        if cert is None and key is not None:
            raise usage.UsageError("--tls-key needs --tls-cert")
        if cert is not None and key is None:
            key = self["tls-key"] = key_file(cert)
        no_page = self.repeated["web"] == ["none"]
        if no_page:
            self.repeated["web"] = []
        if self.game is not None and not self.repeated[self.game[0]]:
            self.repeated[self.game[0]] = [str(self.game[1])]
        if not any(self.repeated[maker.port] for maker in MAKERS):
            self.repeated["port"] = [str(PORT)]
            self.repeated["web"] = [str(WEB_PORT)] if self.offers_page and not no_page else []
        for maker in MAKERS:
            texts = self.repeated[maker.port]
            if maker.listens:
                texts = [endpoint_description(text, self["backlog"]) for text in texts]
                texts = [with_tls(text, cert, key) for text in texts] if cert else texts
            self.ports[maker.port] = self[maker.port] = texts
        for name, _, reader in LISTS:
            read_text = _naming(name, reader)
            self[name] = [read_text(text) if read_text else text for text in self.repeated[name]]

    def _take_config(self, path: str) -> None:
        """Apply the file, except for options on the command line."""
        readers = {name: reader for name, _, _, _, reader in PARAMETERS}
        found = config.read_config(path, [name for name in _NAMES if name != "config"])
        for name, value in found.items():
            if name in self.given:
                continue
            self.given[name], self.said[name] = path, value
            try:
                if name in self.repeated:
                    self.repeated[name] = config.texts(value)
                elif name in readers:
                    self[name] = config.one(value, readers[name])
                else:
                    self[name] = config.flag(value)
            except (TypeError, ValueError) as error:
                raise SetupError(f"{path}: {name}: {error}") from None

    def in_force(self) -> Mapping[str, Any]:
        """Return the effective settings, without the password of a database."""
        numbers = {
            name: self[name] for name in self.said if isinstance(self.get(name), int | float)
        }
        return {**self.said, **numbers, **self.repeated, "database": shown(self["database"])}


def _add_repeatable(name: str, letter: str | None, text: str) -> None:
    """Give Options the method that usage.Options calls for each occurrence of the option."""

    def opt(self: Options, value: str) -> None:
        self.repeated[name].append(value)

    opt.__doc__ = text
    for spelling in filter(None, (name, letter)):
        setattr(Options, f"opt_{spelling.replace('-', '_')}", opt)


for _maker in MAKERS:
    _add_repeatable(_maker.port, _maker.port_letter, _maker.port_help)
for _name, _text, _ in LISTS:
    _add_repeatable(_name, None, _text)

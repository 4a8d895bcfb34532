"""Every option of ``twistd tictac`` from every plug-in, and the command line that sets them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from getopt import GetoptError, getopt
from typing import Any, NamedTuple

from twisted.python import usage

from tictac.errors import SetupError, visible
from tictac.net.listening import endpoint_description
from tictac.net.service import fail
from tictac.net.settings import AccountOptions, ServerOptions
from tictac.net.tls import key_file, with_tls
from tictac.options import Option, options_of
from tictac.plugin import Added
from tictac.runtime import AddOn, LobbyPlugin, ServerPlugin
from tictac.server import config, environment
from tictac.storage.databases import shown

_CORE = {"server": options_of(ServerOptions), "accounts": options_of(AccountOptions)}


class Parts(NamedTuple):
    """The plug-ins with options, by the names of their groups of options."""

    lobbies: dict[str, LobbyPlugin]
    add_ons: dict[str, AddOn]
    servers: dict[str, ServerPlugin]


def find_parts() -> Parts:
    """Return all usable plug-ins; no two have a group or an option of the same name."""
    groups = {"ports", *_CORE}
    taken = {"help", "version"}.union(*map(_names, _CORE.values()))

    def check(name: str, loaded: LobbyPlugin | AddOn | ServerPlugin) -> str | None:
        own = [] if not isinstance(loaded, ServerPlugin) else [loaded.port_option()]
        names = _names([*own, *options_of(loaded.options)])
        if name in groups:
            return f"there is another group of options {name!r}"
        if twice := names & taken:
            return f"there is another option {min(twice)!r}"
        groups.add(name)
        taken.update(names)
        return None

    return Parts(
        dict(Added("lobbies", "lobby", LobbyPlugin, check).all()),
        dict(Added("add_ons", "add-on", AddOn, check).all()),
        dict(Added("servers", "server", ServerPlugin, check).all()),
    )


def _names(options: Sequence[Option]) -> set[str]:
    return {name for each in options for name in (each.name, each.letter) if name}


LOBBIES, ADD_ONS, _SERVERS = find_parts()
MAKERS: list[ServerPlugin] = list(_SERVERS.values())

GROUPS: config.Groups = {
    "ports": [maker.port_option() for maker in MAKERS],
    **_CORE,
    **{name: options_of(lobby.options) for name, lobby in LOBBIES.items()},
    **{name: options_of(add_on.options) for name, add_on in ADD_ONS.items() if add_on.options},
    **{name: options_of(maker.options) for name, maker in _SERVERS.items() if maker.options},
}
OPTIONS = {option.name: option for options in GROUPS.values() for option in options}

PORT, WEB_PORT = 5000, 8080
"""Ports of a server that has no port in its options."""


class Options(usage.Options):
    """The values of all options, by their names; 0 turns a limit off.

    They come from the command line, from the environment, or from a configuration file; the first
    of these that gives an option counts. ``ports`` are the endpoint strings to listen on, by the
    name of their option. ``given`` is the source of each given option, and ``chosen`` the text
    of each, before it is read. ``terminal`` is a descriptor for one line about the server in the
    background. ``game`` is the option and port of the only game that was named: that port counts if
    the option isn't given. Without a port the server listens on ``PORT``, and where it
    ``offers_page`` on ``WEB_PORT``, too. ``pid_file`` is the path of twistd's ``--pidfile``, or an
    empty text.
    """

    terminal: int | None = None
    game: tuple[str, int] | None = None
    pid_file = ""
    offers_page = False

    synopsis = "[options]"

    def __init__(self) -> None:
        super().__init__()
        self.ports: dict[str, list[str]] = {}
        self.given: dict[str, str] = {}
        self.chosen: dict[str, Any] = {name: option.default for name, option in OPTIONS.items()}
        self.update(self.chosen)

    def getUsage(self, width: int | None = None) -> str:
        return config.usage(GROUPS)

    def parseOptions(self, options: Sequence[str] | None = None) -> None:
        """Read the command line, the environment, and the configuration file that they name.

        If one of them is wrong, the program ends with one line on standard error. Twisted would
        print all of the help to standard output.
        """
        try:
            self._take_arguments(sys.argv[1:] if options is None else options)
            for name, option in OPTIONS.items():
                if name not in self.given and (text := environment.find(option, os.environ)):
                    self._take(option, option.from_variable(text[1]), text[0])
            if (path := self["config"]) is not None:
                found = config.read_config(path, OPTIONS.keys() - {"config"})
                for name, value in found.items():
                    if name not in self.given:
                        self._take(OPTIONS[name], value, path, f"{path}: {name}")
            self._find_ports()
            if self.parent is not None and self.parent["pidfile"]:
                # twistd takes any process with the number in the file for a running server.
                self.pid_file, self.parent["pidfile"] = self.parent["pidfile"], ""
        except (GetoptError, ValueError, SetupError) as error:
            unknown = re.fullmatch(r"option --(\S+) not recognized", str(error))
            fail(str(error) + (config.near(unknown[1], OPTIONS) if unknown else ""))
        for warning in environment.mistakes(OPTIONS, os.environ):
            sys.stderr.write(f"Warning: {visible(warning)}\n")

    def _take_arguments(self, arguments: Sequence[str]) -> None:
        spelled = {f"--{name}": option for name, option in OPTIONS.items()}
        spelled |= {f"-{option.letter}": option for option in OPTIONS.values() if option.letter}
        letters = "".join(f"{option.letter}:" for option in OPTIONS.values() if option.letter)
        names = [name + "=" * bool(option.takes) for name, option in OPTIONS.items()]
        found, rest = getopt(arguments, letters, ["help", "version", *names])
        for name, text in found:
            if name in ("--help", "--version"):
                getattr(self, f"opt_{name[2:]}")()
            option = spelled[name]
            all_texts = [*self.chosen[option.name], text] if option.repeatable else text
            given = all_texts if option.takes else True
            self._take(option, given, "option", f"--{option.name}")
        if rest:
            raise SetupError("Wrong number of arguments.")

    def _take(self, option: Option, given: Any, source: str, place: str = "") -> None:
        """Take what ``source`` gives for an option; ``place`` begins the text of an error."""
        try:
            self[option.name] = option.value(given)
        except (TypeError, ValueError) as error:
            raise SetupError(f"{place or source}: {error}") from None
        alone = option.repeatable and not isinstance(given, list)
        self.given[option.name], self.chosen[option.name] = source, [given] if alone else given

    def _find_ports(self) -> None:
        cert, key = self["tls-cert"], self["tls-key"]
        if cert is None and key is not None:
            raise SetupError("--tls-key needs --tls-cert")
        if cert is not None and key is None:
            key = self["tls-key"] = key_file(cert)
        given = {maker.port: [*self[maker.port]] for maker in MAKERS}
        no_page = given["web"] == ["none"]
        if no_page:
            given["web"] = []
        if self.game is not None and not given[self.game[0]]:
            given[self.game[0]] = [str(self.game[1])]
        if not any(given.values()):
            given["port"] = [str(PORT)]
            given["web"] = [str(WEB_PORT)] if self.offers_page and not no_page else []
        self.chosen |= given
        for maker in MAKERS:
            texts, how = given[maker.port], (self["backlog"], self["listen"])
            if maker.listens:
                texts = [endpoint_description(text, *how) for text in texts]
                texts = [with_tls(text, cert, key) for text in texts] if cert else texts
            self.ports[maker.port] = self[maker.port] = texts

    def in_force(self) -> Mapping[str, Any]:
        """Return the effective settings, without the password of a database."""
        values = {name: self[name] for name in self.chosen if isinstance(self[name], int | float)}
        return {**self.chosen, **values, "database": shown(self["database"])}

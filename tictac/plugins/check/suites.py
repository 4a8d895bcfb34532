"""The suites of tictac and of plug-ins, by name.

A suite of tictac is the constant ``SUITE`` of a module. Other distributions declare suites as entry
points in the group ``tictac.suites``: ``NAME = module:SUITE``. A lookup imports the module of the
suite. Iteration over the names imports only the modules of plug-ins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from tictac.entry_points import Plugins
from tictac.plugins.check.cases import Suite

OWN = {
    "rooms": "plugins.check.rooms",
    "session": "plugins.classics.session.check.server",
    "nim": "plugins.classics.nim.check.server",
    "connectfour": "plugins.classics.connectfour.check.server",
    "clue": "plugins.clue.check.server",
    "mug": "plugins.xmpp.check.server",
    "lobby": "plugins.check.lobby",
    "rooms-client": "plugins.check.clients.rooms",
    "session-client": "plugins.classics.session.check.client",
    "nim-client": "plugins.classics.nim.check.client",
    "connectfour-client": "plugins.classics.connectfour.check.client",
    "connectfour-console": "plugins.classics.connectfour.check.console",
    "clue-client": "plugins.clue.check.client",
    "lobby-client": "plugins.check.clients.lobby",
}
"""The modules of tictac's own suites, by the PROTOCOL argument of ``tictac check``."""


def _check(name: str, loaded: object) -> str | None:
    if not isinstance(loaded, Suite):
        return "it isn't a tictac.plugins.check.cases.Suite"
    return None if loaded.name == name else f"its Suite is named {loaded.name!r}"


class Suites(Mapping[str, Suite]):
    """Suites by name."""

    def __init__(self) -> None:
        self._plugins = Plugins("suite", OWN, _check)

    def __getitem__(self, name: str) -> Suite:
        found: Suite | None
        if name in OWN:
            found = import_module(f"tictac.{OWN[name]}").SUITE
        else:
            found = self._plugins.load(name)
        if found is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        yield from OWN
        yield from (name for name, _ in self._plugins.all())

    def __len__(self) -> int:
        return sum(1 for _ in self)


SUITES = Suites()

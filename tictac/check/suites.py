"""The suites by name: those of tictac, a line each, and those of plug-ins.

A suite of tictac is the ``SUITE`` of a module, which stands beside its protocol, or here if the
protocol belongs to the core. Other distributions name theirs as entry points in the group
``tictac.suites``: ``NAME = module:SUITE``. A suite is imported when it is looked up; to iterate
over the names imports plug-ins only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

from tictac.check.cases import Suite
from tictac.plugins import Plugins

OWN = {
    "rooms": "check.rooms",
    "session": "doors.session.check.server",
    "nim": "doors.nim.check.server",
    "connectfour": "doors.connectfour.check.server",
    "clue": "doors.clue.check.server",
    "mug": "doors.xmpp.check.server",
    "lobby": "check.lobby",
    "rooms-client": "check.clients.rooms",
    "session-client": "doors.session.check.client",
    "nim-client": "doors.nim.check.client",
    "connectfour-client": "doors.connectfour.check.client",
    "clue-client": "doors.clue.check.client",
    "lobby-client": "check.clients.lobby",
}
"""The modules of tictac's own suites, by the names that people type."""


def _check(name: str, loaded: object) -> str | None:
    if not isinstance(loaded, Suite):
        return "it isn't a tictac.check.cases.Suite"
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

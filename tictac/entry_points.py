"""Plug-ins: games, servers, commands, and suites of other distributions.

A distribution names them in its metadata as entry points, in four groups. The name of an entry
point is what people type:

- ``tictac.games``: ``NAME = module:GAME_TYPE``, a :class:`tictac.game.GameType` of that name.
- ``tictac.servers``: ``NAME = module:PLUGIN``, a ``tictac.runtime.ServerPlugin``. Its options
  are the group ``[NAME]`` of a configuration file.
- ``tictac.commands``: ``NAME = module:add_parser``. The function gets the result of argparse's
  ``add_subparsers``, and adds ``tictac NAME`` to it.
- ``tictac.suites``: ``NAME = module:SUITE``, a ``tictac.plugins.check.cases.Suite`` of that name.

A plug-in is imported when its name is looked up, or when all names are. An unusable plug-in causes
one line on standard error for each process, and nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


@cache
def _entry_points(group: str) -> dict[str, list[EntryPoint]]:
    # Imported late: it costs more than all else that `tictac --version` needs.
    from importlib.metadata import entry_points

    found: dict[str, list[EntryPoint]] = {}
    for each in entry_points(group=group):
        found.setdefault(each.name, []).append(each)
    return found


class Plugins:
    """The plug-ins of the group ``tictac.WHATs``, such as ``tictac.games`` for the ``what`` game.

    ``own`` has tictac's own names. ``check`` gets the name and the object of a plug-in, and returns
    why it is unusable, or None. ``check`` can raise any exception.
    """

    def __init__(
        self, what: str, own: Collection[str], check: Callable[[str, object], str | None]
    ) -> None:
        self._what = what
        self._own = own
        self._check = check
        self._loaded: dict[str, Any] = {}
        self._refused: set[str] = set()

    def load(self, name: str) -> Any:
        """Return the plug-in of that name; None if there is no usable one."""
        entries = _entry_points(f"tictac.{self._what}s").get(name)
        if entries and name not in self._loaded and name not in self._refused:
            self._try(name, entries)
        return self._loaded.get(name)

    def all(self) -> Iterator[tuple[str, Any]]:
        """Load all plug-ins; iterate over the names and objects of the usable ones."""
        for name in _entry_points(f"tictac.{self._what}s"):
            plugin = self.load(name)
            if plugin is not None:
                yield name, plugin

    def _try(self, name: str, entries: list[EntryPoint]) -> None:
        try:
            if name in self._own:
                raise ValueError(f"tictac has a {self._what} of that name")
            if len({each.value for each in entries}) > 1:
                raise ValueError(f"there is another {self._what} of that name")
            plugin = entries[0].load()
            if wrong := self._check(name, plugin):
                raise ValueError(wrong)
        except (Exception, SystemExit) as error:  # whatever a stranger's module does
            self._refused.add(name)
            why = str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
            sources = {f"{each.dist.name} {each.dist.version}" for each in entries if each.dist}
            line = f"cannot use the {self._what} {name!r} of {', '.join(sorted(sources))}: {why}"
            printable = "".join(each if each.isprintable() else " " for each in line)
            print(f"tictac: {' '.join(printable.split()):.300}", file=sys.stderr)
        else:
            self._loaded[name] = plugin

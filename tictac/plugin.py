"""Plug-ins: what distributions add to tictac, tictac's own parts first.

A distribution has a :class:`Plugin`, and names it in its metadata as an entry point of the group
``tictac.plugins``: ``NAME = module:PLUGIN``. tictac's own are in its ``setup.cfg``. The value only
has texts, so that its module imports nothing else: an object is imported when its name is looked
up, or when all objects of its kind are. What can't be used costs one line on standard error for
each process, and nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from importlib.metadata import Distribution

T = TypeVar("T")

_OWN = "tictac"


@dataclass(frozen=True, slots=True)
class Plugin:
    """The additions of a plug-in: names that users type, with objects as ``module:NAME``, by kind.

    The modules are in ``package``, which is mostly ``__name__``. A name of tictac's own can't be
    taken. If two other distributions have a name, neither gets it.
    """

    package: str
    rank: int = 1000
    """Plug-ins with a lower rank come first in help and lists."""
    games: Mapping[str, str] = field(default_factory=dict)
    """Objects of type :class:`tictac.game.GameType`, with that name."""
    servers: Mapping[str, str] = field(default_factory=dict)
    """``tictac.runtime.ServerPlugin``; its options are the group ``[NAME]`` of a file."""
    add_ons: Mapping[str, str] = field(default_factory=dict)
    """``tictac.runtime.AddOn``; its options are the group ``[NAME]`` of a file."""
    lobbies: Mapping[str, str] = field(default_factory=dict)
    """``tictac.runtime.LobbyPlugin``; its options are the group ``[NAME]`` of a file."""
    commands: Mapping[str, str] = field(default_factory=dict)
    """Functions that get the result of argparse's ``add_subparsers`` and add ``tictac NAME``."""
    admin_commands: Mapping[str, str] = field(default_factory=dict)
    """Functions that add ``tictac admin NAME`` in the same way."""
    shells: Mapping[str, str] = field(default_factory=dict)
    """Makers of further commands of ``tictac play`` (``tictac.plugins.client.session.SHELLS``)."""
    suites: Mapping[str, str] = field(default_factory=dict)
    """Suites of ``tictac check``: ``tictac.plugins.check.cases.Suite``, with that name."""
    keepers: Mapping[str, str] = field(default_factory=dict)
    """Tables with names of accounts: classes like ``tictac.accounts.keepers.Keeper``."""

    vets: Mapping[str, str] = field(default_factory=dict)
    """What asks if a match can be replayed in this process: ``tictac.archive.checking.Vet``."""

    exports: Mapping[str, str] = field(default_factory=dict)
    """Formats of files for matches of a game, ``GAME.SUFFIX``: ``tictac.archive.match.Export``."""

    def __post_init__(self) -> None:
        package, rank, *kinds = (getattr(self, each.name) for each in fields(self))
        texts = [package, *(text for kind in kinds for pair in kind.items() for text in pair)]
        if not isinstance(rank, int) or not all(isinstance(each, str) for each in texts):
            raise TypeError("its names and objects are texts, and its rank is a number")


@cache
def plugins() -> list[tuple[str, Plugin]]:
    """Return the usable plug-ins, each after the name and version of its distribution."""
    # Imported late: it costs more than all else that `tictac --version` needs.
    from importlib.metadata import entry_points

    # A distribution parses its metadata again for each question.
    @cache
    def source_of(distribution: Distribution | None) -> str:
        metadata = distribution and distribution.metadata
        return f"{metadata['Name']} {metadata['Version']}" if metadata else "an unknown package"

    found = list[tuple[int, bool, str, str, Plugin]]()
    for entry in entry_points(group="tictac.plugins"):
        source = source_of(entry.dist)
        try:
            plugin = entry.load()
            if not isinstance(plugin, Plugin):
                raise ValueError("it isn't a tictac.plugin.Plugin")
        except (Exception, SystemExit) as error:  # whatever a stranger's module does
            _refuse("plug-in", entry.name, source, error)
        else:
            found.append((plugin.rank, not _is_own(source), entry.name, source, plugin))
    found.sort(key=lambda each: each[:3])
    if not any(_is_own(source) for *_, source, _ in found):
        sys.exit("tictac: its own plug-ins are missing; install it again: pip install -e .")
    return [(source, plugin) for *_, source, plugin in found]


class Added(Generic[T]):
    """The objects of one kind that plug-ins add, by name.

    ``kind`` is a field of :class:`Plugin`, and ``what`` its word in messages. An object must be a
    ``type_``, or callable if that is None. ``check`` gets a name and its object, and returns why
    the object is unusable, or None. It can raise any exception.
    """

    def __init__(
        self,
        kind: str,
        what: str,
        type_: type[T] | None = None,
        check: Callable[[str, T], str | None] = lambda name, loaded: None,
    ) -> None:
        self._kind = kind
        self._what = what
        self._type = type_
        self._check = check
        self._loaded: dict[str, T | None] = {}

    def load(self, name: str) -> T | None:
        """Return the object of that name; None if there is no usable one."""
        if name not in self._loaded and (candidates := self._candidates().get(name)):
            self._loaded[name] = self._choose(name, candidates)
        return self._loaded.get(name)

    def names(self) -> Iterator[str]:
        """Iterate over the names of all usable objects; import all except tictac's own."""
        for name, [(source, _), *others] in self._candidates().items():
            if (_is_own(source) and not others) or self.load(name) is not None:
                yield name

    def all(self) -> Iterator[tuple[str, T]]:
        """Import all objects; iterate over the names and objects of the usable ones."""
        for name in self._candidates():
            found = self.load(name)
            if found is not None:
                yield name, found

    def _candidates(self) -> Mapping[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        for source, plugin in plugins():
            for name, reference in getattr(plugin, self._kind).items():
                place = f"{plugin.package}.{reference}"
                found.setdefault(name, []).append((source, place))
        return found

    def _choose(self, name: str, candidates: list[tuple[str, str]]) -> T | None:
        own = [each for each in candidates if _is_own(each[0])]
        others = [each for each in candidates if each not in own]
        sources = ", ".join(sorted(source for source, _ in others))
        try:
            if own and others:
                error = ValueError(f"tictac has a {self._what} of that name")
                _refuse(self._what, name, sources, error)
            elif len(others) > 1:
                raise ValueError(f"there is another {self._what} of that name")
            found: T = resolve_name((own or others)[0][1])
            if self._type is None and not callable(found):
                raise ValueError("it can't be called")
            if self._type is not None and not isinstance(found, self._type):
                raise ValueError(f"it isn't a {self._type.__module__}.{self._type.__qualname__}")
            if wrong := self._check(name, found):
                raise ValueError(wrong)
        except (Exception, SystemExit) as error:  # whatever a stranger's module does
            if own:
                raise
            _refuse(self._what, name, sources, error)
            return None
        return found


def _is_own(source: str) -> bool:
    return source.partition(" ")[0] == _OWN


def _refuse(what: str, name: str, source: str, error: BaseException) -> None:
    why = str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"
    line = f"cannot use the {what} {name!r} of {source}: {why}"
    printable = "".join(each if each.isprintable() else " " for each in line)
    print(f"tictac: {' '.join(printable.split()):.300}", file=sys.stderr)

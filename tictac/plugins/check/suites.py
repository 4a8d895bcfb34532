"""The suites of all plug-ins (tictac.plugin), by name.

A suite stands beside its protocol, or here if the protocol belongs to the core. It is imported
when it is looked up. Iterating over the names imports only those of other distributions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tictac.plugin import Added
from tictac.plugins.check.cases import Suite


def _check(name: str, loaded: Suite) -> str | None:
    return None if loaded.name == name else f"its Suite is named {loaded.name!r}"


class Suites(Mapping[str, Suite]):
    """Suites by name."""

    def __init__(self) -> None:
        self._added = Added("suites", "suite", Suite, _check)

    def __getitem__(self, name: str) -> Suite:
        if (found := self._added.load(name)) is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return self._added.names()

    def __len__(self) -> int:
        return sum(1 for _ in self)


SUITES = Suites()

OPTIONS = {
    "holds-seats": (None, "rooms: the server holds the seat of a disconnected player"),
    "asks": ("NAMES", "clients: the questions of the client in order: name,host,port"),
    "types": ("NUMBERS", "nim: the types of play,turn,move,win,lose,exit; default: 1,2,3,4,5,6"),
    "names": (
        "FILE",
        "clue: names of cards; mug-client: what is typed; lines of ours, a blank, the program's",
    ),
    "board": ("FILE", "clue: another map, drawn like the one in docs/reference/clue.md"),
    "mini": (None, "clue-client: the client plays only the mini-game"),
}
"""The options that only some suites take: the placeholder for the value, or None, and the help."""

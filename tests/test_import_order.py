"""The order of imports that keeps the house in order (docs/design/architecture.md): by folder."""

from __future__ import annotations

from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.imports import MODULES, PACKAGE, imported_modules, imports, name_of

LEVELS = [
    level.split()
    for level in (
        "errors plugin",
        "names ip_networks fair_queue text_view options sheets",
        "game",
        "games plugins.games plugins.clue.game",
        "characters",
        "analysis lobby plugins.tournament",
        "reactor logs storage",
        "ratings accounts archive",
        "engines",
        "net bot",
        "terminal",
        "plugins.programs",
        "protocols.lobby plugins.matches plugins.client",
        "runtime",
        "plugins protocols plugins.classics plugins.clue",
        "plugins.web",
        "plugins.postgres plugins.days plugins.notices plugins.people plugins.replays"
        " plugins.puzzles plugins.privacy plugins.submissions plugins.tournament.hosting"
        " plugins.xmpp",
        "plugins.tournament.ladder",
        "plugins.desk",
        "plugins.monitoring",
        "server connectfour plugins.check testing plugins.tournament.running",
        "plugins.clue.check plugins.classics.connectfour.check plugins.classics.nim.check"
        " plugins.classics.session.check plugins.xmpp.check",
    )
]
"""A folder or module sees its own level and those above in this list."""

LEVEL_OF = {name: number for number, level in enumerate(LEVELS) for name in level}

APART = "protocols"
"""Folders in there don't see each other, unless they have levels of their own."""

PURE = LEVEL_OF["lobby"]
FORBIDDEN = {"twisted", "asyncio", "socket", "threading", "time", "zope", "select", "subprocess"}


def place(module: str) -> str:
    """Return a module's name in the list; empty for the package itself."""
    parts = module.split(".")[1:]
    names = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
    found = next((name for name in names if name in LEVEL_OF), "")
    assert found or not parts, f"{module} is new: give it a level in tests/test_import_order.py"
    return found


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_nobody_sees_what_is_built_on_it(path: Path) -> None:
    own, name = place(name_of(path)), name_of(path)
    seen = {module: place(module) for module in imported_modules(path)} if own else {}
    too_far = [
        module for module, other in seen.items() if other and LEVEL_OF[other] > LEVEL_OF[own]
    ]
    assert not too_far, f"{name} may not import {too_far}"
    if own == APART:
        folder = name.split(".")[:3]
        others = [m for m, other in seen.items() if other == APART and m.split(".")[:3] != folder]
        assert not others, f"{name} may not import another plug-in: {others}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_what_is_pure_stays_so(path: Path) -> None:
    own = place(name_of(path))
    if not own or LEVEL_OF[own] > PURE:
        return
    for module, name in imports(path):
        assert module.split(".")[0] not in FORBIDDEN, f"{name_of(path)} imports {module}"
        if module.split(".")[0] == "random":
            # Dice are passed in: the type may be named, the module has a state.
            assert (module, name) == ("random", "Random"), f"{name_of(path)} has dice of its own"


def test_no_modules_import_each_other_in_a_circle() -> None:
    seen = {name_of(path): imported_modules(path) - {name_of(path)} for path in MODULES}
    assert list(TopologicalSorter(seen).static_order())  # raises graphlib.CycleError


def test_the_modules_are_found() -> None:
    names = {name_of(path) for path in MODULES}
    assert {
        "tictac.errors",
        "tictac.lobby.room",
        "tictac.net.framing",
        "tictac.server.make",
    } <= names


def test_a_new_folder_must_be_given_a_level() -> None:
    with pytest.raises(AssertionError, match="give it a level"):
        place("tictac.cellar.wine")


def test_imports_are_seen_through() -> None:
    seen = imported_modules(PACKAGE / "server" / "make.py")
    assert {"tictac.server.settings", "tictac.runtime", "tictac.errors"} <= seen

"""The order of imports that keeps the house in order (docs/design/architecture.md): by folder."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "tictac"

LEVELS = [
    level.split()
    for level in (
        "errors entry_points",
        "names ip_networks fair_queue textview options sheets builtin",
        "game",
        "games plugins.games plugins.clue.game",
        "analysis lobby plugins.tournament",
        "reactor logs storage",
        "ratings accounts archive",
        "engines",
        "net",
        "terminal",
        "plugins.programs",
        "protocols.lobby client matches",
        "plugins protocols plugins.classics plugins.clue plugins.xmpp",
        "protocols.web",
        "plugins.postgres plugins.people plugins.tournament.hosting",
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

MODULES = sorted(PACKAGE.rglob("*.py"))


def place(module: str) -> str:
    """Return a module's name in the list; empty for the package itself."""
    parts = module.split(".")[1:]
    names = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
    found = next((name for name in names if name in LEVEL_OF), "")
    assert found or not parts, f"{module} is new: give it a level in tests/test_import_order.py"
    return found


def name_of(path: Path) -> str:
    """Return the dotted name of the module in a file."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


@cache
def imports(path: Path) -> list[tuple[str, str | None]]:
    """Return each import anywhere in a module: a module's name, and the name taken from it."""
    found: list[tuple[str, str | None]] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module is not None, f"{path}: a relative import"
            found += [(node.module, alias.name) for alias in node.names]
    return found


def imported_modules(path: Path) -> set[str]:
    """Return the modules of tictac that a module imports."""
    found = set()
    for module, name in imports(path):
        if module.split(".")[0] == "tictac":
            inside = module if name is None else f"{module}.{name}"
            file = PACKAGE.parent.joinpath(*inside.split("."))
            is_module = file.is_dir() or file.with_suffix(".py").exists()
            found.add(inside if is_module else module)
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
        assert not others, f"{name} may not import another door: {others}"


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
    assert list(TopologicalSorter(seen).static_order())  # raises CycleError


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
    assert {"tictac.server.settings", "tictac.lobby.registry", "tictac.errors"} <= seen

"""The order of imports that keeps the house in order (docs/architecture.md): a module sees its
own level and what is left of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "tictac"

LEVELS = [
    level.split()
    for level in (
        "errors",
        "options parts fair face game",
        "games",
        "lobby",
        "rules board bitboard search opponent deduction players wire stanzas "
        "events room registry translation table"
        " cards data clue.game mini walking player simple sampling notes asking detective"
        " eliminator"
        " xml addresses refusals forms configuration occupants state invitations ownership saving"
        " requests queries directory elements computer seating seats mug.match tables",
        "accounts logs",
        "net terminal",
        "doors server client link component house thinking worker hosting clue.lobby"
        " lobby.computer"
        " bodies chat adhoc running",
        "config service console screen match commands entries telling notebook person"
        " games.tictactoe.screen",
        "web cluster nodes",
        "admin",
        "tap cli",
    )
]
LEVEL_OF = {name: number for number, level in enumerate(LEVELS) for name in level}
FOLDERS = {
    "games", "lobby", "client", "doors", "accounts", "net", "terminal", "web", "cluster", "nodes",
    "admin",
}  # fmt: skip
"""Folders all of whose modules have the folder's own level, but for those with a dot above."""

PURE = LEVEL_OF["rules"]
FORBIDDEN = {"twisted", "asyncio", "socket", "threading", "time", "zope", "select", "subprocess"}

MODULES = sorted(PACKAGE.rglob("*.py"))


def level(module: str) -> int | None:
    """The level of a dotted module name; None for the package itself, which has none."""
    first, *rest = module.split(".")
    assert first == "tictac"
    if not rest or (PACKAGE.joinpath(*rest).is_dir() and rest[0] not in FOLDERS):
        return None
    name = ".".join(rest)
    if name not in LEVEL_OF:
        name = rest[0] if rest[0] in FOLDERS else rest[-1]
    assert name in LEVEL_OF, (
        f"{module} is new: give it a level in LEVELS of tests/test_import_order.py"
    )
    return LEVEL_OF[name]


def name_of(path: Path) -> str:
    """The dotted name of the module in a file."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def imports(path: Path) -> Iterator[tuple[str, str | None]]:
    """What a module imports, wherever in it: a module's name, and what is taken from it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, None
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module is not None, f"{path}: a relative import"
            for alias in node.names:
                yield node.module, alias.name


def imported_modules(path: Path) -> set[str]:
    """The modules of tictac that a module imports."""
    found = set()
    for module, name in imports(path):
        if module.split(".")[0] == "tictac":
            inside = module if name is None else f"{module}.{name}"
            file = PACKAGE.parent.joinpath(*inside.split("."))
            is_module = file.is_dir() or file.with_suffix(".py").exists()
            found.add(inside if is_module else module)
    return found


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_nobody_sees_to_the_right(path: Path) -> None:
    own = level(name_of(path))
    seen = {module: level(module) for module in imported_modules(path)}
    if own is None:
        assert not seen, "a package only holds its modules"
        return
    too_far = [name for name, other in seen.items() if other is not None and other > own]
    assert not too_far, f"{name_of(path)} may not import {too_far}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_what_is_pure_stays_so(path: Path) -> None:
    own = level(name_of(path))
    if own is None or own > PURE:
        return
    for module, name in imports(path):
        assert module.split(".")[0] not in FORBIDDEN, f"{name_of(path)} imports {module}"
        if module.split(".")[0] == "random":
            # Dice are passed in: the type may be named, the module has a state.
            assert (module, name) == ("random", "Random"), f"{name_of(path)} has dice of its own"


def test_the_modules_are_found() -> None:
    names = {name_of(path) for path in MODULES}
    assert {"tictac.errors", "tictac.lobby.room", "tictac.net.framing", "tictac.tap"} <= names


def test_a_new_module_must_be_given_a_level() -> None:
    with pytest.raises(AssertionError, match="give it a level"):
        level("tictac.rooms.cellar")


def test_imports_are_seen_through() -> None:
    seen = imported_modules(PACKAGE / "tap.py")
    assert {"tictac.options", "tictac.rooms.config", "tictac.errors"} <= seen

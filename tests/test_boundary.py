"""The boundary of the core (docs/design/architecture.md, "The core and its plug-ins").

Bundled plug-ins use what the core publishes, and what the plug-ins publish that they need; so can
a stranger's. The core uses no plug-in.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.imports import MODULES, PACKAGE, imported_modules, imports, name_of
from tests.surface import PUBLISHED, SHARED, SURFACE, describe

NEEDS = {
    "client": {"matches", "programs"},
    "check": {"programs"},
    "tournament": {"programs", "client", "web"},
    "submissions": {"bot", "programs", "client", "web"},
    "people": {"client", "web"},
    "days": {"client"},
    "notices": {"web", "xmpp", "days", "people", "client"},
    "privacy": {"client", "web"},
    "puzzles": {"client", "web"},
    "desk": {"client", "submissions", "tournament"},
    "monitoring": {"web"},
    "xmpp": {"check", "client", "days", "privacy", "programs", "web"},
    "clue": {"check", "programs"},
    "classics": {"games", "check", "client", "programs"},
}
"""The plug-ins of which a plug-in uses what they publish."""

LARGEST_CORE = 24_816
"""Lines of Python. This number is only ever lowered."""

OTHERS = ("examples", "tests/outside", "tests/crosses")
"""The folders with packages of others."""

MOST_ANY = 246
"""Uses of ``Any`` in annotations and elsewhere: an alias of it counts once. This number is only
ever lowered."""

LARGEST_FILE = 600
"""Lines; a file of more is an alarm: it may have two reasons to change."""

DERIVED: dict[str, str] = {}
"""The classes of rooms that derive from one of ours, and from which; there are only ever fewer."""


def plugin_of(module: str) -> str:
    """Return the plug-in of a module; empty: it is the core's."""
    match module.split("."):
        case ["tictac", "plugins", name, *_]:
            return name
        case ["tictac", "connectfour", *_]:
            return "classics"  # the names that a source asks for
        case ["tictac", "bot"]:
            return "bot"  # a file for programs of users, which uses nothing of tictac
    return ""


def uses() -> set[tuple[str, str]]:
    """Return what each plug-in, and the core (empty), uses that it may not."""
    found = set()
    for path in MODULES:
        own = plugin_of(name_of(path))
        for module in imported_modules(path):
            other, inside = plugin_of(module), module.removeprefix("tictac.")
            is_published = inside in PUBLISHED | SHARED | {"tictac"}
            may_use = not other or other in NEEDS.get(own, ())
            if other != own and not (is_published and may_use):
                found.add((own, inside))
    return found


def test_plugins_use_what_is_published() -> None:
    assert uses() == set(), "publish it, or do without it"


@pytest.mark.parametrize("name", sorted(PUBLISHED | SHARED))
def test_what_is_published_is_there(name: str) -> None:
    assert any(name_of(path) == f"tictac.{name}" for path in MODULES)


def test_packages_of_others_use_only_what_is_published() -> None:
    """As the tutorials show it: the examples, and the packages that tests install."""
    root = PACKAGE.parent
    files = [file for each in OTHERS for file in root.joinpath(each).rglob("tictac_*/*.py")]
    used = {module for file in files for module in imported_modules(file)}
    assert used and used <= {f"tictac.{each}" for each in PUBLISHED}


def test_nothing_is_shared_in_vain() -> None:
    used = {
        module.removeprefix("tictac.")
        for path in MODULES
        for module in imported_modules(path)
        if plugin_of(name_of(path)) not in ("", plugin_of(module))
    }
    assert used - PUBLISHED >= SHARED


def test_no_plugin_needs_another_in_vain() -> None:
    used = {
        (plugin_of(name_of(path)), plugin_of(module))
        for path in MODULES
        for module in imported_modules(path)
    }
    assert {(own, other) for own, others in NEEDS.items() for other in others} <= used


def test_no_plugins_need_each_other_in_a_circle() -> None:
    assert list(TopologicalSorter(NEEDS).static_order())  # raises graphlib.CycleError


def test_what_runs_needs_nothing_of_what_tests_need() -> None:
    running = [path for path in MODULES if "testing" not in name_of(path)]
    assert [m for path in running for m in imported_modules(path) if "testing" in m] == []


def test_the_surface_is_as_it_is_written_down() -> None:
    assert describe(PUBLISHED) == SURFACE.read_text(), (
        "what plug-ins use has changed: run python -m tests.surface, and add a news fragment"
    )


def test_the_core_can_be_held_in_the_head() -> None:
    lines = sum(p.read_text().count("\n") for p in MODULES if not plugin_of(name_of(p)))
    assert lines <= LARGEST_CORE


def test_types_hide_no_contract() -> None:
    uses = [
        path
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Name) and node.id == "Any"
    ]
    assert len(uses) <= MOST_ANY, Counter(map(name_of, uses)).most_common(20)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_file_has_one_subject(path: Path) -> None:
    assert path.read_text().count("\n") <= LARGEST_FILE


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_private_names_stay_in_their_modules(path: Path) -> None:
    taken = [(module, name) for module, name in imports(path) if name and name.startswith("_")]
    assert [each for each in taken if each[0].startswith("tictac.")] == []


def derived(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each class in a file that derives from our classes with behavior, and their names."""
    tree = ast.parse(path.read_text())
    ours = {name for module, name in imports(path) if module.startswith("tictac")}
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    ours |= {node.name for node in classes if "Protocol" not in map(ast.unparse, node.bases)}
    for node in classes:
        names = {ast.unparse(base) for base in node.bases}
        if "Protocol" in names:  # one that adds to another has no behavior either
            continue
        if bases := sorted(names & ours):
            yield f"{name_of(path)}.{node.name}", " ".join(bases)


def test_nothing_of_rooms_derives_from_a_class_of_ours() -> None:
    found = [
        each
        for path in MODULES
        if name_of(path).startswith(("tictac.lobby", "tictac.plugins.postgres"))
        for each in derived(path)
        if "Error" not in each[1]
    ]
    assert dict(found) == DERIVED


def test_no_module_takes_helpers_from_a_test_module() -> None:
    folders = [PACKAGE.with_name(folder) for folder in ("tests", "bench")]
    found = [
        f"{path}: {module} {name}"
        for folder in folders
        for path in folder.rglob("*.py")
        if "build" not in path.parts
        for module, name in imports(path)
        if module.startswith(("tests", "bench")) and ".test_" in f"{module}.{name}"
    ]
    assert found == [], "move the helper to a module beside the test modules that use it"

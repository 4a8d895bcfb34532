"""Names of modules, classes, and functions in docstrings and comments: each leads somewhere.

A name is the argument of a role such as ``:class:`Room```, a word with capitals inside such as
``PlayerRole``, a dotted name such as ``cases.Line``, or a name with underscores in code marks.
It leads somewhere by one of these rules:

- The last part of a module's name, or a class, begins a dotted name, and that module has the rest.
- The code of the same file has the dotted name, or a variable with the name of its first part.
- The first part is a package that is installed, such as ``graphlib`` in ``graphlib.CycleError``.
- The code of any module, setup.cfg, or JavaScript has a name that isn't dotted.
- A document, or a text of the web page, has the word in prose. It is the name of another program.
- The name is a file, a host, a placeholder in upper case, a column of a table, a key of a
  catalogue, or a part of an address in the same text.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.sources import Source, read

ROOT = Path(__file__).parents[1]

_ROLE = re.compile(r":(?:class|func|meth|mod|attr|data|exc):`[~!]?([\w.]+)`")
_PATTERNS = (
    re.compile(r"``(_?[a-z]+_[a-z_]+)(?:\(\))?``"),
    re.compile(r"(?<![\w./\-@:\"'{*])([A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+)(?![\w./@\"'*=-]*[\w/@*])"),
    re.compile(r"(?<![\w.:/<])([A-Z][a-z]+(?:[A-Z][a-z]+)+)(?!\w|\.\w)"),
)
_ADDRESS = re.compile(r"https?://\S+")
_FILES = ("cfg", "css", "csv", "db", "html", "ini", "js", "json", "md", "py", "sql", "toml", "txt")
_HOSTS = ("com", "example", "net", "org")


def names_in(text: str) -> Iterator[str]:
    """Yield the names in a docstring or comment."""
    addresses = " ".join(_ADDRESS.findall(text)).lower()
    yield from _ROLE.findall(text)
    plain = _ADDRESS.sub(" ", _ROLE.sub(" ", text))
    for pattern in _PATTERNS:
        yield from (name for name in pattern.findall(plain) if name.lower() not in addresses)


class Names:
    """The names in a tree of modules, its documents, and its other programs."""

    def __init__(self, root: Path) -> None:
        self.sources: dict[str, Source] = {}
        for folder in ("tictac", "tests", "bench"):
            for path in sorted((root / folder).rglob("*.py")):
                name = path.relative_to(root).with_suffix("").as_posix().replace("/", ".")
                self.sources[name.removesuffix(".__init__")] = read(path.read_text("utf-8"))
        self._by_end: dict[str, list[Source]] = {}
        for name, source in self.sources.items():
            parts = name.split(".")
            for first in range(len(parts)):
                self._by_end.setdefault(".".join(parts[first:]), []).append(source)
        self._words = frozenset().union(*(each.words for each in self.sources.values()))
        self._others = frozenset(_others(root))

    def stale(self, module: str) -> list[tuple[int, str]]:
        """Return the names in a module's texts that lead nowhere, with the lines of the texts."""
        source = self.sources[module]
        return [
            (line, name)
            for line, text in source.texts
            for name in names_in(text)
            if not self._leads_somewhere(name, source)
        ]

    def _leads_somewhere(self, name: str, source: Source) -> bool:
        first, *rest = name.split(".")
        if name in self._others or name in source.dotted:
            return True
        if not rest:
            return name in self._words
        if rest[-1] in (*_FILES, *_HOSTS) or first.isupper() or self._is_in_a_module(first, rest):
            return True
        if first in source.words and self._words.issuperset(rest):
            return True
        return first not in self._by_end and find_spec(first) is not None

    def _is_in_a_module(self, first: str, rest: list[str]) -> bool:
        if first[0].isupper():
            return any(each.words.issuperset([first, *rest]) for each in self.sources.values())
        parts = [first, *rest]
        return any(
            source.words.issuperset(parts[size:])
            for size in range(len(parts), 0, -1)
            for source in self._by_end.get(".".join(parts[:size]), ())
        )


def _others(root: Path) -> Iterator[str]:
    """Yield the names that aren't Python's."""
    for path in (*root.glob("*.md"), *root.glob("docs/**/*.md")):
        prose = re.sub(r"```.*?```|`[^`]*`", " ", path.read_text("utf-8"), flags=re.S)
        yield from re.findall(r"\w+", prose)
    for path in (*root.glob("setup.cfg"), *root.glob("tictac/**/*.js")):
        yield from re.findall(r"\w+(?:\.\w+)*", path.read_text("utf-8"))
    for path in root.glob("tictac/**/*.sql"):
        table = re.compile(r"CREATE TABLE (\w+) \((.*?)\n\)", re.S)
        for name, columns in table.findall(path.read_text("utf-8")):
            yield from (f"{name}.{column}" for column in re.findall(r"\w+", columns))
    for path in root.glob("tictac/**/texts/en.json"):
        text = path.read_text("utf-8")
        yield from re.findall(r"\w+", text)
        yield from _keys(json.loads(text))


def _keys(value: object, before: str = "") -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield f"{before}{key}"
            yield from _keys(each, f"{before}{key}.")


@cache
def names() -> Names:
    """Return the names of this checkout."""
    return Names(ROOT)


@pytest.mark.parametrize("folder", ["tictac", "tests", "bench"])
def test_names_lead_somewhere(folder: str) -> None:
    stale = {
        f"{module}, line {line}: {name}"
        for module in names().sources
        if module.partition(".")[0] == folder
        for line, name in names().stale(module)
    }
    assert not stale


HALL = """
class Hall:
    def enter(self): pass

class HallKeeper: pass

def open_hall(): pass
"""


@pytest.mark.parametrize(
    ("text", "stale"),
    [
        ("Raises :class:`Gone`, or :class:`Hall`.", ["Gone"]),
        ("See hall.Hall, hall.Room, and attic.Room.", ["attic.Room", "hall.Room"]),
        ("A HallKeeper opens it, not an AtticKeeper.", ["AtticKeeper"]),
        ("``open_hall`` calls ``close_hall``.", ["close_hall"]),
        ("Hall.enter, then Hall.leave.", ["Hall.leave"]),
        ("See tictac.hall.enter and tictac.attic.", ["tictac.attic"]),
        ("Asks os.path, games.example, hall.py, and NAME.KEY.", []),
        ("Source: https://example.org/AtticKeeper/", []),
        ("PostgreSQL runs on the attic.Room of the operator.", ["attic.Room"]),
    ],
)
def test_a_stale_name_is_found(text: str, stale: list[str], tmp_path: Path) -> None:
    (tmp_path / "tictac").mkdir()
    (tmp_path / "tictac/__init__.py").touch()
    (tmp_path / "README.md").write_text("Needs PostgreSQL.\n")
    (tmp_path / "tictac/hall.py").write_text(HALL)
    (tmp_path / "tictac/notes.py").write_text(f'"""{text}"""\n')
    assert sorted(name for _, name in Names(tmp_path).stale("tictac.notes")) == stale


def listed(docstring: str) -> list[str]:
    """Return the modules that the docstring of a package lists, such as ``tables``: the SQL."""
    lists = re.findall(r"^- (``\w+``(?:, ``\w+``)*):", docstring, re.M)
    return [name for each in lists for name in re.findall(r"\w+", each)]


def test_a_package_lists_modules_that_are_there() -> None:
    stale = [
        f"{path.parent.relative_to(ROOT)}: {name}"
        for path in (ROOT / "tictac").rglob("__init__.py")
        for name in listed(ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "")
        if find_file(path.parent, name) is None
    ]
    assert not stale


def find_file(folder: Path, name: str) -> Path | None:
    """Return the module or the package of that name."""
    return next((each for each in (folder / f"{name}.py", folder / name) if each.exists()), None)


def test_the_architecture_names_each_plug_in() -> None:
    text = (ROOT / "docs" / "design" / "architecture.md").read_text("utf-8")
    folders = [path.parent.name for path in ROOT.glob("tictac/plugins/*/__init__.py")]
    assert folders and [name for name in folders if f"`{name}/`" not in text] == []

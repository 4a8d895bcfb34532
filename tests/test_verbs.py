"""The words for output in names (CONTRIBUTING.md, "Verbs"): each has one meaning."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.imports import MODULES, PACKAGE

WITHOUT_MEANING = {"hear", "hears", "tell", "tells", "told"}
"""The words of no name: send, notify, show, report, and others say which of all these it is."""

CHAT = {
    ("lobby/registry.py", "say"),
    ("lobby/room.py", "say"),
    ("plugins/client/shell.py", "_do_say"),
    ("plugins/xmpp/muc_tables.py", "_say"),
    ("plugins/xmpp/room.py", "say"),
    ("protocols/lobby/rematch.py", "say"),
    ("protocols/lobby/session.py", "_say"),
    ("protocols/lobby/wire.py", "Say"),
}
"""Saying is the chat in a room, as in the request ``say``."""


def defined(source: str) -> Iterator[str]:
    """Yield the names that a module defines: its functions, classes, parameters, and variables."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.arg():
                yield node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.attr


def wrong(source: str) -> set[str]:
    """Return the names that a module defines with a word that has no meaning, or only in a chat."""
    words = WITHOUT_MEANING | {"say"}
    return {name for name in defined(source) if not words.isdisjoint(name.lower().split("_"))}


def test_each_word_for_output_has_one_meaning() -> None:
    found = {
        (module.relative_to(PACKAGE).as_posix(), name)
        for module in MODULES
        for name in wrong(module.read_text("utf-8"))
    }
    assert found == CHAT


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def tell(): pass", {"tell"}),
        ("async def _tell_all(): pass", {"_tell_all"}),
        ("class Say: pass", {"Say"}),
        ("def send(told): pass", {"told"}),
        ("told = heard()", {"told"}),
        ("self._told_at: float = 0", {"_told_at"}),
        ("for hear in lines: pass", {"hear"}),
        ("intelligent = essay = send(tell.told)", set()),
    ],
)
def test_a_word_without_a_meaning_is_found(source: str, names: set[str]) -> None:
    assert wrong(source) == names

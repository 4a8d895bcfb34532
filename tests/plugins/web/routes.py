"""All paths of the page's server, as its source names them."""

from __future__ import annotations

import ast
import inspect
from types import ModuleType

from tictac.plugins.tournament.hosting import pages as tournaments
from tictac.plugins.tournament.ladder import pages as series
from tictac.plugins.web import api

FILLED = "zoe"
"""What stands for each variable part of a path."""


def api_paths() -> list[str]:
    """Return a path below /api/ for each case in the sources of the answers."""
    own = ["/".join(parts) for parts in _cases(api)]
    cups = ["/".join(["tournaments", "cup1", *parts]) for parts in _cases(tournaments)]
    cups += ["/".join(["series", "term", *parts]) for parts in _cases(series)]
    return [f"/api/{path}" for path in (*own, *cups, "boards?rooms=zoe", "tournaments", "series")]


def _cases(module: ModuleType) -> list[list[str]]:
    found = []
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.match_case) and isinstance(node.pattern, ast.MatchSequence):
            found.append([_part(each) for each in node.pattern.patterns])
    assert len(found) > 1, "the answers are chosen in another way: find their paths anew"
    return found


def _part(pattern: ast.pattern) -> str:
    if isinstance(pattern, ast.MatchValue):
        return str(ast.literal_eval(pattern.value))
    return FILLED


def page_paths(pattern: bytes) -> list[str]:
    """Return a path for each alternative of the regular expression of the page's addresses."""
    words = {w for w in pattern.decode().replace("(", "|").replace(")", "|").split("|") if w}
    names = sorted(w.split("/")[0] for w in words if w[:1].isalpha())
    return [
        f"/{name}{rest}" for name in names for rest in ("", f"/{FILLED}", f"/{FILLED}/{FILLED}")
    ]

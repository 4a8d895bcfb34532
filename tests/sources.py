"""Modules as text: the docstrings and comments, and the names in the code."""

from __future__ import annotations

import re
from typing import NamedTuple

_STRING = re.compile(r'(^[ ]*)?(?:"""(.*?)"""|"(?:[^"\\\n]|\\.)*"|# (.*?)$)', re.M | re.S)


class Source(NamedTuple):
    """A module: its docstrings and comments by line, and the names and dotted names of its code."""

    texts: tuple[tuple[int, str], ...]
    words: frozenset[str]
    dotted: frozenset[str]


def read(text: str) -> Source:
    """Return the texts and the names of a module, which has the format of ruff."""
    texts: list[tuple[int, str]] = []

    def take(found: re.Match[str]) -> str:
        begin, document, comment = found.groups()
        if comment is None and (begin is None or document is None):
            return found[0]
        texts.append((text.count("\n", 0, found.start()) + 1, document or comment or ""))
        return begin or ""

    code = _STRING.sub(take, text)
    words, dotted = re.findall(r"\w+", code), re.findall(r"\w+(?:\.\w+)+", code)
    return Source(tuple(texts), frozenset(words), frozenset(dotted))

"""The numbered rules of a protocol's document, which cases cite.

A rule is an item of a list in the document::

    - **R3.6 DECIDED** Lists are oldest first. *Why:* the reason. *Accepted:* other forms that pass.

The mark of the level (:class:`Level`) follows the number, and then the text of the rule. A rule
without a mark is required. If a decision has no reason, the source is silent or lost. ``*Else:*``
names another form, which also passes under the standard ``--source``.

Documents aren't installed. Therefore, ``python -m tests.documents`` copies the rules, with the
headings above them, into a file ``rules.txt`` in the folder of the cases. :func:`parse_rules` reads
both. ``quotes.txt`` in the same folder has the sentence of the source for each rule, with its
section::

    R3.4 3.2.1: "rooms available to join as a viewer"
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from types import MappingProxyType


class Level(StrEnum):
    """How binding a rule is. A case has the level of its first rule."""

    REQUIRED = "required"
    DECIDED = "decided"
    OPTIONAL = "optional"

    @property
    def mark(self) -> str:
        """The mark of the level in documents and reports."""
        return _MARKS[self]

    def binds(self, by_source: bool) -> bool:
        """Return whether a program can fail a rule of this level.

        ``by_source`` is true under the standard ``--source``.
        """
        return self is Level.REQUIRED or (self is Level.DECIDED and not by_source)


_MARKS = {Level.REQUIRED: "MUST", Level.DECIDED: "DECIDED", Level.OPTIONAL: "MAY"}
_LEVELS = {mark: level for level, mark in _MARKS.items()}

_HEADING = re.compile(r"#+ (.*)")
_RULE = re.compile(r"- \*\*([A-Z]+\d+\.\d+)(?: (DECIDED|MAY))?\*\* (.*)")
_PART = re.compile(r" ?\*(Why|Else|Accepted):\* ?")
_QUOTE = re.compile(r"([A-Z]+\d+\.\d+)([^:]*: .*)")


@dataclass(frozen=True)
class Rule:
    """A rule of a document.

    ``ground`` is the sentence of the source, or the reason of a decision; ``accepted`` are other
    forms that pass. ``section`` is the heading above the rule.
    """

    number: str
    level: Level
    section: str
    says: str
    ground: str = ""
    accepted: str = ""


def rule_lines(text: str) -> list[str]:
    """Return the rules of a document and the headings above them, each in a line."""
    kept: list[str] = []
    inside = False
    for line in text.splitlines():
        if inside and line.startswith("  "):
            kept[-1] += f" {line.strip()}"
            continue
        inside = _RULE.match(line) is not None
        if inside:
            kept.append(line)
        elif _HEADING.fullmatch(line):
            if kept and _HEADING.fullmatch(kept[-1]):
                kept.pop()
            kept.append(line)
    return kept[:-1] if kept and _HEADING.fullmatch(kept[-1]) else kept


def parse_quotes(text: str) -> dict[str, str]:
    """Return the quotes in a ``quotes.txt``, with their sections, by the number of the rule."""
    found = map(_QUOTE.fullmatch, text.splitlines())
    return {quote[1]: f"Source{quote[2]}" for quote in found if quote}


def parse_rules(text: str, quotes: Mapping[str, str] = MappingProxyType({})) -> dict[str, Rule]:
    """Return the rules of a document, or of a ``rules.txt``, by number."""
    rules: dict[str, Rule] = {}
    section = ""
    for line in rule_lines(text):
        if heading := _HEADING.fullmatch(line):
            section = heading[1]
            continue
        found = _RULE.fullmatch(line)
        assert found is not None, line
        number, mark, words = found.groups()
        says, *parts = _PART.split(words)
        named = dict(zip(parts[::2], parts[1::2], strict=True))
        level = _LEVELS[mark or _MARKS[Level.REQUIRED]]
        ground = quotes.get(number, "")
        if level is Level.DECIDED:
            ground = f"Why: {named.get('Why', 'the source is silent.')}"
            ground += f" Else: {named['Else']}" if "Else" in named else ""
        assert number not in rules, f"there are two rules {number}"
        accepted = named.get("Accepted", "")
        rules[number] = Rule(number, level, section, says, ground, accepted)
    return rules


def read_rules(package: str, file: str = "rules.txt") -> dict[str, Rule]:
    """Return the rules in a file of a package, with their quotes if it has such a file."""
    folder = files(package)
    quotes = folder.joinpath(file.replace("rules", "quotes"))
    found = parse_quotes(quotes.read_text("utf-8")) if quotes.is_file() else {}
    return parse_rules(folder.joinpath(file).read_text("utf-8"), found)

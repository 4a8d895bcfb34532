"""What STYLE.md asks us not to write, as patterns, and where it still stands.

``python -m tests.english [PATH ...]`` prints each place with a better word. ``--update`` lowers the
numbers in english.txt, which never rise.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.sources import read as read_code

ROOT = Path(__file__).parents[1]
ALLOWED = Path(__file__).with_name("english.txt")

PLACES = (
    "README.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md",
    "newsfragments/*.md", "docs/**/*.md", "tictac/**/*.py",
    "tictac/plugins/web/static/texts/en.json",
)  # fmt: skip

START = r"(?:^|(?<=[.;:!?] )|(?<=\| ))"
PATTERNS = {
    rf"{START}[Ww]ho(?:ever)? (?!can |may )[a-z]+\b(?![^.|]*\?)": "the player, the client",
    r"\b(?:by|for|from|of|to|with) whoever\b": "the player who, the client that",
    r"\b(?:is|isn't|are|aren't|was|were|be) told\b": "the server sends, prints, answers",
    r"\bhears? (?:of|that|no|from)\b": "gets, receives",
    r"\b(?:no|every|some)body\b|\b(?:No|Every|Some)body\b": "no one, everyone; or the role",
    r"\bone's\b|\boneself\b": "your, the player's",
    r"\bbut for\b|\b[Aa]ll but\b": "except",
    r"\b[Ll]ikewise\b": "also; or repeat the fact",
    r"\b(?:as|so) ever\b": "as usual",
    r"\bfor ever\b": "forever",
    r"\bbesides\b": "also, in addition",
    r"\bshall\b": "must, will",
    r"\bin vain\b": "without success",
    r"\bor the like\b": "such as",
    r"\blooks? after\b|\blooked after\b": "runs, administers",
    r"\b(?:is|are|was|were) (?:looked for|looked at|tried again|waited for)\b": "the server checks",
    r"\b(?:is|are) away\b|\b(?:go|goes|gone|went) away\b": "is unavailable; disconnects",
    r"\bcomes? in\b(?! (?:pieces|place|the order))": "connects, joins, logs in",
    r"\bwhat (?:has ended|is kept|is there|was kept|holds|runs)\b": "the noun",
    r"\b(?:has|have) hung up\b": "closed the connection",
    r"\b(?:has|have|is|are) gone\b(?! wrong)": "is closed, disconnected, is unavailable",
    r"\b(?:has|have) given up\b": "resigned",
    r"\b(?:is|are|was|were|be) put out\b": "is removed",
    r"\b[Pp]lease\b(?! input a valid mode)": "the imperative alone",
    r"\banybody\b": "anyone; or the role",
    r"\bmay\b": "can, might",
    r"\ba second and [a-z]+": "per second for each",
    rf"{START}So (?:do|does|is|are|was|were) ": "repeat the subject and the verb",
    r"(?<![Tt]here )\b(?:is|are|was|were) no "
    r"(?:answer|card|case|clock|domain|file|game|JSON|match|message|move|name|number|page|port|position"
    r"|request|status|type|word)s?\b": "isn't a",
}
Rule = tuple[re.Pattern[str], str]
_RULES: list[Rule] = [(re.compile(pattern), better) for pattern, better in PATTERNS.items()]

_VERBS = "[Rr]eturns?|[Yy]ields?|[Ss]ees?|[Nn]otes?|[Ss]eats?|[Ll]ets?|[Aa]sks?"
PATTERNS_OF_CODE = {
    rf"\b(?:{_VERBS}|to|by|from|with|and|but|only|except|than) who(?:ever)?\b": "the player who",
    r"\b[Tt]hose (?:who|that|which|whose|there)\b": "the noun",
    r"(?<!\")\b[Ww]hat (?:is|are|was|were|has|have|had|came|comes|follows|ended|happens)\b"
    r"(?! implemented)": "the noun",
    r"^[Ww]hat (?:a|an|the|it|they|each|one)\b": "the noun",
    r"\b[Tt]ell(?:s|ing)?\b(?![\w ]* apart)|\btold\b|\b[Hh]ear(?:s|d|ing)?\b": "sends, reads",
    r"\b(?:is|isn't|are|aren't|was|were|be|been) (?:seen|said|asked|thought|heard|meant|gone)\b": (
        "the actor as the subject"
    ),
    r"\b(?:isn't|aren't|is|are) there\b(?=[.,;:])": "exists, is connected, has arrived",
    r"^(?:Whether|See|Take|Give|Make|Let|Start|Stop|End|Do|Show|Wait for) (?:it|them|they)\b": (
        "the noun"
    ),
    r"^See (?:that|whether|who|what)\b": "Check that",
    rf"{START}(?:Of|Over) ": "the subject first",
    r"\bas far as\b": "if",
    r"\banew\b": "again, a new one",
}
"""Habits in docstrings and comments, where a reader has no other place to look."""
_RULES_OF_CODE = [(re.compile(pattern), better) for pattern, better in PATTERNS_OF_CODE.items()]

CODE = re.compile(r"``[^`]*``|`[^`]*`|\]\([^)]*\)|<[^>]*>")


class Finding(NamedTuple):
    """A place in a file: its line, the words there, and better ones."""

    line: int
    words: str
    better: str


@cache
def read_files() -> Mapping[str, list[Finding]]:
    """Return the findings by path of all files that people read."""
    paths = sorted({path for place in PLACES for path in ROOT.glob(place)})
    found = {str(path.relative_to(ROOT)): list(read_file(path)) for path in paths}
    return {path: places for path, places in found.items() if places}


def read_file(path: Path) -> Iterator[Finding]:
    """Yield what is to be written anew in a file."""
    text = path.read_text()
    read = {".md": _lines_of_a_document, ".py": _strings, ".json": _texts}[path.suffix]
    for number, line in read(text):
        yield from (Finding(number, *words) for words in find(CODE.sub("X", line)))
    for number, words in read_code(text).texts if path.suffix == ".py" else ():
        line = " ".join(CODE.sub("X", words).split())
        yield from (Finding(number, *words) for words in find(line, _RULES_OF_CODE))


def find(line: str, rules: Iterable[Rule] = _RULES) -> Iterator[tuple[str, str]]:
    """Yield words of a line that are to be written anew, with better ones."""
    for pattern, better in rules:
        yield from ((found[0], better) for found in pattern.finditer(line))


def _lines_of_a_document(text: str) -> Iterator[tuple[int, str]]:
    """Yield the prose with its line numbers: no code, and no marks of lists."""
    is_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            is_code = not is_code
        elif not is_code:
            yield number, re.sub(r"^\s*(?:[-*]|\d+\.) ", "", line)


def _strings(source: str) -> Iterator[tuple[int, str]]:
    """Yield messages, help and docstrings: strings of three words or more."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Constant(value=str(text), lineno=first) if text.count(" ") > 1:
                lines = enumerate(text.splitlines(), first)
                yield from ((number, line.strip()) for number, line in lines)


def _texts(text: str) -> Iterator[tuple[int, str]]:
    """Yield the values of a catalogue, each on its line."""
    for number, line in enumerate(text.splitlines(), 1):
        for value in re.finditer(r': "((?:[^"\\]|\\.)*)"', line):
            yield number, value[1]


def allowed() -> dict[str, int]:
    """Return how many findings each file may have."""
    entries = (line.split(" ", 1) for line in ALLOWED.read_text().splitlines())
    return {path: int(count) for count, path in entries}


def lower(found: Mapping[str, list[Finding]], before: Mapping[str, int]) -> dict[str, int]:
    """Return the new numbers: those of today, where they aren't above the old ones."""
    return {path: min(len(places), before.get(path, 0)) for path, places in found.items()}


def main(arguments: Iterable[str]) -> None:
    """Run the command."""
    chosen = list(arguments)
    found = read_files()
    if chosen == ["--update"]:
        numbers = lower(found, allowed())
        lines = (f"{count} {path}\n" for path, count in sorted(numbers.items()) if count)
        ALLOWED.write_text("".join(lines))
        return
    for path, places in found.items():
        for line, words, better in places if path in chosen or not chosen else ():
            print(f"{path}:{line}: {words!r}: {better}")


if __name__ == "__main__":
    main(sys.argv[1:])

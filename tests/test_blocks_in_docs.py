"""Every fenced block of a document is checked: read as what it is, or by a test of its page."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Callable
from configparser import RawConfigParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.documents import DOCUMENTS, ROOT, Block, blocks
from tests.shell_lines import read


def _shell(text: str) -> None:
    subprocess.run(["bash", "-n"], input=text, text=True, check=True)


def _ini(text: str) -> None:
    lines = text if text.startswith("[") else f"[part]\n{text}"
    RawConfigParser(strict=False).read_string(lines)


def _yaml(text: str) -> None:
    pytest.importorskip("yaml").safe_load(text)


def _json(text: str) -> None:
    """Read one value or several."""
    while text := text.lstrip():
        _, end = json.JSONDecoder().raw_decode(text)
        text = text[end:]


READERS: dict[str, Callable[[str], object]] = {
    "sh": _shell, "json": _json, "toml": tomllib.loads, "ini": _ini, "yaml": _yaml,
    "xml": ElementTree.fromstring, "html": ElementTree.fromstring,
}  # fmt: skip
"""What reads a block of a language, and raises an error if it is wrong.

test_commands_in_docs.py also tries the commands of tictac.
"""

EXCEPTIONS = {
    "standby.md text": "a drawing",
    "absent-players.md text": "a line of /etc/aliases",
    "check.md text": "a report; tests/plugins/check/test_reports.py has the form of reports",
    "clue.md text": "test_document.py compares it with the map, whatever its language",
    "desk.md text": "the last one is what a pupil types at the prompt",
    "a-board-of-your-own.md json": "the beginning of a part of a file",
    "playing.md text": "test_readme.py plays them, and names the page PLAYING",
    "matches.md console": "test_readme.py runs it, and names the page MATCHES",
}
"""Blocks that can't be read, and that no test names by page and language, with the reason."""

TESTS = [
    path.read_text("utf-8") for path in ROOT.glob("tests/**/test_*.py") if path != Path(__file__)
]
TESTS += [(ROOT / "tests" / each).read_text("utf-8")
          for each in ("protocols/lobby/asyncapi.py", "plugins/xmpp/xmpp.py")]  # fmt: skip


def _is_commands(block: Block) -> bool:
    """Return whether test_commands_in_docs.py tries each line."""
    return all([*read(line)] for line in block.lines if line)


def is_named(page: Path, language: str) -> bool:
    """Return whether a test names the page and the language."""
    names = (f'"{page.stem}"', page.name)
    return any(
        any(name in text for name in names) and re.search(rf'"{language}"|```{language}', text)
        for text in TESTS
    )


def unchecked(document: Path) -> set[str]:
    """Return the kinds of blocks that nothing checks; raise an error if a block is wrong."""
    found = set()
    for block in blocks(document) if "\n```" in document.read_text("utf-8") else []:
        kind = f"{document.name} {block.language}"
        if kind in EXCEPTIONS:
            found.add(kind)
        elif block.language in READERS:
            READERS[block.language](block.text)
        elif not _is_commands(block) and not is_named(document, block.language):
            found.add(kind)
    return found


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_each_block_is_checked(document: Path) -> None:
    excepted = {kind for kind in EXCEPTIONS if kind.startswith(f"{document.name} ")}
    assert unchecked(document) == excepted


def test_what_nothing_checks_is_found(tmp_path: Path) -> None:
    page = tmp_path / "index.md"
    page.write_text("# A page\n\n```perl\nprint 1\n```\n\n```text\ntictac users list\n```\n")
    assert unchecked(page) == {"index.md perl"}
    page.write_text("# A page\n\n```json\n{\n```\n")
    with pytest.raises(json.JSONDecodeError):
        unchecked(page)

"""STYLE.md as a test: what it asks us not to write becomes less."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.english import ROOT, Finding, allowed, find, lower, read_file, read_files
from tests.sources import read


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Who has none left has lost.", ["Who has"]),
        ("Everybody in the room is told.", ["is told", "Everybody"]),
        ("A room is closed then. So is its match.", ["So is "]),
        ("Please wait: the room may be gone.", ["Please", "may"]),
        ("The client is gone, and is no file.", ["is gone", "is no file"]),
        ("There is no file, and it has gone wrong.", []),
        ("The server sends the event to every occupant.", []),
        ("Who is online?", []),
    ],
)
def test_old_habits_are_found(line: str, words: list[str]) -> None:
    assert [found for found, _ in find(line)] == words


def test_code_is_no_prose(tmp_path: Path) -> None:
    page = tmp_path.with_suffix(".md")
    page.write_text("Type `nobody`.\n\n```text\nnobody\n```\n\n- Nobody comes.\n")
    assert [(found.line, found.words) for found in read_file(page)] == [(7, "Nobody")]


def test_each_text_of_a_catalogue_is_prose(tmp_path: Path) -> None:
    catalogue = tmp_path.with_suffix(".json")
    catalogue.write_text('{\n"a": {"one": "Nobody.", "other": "Please wait."},\n"b": "may"\n}\n')
    found = [(found.line, found.words) for found in read_file(catalogue)]
    assert found == [(2, "Nobody"), (2, "Please"), (3, "may")]


def test_messages_and_docstrings_are_prose(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text('"""Nobody reads this one."""\n\nNAME = "nobody"\n')
    assert [found.line for found in read_file(module)] == [1]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('def f():\n    """Return who is connected."""\n', 2),
        ('"""Mark what is seen as a failure."""\n', 1),
        ('"""Tells of rooms as they change."""\n', 1),
        ('"""A room.\n\nIt has those that aren\'t over, and others can come.\n"""\n', 1),
        ('def f():\n    """Start it, if there is a command."""\n', 2),
        ("X = 1\nY = 2  # unless the room is there.\n", 2),
    ],
)
def test_docstrings_and_comments_name_what_they_mean(text: str, line: int, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(text)
    assert {found.line for found in read_file(module)} == {line}


@pytest.mark.parametrize(
    "text",
    [
        '"""Return whether the client can tell the rooms apart."""\n',
        '"""Return the players who are connected."""\n',
        '"""Source: xmpp.md, "What is implemented"."""\n',
        'NAME = "as far as possible, told anew"\n',
    ],
)
def test_other_texts_are_no_habits(text: str, tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(text)
    assert not list(read_file(module))


def test_no_name_is_a_private_metaphor() -> None:
    """``door`` is a wire field. The rooms of Clue have doors."""
    avoided = re.compile(r"doors|door_\w+|\w+_doors?|\w*(?:Door|DOOR|stayer|sitter|watcher)\w*")
    found = {
        f"{path.relative_to(ROOT)}: {word}"
        for folder in ("tictac", "tests")
        for path in (ROOT / folder).rglob("*.py")
        if "clue" not in path.parts and path.name != "test_english.py"
        for word in read(path.read_text("utf-8")).words
        if avoided.fullmatch(word)
    }
    assert not found


def test_the_numbers_only_fall() -> None:
    found = {"one": [Finding(1, "shall", "must")] * 3}
    assert lower(found, {"one": 5, "gone": 1}) == {"one": 3}
    assert lower(found, {"one": 2}) == {"one": 2} and lower(found, {}) == {"one": 0}


def test_no_file_has_more_of_it_than_before() -> None:
    before = allowed()
    more = {
        path: f"{len(places)}, not {before.get(path, 0)}: python -m tests.english {path}"
        for path, places in read_files().items()
        if len(places) > before.get(path, 0)
    }
    assert not more


def test_the_numbers_are_lowered() -> None:
    now = {path: len(places) for path, places in read_files().items()}
    less = {path: now.get(path, 0) for path, most in allowed().items() if now.get(path, 0) < most}
    assert not less, "python -m tests.english --update"

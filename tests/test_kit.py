"""What contributors and releases rely on: the workflows, the forms, the fragments, the version."""

from __future__ import annotations

import re
from configparser import RawConfigParser
from pathlib import Path

import pytest

from tests.documents import DOCUMENTS, ROOT
from tictac import __version__

GITHUB = ROOT / ".github"
WORKFLOWS = sorted(GITHUB.glob("workflows/*.yml"))
CHANGELOG = ROOT / "CHANGELOG.md"


def environments() -> set[str]:
    """Return the environments that tox.ini describes, without those of single Pythons."""
    parser = RawConfigParser()
    parser.read(ROOT / "tox.ini")
    (fast, coverage) = re.findall(r"^(\w+): python", parser["testenv"]["commands"], re.M)
    return {fast, coverage, "py", *(name[8:] for name in parser.sections() if ":" in name)}


def test_the_version_stands_in_one_place() -> None:
    configured = (ROOT / name for name in ("setup.cfg", "pyproject.toml", "towncrier.toml"))
    places = [*configured, *DOCUMENTS, *WORKFLOWS]
    assert [path for path in places if __version__ in path.read_text() and path != CHANGELOG] == []


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned(workflow: Path) -> None:
    used = re.findall(r"uses: (.*)", workflow.read_text())
    assert used
    for action in used:
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action)


def test_the_same_actions_are_used_everywhere() -> None:
    used = {line for path in WORKFLOWS for line in re.findall(r"uses: (.*)", path.read_text())}
    assert len({line.partition("@")[0] for line in used}) == len(used)


def test_what_the_workflows_run_is_in_tox() -> None:
    text = "".join(path.read_text() for path in WORKFLOWS)
    named = re.findall(r"tox -e ([\w,]+)$", text, re.M)
    for listed in re.findall(r"environment: (\[.*\])$", text, re.M):
        named += re.findall(r"[\w,-]*\w", listed)
    assert len(named) > 4
    names = {name for each in named for name in each.split(",")}
    assert {re.sub(r"^py3\d+-", "", name) for name in names} <= environments()


def test_the_style_checks_every_file_of_github() -> None:
    checked = (ROOT / "tox.ini").read_text()
    for path in GITHUB.rglob("*.yml"):
        assert path.relative_to(ROOT).as_posix() in checked


def test_news_fragments_are_named_by_issue_and_type() -> None:
    for path in (ROOT / "newsfragments").iterdir():
        name = r"(\d+|\+[\w-]+)\.(feature|bugfix|doc|removal|misc)(\.\w+)?\.md|README\.md"
        assert re.fullmatch(name, path.name), path.name

"""The types of the page's scripts (.ci/web)."""

from __future__ import annotations

from tests.documents import ROOT
from tests.plugins.web import messages


def test_the_types_of_the_messages_are_those_of_the_schema() -> None:
    assert messages.TYPES.read_text("utf-8") == messages.described_text()


def test_a_nullable_list_and_an_optional_name_keep_that() -> None:
    made = messages.described_text()
    assert "  type Clocks = (number)[] | null;" in made
    assert '    hello: { do: "hello"; draws?: (string)[] | null;' in made


def test_answers_of_one_request_are_one_type() -> None:
    line = next(
        each for each in messages.described_text().splitlines() if "    programs: V" in each
    )
    assert "Version & {" in line
    assert "programs: (Version)[];" in line and "command: string;" in line


def test_the_lock_file_names_no_registry() -> None:
    lock = (ROOT / ".ci" / "web" / "package-lock.json").read_text("utf-8")
    assert '"resolved"' not in lock

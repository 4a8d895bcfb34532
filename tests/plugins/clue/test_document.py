"""docs/reference/clue.md: every transcript is played, at the server and at a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest

from tests.documents import Block, blocks, page
from tests.plugins.clue.helpers import BOARD
from tests.plugins.clue.scene import Scene
from tests.plugins.clue.server import Caller, Server
from tictac.options import Settings
from tictac.plugins.clue.game.cards import NAMES, PASSAGES, ROOMS, TOKENS
from tictac.plugins.clue.settings import ClueOptions
from tictac.plugins.clue.wire import LONGEST_LINE
from tictac.server.make import Options

DOCUMENT = page("clue")
TRANSCRIPTS = blocks(DOCUMENT, language="transcript")
[SEEN] = blocks(DOCUMENT, language="console")


def server_of(line: str) -> Server:
    """Return the server that the first line of a transcript names."""
    options = Options()
    options.parseOptions(["--clue", "1", *line.strip("()").split()])
    return Server(chosen=Settings(options)[ClueOptions])


class Stage:
    """A server, and the people of a transcript before it."""

    def __init__(self, options: str) -> None:
        self._server = server_of(options)
        self._people: dict[str, Caller] = {}
        self._unread: dict[str, list[str]] = {}

    def play(self, lines: Iterable[str]) -> None:
        """Do what each line says; in the end nothing may be unread."""
        for line in lines:
            if found := re.fullmatch(r"(\w+)< (.+)", line):
                self._collect()
                assert self._unread[found[1]], f"nothing came for {line}"
                assert self._unread[found[1]].pop(0) == found[2]
                continue
            self._require_silence(line)
            self._act(line)
        self._require_silence("the end")

    def _act(self, line: str) -> None:
        if found := re.fullmatch(r"(\w+)> (.+)", line):
            self._person(found[1]).send(found[2])
        else:
            found = re.fullmatch(r"\((\w+) is disconnected\)", line)
            assert found, f"what does {line!r} mean?"
            caller = self._people.pop(found[1])
            assert caller.closed, line

    def _person(self, name: str) -> Caller:
        if name not in self._people:
            self._people[name] = self._server.connect(None)
            self._unread[name] = []
        return self._people[name]

    def _collect(self) -> None:
        for name, caller in self._people.items():
            self._unread[name] += caller.read()

    def _require_silence(self, when: str) -> None:
        self._collect()
        unread = {name: lines for name, lines in self._unread.items() if lines}
        if when.endswith("is disconnected)"):
            # That may be told before what others get for it.
            unread = {name: lines for name, lines in unread.items() if f"({name} " in when}
        assert not unread, f"unread at {when}: {unread}"
        for name, caller in self._people.items():
            assert not caller.closed or f"({name} is" in when, f"{name} is closed at {when}"


@pytest.mark.parametrize("block", TRANSCRIPTS, ids=lambda block: block.heading)
def test_transcript(block: Block) -> None:
    Stage(block.lines[0]).play(block.lines[1:])


def test_the_stage_notices_what_a_transcript_leaves_out_or_makes_up() -> None:
    for lines, why in (
        (["ann> ann"], "unread at the end"),
        (["ann> ann", "ann> roll"], "unread at ann> roll"),
        (["ann> \x07"], "ann is closed at the end"),
        (["ann> ann", "ann< hullo"], "assert"),
        (["(ann sneezes)"], "what does"),
    ):
        with pytest.raises(AssertionError, match=re.escape(why)):
            Stage("(--clue-mini)").play(lines)
    with pytest.raises(SystemExit):
        Stage("(--clue-seed x)")


def test_what_a_person_sees() -> None:
    """The client before the server: bytes go to and fro until nothing more is said."""
    scene, caller = Scene(), server_of("(--clue-seed 11 --clue-players leech,random,sensible,leech,"
                                       "sensible)").connect(None)  # fmt: skip
    scene.type("roll", "lounge", "green revolver", "notes")
    while sent := scene.sent():
        caller.transport.arrive(sent)
        scene.transport.arrive(caller.transport.take())
    assert SEEN.text in scene.person.read()


def test_the_tables_of_names() -> None:
    text = DOCUMENT.read_text("utf-8")
    assert f"0 to 5: {', '.join(TOKENS)}." in text
    for letter, name in ROOMS.items():
        assert f"{letter} {name}" in text
    for weapon in NAMES[6:12]:
        assert f"`{weapon}`" in text
    for one, other in PASSAGES.items():
        assert f"{one}-{other}" in text or f"{other}-{one}" in text
    [shown] = [block for block in blocks(DOCUMENT) if block.lines == BOARD.rows]
    assert shown.heading == "The map"


def test_the_limits_of_the_document_are_the_defaults() -> None:
    section = DOCUMENT.read_text("utf-8").split("## Limits")[1].split("```")[0]
    options: Any = Options()
    for name in ("clue-name-timeout", "clue-move-timeout", "clue-max-rounds"):
        [line] = [line for line in section.splitlines() if f"`--{name}`" in line]
        assert re.search(rf"\b{options[name]:g}\b", line), line
    assert f"{LONGEST_LINE:,} bytes" in section

"""docs/reference/connect-four.md: every transcript is played, at the server and at a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from twisted.internet.defer import Deferred

from tests.documents import Block, blocks, page
from tests.plugins.classics.connectfour.helpers import Caller, Server
from tests.terminal.helpers import Person
from tictac.plugins.classics.connectfour.console import play_here
from tictac.plugins.classics.connectfour.wire import parse_answer
from tictac.plugins.games.connectfour.game import format_move
from tictac.plugins.games.connectfour.rules import Move, Rules
from tictac.server.make import Options
from tictac.terminal.style import Style

DOCUMENT = page("connect-four")
TRANSCRIPTS = blocks(DOCUMENT, language="transcript")
[HERE] = blocks(DOCUMENT, language="console")


def answers(lines: tuple[str, ...]) -> Iterator[str]:
    """Yield the computer's moves in a transcript."""
    for line in lines:
        answer = parse_answer(line[2:].encode())
        if line.startswith("< ") and isinstance(answer, Move):
            yield format_move(answer)


class Stage:
    """A server whose computer does what a transcript shows, and the client of that."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        self._lines = lines
        self._server = Server(answers(lines))
        self._caller: Caller = self._server.connect()
        self._unread: list[str] = []

    def play(self) -> None:
        """Do what each line says; in the end nothing may be unread."""
        for line in self._lines:
            if line.startswith("< "):
                assert self._unread, f"nothing came for {line}"
                assert self._unread.pop(0) == line[2:]
                continue
            assert not self._unread, f"unread at {line}: {self._unread}"
            self._act(line)
        assert not self._unread, f"unread at the end: {self._unread}"

    def _act(self, line: str) -> None:
        if line.startswith("> "):
            assert not self._caller.closed, line
            self._unread = self._caller.ask(line[2:])
        else:
            assert line == "(it closes)" and self._caller.closed, line


@pytest.mark.parametrize("block", TRANSCRIPTS, ids=lambda block: block.heading)
def test_transcript(block: Block) -> None:
    Stage(block.lines).play()


def test_the_stage_notices_what_a_transcript_leaves_out_or_makes_up() -> None:
    hello = ("> I32CFSP_HELLO boo", "< WELCOME boo")
    for lines in (hello[:1], (*hello, "< READY"), (*hello, "(it closes)"), ("> x", "> y"), ("?",)):
        with pytest.raises(AssertionError):
            Stage(lines).play()


def typed_in(block: Block) -> list[str]:
    """Return what the player types in a block."""
    return [line[2:] for line in block.lines if line.startswith("> ")]


def shown_in(block: Block) -> str:
    """Return what the program prints in a block."""
    return "".join(f"{line}\n" for line in block.lines if not line.startswith("> "))


def test_the_game_of_two_people() -> None:
    person = Person()
    status = Deferred.fromCoroutine(play_here(person.terminal, Style(), Rules(4, 4)))
    person.type(*typed_in(HERE))
    assert person.read() == shown_in(HERE)
    assert status.result == 0


def test_the_limits_of_the_document_are_the_defaults() -> None:
    section = DOCUMENT.read_text("utf-8").split("### Limits")[1].split("```")[0]
    options = Options()
    named = {
        name: text for text in section.split("\n- ") for name in re.findall(r"--([\w-]+)", text)
    }
    assert set(named) == {"connectfour-idle", "connectfour-think", "max-questions-per-peer"}
    for name, text in named.items():
        assert re.search(rf"\b{options[name]:g} (second|moves)", text), name

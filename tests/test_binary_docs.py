"""The documents of the binary protocols: every transcript is played, byte by byte."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pytest

from tests.documents import Block, blocks, page
from tests.plugins.classics.nim.helpers import LIST, nim_house
from tests.plugins.classics.session.helpers import session_house
from tests.tables import Guest, HasFactory
from tictac.plugins.classics.nim.wire import TYPES
from tictac.plugins.games.nim.rules import Deal
from tictac.server.make import Options

NIM = page("nim")
SESSION = page("session")


class Stage:
    """A server, and the people of a transcript before it."""

    def __init__(self, house: HasFactory) -> None:
        self._house = house
        self._people: dict[str, Guest] = {}
        self._unread: dict[str, bytes] = {}

    def play(self, lines: Iterable[str]) -> None:
        """Do what each line says; in the end nothing may be unread."""
        for line in lines:
            self._play_line(line)
        self._require_silence("the end")

    def _play_line(self, line: str) -> None:
        said = re.fullmatch(r"(\w+)([<>]) ([0-9a-f ]+)", line)
        if said is None:
            self._require_silence(line)
            self._direct(line)
        elif said[2] == ">":
            self._require_silence(line)
            self._person(said[1]).send(bytes.fromhex(said[3]))
        else:
            self._expect(said[1], bytes.fromhex(said[3]))

    def _person(self, name: str) -> Guest:
        if name not in self._people:
            self._people[name] = self._house.connect()
        return self._people[name]

    def _expect(self, name: str, data: bytes) -> None:
        self._collect()
        unread = self._unread.get(name, b"")
        assert unread.startswith(data), f"{name} got {unread.hex()}, not {data.hex()}"
        self._unread[name] = unread[len(data) :]

    def _collect(self) -> None:
        for name, guest in self._people.items():
            self._unread[name] = self._unread.get(name, b"") + guest.transport.take()

    def _require_silence(self, when: str) -> None:
        self._collect()
        unread = {name: data.hex() for name, data in self._unread.items() if data}
        # A disconnection may be told before what somebody else gets for it.
        if "is disconnected" not in when:
            assert not unread, f"unread at {when}: {unread}"

    def _direct(self, line: str) -> None:
        if found := re.fullmatch(r"\((\d+) seconds pass\)", line):
            self._house.expire(float(found[1]))
        elif found := re.fullmatch(r"\((\w+) connects\)", line):
            self._person(found[1])
        elif found := re.fullmatch(r"\((\w+) hangs up\)", line):
            self._people.pop(found[1]).hang_up()
        elif found := re.fullmatch(r"\((\w+) is disconnected\)", line):
            guest = self._people[found[1]]
            assert guest.closed or guest.transport.disconnected, line
        else:
            raise AssertionError(f"what does {line!r} mean?")


def _nim_stage(block: Block) -> tuple[Stage, tuple[str, ...]]:
    dealt = re.fullmatch(r"\(dealt: ([\d ]+)\)", block.lines[0])
    deal = Deal(fixed=tuple(map(int, dealt[1].split()))) if dealt else LIST
    return Stage(nim_house(deal=deal)), block.lines[1:] if dealt else block.lines


def _title(block: Block) -> str:
    return block.heading


@pytest.mark.parametrize("block", blocks(NIM, language="hex"), ids=_title)
def test_nim(block: Block) -> None:
    stage, lines = _nim_stage(block)
    stage.play(lines)


@pytest.mark.parametrize("block", blocks(SESSION, language="hex"), ids=_title)
def test_session(block: Block) -> None:
    Stage(session_house()).play(block.lines)


def test_the_stage_notices_what_a_transcript_leaves_out() -> None:
    with pytest.raises(AssertionError, match="unread at the end"):
        Stage(session_house()).play(["(alice connects)"])
    with pytest.raises(AssertionError, match=r"unread at \(bob connects\)"):
        Stage(session_house()).play(["(alice connects)", "(bob connects)"])
    with pytest.raises(AssertionError, match="alice got 00000001, not 02"):
        Stage(session_house()).play(["(alice connects)", "alice< 02"])
    with pytest.raises(AssertionError, match="is disconnected"):
        Stage(nim_house()).play(["alice> 01", "(alice is disconnected)"])
    with pytest.raises(AssertionError, match="what does"):
        Stage(nim_house()).play(["(alice sneezes)"])


def test_the_list_of_types() -> None:
    section = NIM.read_text("utf-8").split("## Messages")[1].split("## ")[0]
    rows = re.findall(r"\b(\d) `(\w+)`", section)
    assert {name: int(value) for value, name in rows} == TYPES._asdict()


def test_the_limits_in_the_documents_are_the_defaults() -> None:
    options: Any = Options()
    for document, names in (
        (NIM, ("nim-play-timeout", "nim-move-timeout", "nim-match-timeout")),
        (SESSION, ("session-move-timeout",)),
    ):  # fmt: skip
        section = document.read_text("utf-8").split("## Limits")[1].split("```")[0]
        for name in names:
            [line] = [part for part in re.split(r"\n(?=- )|\. ", section) if f"`--{name}`" in part]
            assert re.search(rf"\b{options[name]:g}\b", line), line

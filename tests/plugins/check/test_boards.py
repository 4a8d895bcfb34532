"""All boards and ends that scripts send to rooms clients could come from a server."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from tests.plugins.check.servers import LINES
from tictac.plugins.check.cases import Case, Script
from tictac.plugins.check.suites import SUITES

SCRIPTS = [case for case in SUITES["rooms-client"].cases if isinstance(case.act, Script)]


class Match(NamedTuple):
    """What a server knows: the board, the move that the client has sent, and the client's mark.

    A viewer has no mark, and sees a first board of a match that has begun earlier.
    """

    board: str
    sent: int | None = None
    own: str = ""


def has_line(board: str, mark: str) -> bool:
    """Return whether three marks are in a line."""
    return any(all(board[cell] == mark for cell in line) for line in LINES)


def after(match: Match, board: str) -> Match:
    """Return the match after a board, which must follow the one before."""
    ones, twos = board.count("1"), board.count("2")
    assert ones - twos in (0, 1)
    before = match.board
    if not before:
        return match._replace(board=board)
    new = [cell for cell in range(9) if board[cell] != before[cell]]
    assert len(new) == 1 and before[new[0]] == "0", f"{board} can't follow {before}"
    mover = "12"[before.count("1") - before.count("2")]
    assert board[new[0]] == mover
    if mover == match.own:
        assert new[0] == match.sent, f"{board} has a move that the client hasn't sent"
        return match._replace(board=board, sent=None)
    return match._replace(board=board)


def ends(match: Match, board: str, code: str, winner: str) -> None:
    """Check the end of a match."""
    if code == "2" or (code == "1" and "0" in board):
        assert board == match.board and (code == "2") == bool(winner)
        assert code == "2" or not match.own, "a draw with empty cells"
        return
    after(match, board)
    mark = next((mark for mark in "12" if has_line(board, mark)), "")
    assert bool(mark) == (code == "0") and (mark or "0" not in board)
    last = "21"[board.count("1") - board.count("2")]
    if mark:
        assert mark == last, "the winner hasn't moved last"
    if mark and match.own:
        assert (winner == "alice") == (mark == match.own)


def follow(script: str) -> int:
    """Play the server's part of a script; return how many boards it sends."""
    match, seen = Match("000000000"), 0
    for line in script.splitlines():
        if found := re.fullmatch(r"\(it (plays X|plays O|has placed|watches)\)", line):
            own = {"plays O": "2", "watches": ""}.get(found[1], "1")
            match = Match("" if found[1] == "watches" else "0" * 9, own=own)
            match = match._replace(sent=4 if found[1] == "has placed" else None)
        elif found := re.fullmatch(r"\(they mark ([0-8 ]+)\)", line):
            *before, last = map(int, found[1].split())
            for number, cell in enumerate(before):
                board = f"{match.board[:cell]}{number % 2 + 1}{match.board[cell + 1 :]}"
                match = after(match._replace(sent=cell), board)
            match = match._replace(sent=last)
        elif found := re.match(r"server< PLACE:(\d):(\d)", line):
            match = match._replace(sent=int(found[1]) + 3 * int(found[2]))
        elif found := re.match(r"server> BOARDSTATUS:(\d{9})", line):
            match, seen = after(match, found[1]), seen + 1
            assert not has_line(found[1], "1") and not has_line(found[1], "2")
            assert "0" in found[1]
        elif found := re.match(r"server> GAMEEND:(\d{9}):(\d):?(\w*)", line):
            ends(match, *found.groups())
            seen += 1
    return seen


@pytest.mark.parametrize("case", SCRIPTS, ids=lambda case: case.number)
def test_each_board_can_come(case: Case) -> None:
    assert isinstance(case.act, Script)
    sends = len(re.findall("server> (?:BOARDSTATUS|GAMEEND)", case.act.script))
    assert follow(case.act.script) == sends


@pytest.mark.parametrize(
    "script",
    [
        "(it has placed)\nserver> GAMEEND:222110100:0:bob",
        "(it has placed)\nserver> GAMEEND:120000000:2:alice",
        "(it plays X)\nserver> BOARDSTATUS:000010000",
        "(it plays O)\nserver> BOARDSTATUS:000020000",
        "(it plays O)\nserver> BOARDSTATUS:000010000\nserver> BOARDSTATUS:000010000",
        "(it plays X)\n(they mark 4 2 0 1 8)\nserver> GAMEEND:122010001:0:bob",
    ],
)
def test_a_board_that_cannot_come_is_noticed(script: str) -> None:
    with pytest.raises(AssertionError):
        follow(script)

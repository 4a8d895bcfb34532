"""The referee notices boards and ends that no server can send.

What the checker sends is judged where clients pass (clients/__init__.py).
"""

from __future__ import annotations

import struct

import pytest

from tests.plugins.check.referee import NONSENSE, judge
from tictac.plugins.check.cases import Line, Outcome
from tictac.plugins.check.suites import SUITES

MOVES = "DROP 3", ">OKAY\r\nDROP 4\r\nREADY"
BEGUN = "I32CFSP_HELLO ann", ">WELCOME ann", "AI_GAME", ">READY"
TAKE_1 = b"\3\0\0\0\0\1"
MARKS = "PLACE:1:1", ">BOARDSTATUS:000010000"


def judged(suite: str, *said: str | bytes) -> None:
    """Judge a conversation: what begins with ``>`` is the checker's."""
    lines = [Line(0, "checker", "!", b"starts the client")]
    for each in said:
        data = each if isinstance(each, bytes) else f"{each}\n".encode()
        how = ">" if data.startswith(b">") else "<"
        lines.append(Line(0, "server", how, data.removeprefix(b">")))
    judge(Outcome(SUITES[suite].cases[0], transcript=lines))


def ints(*numbers: int) -> bytes:
    """Return what the session's server sends."""
    return b">" + struct.pack(f"!{len(numbers)}i", *numbers)


def turn(*numbers: int) -> bytes:
    """Return the Nim server's list."""
    return b">" + struct.pack(f"!BB{len(numbers)}I", 2, len(numbers), *numbers)


@pytest.mark.parametrize(
    ("suite", "said"),
    [
        ("rooms-client", (">BEGIN:alice:bob", *MARKS, ">GAMEEND:000010000:2:alice")),
        ("rooms-client", (">INPROGRESS:bob:al", ">BOARDSTATUS:110020000")),
        ("connectfour-client", (*BEGUN, *MOVES, "DROP 9", ">INVALID\r\nREADY", *MOVES)),
        ("nim-client", (turn(2, 1), TAKE_1, turn(1), TAKE_1, b">\4")),
        ("session-client", (ints(2, 4, 1, 1), struct.pack("!ii", 0, 0), ints(4, 2, 2))),
    ],
)
def test_what_can_come_passes(suite: str, said: tuple[str | bytes, ...]) -> None:
    judged(suite, *said)


@pytest.mark.parametrize(
    ("suite", "said"),
    [
        ("rooms-client", (">BOARDSTATUS:000010000",)),
        ("rooms-client", (">BEGIN:alice:bob", *MARKS, ">GAMEEND:222110100:0:bob")),
        ("rooms-client", (">BEGIN:alice:bob", *MARKS, ">GAMEEND:120000000:2:alice")),
        ("rooms-client", (">BEGIN:alice:bob", ">BOARDSTATUS:000010000")),
        ("rooms-client", (">BEGIN:bob:alice", ">BOARDSTATUS:000020000")),
        ("rooms-client", (">BEGIN:bob:alice", *(">BOARDSTATUS:000010000",) * 2)),
        ("rooms-client", (">INPROGRESS:al:b", ">BOARDSTATUS:110220000", ">GAMEEND:111220000:0:al")),
        ("rooms-client", (">BEGIN:al:bob", ">BOARDSTATUS:000010000", ">GAMEEND:200010000:1")),
        ("connectfour-client", (*BEGUN, "DROP 3", ">OKAY\r\nPOP 3\r\nREADY")),
        ("connectfour-client", (*BEGUN, "DROP 3", ">OKAY\r\nREADY")),
        ("connectfour-client", (*BEGUN, *MOVES, "DROP 3", ">WINNER_RED")),
        ("connectfour-client", (*BEGUN, *MOVES * 3, "DROP 3", ">OKAY\r\nDROP 4\r\nREADY")),
        ("nim-client", (turn(2, 1), b"\3\0\0\0\0\2", turn(2, 1))),
        ("nim-client", (turn(2, 1), TAKE_1, b">\5")),
        ("nim-client", (turn(),)),
        ("session-client", (ints(2, 4, 1, 1), struct.pack("!ii", 0, 0), ints(4, 1, 1))),
        ("session-client", (ints(2, 1, 1, 1),)),
        ("lobby-client", ('>{"event":"room","n":2}',)),
    ],
)  # fmt: skip
def test_what_cannot_come_is_noticed(suite: str, said: tuple[str | bytes, ...]) -> None:
    with pytest.raises(AssertionError):
        judged(suite, *said)


def test_the_cases_that_send_nonsense_are_named() -> None:
    assert {case.number for suite in SUITES.values() for case in suite.cases} >= NONSENSE

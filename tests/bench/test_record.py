"""The checker of bench.chaos finds each thing that may go wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from bench.record import Row, Verdict, check
from bench.survivors import Notes

BOARDS = ("000000000", "100000000", "100020000", "110020000", "110022000", "111022000")
END = "111022000:0:ann"


def event(number: int, *words: object) -> Row:
    """A row of the room den."""
    return 7, None, number, json.dumps(words)


OPENED, CLOSED = (7, "den", None, "opened"), (7, "den", None, "closed")

MATCH: list[Row] = [
    OPENED,
    event(1, "joined", "ann", 0),
    event(2, "joined", "ben", 1),
    event(3, "began"),
    event(4, "moved", 0, "0:0"),
    event(5, "moved", 1, "1:1"),
    event(6, "moved", 0, "1:0"),
    event(7, "moved", 1, "2:1"),
    CLOSED,
]
"""The last move is its end, and isn't kept."""


def verdict_on(
    rows: Sequence[Row],
    seen: Sequence[str] = BOARDS,
    ends: Sequence[str] = (END,),
    former: Sequence[Row] = (),
) -> Verdict:
    """What the checker says to these rows, and to what the players were told."""
    note = Notes("den", ("ann", "ben"), list(seen), len(seen), set(ends), 2)
    return check([note], rows, former)


def test_a_match_as_it_should_be() -> None:
    assert verdict_on(MATCH) == Verdict(matches=1)


def test_moves_that_were_taken_back() -> None:
    again = [
        event(6, "undone", 0, 2),
        *(event(n + 3, *json.loads(MATCH[n][3])) for n in range(4, 8)),
    ]
    seen = [*BOARDS[:3], *BOARDS]
    assert verdict_on([*MATCH[:6], *again, CLOSED], seen).sound


def test_a_move_that_was_lost() -> None:
    assert verdict_on([*MATCH[:7], CLOSED]).lost == 2


def test_another_move_that_was_made_instead() -> None:
    verdict = verdict_on([*MATCH[:6], event(6, "moved", 0, "2:2"), *MATCH[7:]])
    assert verdict.lost == 3 and not verdict.sound


def test_a_move_that_was_made_twice() -> None:
    assert verdict_on([*MATCH[:8], event(8, "moved", 0, "0:0"), CLOSED]).doubled == 1
    assert verdict_on([*MATCH[:8], event(7, "moved", 1, "2:2"), CLOSED]).doubled == 1


def test_a_match_without_an_end() -> None:
    verdict = verdict_on(MATCH[:-1], BOARDS[:-1], ())
    assert (verdict.endless, verdict.lost) == (1, 0)


def test_a_match_of_which_two_ends_were_told() -> None:
    assert verdict_on(MATCH, ends=[END, "111022000:2:ben"]).lost == 1


@pytest.mark.parametrize("older", [2, 6, 8])
def test_rooms_that_an_older_database_has_again_are_written_again(older: int) -> None:
    assert verdict_on([*MATCH[:older], CLOSED, *MATCH], former=MATCH[:-1]).sound
    assert verdict_on(MATCH[:older], former=MATCH).sound
    assert verdict_on(MATCH[:older], former=MATCH[:-1]).endless == 1


def test_a_seat_that_somebody_else_got() -> None:
    assert verdict_on([*MATCH[:2], event(2, "joined", "eve", 1), *MATCH[3:]]).taken == 1
    assert verdict_on([*MATCH[:8], event(8, "joined", "eve", 1), CLOSED]).taken == 1
    assert verdict_on([*MATCH[:8], event(8, "joined", "eve", None), CLOSED]).taken == 0


def test_a_room_that_is_nowhere() -> None:
    verdict = verdict_on([])
    assert (verdict.lost, verdict.endless) == (6, 1)

"""The checker of bench.chaos finds each thing that may go wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from bench.archived import Copy, Kept, check_archive, read_kept
from bench.record import Row, Verdict, check
from bench.survivors import Notes

BOARDS = ("000000000", "100000000", "100020000", "110020000", "110022000", "111022000")
END = "111022000:0:ann"


def event(number: int, *words: object) -> Row:
    """Return a row of the room den."""
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
    """Return the checker's verdict on these rows, and on what the players saw."""
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


# The archive: five moves before the one that ends the match.

CONTENT = (
    '[{"rows":3},"000000000",["ann","ben"],null,0,null,"won",'
    '[[9,0,"0:0"],[20,1,"1:1"],[25,"left","ben"],[30,0,"1:0"],[40,1,"2:1"],[50,"2:0"]]]'
)
KEPT = read_kept("m1", 0, CONTENT, [["ann", 0, 1], ["ben", 1, 1]])


def findings_on(
    matches: Sequence[Kept],
    rows: Sequence[Row] = MATCH,
    ends: Sequence[str] = (END,),
    former: Copy | None = None,
) -> tuple[int, int, int]:
    """Return how many matches are kept, how many are gone, and the number of faults."""
    note = Notes("den", ("ann", "ben"), ends=set(ends))
    found = check_archive([note], Copy(list(rows), list(matches)), former or Copy([], []))
    return found.kept, found.gone, len(found.faults)


def test_a_match_in_the_archive() -> None:
    assert KEPT.end == END
    assert findings_on([KEPT]) == (1, 0, 0)
    assert findings_on([KEPT], ends=()) == (1, 0, 0)
    assert findings_on([KEPT], MATCH[:-1]) == (1, 0, 0)


@pytest.mark.parametrize(
    "matches",
    [
        [],
        [KEPT, KEPT._replace(key="m2")],
        [KEPT._replace(end="111022000:2:ann")],
        [KEPT._replace(seats=KEPT.seats[:1])],
    ],
)
def test_a_match_that_is_not_once_in_the_archive_as_it_was(matches: list[Kept]) -> None:
    assert findings_on(matches)[2] == 1


def test_a_match_with_other_moves_or_players_is_missing_and_another_is_there() -> None:
    assert findings_on([KEPT._replace(moves=KEPT.moves[1:])])[2] == 2
    assert findings_on([read_kept("m1", 0, CONTENT.replace("ben", "eve"), [])])[2] == 3


def test_a_move_that_waited_when_its_player_was_cut_off() -> None:
    lost, won = KEPT._replace(end="110022000:2:ann"), MATCH[:-2]
    assert findings_on([lost], [*won, CLOSED], ()) == (1, 0, 0)
    assert findings_on([lost], [*won[:-1], CLOSED], ())[2] == 2
    assert findings_on([KEPT], [*won, CLOSED], ())[2] == 2


def test_a_room_that_was_forfeited_before_it_was_saved() -> None:
    unseen = KEPT._replace(key="m2", moves=(), end="000000000:2:ann")
    assert findings_on([KEPT, unseen]) == (1, 0, 0)


def test_a_room_that_was_made_again_after_its_end() -> None:
    again = [(8, name, number, text) for _, name, number, text in MATCH]
    lost = KEPT._replace(moves=KEPT.moves[:1], end="100000000:2:ann")
    assert findings_on([lost, KEPT], [*MATCH[:5], CLOSED, *again]) == (2, 0, 0)


def test_a_room_that_runs_or_never_began_is_not_in_the_archive() -> None:
    assert findings_on([], MATCH[:-1], ()) == (0, 0, 0)
    assert findings_on([], [*MATCH[:2], CLOSED], ()) == (0, 0, 0)


@pytest.mark.parametrize("older", [0, 4, 6])
def test_a_match_that_only_the_database_had_which_an_older_one_replaced(older: int) -> None:
    former = Copy(MATCH, [KEPT])
    assert findings_on([], MATCH[:older], former=former) == (0, 1, 0)
    again = KEPT._replace(key="m2", moves=KEPT.moves[: max(older - 4, 0)], end="000000000:2:ann")
    assert findings_on([again], [*MATCH[:older], CLOSED], former=former) == (0, 1, 0)
    assert findings_on([KEPT], MATCH[:older], former=Copy(MATCH, [])) == (1, 0, 0)
    assert findings_on([KEPT], MATCH[:older], (), Copy(MATCH[:-1], [])) == (1, 0, 0)


def test_a_match_with_the_moves_of_an_earlier_one_that_is_gone() -> None:
    again = [(8, name and "lair", number, text) for _, name, number, text in MATCH]
    notes = [Notes(name, ("ann", "ben"), ends={end}) for name, end in (("den", END), ("lair", "1"))]
    found = check_archive(
        notes, Copy(again, [KEPT._replace(key="m2", end="1")]), Copy(MATCH, [KEPT])
    )
    assert (found.kept, found.gone, found.faults) == (1, 1, [])

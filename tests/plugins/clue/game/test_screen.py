"""The board and the notes as they are drawn."""

from __future__ import annotations

from tests.plugins.clue.helpers import BOARD, cards, state
from tictac.plugins.clue.console import BOTH_TALL, BOTH_WIDE
from tictac.plugins.clue.game.board import parse_board
from tictac.plugins.clue.game.cards import TOKENS
from tictac.plugins.clue.game.deduction import Deduction
from tictac.plugins.clue.game.moving import options
from tictac.plugins.clue.game.screen import Ink, beside, draw_board, draw_notes

FULL = Deduction(0, cards("0 rope U"))
MINI = Deduction(0, None)


def PLAIN(ink: Ink, text: str) -> str:
    return text


DRAWN = """\
    0   2   4   6   8  10  12  14  16  18  20  22  24
 0             Pe
 1   ::::::::   .  ::::::::::    ::::::   .  ::::::::
 2   :::: C ::: . .:::::::::: i:::::::::: . .::::::::
 3    conserva- . .I billiard .:::::::::: . .::::::::
 4   :: tory :: . .:: room :: l L library . . S study
 5   ::: Gr ::: . .:::::::::: .:::::::::: . .::::::::
 6   :::::::: c . .:::::::::: .:::::::::: . .::::::::
 7      . . . . . . . i . . . . .:::::: . . s::::::
 8    . . . . b . . . . . . . . . . l . . . . . . . .
 9    .:::::::::::: . . . . . . . . . . . . h . . .
10    .:::::::::::: b .               .::::::::::::::
11   :::::::::::::: . .               .::::::::::::::
12   : B ballroom : . .               *::: H hall :::
13   :::::::::::::: . .               h::::::::::::::
14   :::::::::::::: . .               *::::::::::::::
15 Wh .:::::::::::: b . . . . . * . * .::::::::::::::
16    .:::::::::::: . . . . d * . * . * . * . * . *
17    . . . . b . . . .:::::::::::: * . * . * . * .
18      . . . . . . . .:::::::::::: d * u::::::::::
19   :::::::::::: . . .:::::::::::: * . *::::::::::::
20   :::::::::::: k . D dining room . * .: U lounge :
21   : K kitchen  . .:::::::::::::: * . *::: Sc Pl ::
22   :::::::::::: . .:::::::::::::: . * .::::::::::::
23   :::::::::::: . .:::::::::::::: * . *::::::::::::
24   ::::::::::   .  ::::::::::::::  Mu  ::::::::::::
"""


def test_a_board() -> None:
    where = state(t0="(U V)", t5="(U S)", t3="(C V)")
    lines = draw_board(BOARD, where, PLAIN, options(BOARD, where, 0, 8))
    assert "".join(f"{line.rstrip()}\n" for line in lines) == DRAWN


def test_lines_are_equally_wide_so_that_notes_go_beside() -> None:
    lines = draw_board(BOARD, BOARD.starts, PLAIN)
    assert {len(line) for line in lines} == {53}
    both = beside(lines, draw_notes(MINI, PLAIN))
    assert len(both) == len(lines) == 26
    assert both[6].endswith("  knife")
    full = beside(lines, draw_notes(FULL, PLAIN))
    assert (max(map(len, full)), len(full)) <= (BOTH_WIDE - 1, BOTH_TALL - 3)


def rows(lines: list[str]) -> list[int]:
    """Return the numbers of the board's rows that are shown."""
    return [int(line[:2]) for line in lines[1:]]


def test_a_low_board_leaves_out_what_tells_least() -> None:
    where = state(t4="(U V)", t5="(U S)")
    assert rows(draw_board(BOARD, where, PLAIN, height=23)) == [
        at for at in range(25) if at not in (13, 22, 23)
    ]
    lines = draw_board(BOARD, where, PLAIN, height=21)
    assert len(lines) == 21 and set(rows(lines)) >= {10, 15, 17, 24}
    for room in "SHUDKBCIL":
        assert any(f"{room} " in line for line in lines), room


def test_a_low_board_keeps_every_star() -> None:
    where = state(t0="(U V)", t5="(U S)", t3="(C V)")
    for steps in range(2, 13):
        reach = options(BOARD, where, 0, steps)
        whole = draw_board(BOARD, where, PLAIN, reach)
        low = draw_board(BOARD, where, PLAIN, reach, 21)
        assert len(low) == 21 and set(low) < set(whole)
        assert [line for line in low if "*" in line] == [line for line in whole if "*" in line]


def test_a_board_is_never_lower_than_what_is_needed() -> None:
    assert rows(draw_board(BOARD, BOARD.starts, PLAIN, height=3)) == [0, 10, 15, 17, 24]


def test_all_tokens_fit_into_any_room() -> None:
    for room in "SHUDKBCIL":
        lines = draw_board(BOARD, state(**{f"t{n}": f"({room} V)" for n in range(6)}), PLAIN)
        for name in TOKENS:
            assert sum(f"{name[:2]} " in f"{line} " for line in lines) == 1, (room, name)


def test_tokens_doors_and_goals_are_painted_and_nothing_else_changes() -> None:
    painted: dict[Ink, str] = {}

    def paint(ink: Ink, text: str) -> str:
        painted[ink] = painted.get(ink, "") + text
        return text

    where = state(t0="(U V)")
    reach = options(BOARD, where, 0, 8)
    assert draw_board(BOARD, where, paint, reach) == draw_board(BOARD, where, PLAIN, reach)
    assert painted[3] == "Gr" and "H hall" in painted["winning"] and "U lounge" in painted["bright"]


def test_rooms_of_odd_shapes_are_drawn() -> None:
    rows = [row.replace("S", ".") for row in BOARD.rows]
    rows[7] = rows[7][:20] + "sS" + rows[7][22:]
    board = parse_board("\n".join(rows))
    lines = draw_board(board, (*state(t0="(S V)")[:1], *board.starts[1:]), PLAIN)
    assert {len(line) for line in lines} == {53}


def test_the_notes_of_a_full_game() -> None:
    known = Deduction(0, cards("0 rope U"))
    for seat in range(1, 6):
        known.has_none(seat, [20])
    lines = draw_notes(known, PLAIN)
    assert lines[:3] == [
        "                Sc Mu Wh Gr Pe Pl",
        "0 Scarlet       x  -  -  -  -  -",
        "1 Mustard       -",
    ]
    assert lines[21] == "L library       -  -  -  -  -  -  <"
    assert lines[20] == "I billiard room -" and len(lines) == 23


def test_the_notes_of_the_mini_game() -> None:
    lines = draw_notes(MINI, PLAIN)
    assert (lines[0], lines[6]) == ("0 Scarlet", "  knife")
    assert lines[-1] == "- wrong, < hidden"

"""The map: the numbers of the document, and what is said of one that is malformed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plugins.clue.helpers import BOARD, places
from tictac.errors import SetupError
from tictac.plugins.clue.game.board import Cell, InRoom, Place, parse_board, read_board
from tictac.plugins.clue.game.moving import steps_to

TEXT = resources.files("tictac.plugins.clue.game").joinpath("clue-board.txt").read_text("utf-8")

FROM_START = [(0, "U", 8), (1, "U", 8), (1, "D", 8), (2, "B", 8), (3, "B", 8), (4, "C", 8)]
FROM_START += [(5, "S", 9)]
BETWEEN = {"SH": 4, "UD": 4, "LI": 4, "BC": 4, "BI": 6, "SL": 7, "HL": 7, "DB": 7, "BK": 7}
BETWEEN |= {"IC": 7, "UH": 8, "DH": 8, "DK": 11}


def test_the_map_has_the_cells_of_the_document() -> None:
    assert len(BOARD.cells) == 190
    assert len(BOARD.door_of) == 17 == sum(map(len, BOARD.doors.values()))
    assert BOARD.starts == places("((17 24) (24 17) (15 0) (10 0) (0 6) (0 19))")


@pytest.mark.parametrize(("token", "room", "steps"), FROM_START)
def test_steps_from_a_start_cell(token: int, room: str, steps: int) -> None:
    assert steps_to(BOARD, room)[BOARD.starts[token]] == steps


@pytest.mark.parametrize(("pair", "steps"), BETWEEN.items())
def test_steps_between_rooms(pair: str, steps: int) -> None:
    one, two = pair[0], pair[1]
    assert steps_to(BOARD, two)[InRoom(one, "V")] == steps
    assert steps_to(BOARD, one)[InRoom(two, "S")] == steps


def test_no_way_leads_onto_a_start_cell() -> None:
    starts = {BOARD.numbers[cell] for cell in BOARD.starts}
    for near in BOARD.neighbours:
        assert starts.isdisjoint(near)
    assert all(BOARD.neighbours[start] for start in starts)


def test_elsewhere_ways_lead_back() -> None:
    starts = {BOARD.numbers[cell] for cell in BOARD.starts}
    for cell, nears in enumerate(BOARD.neighbours):
        for near in nears:
            assert cell in starts or cell in BOARD.neighbours[near]
            one, two = BOARD.cells[cell], BOARD.cells[near]
            assert abs(one.down - two.down) + abs(one.right - two.right) == 1


def test_steps_go_round_what_is_blocked() -> None:
    start = BOARD.numbers[Cell(17, 24)]
    wall = 1 << BOARD.numbers[Cell(17, 23)]
    assert BOARD.steps([start], 0, wall) == {start: 0}


def test_a_file_with_line_ends_of_windows_is_the_same_map(tmp_path: Path) -> None:
    file = tmp_path / "map.txt"
    file.write_bytes(TEXT.replace("\n", "\r\n").encode())
    assert read_board(file).cells == BOARD.cells


def change(line: int, column: int, mark: str) -> str:
    """Return the map with another character in a line, from 1, and a column, from 0."""
    rows = TEXT.splitlines()
    row = rows[line - 1]
    rows[line - 1] = row[:column] + mark + row[column + 1 :]
    return "\n".join(rows)


MALFORMED: dict[str, tuple[Callable[[], str], str]] = {
    "a short line": (lambda: TEXT.replace("\n..-----", "\n.-----", 1), "line 8: 24 char"),
    "a long line": (lambda: TEXT.replace("\n", ".\n", 1), "line 1: 26 characters, not 25"),
    "an unknown character": (lambda: change(4, 3, "X"), "line 4: 'X' means nothing"),
    "a line too few": (lambda: TEXT.rsplit("\n", 2)[0], "line 25: the map has 24 lines"),
    "a line too many": (lambda: TEXT + "." * 25, "line 26: the map has 26 lines"),
    "nothing at all": (lambda: "", "line 1: the map has 0 lines"),
    "a door away from its room": (lambda: change(10, 1, "s"), "line 10: the door s isn't"),
    "no start cell": (lambda: change(11, 0, "-"), "without the start cell of token 3"),
    "two start cells": (lambda: change(10, 1, "3"), "line 11: a second start cell 3"),
    "a walled start cell": (lambda: change(2, 6, "."), "line 1: no way leads from the"),
    "a room without a door": (lambda: change(8, 20, "-"), "without a door of room S"),
}


@pytest.mark.parametrize("what", MALFORMED)
def test_a_malformed_map_is_an_error_that_names_the_line(what: str) -> None:
    text, message = MALFORMED[what]
    with pytest.raises(SetupError, match=message) as caught:
        parse_board(text(), "my map")
    assert str(caught.value).startswith("my map, line ")
    assert "\n" not in str(caught.value)


def test_a_file_that_cant_be_read_is_an_error(tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe")
    for path in (tmp_path / "missing", tmp_path, binary):
        with pytest.raises(SetupError, match="can't read the map"):
            read_board(path)


@given(st.text(alphabet="-.0123456sSuUxX\n", max_size=700))
def test_no_text_breaks_the_reader(text: str) -> None:
    with pytest.raises(SetupError, match=r"line \d+: "):
        parse_board(text)


def test_another_map_can_take_its_place() -> None:
    wider = parse_board(change(2, 7, "-"))
    assert len(wider.cells) == 191
    place: Place = Cell(1, 7)
    assert place in wider.cells and place not in BOARD.cells

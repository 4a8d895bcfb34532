"""The Connect Four protocol in bytes: every row of its table, and whatever else comes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tictac.plugins.classics.connectfour.wire import (
    MAX_LINE,
    Answer,
    Hello,
    NewGame,
    Request,
    Welcome,
    format_line,
    format_lines,
    parse_answer,
    parse_request,
    valid_name,
)
from tictac.plugins.games.connectfour.rules import DROP, LARGEST, POP, SMALLEST, Move

REQUESTS: dict[bytes, Request] = {
    b"I32CFSP_HELLO boo": Hello("boo"),
    b"I32CFSP_HELLO x:,;\x01": Hello("x:,;\x01"),
    b"I32CFSP_HELLO \xc3\xa4": Hello("ä"),
    b"I32CFSP_HELLO \xff": Hello("\udcff"),
    b"AI_GAME": NewGame(7, 6),
    b"AI_GAME 4 20": NewGame(4, 20),
    b"AI_GAME 20 4": NewGame(20, 4),
    b"DROP 3": Move(DROP, 3),
    b"POP 12": Move(POP, 12),
    b"DROP 0": Move(DROP, 0),
    b"DROP -1": Move(DROP, -1),
    b"DROP 8": Move(DROP, 8),
}

ANSWERS: dict[bytes, Answer] = {
    b"WELCOME boo": Welcome("boo"),
    b"READY": "READY",
    b"OKAY": "OKAY",
    b"INVALID": "INVALID",
    b"WINNER_RED": "WINNER_RED",
    b"WINNER_YELLOW": "WINNER_YELLOW",
    b"DROP 4": Move(DROP, 4),
    b"POP 4": Move(POP, 4),
}

NEITHER = [
    b"", b" ", b"\x00", b"\xff\xfe", b"HELLO", b"HELLO boo", b"drop 3", b"Drop 3", b"pop 3",
    b"ready", b"winner_red", b"WINNER_GREEN", b"WINNER", b"DROP", b"DROP ", b"DROP x", b"DROP 3 4",
    b"DROP  3", b"DROP\t3", b"DROP3", b"DROP +3", b"DROP 3.0", b"DROP --3", b"DROP 3-", b"DROP - 3",
    b"DROP \xd9\xa3", b"DROP \xc2\xb2", b"DROP 1_0", b"DROP 0x3", b"POP", b"POP three", b"PUSH 3",
    b"DROP 3\x00", b"DROP 3\x0b", b"\x0cDROP 3", b"DROP 3\nDROP 4", b"READY READY", b"OKAY DROP 3",
]  # fmt: skip
NO_REQUESTS = [
    b"I32CFSP_HELLO", b"I32CFSP_HELLO ", b"I32CFSP_HELLO a b", b"I32CFSP_HELLO  boo",
    b"I32CFSP_HELLO\tboo", b"i32cfsp_hello boo", b"I32CFSP_HELLO a\xc2\xa0b", b"ai_game",
    b"I32CFSP_HELLO a\x1cb", b"AI_GAME 7", b"AI_GAME 7 6 5", b"AI_GAME 3 6", b"AI_GAME 7 3",
    b"AI_GAME 21 6", b"AI_GAME 7 21", b"AI_GAME -7 6", b"AI_GAME 7x6", b"AI_GAME a b",
    b"AI_GAME  7 6", b"AI_GAME 99999999999999999999 6", b"AI_GAMES", b"READY", b"WELCOME boo",
]  # fmt: skip
NO_ANSWERS = [b"WELCOME", b"WELCOME ", b"WELCOME a b", b"Welcome boo", b"AI_GAME", b"READY 1"]

names = st.text(min_size=1).filter(lambda name: not any(c.isspace() for c in name))
moves = st.builds(Move, st.sampled_from([DROP, POP]), st.integers(-(10**30), 10**30))
sides = st.integers(SMALLEST, LARGEST)
requests: st.SearchStrategy[Request] = st.one_of(
    st.builds(Hello, names), st.builds(NewGame, sides, sides), moves
)
answers: st.SearchStrategy[Answer] = st.one_of(
    st.builds(Welcome, names),
    moves,
    st.sampled_from([answer for answer in ANSWERS.values() if isinstance(answer, str)]),
)
ends = st.text("\r \t").map(str.encode)
pieces = st.sampled_from(
    [*REQUESTS, *ANSWERS, b" ", b"-", b"9" * 5000, b"\r", b"\n", b"\xff", b"DROP ", b"AI_GAME "]
)
lines = st.one_of(st.binary(), st.lists(pieces).map(b"".join))


@pytest.mark.parametrize("line", REQUESTS)
def test_a_request(line: bytes) -> None:
    assert parse_request(line) == REQUESTS[line]
    assert format_line(REQUESTS[line]) == line


@pytest.mark.parametrize("line", ANSWERS)
def test_an_answer(line: bytes) -> None:
    assert parse_answer(line) == ANSWERS[line]
    assert format_line(ANSWERS[line]) == line


@pytest.mark.parametrize("line", [*NEITHER, *NO_REQUESTS])
def test_no_request(line: bytes) -> None:
    assert parse_request(line) is None


@pytest.mark.parametrize("line", [*NEITHER, *NO_ANSWERS])
def test_no_answer(line: bytes) -> None:
    assert parse_answer(line) is None


def test_a_board_may_be_asked_for_by_its_default_size() -> None:
    assert parse_request(b"AI_GAME 7 6") == NewGame() == NewGame(7, 6)
    assert parse_request(b"AI_GAME 007 0000000006") == NewGame()


def test_a_request_isnt_the_same_as_the_answer_to_it() -> None:
    requested: object = Hello("boo")
    assert requested != Welcome("boo")


@pytest.mark.parametrize("digits", ["9" * 400, "-" + "9" * 400, "9" * 100_000])
def test_a_huge_number_is_off_every_board(digits: str) -> None:
    move = parse_request(f"DROP {digits}".encode())
    assert isinstance(move, Move)
    assert not 1 <= move.column <= LARGEST
    assert parse_request(f"AI_GAME {digits} 6".encode()) is None


def test_several_answers_are_one_piece() -> None:
    assert format_lines("OKAY", Move(DROP, 4), "READY") == b"OKAY\r\nDROP 4\r\nREADY\r\n"
    assert format_lines() == b""


@given(requests, ends, ends)
def test_requests_survive_being_written_and_read(
    request: Request, before: bytes, after: bytes
) -> None:
    assert parse_request(before + format_line(request) + after) == request


@given(answers, ends, ends)
def test_answers_survive_being_written_and_read(
    answer: Answer, before: bytes, after: bytes
) -> None:
    assert parse_answer(before + format_line(answer) + after) == answer


@given(lines)
def test_any_bytes_are_a_value_or_none(line: bytes) -> None:
    request, answer = parse_request(line), parse_answer(line)
    # What can be read says the same when it is written.
    if request is not None:
        assert parse_request(format_line(request)) == request
    if answer is not None:
        assert parse_answer(format_line(answer)) == answer


@given(names)
def test_a_valid_name_is_one_that_arrives(name: str) -> None:
    line = format_line(Hello(name))
    assert valid_name(name) is (len(line) <= MAX_LINE and parse_request(line) == Hello(name))


def test_names() -> None:
    assert valid_name("boo") and valid_name("ß:,") and valid_name("x" * 242)
    for name in ("", " ", "a b", "a\tb", "a\n", "\x85", "x" * 243, "ß" * 122):
        assert not valid_name(name), name

"""The Connect Four protocol in bytes: every row of its table, and whatever else comes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plugins.classics.connectfour.messages import (
    ANSWERS,
    NEITHER,
    NO_REQUESTS,
    REQUESTS,
    pieces,
)
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

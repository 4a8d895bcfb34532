"""The messages of the document in bytes, both ways, and whatever else comes."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plugins.clue.helpers import state, triple
from tictac.errors import NotAMove
from tictac.plugins.clue.game import position
from tictac.plugins.clue.game.board import Cell, InRoom
from tictac.plugins.clue.game.messages import (
    AskAccusation,
    AskSuggestion,
    Counter,
    Hello,
    Message,
    Moved,
    Rolled,
    Turn,
    Wrong,
)
from tictac.plugins.clue.game.position import Answer, Asked, format_move
from tictac.plugins.clue.wire import (
    format_answer,
    format_message,
    is_blank,
    read_message,
    read_move,
    read_name,
)

INITIAL = "((17 24) (24 17) (15 0) (10 0) (0 6) (0 19))"
LOUNGE = "((U V) (24 17) (15 0) (10 0) (0 6) (U S))"
IN_LOUNGE = state(t0="(U V)", t5="(U S)")
ROPE, C = 9, 18

MESSAGES: dict[str, Message] = {
    "hello\n3\n": Hello(3, None),
    "hello\n(0 (rope 3 C))\n": Hello(0, (ROPE, 3, C)),
    f"turn\n{INITIAL}\n": Turn(state()),
    f"turn\n{LOUNGE}\n": Turn(IN_LOUNGE),
    "rolled\n12\n": Rolled(12),
    "rolled\n0\n": Rolled(0),
    "suggest\n?\n": AskSuggestion(),
    "accuse\n?\n": AskAccusation(),
    "counter\n(rope 3)\n": Counter(ROPE, 3),
    "counter\n(0 0)\n": Counter(0, 0),
    "counter\n(- -)\n": Counter(None, None),
    f"moved\n({LOUNGE} 0 (5 rope U) 3)\n": Moved(IN_LOUNGE, 0, triple("5 rope U"), 3),
    f"moved\n({LOUNGE} 0 (5 rope U) 0)\n": Moved(IN_LOUNGE, 0, triple("5 rope U"), 0),
    f"moved\n({INITIAL} 0 (5 rope U) -)\n": Moved(state(), 0, triple("5 rope U"), None),
    f"moved\n({INITIAL} 4 - -)\n": Moved(state(), 4, None, None),
    "wrong\n!\n": Wrong(),
}
ALONE: dict[str, Message] = {
    "counter\nrope\n": Counter(ROPE, None),
    "counter\n0\n": Counter(0, None),
    "counter\n-\n": Counter(None, None),
}
ANSWERS: list[tuple[Asked, str, Answer, str]] = [
    ("turn", "roll\n", "roll", "roll"),
    ("turn", "no-roll\n", "no-roll", "no-roll"),
    ("turn", "accuse\n", "accuse", "accuse"),
    ("move", "(17 23)\n", Cell(17, 23), "go 17 23"),
    ("move", "(U V)\n", InRoom("U", "V"), "go U"),
    ("suggest", "(5 rope U)\n", triple("5 rope U"), "suggest 5 rope U"),
    ("accuse", "(0 knife S)\n", triple("0 knife S"), "accuse 0 knife S"),
    ("show", "5\n", 5, "show 5"),
    ("show", "rope\n", ROPE, "show rope"),
    ("show", "C\n", C, "show C"),
]


@pytest.mark.parametrize("text", MESSAGES)
def test_messages_are_written_as_the_document_shows(text: str) -> None:
    assert format_message(MESSAGES[text]) == text.encode()


@pytest.mark.parametrize("text", ALONE)
def test_a_counter_is_written_alone(text: str) -> None:
    assert format_message(ALONE[text], pairs=False) == text.encode()


def test_the_older_form_leaves_the_shower_out() -> None:
    assert format_message(Counter(ROPE, 3), pairs=False) == b"counter\nrope\n"


@pytest.mark.parametrize("text", [*MESSAGES, *ALONE])
def test_messages_are_read_back(text: str) -> None:
    name, data = text.encode().splitlines()
    assert read_message(name, data) == (MESSAGES | ALONE)[text]
    spread = data.replace(b"(", b" ( ").replace(b")", b" ) ").replace(b" ", b"\t ")
    assert read_message(b"  " + name + b"\r\n", spread + b" \r\n") == (MESSAGES | ALONE)[text]


def test_every_kind_of_message_is_tried() -> None:
    assert {type(message) for message in MESSAGES.values()} == set(get_args(Message))
    assert {asked for asked, *_ in ANSWERS} == set(get_args(Asked))


@pytest.mark.parametrize(("asked", "text", "answer", "move"), ANSWERS)
def test_answers_are_written_and_read_as_moves(
    asked: Asked, text: str, answer: Answer, move: str
) -> None:
    assert format_answer(answer) == text.encode()
    assert read_move(asked, text.encode()) == move == format_move(asked, answer)


@pytest.mark.parametrize(
    ("asked", "line", "move"),
    [
        ("move", b" ( 17\t23 ) \r\n", "go 17 23"),
        ("move", b"(U V)", "go U"),
        ("suggest", b"(5 lead-pipe U)", "suggest 5 pipe U"),
        ("suggest", b"(  5 leadpipe   U)\r\n", "suggest 5 pipe U"),
        ("show", b"leadpipe", "show pipe"),
        ("turn", b"  no-roll  ", "no-roll"),
    ],
)
def test_answers_are_read_leniently(asked: Asked, line: bytes, move: str) -> None:
    verb, answer, _ = position.read_move(read_move(asked, line))
    assert (verb, format_move(asked, answer)) == (asked, move)


WRONG_ANSWERS: list[tuple[Asked, bytes]] = [
    ("turn", b"Roll"),
    ("turn", b"(roll)"),
    ("turn", b""),
    ("turn", b"roll roll"),
    ("turn", b"\xff\xfe"),
    ("move", b"(17)"),
    ("move", b"(17 23 1)"),
    ("move", b"(-1 23)"),
    ("move", b"(017 23)"),
    ("move", b"(100 23)"),
    ("move", b"(U X)"),
    ("move", b"(u V)"),
    ("move", b"(X V)"),
    ("move", b"((U) V)"),
    ("move", b"roll"),
    ("suggest", b"(rope 5 U)"),
    ("suggest", b"(5 rope)"),
    ("suggest", b"(6 rope U)"),
    ("suggest", b"(5 rope (U))"),
    ("suggest", b"-"),
    ("accuse", b"(5 rope U) x"),
    ("show", b"(rope)"),
    ("show", b"-"),
    ("show", b"x" * 2000),
    ("show", b"a) ("),
    ("show", b"a\nb"),
    ("move", b"(" * 500 + b")" * 500),
]


@pytest.mark.parametrize(("asked", "line"), WRONG_ANSWERS)
def test_other_answers_are_refused_in_one_short_line(asked: Asked, line: bytes) -> None:
    with pytest.raises(NotAMove) as caught:
        position.read_move(read_move(asked, line))
    assert 0 < len(str(caught.value)) < 120 and str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        (b"nonsense", b"?"),
        (b"(hello)", b"0"),
        (b"hello", b"6"),
        (b"hello", b"(0 (rope 3))"),
        (b"hello", b"(0 (rope rope C))"),
        (b"turn", b"((17 24))"),
        (b"turn", b"roll"),
        (b"rolled", b"1"),
        (b"rolled", b"13"),
        (b"rolled", b"(2)"),
        (b"suggest", b"!"),
        (b"wrong", b"?"),
        (b"counter", b"(rope -)"),
        (b"counter", b"(- 3)"),
        (b"counter", b"(rope 3 4)"),
        (b"moved", f"({INITIAL} 0 - 3)".encode()),
        (b"moved", f"({INITIAL} 6 - -)".encode()),
        (b"moved", f"({INITIAL} 0 -)".encode()),
    ],
)
def test_other_messages_are_refused(name: bytes, data: bytes) -> None:
    with pytest.raises(NotAMove):
        read_message(name, data)


@given(
    st.sampled_from(get_args(Asked)),
    st.binary(max_size=40) | st.text("() 5UVrope-").map(str.encode),
)
def test_no_line_breaks_the_reader_of_answers(asked: Asked, line: bytes) -> None:
    try:
        verb, answer, chance = position.read_move(read_move(asked, line))
    except NotAMove:
        return
    assert (verb, chance) == (asked, None)
    assert read_move(asked, format_answer(answer)) == format_move(asked, answer)


@given(
    st.sampled_from([text.partition("\n")[0].encode() for text in MESSAGES]),
    st.binary(max_size=60) | st.text("() 05-UVSrope?!", max_size=60).map(str.encode),
)
def test_no_data_breaks_the_reader_of_messages(name: bytes, data: bytes) -> None:
    try:
        message = read_message(name, data)
    except NotAMove:
        return
    again = format_message(message, pairs=b"(" in data).splitlines()
    assert read_message(*again) == message


def test_names() -> None:
    assert read_name(b"ann\n") == "ann"
    assert read_name("  Zoë the 2nd \r\n".encode()) == "Zoë the 2nd"
    assert read_name(b"x" * 64) == "x" * 64
    for line in (b"", b"  \r\n", b"x" * 65, b"\xff", b"a\x07b", "a\u2028b".encode()):
        with pytest.raises(NotAMove, match="name"):
            read_name(line)


def test_blank_lines() -> None:
    assert is_blank(b"") and is_blank(b" \t\r\n") and not is_blank(b" x ")

"""The parenthesized data: what is read, what is written, and that nothing breaks it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tictac.doors.clue.wire import DEEPEST, LONGEST_LINE, Data, format_data, parse_data
from tictac.errors import NotAMove

WORDS = st.text("0123456789abcSVU-?!", min_size=1, max_size=5)
LISTS = st.recursive(WORDS, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=8)


def depth(data: Data) -> int:
    return 0 if isinstance(data, str) else 1 + max(map(depth, data), default=0)


SHALLOW = LISTS.filter(lambda data: depth(data) <= DEEPEST)


@given(SHALLOW)
def test_what_was_written_is_read_back(data: Data) -> None:
    assert parse_data(format_data(data)) == data


@given(SHALLOW, st.data())
def test_blanks_dont_matter(data: Data, draw: st.DataObject) -> None:
    blanks = st.sampled_from(["", " ", "\t", "   "])
    text = "".join(
        draw.draw(blanks) + mark + draw.draw(blanks) if mark in "()" else mark
        for mark in format_data(data)
    ).replace(" ", draw.draw(st.sampled_from([" ", "  ", " \t "])))
    assert parse_data(text) == data


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("(17 24)", ("17", "24")),
        ("  ( 17   24 )  ", ("17", "24")),
        ("((U V)(24 17))", (("U", "V"), ("24", "17"))),
        ("roll", "roll"),
        ("?", "?"),
        ("()", ()),
        ("(rope(3))", ("rope", ("3",))),
    ],
)
def test_examples(text: str, data: Data) -> None:
    assert parse_data(text) == data


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "(",
        ")",
        "(a",
        "a)",
        "a b",
        "(a) b",
        "() ()",
        ")(",
        "((((a))))",
        "a\x00",
        "é",
        "a\nb",
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(NotAMove, match="isn't a word or a list"):
        parse_data(text)


def test_a_long_line_is_refused() -> None:
    assert parse_data("x" * LONGEST_LINE) == "x" * LONGEST_LINE
    with pytest.raises(NotAMove) as caught:
        parse_data("x" * (LONGEST_LINE + 1))
    assert len(str(caught.value)) < 120


def test_depth_doesnt_exhaust_the_stack() -> None:
    with pytest.raises(NotAMove):
        parse_data("(" * 500 + ")" * 500)


@given(st.text(max_size=40) | st.text("() ab", max_size=20))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        data = parse_data(text)
    except NotAMove:
        return
    assert parse_data(format_data(data)) == data

"""Lines as frames."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.web.helpers import frames
from tictac.web.frames import frames_of, text_frame


def test_the_example_of_the_rfc() -> None:
    # RFC 6455, section 5.7: a single-frame unmasked text message.
    assert text_frame(b"Hello") == bytes([0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])


@pytest.mark.parametrize(
    ("size", "head"),
    [
        (0, b"\x81\x00"),
        (125, b"\x81\x7d"),
        (126, b"\x81\x7e\x00\x7e"),
        (65535, b"\x81\x7e\xff\xff"),
        (65536, b"\x81\x7f\x00\x00\x00\x00\x00\x01\x00\x00"),
    ],
)
def test_the_length_of_the_length(size: int, head: bytes) -> None:
    assert text_frame(b"x" * size) == head + b"x" * size


@given(st.lists(st.binary(max_size=300).filter(lambda line: b"\n" not in line), min_size=1))
def test_each_line_is_a_frame(lines: list[bytes]) -> None:
    assert frames(frames_of(b"".join(line + b"\n" for line in lines))) == [
        (1, line) for line in lines
    ]

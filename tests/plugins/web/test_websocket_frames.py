"""Lines as frames."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plugins.web.helpers import frame, frames
from tictac.plugins.web.websocket_frames import frame_of, frames_of, short_text


def test_the_example_of_the_rfc() -> None:
    # RFC 6455, section 5.7: a single-frame unmasked text message.
    assert frame_of(b"Hello") == bytes([0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F])


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
    assert frame_of(b"x" * size) == head + b"x" * size


LINES = st.binary(max_size=300).filter(lambda line: b"\n" not in line and line[-1:] != b"\r")


@given(st.lists(LINES, min_size=1), st.sampled_from([b"\n", b"\r\n"]))
def test_each_line_is_a_frame(lines: list[bytes], end: bytes) -> None:
    found = frames(frames_of(b"".join(line + end for line in lines)))
    assert found == [(1, line) for line in lines]


def test_a_masked_example_of_the_rfc() -> None:
    # RFC 6455, section 5.7: a single-frame masked text message.
    data = bytes([0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58])
    assert short_text(data) == b"Hello"


@given(st.binary(max_size=125))
def test_a_short_frame_of_ascii(message: bytes) -> None:
    assert short_text(frame(message)) == (message if message.isascii() else None)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x81",
        frame_of(b"unmasked"),
        frame(b"x" * 126),
        frame(b"binary", opcode=2),
        frame(b"a part", final=False),
        frame(b"the rest", opcode=0),
        frame(b"a ping", opcode=9),
        frame(b"half of it")[:-1],
        frame(b"more than it") + b"\x81",
        b"\xc1" + frame(b"compressed")[1:],
    ],
    ids=len,
)
def test_whatever_else_goes_the_long_way(data: bytes) -> None:
    assert short_text(data) is None


@given(st.binary())
def test_any_bytes(data: bytes) -> None:
    message = short_text(data)
    assert message is None or len(message) == len(data) - 6


def test_a_carriage_return_is_of_the_end_of_a_line() -> None:
    assert frames_of(b"OKAY\r\nDROP 4\r\n") == b"\x81\x04OKAY\x81\x06DROP 4"

"""Messages to bytes and back, however the bytes are cut."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.classics.binary import cut
from tictac.plugins.classics.nim.wire import (
    FROM_CLIENT,
    FROM_SERVER,
    ORDER,
    TYPES,
    Decoder,
    Exit,
    Lose,
    Malformed,
    Message,
    Play,
    Turn,
    Types,
    Win,
    format_message,
    read_types,
)
from tictac.plugins.games.nim.rules import LARGEST, Move

messages: st.SearchStrategy[Message] = st.one_of(
    st.sampled_from([Play(), Win(), Lose(), Exit()]),
    st.builds(Move, st.integers(0, 255), st.integers(0, LARGEST)),
    st.lists(st.integers(1, LARGEST), min_size=1, max_size=255).map(lambda n: Turn(tuple(n))),
)
tables = st.permutations(range(1, 256)).map(lambda values: Types(*values[:6]))


def decode(*pieces: bytes, kinds: Any = ORDER, types: Types = TYPES) -> list[Message | Malformed]:
    """Return all messages decoded from the pieces."""
    decoder = Decoder(kinds, types)
    return [message for piece in pieces for message in decoder.feed(piece)]


class LayoutTests(SynchronousTestCase):
    """The bytes of the protocol document."""

    CASES: list[tuple[Message, str]] = [
        (Play(), "01"),
        (Turn((24, 17, 3)), "02 03 00000018 00000011 00000003"),
        (Move(0, 6), "03 00 00000006"),
        (Turn((18, 17, 3)), "02 03 00000012 00000011 00000003"),
        (Win(), "04"),
        (Lose(), "05"),
        (Exit(), "06"),
        (Move(255, LARGEST), "03 ff ffffffff"),
        (Turn((LARGEST,)), "02 01 ffffffff"),
    ]

    def test_each(self) -> None:
        for message, text in self.CASES:
            data = bytes.fromhex(text)
            assert format_message(message) == data
            assert decode(data) == [message]

    def test_messages_of_one_shape_are_told_apart(self) -> None:
        assert len({Play(), Win(), Lose(), Exit()}) == 4

    def test_all_of_them_in_one_piece_and_byte_by_byte(self) -> None:
        stream = b"".join(bytes.fromhex(text) for _, text in self.CASES)
        expected = [message for message, _ in self.CASES]
        assert decode(stream) == expected
        assert decode(*(bytes([byte]) for byte in stream)) == expected

    def test_a_message_is_there_with_its_last_byte(self) -> None:
        decoder = Decoder(ORDER)
        data = format_message(Turn((1, 2)))
        assert [decoder.feed(data[i : i + 1]) for i in range(len(data))] == [
            *[[]] * (len(data) - 1), [Turn((1, 2))],
        ]  # fmt: skip


class MalformedTests(SynchronousTestCase):
    def check(self, data: bytes, why: str, *before: Message, kinds: Any = ORDER) -> None:
        expected = [*before, Malformed(why)]
        assert decode(data, kinds=kinds) == expected
        assert decode(*(bytes([byte]) for byte in data), kinds=kinds) == expected

    def test_zero_and_undefined_types(self) -> None:
        self.check(b"\x00", "0 isn't the type of a message")
        self.check(b"\x01\x07\x01", "7 isn't the type of a message", Play())
        self.check(b"GET / HTTP/1.0\r\n", "71 isn't the type of a message")

    def test_turns_that_cant_be(self) -> None:
        self.check(b"\x02\x00\x01", "a turn without numbers")
        self.check(b"\x02\x01\x00\x00\x00\x00", "a turn with a zero")

    def test_each_side_knows_what_the_other_one_says(self) -> None:
        self.check(b"\x01\x03\x01\x00\x00\x00\x01\x06\x02", "2 isn't the type of a message",
            Play(), Move(1, 1), Exit(), kinds=FROM_CLIENT)  # fmt: skip
        self.check(
            b"\x04\x05\x01", "1 isn't the type of a message", Win(), Lose(), kinds=FROM_SERVER
        )

    def test_nothing_is_read_after_it(self) -> None:
        decoder = Decoder(ORDER)
        assert len(decoder.feed(b"\x00\x01\x01")) == 1
        assert decoder.feed(b"\x01") == []


class StreamTests(SynchronousTestCase):
    @given(st.lists(messages, max_size=10), st.lists(st.integers(0, 10_000), max_size=10), tables)
    def test_any_split_of_any_stream_gives_the_same(
        self, sequence: list[Message], places: list[int], types: Types
    ) -> None:
        stream = b"".join(format_message(message, types) for message in sequence)
        assert decode(*cut(stream, places), types=types) == sequence

    @given(
        st.one_of(
            st.binary(max_size=200),
            st.lists(st.one_of(messages.map(format_message), st.binary(max_size=5))).map(b"".join),
        ),
        st.lists(st.integers(0, 10_000), max_size=10),
        st.sampled_from([ORDER, FROM_CLIENT, FROM_SERVER]),
    )
    def test_any_bytes_give_messages_or_one_error(
        self, data: bytes, places: list[int], kinds: Any
    ) -> None:
        found = decode(data, kinds=kinds)
        assert decode(*cut(data, places), kinds=kinds) == found
        assert {type(message) for message in found[:-1]} <= set(kinds)
        assert {type(message) for message in found} <= {*kinds, Malformed}

    @given(st.lists(messages, max_size=5), st.binary(max_size=2000))
    def test_what_is_kept_is_small(self, sequence: list[Message], tail: bytes) -> None:
        decoder = Decoder(ORDER)
        decoder.feed(b"".join(map(format_message, sequence)) + tail)
        assert len(decoder._rest) <= 1 + 1 + 255 * 4


class TypesTests(SynchronousTestCase):
    def test_a_table_of_ones_own(self) -> None:
        types = read_types("16, 17,18,19,20,255")
        assert types == Types(16, 17, 18, 19, 20, 255)
        assert str(types) == "16,17,18,19,20,255"
        assert format_message(Exit(), types) == b"\xff"
        assert decode(b"\x10\x13\xff", types=types) == [Play(), Win(), Exit()]
        assert decode(b"\x01", types=types) == [Malformed("1 isn't the type of a message")]

    def test_the_default(self) -> None:
        assert read_types(str(TYPES)) == TYPES == (1, 2, 3, 4, 5, 6)

    def test_what_is_no_table(self) -> None:
        for text in ("", "1,2,3,4,5", "1,2,3,4,5,6,7", "0,1,2,3,4,5", "1,2,3,4,5,5",
                     "1,2,3,4,5,256", "1,2,3,4,5,x", "-1,2,3,4,5,6"):  # fmt: skip
            with pytest.raises(ValueError, match="isn't six"):
                read_types(text)

"""Integers to bytes and back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.classics.binary import cut
from tests.plugins.classics.session.helpers import integers
from tictac.plugins.classics.session.wire import Decoder, format_integers

values = st.lists(st.integers(-(2**31), 2**31 - 1), max_size=20)


class IntegersTests(SynchronousTestCase):
    def test_examples(self) -> None:
        assert format_integers((1,)) == b"\x00\x00\x00\x01"
        assert format_integers((4, 0, 2)) == bytes.fromhex("00000004 00000000 00000002")
        assert format_integers((-1,)) == b"\xff\xff\xff\xff"
        assert format_integers(()) == b""

    @given(values)
    def test_the_bytes_are_those_of_the_document(self, sequence: list[int]) -> None:
        assert format_integers(sequence) == integers(*sequence)

    @given(values, st.lists(st.integers(0, 100), max_size=10), st.binary(max_size=3))
    def test_any_split_of_any_stream_gives_the_same(
        self, sequence: list[int], places: list[int], rest: bytes
    ) -> None:
        decoder = Decoder()
        stream = integers(*sequence) + rest
        found = [value for piece in cut(stream, places) for value in decoder.feed(piece)]
        assert found == sequence
        assert decoder._rest == rest

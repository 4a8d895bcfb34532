"""The client's reading: two lines a message, in whatever pieces they come."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from tests.plugins.clue.helpers import BOARD
from tictac.plugins.clue.client import ClueClient
from tictac.plugins.clue.game.messages import AskSuggestion, Counter, Hello, Message, Rolled, Turn
from tictac.plugins.clue.wire import format_message
from tictac.testing.connection import FakeTransport

HELLO = Hello(0, (3, 9, 18))
MESSAGES: list[Message] = [HELLO, Turn(BOARD.starts), Rolled(7), AskSuggestion(), Counter(9, 3)]
STREAM = b"".join(map(format_message, MESSAGES))


def connected() -> tuple[ClueClient, FakeTransport]:
    client = ClueClient(Clock())
    transport = FakeTransport(client)
    client.makeConnection(transport)
    return client, transport


def feed(*pieces: bytes) -> list[Any]:
    """Return the messages read from these pieces, and the text of the error at the end."""
    client, transport = connected()
    transport.arrive(*pieces)
    heard: list[Any] = []
    while True:
        waiting = client.next_message()
        if not waiting.called:
            return heard
        waiting.addBoth(heard.append)
        if isinstance(heard[-1], Failure):
            heard.append(heard.pop().getErrorMessage())
            return heard


def test_messages() -> None:
    assert feed(STREAM) == MESSAGES


@given(st.lists(st.integers(0, len(STREAM)), max_size=6))
def test_they_come_in_pieces(cuts: list[int]) -> None:
    marks = [0, *sorted(cuts), len(STREAM)]
    assert feed(*(STREAM[a:b] for a, b in pairwise(marks) if a < b)) == MESSAGES


def test_blanks_and_carriage_returns_are_forgiven() -> None:
    assert feed(b"\r\n hello \r\n\r\n( 0 ( 3  rope C ) )\r\nrolled\n 7\n") == [HELLO, Rolled(7)]


@pytest.mark.parametrize(
    ("sent", "why"),
    [
        (b"hullo\n", "it sent hullo"),
        (b"rolled\n13\n", "it sent rolled 13"),
        (b"rolled\nrolled\n7\n", "it sent rolled rolled"),
        (b"counter\n(rope)\n", "it sent counter (rope)"),
        (b"\xfe\x00\n", "it sent \ufffd\\x00"),
        (b"(", None),
        (b"x" * 1025, "it sent " + "x" * 200),
        (b"hello\n" + b"(" * 1025, "it sent hello " + "(" * 194),
    ],
)
def test_what_is_no_message_is_shown(sent: bytes, why: str | None) -> None:
    assert feed(sent) == ([why] if why else [])


def test_nothing_is_heard_after_a_fault() -> None:
    assert feed(b"hullo\n" + STREAM, STREAM) == ["it sent hullo"]


@given(st.lists(st.binary(min_size=1, max_size=60), max_size=10))
def test_any_bytes_give_at_most_one_fault(pieces: list[bytes]) -> None:
    heard = feed(*pieces)
    assert not any(isinstance(each, str) for each in heard[:-1])


def test_what_is_sent() -> None:
    client, transport = connected()
    client.introduce("Ann Ö")
    client.send("roll")
    client.send(9)
    assert transport.take() == "Ann Ö\nroll\nrope\n".encode()

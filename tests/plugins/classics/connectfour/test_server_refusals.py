"""What isn't of the protocol closes the connection, at once and without a word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.classics.connectfour.helpers import Caller, Server
from tests.plugins.classics.connectfour.messages import NEITHER, NO_REQUESTS, pieces
from tictac.net.connection import Limits

STEPS = {
    "before HELLO": [],
    "before AI_GAME": ["I32CFSP_HELLO boo"],
    "in the game": ["I32CFSP_HELLO boo", "AI_GAME"],
    "after a move": ["I32CFSP_HELLO boo", "AI_GAME", "DROP 3"],
}
IN_STEP = {
    "before HELLO": b"I32CFSP_HELLO boo",
    "before AI_GAME": b"AI_GAME",
    "in the game": b"DROP 3",
    "after a move": b"DROP 3",
}
BLANK = [b"", b" ", b"\r", b"\t\r"]


def at(step: str, limits: Limits | None = None) -> tuple[Server, Caller]:
    """Return a connection that has reached this step."""
    server = Server("4 4", limits=limits)
    caller = server.connect()
    caller.ask(*STEPS[step])
    assert not caller.closed
    return server, caller


def refused(server: Server, caller: Caller) -> dict[str, int]:
    """Return the refusals by kind, after the server closed the connection without an answer."""
    assert caller.closed
    assert caller.read() == []
    assert caller.ask(*IN_STEP.values()) == []
    return server.refusals


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("line", [*NEITHER, *NO_REQUESTS, *BLANK])
def test_no_request(step: str, line: bytes) -> None:
    if b"\n" in line:
        return  # that is two lines
    server, caller = at(step)
    caller.send(line)
    assert refused(server, caller) == {"malformed": 1}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("line", sorted(set(IN_STEP.values())))
def test_a_step_out_of_order(step: str, line: bytes) -> None:
    if line == IN_STEP[step]:
        return
    server, caller = at(step)
    caller.send(line)
    assert refused(server, caller) == {"out-of-step": 1}


@pytest.mark.parametrize("step", STEPS)
def test_a_line_over_256_bytes(step: str) -> None:
    for data in (b"x" * 257, b"x" * 100_000, b"DROP " + b"0" * 251 + b"3\r\n", b" " * 257 + b"\n"):
        server, caller = at(step)
        caller.transport.arrive(data)
        assert refused(server, caller) == {"message-too-long": 1}


def test_a_line_of_256_bytes_however_it_arrives() -> None:
    for end in (b"\n", b"\r\n"):
        data = b"DROP " + b"0" * 250 + b"3" + end
        for cut in (1, 255, 256, 257, len(data)):
            _, caller = at("in the game")
            caller.transport.arrive(*filter(None, (data[:cut], data[cut:])))
            assert caller.read() == ["OKAY", "DROP 4", "READY"], (end, cut)


def test_what_was_said_before_still_leaves() -> None:
    _, caller = at("before HELLO")
    caller.transport.arrive(b"I32CFSP_HELLO boo\nnonsense\nAI_GAME\n")
    assert caller.read() == ["WELCOME boo"]
    assert caller.closed


class IdleTests(SynchronousTestCase):
    def test_silence_for_longer_than_the_limit(self) -> None:
        for step in STEPS:
            server, caller = at(step, Limits(idle_timeout=600))
            server.expire(599)
            assert not caller.closed
            # A line that isn't finished breaks no silence.
            caller.transport.arrive(b"DR")
            server.expire(1)
            assert refused(server, caller) == {"idle-timeout": 1}

    def test_a_line_breaks_it(self) -> None:
        server, caller = at("in the game", Limits(idle_timeout=600))
        server.expire(599)
        caller.ask("DROP 9")
        server.expire(599)
        assert not caller.closed

    def test_without_a_limit_it_may_last(self) -> None:
        server, caller = at("in the game", Limits(idle_timeout=0))
        server.expire(10**9)
        assert not caller.closed

    def test_who_sends_too_fast_waits(self) -> None:
        server, caller = at("in the game", Limits(budget=24, budget_burst=160))
        caller.send(*["DROP 9"] * 6)
        assert server.refusals == {"illegal-move": 5}
        server.clock.pump([0.1] * 20)
        assert server.refusals == {"illegal-move": 6} and not caller.transport.disconnected


@given(st.lists(st.one_of(pieces, st.binary(max_size=300), st.just(b"\r\n")), max_size=30))
def test_nothing_makes_it_fail(data: list[bytes]) -> None:
    server = Server("4 -4 4 -4 5")
    caller = server.connect()
    caller.transport.arrive(*filter(None, data))
    if not caller.closed:
        # Whatever it was, it was in step so far.
        assert set(server.refusals) <= {"illegal-move"}
    caller.transport.lose()
    assert server.running == 0

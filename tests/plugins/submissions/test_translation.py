"""What a runner passes on between a program and the lobby."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest

from tictac.plugins.submissions.runner.checked import ProgramSide
from tictac.plugins.submissions.runner.translation import (
    MOST_ANSWERS,
    Ended,
    FloodError,
    Translation,
    for_checker,
)

WISH = {"do": "play", "series": "term", "version": "3"}


def line(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


class Passing:
    """A program on the ladder, or in a trial of ``most`` games."""

    def __init__(self, most: int | None = None) -> None:
        self.ended: list[Ended] = []
        wish, prefix = (WISH, "term-") if most is None else ({"do": "open", "game": "nim"}, "")
        self.its = Translation(wish, "lease", self.ended.append, prefix, most)

    def send(self, **fields: Any) -> tuple[Any, Any]:
        """Return what the server and the program get for a request."""
        found = self.its.from_program(line(**fields))
        server, program = (each and json.loads(each) for each in found)
        return server, program

    def get(self, **fields: Any) -> Any:
        """Return what the program gets for a message."""
        found = self.its.from_server(line(**fields))
        return found and json.loads(found)


def test_people_challenge_it_only_on_the_ladder() -> None:
    challenge = {"event": "challenge", "challenge": "c", "state": "open", "by": "gina"}
    hello = {"do": "hello", "takes": ["challenge"]}
    trial, program = Passing(most=4), Passing()
    assert trial.send(**hello)[0] == {"do": "hello", "takes": []}
    assert trial.get(**challenge) is None
    assert program.send(**hello)[0] == hello and program.get(**challenge) == challenge
    accepts = {"do": "respond", "challenge": "c", "how": "accept", "id": 4}
    assert program.send(**accepts)[0] == accepts
    program.get(answer=4, room="den")
    program.get(event="room", room="den", seat=0, players=[])
    move = {"do": "move", "room": "den", "move": "1"}
    assert program.send(**move)[0] == move
    # A rematch is offered in the same room.
    program.get(event="ended", room="den", how="won", result=[1, 0])
    offer = {"event": "offered", "room": "den", "seat": 1, "what": "rematch"}
    rematch = {"do": "accept", "room": "den", "what": "rematch"}
    assert program.get(**offer) == offer and program.send(**rematch)[0] == rematch


def test_its_login_is_that_of_the_lease() -> None:
    program = Passing()
    own = {"user": "bot", "password": "guess"}
    server, answer = program.send(do="register", id=1, **own)
    assert server is None and (answer["answer"], answer["error"]) == (1, "user-exists")
    assert program.send(do="login", id=2, **own) == ({"do": "run", "token": "lease", "id": 2}, None)
    assert program.send(do="guest") == ({"do": "run", "token": "lease"}, None)


@pytest.mark.parametrize("wish", ["seek", "open", "challenge", "play", "join", "watch"])
def test_it_gets_matches_of_its_series_whatever_it_asks_for(wish: str) -> None:
    asked = {"do": wish, "room": "den", "game": "reversi", "id": 5}
    assert Passing().send(**asked) == ({**WISH, "id": 5}, None)


def test_it_moves_only_in_its_own_rooms() -> None:
    program = Passing()
    move = {"do": "move", "room": "term-261129.4", "move": "1"}
    assert program.send(**move) == (move, None)
    server, answer = program.send(do="move", room="den", move="1", id=9)
    assert server is None and (answer["answer"], answer["error"]) == (9, "not-in-room")
    assert program.get(event="moved", room="den", seat=0, move="2") is None


def test_it_sees_no_seats_of_its_other_version() -> None:
    seats = {
        "held": [{"room": "den"}, {"room": "term-1.1"}],
        "ended": [{"room": "x", "how": "won"}],
    }
    found = Passing().get(answer=2, user="anna", seats=seats)
    assert found["seats"] == {"held": [{"room": "term-1.1"}], "ended": []}


def test_a_trial_has_one_game_at_a_time_and_then_no_more() -> None:
    program = Passing(most=2)
    for n in range(2):
        assert program.send(do="seek")[0] == {"do": "open", "game": "nim"}
        assert program.send(do="seek", id=7)[1]["error"] == "already-in-room"
        program.get(answer=None, room=f"r{n}")
        program.get(event="ended", room=f"r{n}", how="won", result=[1, 0])
    assert program.send(do="seek") == (None, None)
    assert [each.room for each in program.ended] == ["r0", "r1"]


def test_a_wish_that_is_refused_can_be_repeated() -> None:
    program = Passing(most=1)
    program.send(do="seek", id=4)
    assert program.get(answer=4, error="server-full", message="x")["error"] == "server-full"
    assert program.send(do="seek", id=5)[0] is not None


def test_a_loss_has_its_reason() -> None:
    program = Passing()
    players = [{"user": "ben"}, {"user": "anna"}]
    program.get(event="room", room="term-1.1", seat=1, players=players)
    program.get(answer=3, error="illegal-move", message="column 9 isn't there")
    end = {"room": "term-1.1", "how": "timed out", "result": [1, 0], "match": "m1"}
    program.get(event="ended", **end)
    # The next login tells of it again.
    program.get(answer=1, user="anna", seats={"held": [], "ended": [{**end, "seat": 1}]})
    assert program.ended == [
        Ended("term-1.1", "m1", "timed out", 0.0, "ben", "column 9 isn't there")
    ]


def test_a_match_that_ended_while_it_was_dead_is_a_loss_for_that_reason() -> None:
    program = Passing()
    program.its.trouble = "it ended with exit status 1"
    ended = [
        {"room": "term-1.1", "how": "left", "result": [0, 1], "seat": 0, "match": "m1"},
        {"room": "term-1.2", "how": "absent", "result": [0, 1], "seat": 0},
    ]
    program.get(answer=1, user="anna", seats={"held": [], "ended": ended})
    found = [(each.how, each.score, each.words) for each in program.ended]
    why = "it ended with exit status 1"
    assert found == [("left", 0.0, why), ("absent", 0.0, why)]


def test_a_game_that_was_closed_does_not_count() -> None:
    program = Passing(most=1)
    program.send(do="seek")
    program.get(answer=None, room="r")
    program.get(event="ended", room="r", how="closed", result=None)
    assert program.ended == [] and program.send(do="seek")[0] is not None


def test_a_flood_of_refused_requests_has_an_end() -> None:
    program = Passing()
    for _ in range(MOST_ANSWERS):
        program.send(do="register")
    with pytest.raises(FloodError):
        program.send(do="register")


@pytest.mark.parametrize("data", [b"{", b"[]", b"7", b"\xff", b"[" * 10_000])
def test_what_is_no_request_is_up_to_the_server(data: bytes) -> None:
    assert Passing().its.from_program(data) == (data, None)
    assert Passing().its.from_server(data) == data


def test_the_checker_gets_one_wish() -> None:
    asked = for_checker(line(do="play", series="x", id=1), {"do": "seek"})
    assert asked == (b'{"do":"seek","id":1}', None)
    login = line(do="login", user="alice", password="x")
    assert for_checker(login + b"\r\n", {"do": "seek"}) == (login, None)


def test_the_checker_is_not_asked_for_series() -> None:
    """`tictac.bot.play(series="term")` asks for its plan, which the checker doesn't know."""
    forward, back = for_checker(line(do="series", series="term", id="s"), {"do": "seek"})
    assert forward is None and back is not None
    answer = json.loads(back)
    assert (answer["answer"], answer["error"]) == ("s", "no-such-series")


def test_an_answer_of_the_runner_never_cuts_a_line_of_the_checker() -> None:
    ours, program = socket.socketpair()
    with ours, program:
        side = ProgramSide(ours)
        side.answer(b"1\n")
        side.passed(b'{"event":')
        side.answer(b"2\n")
        side.passed(b'"room"}\n{')
        side.passed(b"}\n")
        side.close()
        with program.makefile("rb") as lines:
            assert lines.readlines() == [b"1\n", b'{"event":"room"}\n', b"{}\n", b"2\n"]

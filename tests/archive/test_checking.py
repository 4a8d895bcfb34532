"""Matches that come from elsewhere."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from tests.archive.helpers import match
from tests.plugins.matches.helpers import EVERY_GAME, played
from tictac.archive.checking import check
from tictac.archive.match import BadMatch, Match, dump_match, load_match
from tictac.plugins.matches.match_text import frames
from tictac.terminal.style import Style


def users(number: int) -> list[str]:
    return [f"user{seat}" for seat in range(number)]


@pytest.mark.parametrize("moves", [3, 10_000])
@pytest.mark.parametrize(("game", "options", "seats"), EVERY_GAME)
def test_what_was_played_is_right(
    game: str, options: dict[str, Any], seats: int, moves: int
) -> None:
    check(played(game, options, users(seats), moves))


def test_other_ends_are_right() -> None:
    for ending, winner in (("left", 1), ("timed out", None), ("agreed", None), ("drawn", None)):
        check(match(ending=ending, winner=winner))


def changed(**fields: Any) -> Match:
    """Return a valid match, except for these changed fields of its line."""
    return load_match(json.dumps({**json.loads(dump_match(match())), **fields}))


END = [2.5, "ended", "won", 0, "2:0"]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"options": {}}, "an option is missing"),
        ({"options": {"size": 3}}, "has no option 'size'"),
        ({"start": "1"}, "no game begins with its first position"),
        ({"start": "111000000"}, "no game begins with its first position"),
        ({"players": [{"name": "alice", "kind": "account"}], "winner": 0}, "event 3 is of no seat"),
        ({"players": [{"name": "", "kind": "guest"}] * 2}, "a player has no name"),
        ({"events": [[0, "moved", 1, "0:0"], END]}, "event 1 is a move out of turn"),
        ({"events": [[0, "moved", 0, "9:9"], END]}, "9:9 isn't on a board"),
        ({"events": [END]}, "by the rules, no player has won yet"),
        ({"events": [[1, "moved", 2, "0:0"], END]}, "event 1 is of no seat"),
        ({"events": [[1, "left", "bob", -1], END]}, "event 1 is of no seat"),
        ({"events": [[1, "undone", 0, 1], END]}, "it takes moves back that there aren't"),
        ({"events": [[3, "said", "bob", "hm"], END]}, "event 2 is earlier"),
        ({"began": "9999-12-31T23:59:59.999Z"}, "the match has no time of its end"),
        ({"players": [{"name": "\ud800", "kind": "guest"}] * 2}, "surrogates not allowed"),
    ],
)
def test_what_cant_be(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(BadMatch, match=f"match m1: .*{why}"):
        check(changed(**fields))


@pytest.mark.parametrize("start", ["7:3,4", "0:-3,4", "0:0,4"])
def test_numbers_of_nim_that_cant_be(start: str) -> None:
    left = match(game="nim", options={"numbers": 0, "smallest": 1, "largest": 20}, start=start)
    end = left.events[-1]._replace(fields=("ended", "left", 0, None))
    with pytest.raises(BadMatch, match="a position of Nim"):
        check(left._replace(events=(end,), ending="left"))


def test_a_result_against_the_rules() -> None:
    (*events, _) = json.loads(dump_match(match()))["events"]
    for ending, winner in (("drawn", None), ("forfeited", 0), ("won", 1)):
        end = [2.5, "ended", ending, winner, "2:0"]
        with pytest.raises(BadMatch, match="by the rules, the match ended differently"):
            check(changed(ending=ending, winner=winner, events=[*events, end]))


def test_whatever_is_let_in_can_be_shown() -> None:
    lines = [dump_match(played(g, o, users(n), moves=4)) for g, o, n in EVERY_GAME]
    rng, let_in = Random(1), 0
    for _ in range(1500):
        line = rng.choice(lines)
        at = rng.randrange(len(line))
        line = line[:at] + rng.choice('019.-:,x"') + line[at + rng.randrange(3) :]
        try:
            damaged = load_match(line)
            check(damaged)
        except BadMatch:
            continue
        let_in += 1
        assert list(frames(damaged, Style()))
        assert load_match(dump_match(damaged)) == damaged
    assert let_in > 50

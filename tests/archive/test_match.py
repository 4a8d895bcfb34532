"""A match as a value and as a line."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from tests.archive.helpers import ALICE, BEGAN, BOB, COMPUTER, EVENTS, GUEST, match, match_of, moved
from tests.lobby.any_game import Knowing
from tictac.archive.match import (
    BadMatch,
    Event,
    Match,
    Player,
    dump_match,
    load_match,
    seconds_of,
    without,
)
from tictac.archive.packed import MOST_SAID
from tictac.games.all import GAMES
from tictac.lobby.clock import TimeControl
from tictac.lobby.registry import Registry
from tictac.lobby.terms import terms_for


def test_a_line_leads_to_the_same_match() -> None:
    for each in (
        match(),
        match(
            "m2",
            GUEST,
            COMPUTER,
            door="nim",
            private=True,
            rated=True,
            clock=TimeControl(60.0, 0.5),
        ),
        match("m3", ending="agreed", winner=None),
    ):
        line = dump_match(each)
        assert line.isascii() and "\n" not in line
        assert load_match(line) == each


def test_the_line_is_the_documented_one() -> None:
    fields = json.loads(dump_match(match("m1", ALICE, COMPUTER, winner=None, ending="agreed")))
    assert fields == {
        "version": 1,
        "id": "m1",
        "game": "tictactoe",
        "options": {"rows": 3, "columns": 3, "strike": 3, "first": "X"},
        "start": "000000000",
        "players": [
            {"name": "alice", "kind": "account"},
            {"name": "computer", "kind": "computer", "level": "best"},
        ],
        "door": None,
        "private": False,
        "rated": False,
        "clock": None,
        "began": "2023-11-14T22:13:20.125Z",
        "events": [
            *[[event.at, *event.fields] for event in EVENTS],
            [2.5, "ended", "agreed", None, None],
        ],
        "ending": "agreed",
        "winner": None,
    }


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"version": 2}, "its version is 2, known is 1"),
        ({"version": None}, "its version is None"),
        ({"id": "../x"}, "a field"),
        ({"id": 7}, "a field"),
        ({"private": 1}, "a field"),
        ({"ending": "closed"}, "a field"),
        ({"winner": 2}, "a field"),
        ({"winner": True}, "a field"),
        ({"events": []}, "a field"),
        ({"events": [[1, "moved", 0, "0:0"]]}, "a field"),
        ({"events": [["x", "ended", "won", 0, None]]}, "an event"),
        ({"events": [[1]]}, "an event"),
        ({"events": [[1e400, "ended", "won", 0, None]]}, "an event"),
        ({"players": [{"name": "alice", "kind": "king"}]}, "a player"),
        ({"players": [{"name": 5, "kind": "account"}]}, "a player"),
        ({"players": []}, "a field"),
        ({"clock": [1]}, "not enough values"),
        ({"clock": [60, float("nan")]}, "no time control"),
        ({"clock": [float("inf"), 0]}, "no time control"),
        ({"clock": [10**400, 0]}, "no time control"),
        ({"began": "yesterday"}, "isoformat"),
        ({"began": 5}, "no match"),
        ({"more": 5}, "no match"),
    ],
)
def test_a_line_that_is_none_says_why(changed: dict[str, Any], why: str) -> None:
    fields = json.loads(dump_match(match())) | changed
    with pytest.raises(BadMatch, match=why):
        load_match(json.dumps(fields))


@pytest.mark.parametrize("line", ["", "{", "[]", "7", "[" * 100_000, '{"version": 1}'])
def test_a_text_that_is_no_match_is_refused(line: str) -> None:
    with pytest.raises(BadMatch):
        load_match(line)


def test_the_moves_are_played_again() -> None:
    moves = [each for each in match().replay() if each.move is not None]
    assert [(each.event.at, each.seat, each.move) for each in moves] == [
        (0.5, 0, "0:0"),
        (1.0, 1, "1:1"),
        (1.5, 0, "1:0"),
        (2.0, 1, "2:2"),
        (2.5, 0, "2:0"),
    ]
    assert moves[-1].position == "111020002"


def test_moves_that_were_taken_back_arent_played() -> None:
    undone = Event(2.25, ("undone", 0, 3))
    events = (*EVENTS, undone, moved(2.5, 1, "2:1"), Event(3, ("ended", "left", 0, None)))
    found = match(ending="left")._replace(events=events)
    assert found.moves() == ["0:0", "2:1"]
    assert list(found.replay())[-1].position == "100002000"
    assert load_match(dump_match(found)) == found


@pytest.mark.parametrize(
    "changed",
    [
        {"events": (moved(1, 0, "9:9"),)},
        {"events": (Event(1, ("undone", 0, 1)),)},
        {"start": "?"},
        {"game": "chess"},
        {"options": {"x": 1}},
    ],
)
def test_what_the_rules_dont_allow_is_no_match(changed: dict[str, Any]) -> None:
    with pytest.raises(BadMatch, match="match m1"):
        list(match()._replace(**changed).replay())


def test_a_private_match_is_seen_by_its_accounts_alone() -> None:
    seen = match("m1", ALICE, GUEST, private=True)
    assert seen.visible_to("alice")
    assert not any(seen.visible_to(name) for name in (None, "bob", "guest-1"))
    assert match().visible_to(None)


def test_who_is_gone_is_called_deleted() -> None:
    gone = without(match(private=True), "alice")
    assert gone.players == (Player("deleted", "account"), BOB)
    assert "alice" not in dump_match(gone)
    assert not gone.visible_to("deleted")


@pytest.mark.parametrize("text", ["2023-11-14T22:13:20.125Z", "2023-11-14T23:13:20.125+01:00"])
def test_times_have_offsets(text: str) -> None:
    assert seconds_of(text) == BEGAN


class House:
    """A registry whose rooms' matches are asked for when they end."""

    def __init__(self) -> None:
        self.now = 100.0
        self.registry = Registry(9, lambda: self.now, lambda culprit: None, rng=Random(1))

    def sit(self, user: str, terms: Any, *, create: bool) -> Knowing:
        occupant = Knowing(self.registry, user)
        if create:
            self.registry.create(occupant, "den", terms)
        else:
            self.registry.join(occupant, "den", "PLAYER", terms.key, terms.protocol)
        return occupant


def test_a_room_that_ends_leads_to_a_match() -> None:
    house = House()
    clock_terms = terms_for(GAMES["tictactoe"], {}, key="secret", rated=True, computer="easy")
    alice = house.sit("alice", clock_terms, create=True)
    room = house.registry.room("den")
    assert room is not None
    house.now += 5
    other = house.sit("computer", clock_terms, create=False)
    house.now += 0.12345
    viewer = Knowing(house.registry, "guest-4")
    house.registry.join(viewer, "den", "VIEWER", "secret")
    house.registry.place(alice, "0:0")
    house.registry.place(alice, "9:9")  # kept for its turn, and then refused
    house.registry.place(other, "1:1")
    house.registry.say(viewer, "hm")
    house.registry.forfeit(other)
    found = match_of(room, 1000.0)
    assert found == Match(
        "m1",
        "tictactoe",
        {"rows": 3, "columns": 3, "strike": 3, "first": "X"},
        "000000000",
        (ALICE, Player("computer", "computer", "easy")),
        None,
        True,
        True,
        None,
        1105.0,
        (
            moved(0.123, 0, "0:0"),
            moved(0.123, 1, "1:1"),
            Event(0.123, ("said", "guest-4", "hm")),
            Event(0.123, ("ended", "forfeited", 0, None)),
        ),
        "forfeited",
        0,
    )
    assert load_match(dump_match(found)) == found


def test_of_very_much_that_was_said_only_the_first_is_kept() -> None:
    house, terms = House(), terms_for(GAMES["tictactoe"], {})
    alice, bob = house.sit("alice", terms, create=True), house.sit("bob", terms, create=False)
    room = house.registry.room("den")
    assert room is not None
    for _ in range(MOST_SAID // 500 + 1):
        house.registry.say(bob, "x" * 500)
    house.registry.forfeit(alice)
    found = match_of(room, 1000.0)
    assert found is not None
    said = [fields[2] for _, fields in found.events if fields[0] == "said"]
    assert sum(map(len, said)) == MOST_SAID


def test_a_room_that_closes_before_its_match_leads_to_none() -> None:
    house = House()
    alice = house.sit("alice", terms_for(GAMES["nim"], {}), create=True)
    room = house.registry.room("den")
    assert room is not None
    house.registry.forfeit(alice)
    assert match_of(room, 0.0) is None


@pytest.mark.parametrize(("protocol", "level"), [(None, "best"), ("clue", None)])
def test_the_level_of_another_protocols_computer_isnt_known(
    protocol: str | None, level: str | None
) -> None:
    house = House()
    terms = terms_for(GAMES["tictactoe"], {}, protocol=protocol)
    alice = house.sit("alice", terms, create=True)
    house.sit("computer", terms, create=False)
    room = house.registry.room("den")
    assert room is not None
    house.registry.forfeit(alice)
    found = match_of(room, 0.0)
    assert found is not None and found.players[1] == Player("computer", "computer", level)

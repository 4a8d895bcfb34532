"""Tournaments at the shell: to enter, to come to the board, to hear how it ends."""

from __future__ import annotations

from typing import Any

from tests.plugins.client.shell import Player, ShellCase
from tests.plugins.tournament.cups import plan_json
from tests.plugins.tournament.hosting.served import Tournaments
from tests.plugins.tournament.hosting.stage import CUP, result
from tictac.plugins.client.tournaments import describe_tournament, spell_card
from tictac.plugins.tournament.view import decided_json


class TournamentTests(ShellCase):
    def setUp(self) -> None:
        super().setUp()
        self.tournaments = Tournaments(self.network.server)
        self.alice, self.bob = self.player("alice"), self.player("bob")

    def make(self, *players: Player, **plan: Any) -> None:
        result(self.tournaments.follower.make(CUP, plan_json("knock-out", **plan), ""))
        for player in players:
            player.type(f"enter {CUP}")

    def begin(self, *options: str) -> None:
        result(self.tournaments.follower.append(CUP, lambda _: ["began", 0]))
        self.pass_time(2)

    def pass_time(self, seconds: float) -> None:
        for _ in range(round(seconds)):
            self.tournaments.pass_time(1)
            self.network.flush()

    def test_what_tournaments_there_are(self) -> None:
        assert self.alice.type("tournaments") == ["There is no tournament."]
        self.make()
        assert self.alice.type("tournaments") == [
            f"{CUP}: Friday Cup (knock-out, Nim, 0 players, open)"
        ]

    def test_who_has_entered_is_led_to_the_board(self) -> None:
        self.make()
        [said] = self.alice.type(f"enter {CUP}")
        assert said == f"You take part in {CUP}, with 0 others."
        self.bob.type(f"enter {CUP}")
        self.begin()
        assert f"{CUP}: you play bob at {CUP}.1." in self.alice.read()
        assert self.alice.shell.table is not None and self.alice.shell.table.begun
        self.bob.type("resign", answers=("yes",))
        self.pass_time(2)
        assert f"{CUP} is over. 1. alice, 2. bob. You are number 1." in self.alice.read()
        assert self.alice.shell.table.status() == "over: leave goes back"

    def test_a_player_learns_that_the_organizer_set_the_result(self) -> None:
        self.make(self.alice, self.bob)
        self.begin()
        self.alice.read()
        decided = decided_json("set", [0, 1])
        self.network.server.registry.call_off(f"{CUP}.1", "closed", decided)
        self.network.flush()
        said = self.alice.read()
        at = said.index("The organizer set the result: You 0, bob 1.")
        assert said[at + 1] == "You have lost."

    def test_a_player_learns_that_the_organizer_ended_the_tournament(self) -> None:
        self.make(self.alice, self.bob)
        self.begin()
        decided = decided_json("called-off")
        self.network.server.registry.call_off(f"{CUP}.1", "closed", decided)
        self.network.flush()
        ended = "The organizer ended the tournament. The match doesn't count."
        assert self.alice.read()[-1] == ended

    def test_who_plays_elsewhere_is_told(self) -> None:
        self.make(self.alice, self.bob)
        self.alice.type("open nim beginner")
        self.network.wait(0.5)
        self.begin()
        said = self.alice.read()
        assert f"Leave this room, and join {CUP}.1." in said

    def test_who_comes_back_is_led_to_the_board(self) -> None:
        self.make(self.alice, self.bob)
        self.alice.type("quit")
        self.begin()
        again = self.player("alice")
        assert again.shell.table is not None and again.shell.table.begun

    def test_to_withdraw(self) -> None:
        self.make(self.alice)
        assert self.alice.type(f"withdraw {CUP}") == [f"{CUP}: you are out."]
        assert self.alice.type(f"withdraw {CUP}")[0].startswith("Error")
        assert self.alice.type("withdraw")[0].startswith("Error: which tournament?")
        self.alice.type(f"enter {CUP}")
        assert "part already" in self.alice.type(f"enter {CUP}")[0]


def test_every_card_is_a_sentence() -> None:
    rank = {"rank": 2, "points": 1, "players": 5}
    cards: dict[str, dict[str, Any]] = {
        "You take part in cup, with 1 other.": {"state": "entered", "begins": None, "players": 2},
        "cup: round 2 is free, which is worth 1.": {
            "state": "bye", "round": 2, "points": 1, "next": None,
        },
        "cup: you wait for round 3. Games being played: 2 of 4. You are number 2.": {
            "state": "waiting", "round": 3, "left": 2, "of": 4, "next": None, **rank,
        },
        "cup: the last round. Games being played: 1 of 4. You are number 2.": {
            "state": "waiting", "round": None, "left": 1, "of": 4, "next": None, **rank,
        },
        "cup: no new games begin any more. You are number 2.": {
            "state": "waiting", "closed": True, **rank,
        },
        "cup: you wait for an opponent. You are number 2.": {"state": "waiting", **rank},
        "cup: your game in other comes first.": {
            "state": "waiting", "busy": {"user": None, "tournament": "other"}, **rank,
        },
        "cup: you wait for bob, whose game in other comes first.": {
            "state": "waiting", "busy": {"user": "bob", "tournament": "other"}, **rank,
        },
        "cup: you pause. enter cup lets you go on.": {"state": "waiting", "paused": True, **rank},
        "cup: you play bob at cup.1. This is your last game until you come back.": {
            "state": "playing", "against": ["bob"], "room": "cup.1", "paused": True,
        },
        "cup: you are out. You are number 2.": {"state": "out", **rank},
        "cup is over.": {
            "state": "over", "name": "cup", "first": [], "ranks": [], "rank": None,
        },
        "cup is over. 1. ann, 2. ben, 2. cat. You are number 2.": {
            "state": "over", "first": ["ann", "ben", "cat"], "ranks": [1, 2, 2], **rank,
        },
        "cup is over. 1. ann, 2. ben.": {"state": "over", "first": ["ann", "ben"]},
        "cup is over. 1. ann, 1. ben, 1. cat, and 2 more.": {
            "state": "over", "first": ["ann", "ben", "cat"], "ranks": [1, 1, 1], "more": 2,
        },
    }  # fmt: skip
    for said, card in cards.items():
        assert spell_card("cup", card) == said


def test_the_round_of_a_tournament_is_shown() -> None:
    head = {
        "id": "cup", "name": "Cup", "system": "swiss", "title": "Nim", "players": 4,
        "state": "running", "round": 2, "rounds": 3,
    }  # fmt: skip
    assert describe_tournament(head) == "cup: Cup (swiss, Nim, 4 players, round 2 of 3)"
    before = describe_tournament({**head, "round": 0})
    assert before == "cup: Cup (swiss, Nim, 4 players, round 1 of 3)"

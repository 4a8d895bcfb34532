"""People at the shell: who is online, and challenges."""

from __future__ import annotations

from itertools import product
from typing import Any

from tests.plugins.client.shell import Player, ShellCase
from tests.plugins.people.served import People
from tictac.plugins.client.connection import greeting
from tictac.plugins.client.words import help_lines
from tictac.plugins.people.shell import describe_people, spell_challenge


class PeopleTests(ShellCase):
    def setUp(self) -> None:
        super().setUp()
        People(self.network.server)
        self.alice, self.bob = self.taker("alice"), self.taker("bob")

    def taker(self, user: str) -> Player:
        player = self.player(user)
        player.shell._link.client.send("hello", **greeting())  # as program.py does
        player.read()
        return player

    def plays(self, player: Player) -> bool:
        return player.shell.table is not None and player.shell.table.begun

    def test_who_is_online(self) -> None:
        assert self.alice.type("who") == [
            "alice: free, takes challenges",
            "bob: free, takes challenges",
        ]
        self.bob.type("who hide")
        assert self.alice.type("challenge bob nim") == ["Error: bob can't be challenged now."]
        self.bob.type("who show")
        assert self.alice.type("challenge bob nim") == ["Asked bob."]

    def test_who_accepts_plays(self) -> None:
        assert self.alice.type("challenge bob reversi size=4 clock=300+3 second") == ["Asked bob."]
        [told] = self.bob.read()
        assert told == (
            "alice challenges you to Reversi, size=4, initial=300, increment=3. You have seat 1."
            " accept alice or decline alice, within 60 s."
        )
        assert list(self.bob.shell.complete("accept ")) == ["alice"]
        self.bob.type("accept")
        assert self.plays(self.alice) and self.plays(self.bob)
        assert self.bob.shell.table is not None and self.bob.shell.table.seat == 0
        assert self.bob.type("decline alice") == ["Error: there is no such challenge."]
        assert self.bob.type("who")[0].startswith("In the room: ")
        assert self.bob.type("challenge alice")[0].startswith("Error: you play in ")

    def test_who_has_just_registered_takes_challenges(self) -> None:
        self.bob.type("register dora", answers=("secret", "secret"))
        assert "dora: free, takes challenges" in self.alice.type("who")

    def test_declined_and_withdrawn(self) -> None:
        self.alice.type("challenge bob nim")
        self.bob.type("decline alice")
        assert self.alice.read() == ["The challenge to bob is over: declined."]
        self.alice.type("challenge bob")
        self.bob.read()
        self.alice.type("decline bob")
        assert self.bob.read() == ["The challenge by alice is over: withdrawn."]
        assert self.alice.type("accept bob") == ["Error: there is no such challenge."]

    def test_of_several_one_is_named(self) -> None:
        vera = self.taker("vera")
        for player in (self.alice, vera):
            player.type("challenge bob nim")
        self.bob.read()
        assert self.bob.type("accept") == ["Error: whose challenge? Add the name."]
        self.bob.type("accept vera")
        assert self.plays(vera)
        assert self.alice.read() == ["The challenge to bob is over: withdrawn."]

    def test_what_is_no_challenge(self) -> None:
        assert self.alice.type("challenge")[0].startswith("Error: name a player")
        for more in ("nim club", "nim room=den"):
            [said] = self.alice.type(f"challenge bob {more}")
            assert said.startswith("Error: a challenge is for a match of two people")
        assert self.alice.type("challenge nobody at all") == [
            "Error: nobody at all can't be challenged now."
        ]


def test_strangers_are_told_how_many() -> None:
    counts = {"people": 2, "playing": 0, "rooms": 0}
    assert describe_people({"counts": counts}) == ["2 online."]
    person = {"user": "alice", "state": "playing", "room": "den", "challenge": True}
    told: dict[str, Any] = {"counts": counts, "people": [person], "more": 1}
    assert describe_people(told) == ["alice: plays in den", "And 1 online."]


def test_a_challenge_without_a_clock_a_side_or_an_end() -> None:
    told: dict[str, Any] = {
        "title": "Nim",
        "options": {},
        "clock": None,
        "rated": True,
        "side": None,
    }
    said = spell_challenge({**told, "seconds": None, "by": "bob"})
    assert said == "bob challenges you to Nim, rated. accept bob or decline bob."


def test_the_help_fits_in_a_terminal() -> None:
    places = product((True, False), repeat=2)
    assert max(len(help_lines(*place)) for place in places) <= 23

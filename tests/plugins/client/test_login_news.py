"""Seats that are held: what a client that was started again says of them, and the way back."""

from __future__ import annotations

from dataclasses import replace

from twisted.internet.error import ConnectionLost
from twisted.python.failure import Failure

from tests.plugins.client.lines import LinesCase
from tests.plugins.client.shell import Player, ShellCase
from tictac.plugins.client.login_news import describe_seats
from tictac.plugins.client.seek import Seek
from tictac.terminal.room_view import ABORTED

HELD = "Your seat in den is held for 24 s: type join den."


class StartedAgainTests(ShellCase):
    def lose(self, *options: str) -> None:
        """Kill bob's client during a match, and wait for 6 seconds."""
        self.alice.type(" ".join(("open nim room=den", *options)))
        self.bob.type("join den")
        self.bob.shell._has_left = True  # as after kill -9: nobody comes back
        self.bob.cut()
        self.network.wait(6)
        self.alice.read()

    def test_a_login_says_where_and_for_how_long_and_one_word_leads_back(self) -> None:
        for words in ("join den", "join"):
            self.lose("rated")
            bob = Player(self.network)
            assert HELD in bob.log_in("bob")
            bob.type(words)
            assert "bob is back." in self.alice.read()
            self.alice.type("resign", answers=("yes",))
            bob.type("quit")
            self.bob = self.player("bob")

    def test_only_one_seat_is_meant_by_join_alone(self) -> None:
        assert self.bob.type("join") == ["Error: which room? rooms lists them."]
        self.lose()
        assert Player(self.network).log_in("carol")[-1] == "Welcome carol"

    def test_a_private_room_is_completed_and_entered_without_its_key(self) -> None:
        self.lose()
        room = self.network.server.registry.room("den")
        assert room is not None
        room.terms = replace(room.terms, key="k")
        bob = Player(self.network)
        bob.log_in("bob")
        assert "den" in bob.shell.complete("join ")
        bob.type("join den")
        assert "bob is back." in self.alice.read()

    def test_the_same_wish_resumes_the_match(self) -> None:
        self.lose()
        Player(self.network, Seek("nim")).log_in("bob")
        assert "bob is back." in self.alice.read()
        assert self.network.server.registry.rooms() == 1

    def test_what_another_connection_plays(self) -> None:
        self.alice.type("open nim room=den")
        again = Player(self.network).log_in("alice")
        assert "You play in den at another connection: join den takes the seat over." in again

    def test_what_ended_meanwhile(self) -> None:
        self.lose()
        self.alice.type("resign", answers=("yes",))
        said = Player(self.network).log_in("bob")
        assert "The match in den ended while you were away: you won (forfeited)." in said

    def test_what_others_decided_meanwhile(self) -> None:
        end = {"room": "cup.1", "seat": 0, "how": "closed", "winner": 1, "result": [0, 1]}
        ended = "The match in cup.1 ended while you were away"
        assert describe_seats({"ended": [end | {"decided": "set"}]}) == [
            f"{ended}: you lost. The organizer set the result."
        ]
        over = end | {"winner": None, "result": None, "decided": "over"}
        assert describe_seats({"ended": [over]}) == [
            f"{ended}. The tournament ended. The match doesn't count."
        ]

    def test_a_guest_returns_after_a_lost_connection(self) -> None:
        guest = Player(self.network)
        guest.type("guest")
        name = guest.shell.user
        self.alice.type("open nim room=den")
        guest.type("join den")
        guest.cut()
        self.network.wait(1)
        assert guest.shell.user == name
        assert f"{name} is back." in self.alice.read()

    def test_a_seat_that_the_server_refuses_is_lost_at_once(self) -> None:
        self.alice.type("open nim room=den")
        self.bob.type("join den")
        self.network.server.lobby.held = 0.0  # no connection makes way for another one
        self.network.pumps.remove(self.bob.pump)
        self.bob.pump.client.connectionLost(Failure(ConnectionLost()))
        self.network.wait(1)
        lost = "Error: your seat in den is lost: room den has no seat for bob."
        assert lost in self.bob.read()


class AbortedTests(ShellCase):
    def test_both_are_told(self) -> None:
        self.alice.type("open nim room=den rated")
        self.bob.type("join den")
        self.alice.read()
        said = self.bob.type("resign", answers=("yes",))
        assert said[-2:] == ["You resigned.", ABORTED]
        assert self.alice.read()[-2:] == ["bob resigned.", ABORTED]


class PlainTests(LinesCase):
    def test_a_script_is_told_and_returns_by_one_word(self) -> None:
        alice = self.sit(game="nim", room="den", user="alice")
        bob = self.sit(game="nim", room="den", user="bob")
        bob.shell._has_left = True
        bob.cut()
        self.network.wait(6)
        again = self.sit(False, "join", user="bob")
        self.assertIn(f"Welcome bob\n{HELD}\nden: Nim", again.read())
        self.assertIn("bob is back.\n", alice.read())

    def test_another_wish_is_carried_out_after_that_is_said(self) -> None:
        self.sit(game="nim", room="den", user="alice")
        bob = self.sit(game="nim", room="den", user="bob")
        bob.shell._has_left = True
        bob.cut()
        self.network.wait(6)
        again = self.sit(False, user="bob", game="reversi", room="hut")
        self.assertIn(f"Welcome bob\n{HELD}\nhut: Reversi", again.read())


def test_what_cannot_be_returned_to() -> None:
    end = {"room": "den", "seat": 1, "how": "left", "winner": None, "result": None}
    assert describe_seats({"ended": [end]}) == [
        "Your seat in den was taken while you were away. The other players continue."
    ]
    drawn = end | {"how": "agreed", "result": [0.5, 0.5], "match": "PkelvPKxIJAl4bIM"}
    assert describe_seats({"ended": [drawn]}) == [
        "The match in den ended while you were away: no one won (agreed)."
        " To look at it, type replay PkelvPKxIJAl4bIM."
    ]

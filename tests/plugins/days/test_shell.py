"""Your games at the shell: the list, the next turn, and leaving without losing."""

from __future__ import annotations

from tests.plugins.client.shell import ShellCase
from tests.plugins.days.case import follow_games

LEFT = "It is your turn (You 3 days 0 h, bob 3 days 0 h)."


class MineTests(ShellCase):
    def setUp(self) -> None:
        super().setUp()
        server = self.network.server
        server.registry.outbox.outlives = True
        follow_games(server)
        self.alice, self.bob = self.player("alice"), self.player("bob")

    def begin_over_days(self, room: str = "den", clock: str = " clock=3d") -> None:
        self.alice.type(f"open reversi size=4{clock} room={room}")
        self.bob.type(f"join {room}")
        self.alice.read()

    def test_the_list_and_the_next_turn(self) -> None:
        self.begin_over_days()
        self.begin_over_days("attic")
        assert self.alice.type("games mine") == [
            "den: Reversi against bob, your turn, 3 days 0 h left",
            "attic: Reversi against bob, your turn, 3 days 0 h left",
        ]
        assert "den: Reversi (size 4)" in self.alice.type("next")
        self.alice.type("b1")
        assert "attic: Reversi (size 4)" in self.alice.type("next")
        assert self.alice.type("next") == ["Error: no other match waits for your move."]
        self.bob.read()
        assert self.bob.type("games mine")[0] == (
            "den: Reversi against alice, your turn, 3 days 0 h left, last move b1"
        )

    def test_no_games(self) -> None:
        assert self.alice.type("games mine") == ["You play no match now."]

    def test_next_without_a_game_names_no_other(self) -> None:
        assert self.alice.type("next") == ["Error: no match waits for your move."]

    def test_leaving_asks_nothing_and_keeps_the_seat(self) -> None:
        self.begin_over_days()
        assert self.alice.type("leave") == []
        self.alice.type("quit")
        assert self.network.server.registry.has_room("den")
        again = self.player("alice")
        assert "It is your turn in a match: type games mine, or next." in again.type("logout") or (
            "den: Reversi against bob"
            in again.type("login alice", "games mine", answers=("secret",))[-1]
        )

    def test_a_login_tells_of_turns(self) -> None:
        self.begin_over_days()
        self.alice.type("logout")
        said = self.alice.type("login alice", answers=("secret",))
        assert "It is your turn in a match: type games mine, or next." in said

    def test_a_live_match_continues_over_days(self) -> None:
        self.begin_over_days(clock="")
        assert self.alice.type("days") == [
            "Error: how many days for each move? For example: days 3."
        ]
        assert self.alice.type("days 3") == ["You offered to continue with 3 days for each move."]
        assert self.bob.read() == [
            "alice offers to continue with 3 days for each move: accept or decline."
        ]
        assert self.bob.type("days 3")[0] == (
            "Each move can take 3 days now: leave, and join again later."
        )
        assert self.alice.read()[-1] == LEFT
        assert self.alice.type("leave") == []
        assert self.network.server.registry.has_room("den")

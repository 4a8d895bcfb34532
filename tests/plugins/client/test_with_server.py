"""The shell line by line and the real server, over iosim: matches, scripts, lost connections."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any

from tests.plugins.client.lines import LinesCase, Player
from tictac.errors import NoSuchGame
from tictac.game import GameType
from tictac.games.all import GAMES, game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.events import Ended, Placed
from tictac.lobby.terms import USUAL_TERMS
from tictac.plugins.client import connection
from tictac.plugins.client.session import GivenUp
from tictac.terminal import room_view
from tictac.text_view import unpainted

ENDS = [
    {"You have won.", "You have lost."},
    {"The game is a draw."},
    {"There is no single winner."},
]


class MatchTests(LinesCase):
    def test_a_match_of_every_game_with_a_viewer(self) -> None:
        for game in GAMES:
            alice = self.sit(game=game, room=game, user="alice")
            room = self.network.server.registry.room(game)
            assert room is not None
            others = [
                self.sit(game=game, room=game, guest=True) for _ in range(1, room.terms.seats)
            ]
            vera = self.sit(watch=game, guest=True)
            players = (alice, *others)
            text_view, rng = game_type_of(game).text_view(room.terms.values), Random(3)
            while moves := list(room.game.moves(room.position)):
                assert room.turn is not None
                players[room.turn].type(text_view.spell(rng.choice(moves)))
                event = room.record[-1][1]
                assert isinstance(event, Placed | Ended) and event.move is not None
                view = room.game.view(event.position, None)
                move = room.game.seen(event.position, event.move, None)
                if isinstance(event, Placed):
                    shown = text_view.describe_move(view, event.seat, move)
                else:
                    shown = text_view.recorded(move)
                self.assertIn(f": {shown}\n", vera.read())
            ends = [each.read().splitlines()[-1] for each in players]
            self.assertIn(set(ends), ENDS)
            for each in (*players, vera):
                each.type("quit")
                self.successResultOf(each.leaving)
                self.assertEqual(each.person.read_errors(), "")

    def test_two_who_seek(self) -> None:
        alice = self.sit(game="reversi", seek=True, user="alice", clock=TimeControl(300, 3))
        bob = self.sit(game="reversi", seek=True, user="bob", clock=TimeControl(300, 3))
        self.assertIn("It is your turn (You 5:00, bob 5:00).\n", alice.read())
        self.assertIn("alice (X) against bob (O). You are O\n", bob.read())

    def test_boards_are_read_out_without_marks(self) -> None:
        alice = self.sit(game="reversi", room="den", user="alice", options=("size=4",))
        self.sit(game="reversi", room="den", user="bob")
        alice.read()
        alice.type("b1")
        self.assertIn("You: b1\n    a b c d\n 1  . X . .\n", alice.read())

    def test_a_question_is_a_line(self) -> None:
        alice = self.sit(screen=True, game="nim", room="den", user="alice")
        self.sit(game="nim", room="den", user="bob")
        alice.read()
        alice.type("say bye", "quit")
        said = "This loses the match. Continue? (yes/no)\nalice says: bye\n"
        self.assertEqual(alice.read(), said)

    def test_what_is_wrong_goes_to_standard_error(self) -> None:
        alice = self.sit(game="reversi", room="den", user="alice")
        bob = self.sit(game="reversi", room="den", user="bob")
        alice.type("a1", "d3")
        self.assertEqual(alice.person.read_errors(), "Error: a1 encloses nothing.\n")
        self.assertIn("alice: d3\n", bob.read())

    def test_a_match_that_somebody_pauses(self) -> None:
        alice = self.sit(game="nim", room="den", user="alice")
        bob = self.sit(game="nim", room="den", user="bob")
        registry = self.network.server.registry
        room = registry.room("den")
        assert room is not None
        first = SimpleNamespace(occupant_id=room.players[0].occupant)
        registry.pause(first, True)
        self.assertTrue(bob.read().endswith("alice paused the match.\n"))
        vera = self.sit(watch="den", guest=True)
        self.assertIn("The match is paused.\n", vera.read())
        registry.pause(first, False)
        self.assertIn("alice resumed the match.\nIt is your turn.\n", alice.read())

    def test_coming_back_tells_what_was_missed(self) -> None:
        alice = self.sit(game="reversi", room="den", user="alice")
        bob = self.sit(game="reversi", room="den", user="bob")
        alice.read()
        alice.cut()
        self.assertIn("alice left, and can come back for 30 seconds.\n", bob.read())
        bob.type("say are you there?")
        self.network.wait(1)
        self.assertIn("alice is back.\n", bob.read())
        shown = alice.read()
        self.assertIn("Back on the server.\nden: Reversi (size 8)\n", shown)
        self.assertIn("bob says: are you there?\n", shown)
        self.assertTrue(shown.endswith("It is your turn.\n"), shown)
        alice.type("d3")
        self.assertIn("alice: d3\n", bob.read())

    def test_a_game_that_isnt_installed_has_its_picture_again(self) -> None:
        self.patch(connection, "GAMES", ("nim",))
        self.patch(room_view, "game_type_of", self.unknown)
        alice = self.sit(game="tictactoe", room="den", user="alice")
        self.sit(game="tictactoe", room="den", user="bob").type("say hello")
        alice.read()
        alice.cut()
        self.network.wait(1)
        picture = (
            game_type_of("tictactoe").text_view(USUAL_TERMS.values).lines("000000000", unpainted)
        )
        board = "\n".join(picture)
        self.assertIn(f"{board}\nIt is your turn.\n", alice.read())

    def unknown(self, name: str) -> GameType:
        raise NoSuchGame(name)

    def test_a_viewer_comes_back(self) -> None:
        alice = self.sit(game="reversi", room="den", user="alice")
        bob = self.sit(game="reversi", room="den", user="bob")
        vera = self.sit(watch="den", guest=True)
        vera.read()
        vera.cut()
        alice.type("d3")
        self.network.wait(1)
        shown = vera.read()
        self.assertIn("alice: d3\n", shown)
        self.assertTrue(shown.endswith("It is bob's turn.\n"), shown)
        bob.type("quit", "yes")
        self.assertTrue(vera.read().endswith("bob left.\nalice has won.\n"))

    def test_what_was_wished_is_done_after_the_login(self) -> None:
        dora = self.sit(game="nim", room="den")
        dora.type("register dora", "sesame", "sesame")
        self.assertIn("Welcome dora\nden: Nim", dora.read())


class ScriptTests(LinesCase):
    def script(self, *lines: str, **wish: Any) -> Player:
        """Return a player whose lines were all typed ahead."""
        player = self.sit(False, *lines, **wish)
        player.person.end_input()
        return player

    def test_its_lines_wait_for_their_turn_and_its_end_hides_no_result(self) -> None:
        three = ("numbers=3", "smallest=1", "largest=1")
        lines = "take 1 from 1", "take 1 from 1"
        alice = self.script(*lines, user="alice", game="nim", room="den", options=three)
        bob = self.sit(user="bob", game="nim", room="den")
        self.assertIn("It is your turn.\n", bob.read())
        self.assertNoResult(alice.leaving)
        bob.type("take 1 from 2")
        self.assertTrue(alice.read().endswith("You have won.\n"))
        self.successResultOf(alice.leaving)
        self.assertEqual(alice.person.read_errors(), "")

    def test_its_end_hides_not_that_it_has_resigned(self) -> None:
        alice = self.script("resign", user="alice", game="nim", room="den")
        self.sit(user="bob", game="nim", room="den")
        self.assertTrue(alice.read().endswith("You resigned.\nYou have lost.\n"))
        self.successResultOf(alice.leaving)

    def test_nobody_is_asked_back(self) -> None:
        alice = self.sit(False, game="nim", room="den", user="alice")
        bob = self.sit(game="nim", room="den", user="bob")
        alice.type("quit")
        self.successResultOf(alice.leaving)
        self.assertIn("alice left.\nYou have won.\n", bob.read())

    def test_who_watches_sees_the_end(self) -> None:
        self.sit(game="nim", room="den", user="alice")
        bob = self.sit(game="nim", room="den", user="bob")
        vera = self.script(watch="den", guest=True)
        self.assertNoResult(vera.leaving)
        bob.type("resign", "yes")
        self.assertIn("bob resigned.\nalice has won.\n", vera.read())
        self.successResultOf(vera.leaving)

    def test_what_it_cannot_have_ends_it(self) -> None:
        self.sit(game="nim", room="den", user="alice")
        self.sit(game="reversi", room="full", user="alice")
        self.sit(game="reversi", room="full", user="bob")
        wishes: tuple[tuple[str, dict[str, Any]], ...] = (
            ("there is no room attic", {"watch": "attic"}),
            ("there is no game 'chess'; there are", {"game": "chess"}),
            ("room den plays Nim", {"game": "reversi", "room": "den"}),
            ("the match in den isn't rated", {"game": "nim", "room": "den", "rated": True}),
            ("room full has no seat for vera", {"game": "reversi", "room": "full"}),
            ("there is no room den2", {"game": "reversi", "room": "den2", "key": "abc"}),
        )
        for why, wish in wishes:
            vera = self.script(user="vera", **wish)
            said = str(self.failureResultOf(vera.leaving, GivenUp).value)
            self.assertTrue(said.startswith(why), said)

    def test_a_wrong_password_ends_it(self) -> None:
        vera = self.sit(False, user="zoe", game="nim")
        self.failureResultOf(vera.leaving, GivenUp)

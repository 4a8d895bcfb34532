"""A lost connection at a table of the lobby: the way back is the rooms client's."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.client.helpers import BOARD, Scene, playing, room_event
from tictac.client.seating import Wish
from tictac.net.link import PATIENCE, SEAT_PAUSE

LOGIN = {"do": "login", "user": "alice", "password": "secret"}
JOIN = {"do": "join", "room": "k7", "take": True}
LOST = "The connection to the server was lost. Coming back, for up to 30 seconds...\n"
GIVEN_UP = "Error: lost the connection to the server.\n"


class ComingBackTests(SynchronousTestCase):
    def cut(self, seat: int | None = 0) -> Scene:
        """Somebody whose connection is lost, and who has found the server again."""
        scene = playing(seat, back=True)
        scene.lose()
        self.assertEqual(scene.read(), LOST)
        scene.clock.pump([0.1] * 10)
        return scene

    def test_a_player(self) -> None:
        scene = self.cut()
        scene.grant(LOGIN, user="alice")
        scene.grant(JOIN, room="k7")
        scene.serve(room_event(0))
        shown = scene.read()
        self.assertTrue(shown.startswith("Back on the server.\nk7: Reversi"), shown)
        self.assertTrue(shown.endswith(BOARD + "It is your turn.\n"), shown)
        scene.type("b1")
        self.assertEqual(len(scene.asked()), 1)

    def test_a_viewer(self) -> None:
        scene = self.cut(None)
        scene.grant({**LOGIN, "user": "vera"})
        scene.grant({"do": "watch", "room": "k7"}, room="k7")
        self.assertEqual(scene.read(), "Back on the server.\n")

    def test_a_seat_of_which_another_server_does_not_know_yet_that_it_is_free(self) -> None:
        scene = self.cut()
        scene.grant(LOGIN, user="alice")
        scene.refuse(JOIN, "room-full", "k7 is full.")
        scene.clock.advance(SEAT_PAUSE)
        scene.grant(JOIN, room="k7")
        self.assertEqual(scene.read(), "Back on the server.\n")

    def test_a_match_that_is_over(self) -> None:
        scene = self.cut()
        scene.grant(LOGIN, user="alice")
        scene.refuse(JOIN, "no-such-room", "There is no room k7.")
        self.assertEqual(scene.read(), "Table k7 is gone: its match is over.\n")
        self.assertEqual(self.successResultOf(scene.status), 0)

    def test_a_login_that_is_refused(self) -> None:
        scene = self.cut()
        scene.refuse(LOGIN, "no-such-user", "There is no user alice.")
        self.assertEqual(scene.read_errors(), "Error: There is no user alice.\n")
        self.assertEqual(self.successResultOf(scene.status), 1)

    def test_a_server_that_stays_away(self) -> None:
        scene = playing(back=True)
        scene.is_up = False
        scene.lose()
        scene.clock.pump([0.5] * int(2 * PATIENCE + 2))
        self.assertEqual(scene.read_errors(), GIVEN_UP)
        self.assertEqual(self.successResultOf(scene.status), 1)

    def test_leaving_meanwhile(self) -> None:
        scene = playing(keyboard=True, back=True)
        scene.lose()
        scene.type("b1", "quit")
        self.assertEqual(scene.read(), LOST + "There is no connection yet. QUIT leaves.\n")
        self.assertEqual(self.successResultOf(scene.status), 0)
        self.assertEqual(scene.clock.getDelayedCalls(), [])


class NoWayBackTests(SynchronousTestCase):
    def assert_given_up(self, scene: Scene) -> None:
        scene.lose()
        self.assertEqual(self.successResultOf(scene.status), 1)
        self.assertEqual(scene.read_errors(), GIVEN_UP)

    def test_a_script(self) -> None:
        self.assert_given_up(playing())

    def test_before_a_table(self) -> None:
        self.assert_given_up(Scene(Wish("reversi"), back=True))

    def test_a_guest_who_plays_has_no_name_to_come_back_by(self) -> None:
        scene = Scene(Wish("reversi", seek=True, guest=True), back=True)
        scene.grant({"do": "games"}, games=[{"name": "reversi", "options": []}])
        scene.grant({"do": "guest"}, user="guest-1")
        scene.grant({"do": "seek", "game": "reversi", "options": {}}, room="k7")
        self.assert_given_up(scene)

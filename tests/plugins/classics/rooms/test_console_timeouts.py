"""What the client says of a time that has run out, of which no message tells."""

from __future__ import annotations

from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.classics.rooms.console_helpers import EMPTY_BOARD, Scene, drawn

FORFEITED = "{} won due to the opposing player forfeiting\n"
LOST = "Error: lost the connection to the server.\n"


class InAMatchTests(SynchronousTestCase):
    """Alice, who begins, at a terminal."""

    def setUp(self) -> None:
        self.scene = Scene(keyboard=True, screen=True)
        self.scene.create()
        self.scene.clock.advance(99)
        self.scene.serve("BEGIN:alice:bob")
        self.scene.read()

    def end(self, board: str, winner: str) -> str:
        """End the match by code 2; return the text that isn't in rooms-client.md."""
        self.scene.read()
        self.scene.serve(f"GAMEEND:{board}:2:{winner}")
        documented = drawn(board) + FORFEITED.format(winner)
        said = self.scene.read().removeprefix("\n")
        self.assertTrue(said.startswith(documented))
        return said.removeprefix(documented).partition("(LOGIN")[0]

    def test_ones_own_time(self) -> None:
        self.scene.clock.advance(603)
        self.assertEqual(self.end(EMPTY_BOARD, "bob"), "You took longer than 600 seconds.\n")

    def test_moves_that_cant_be_made_gain_no_time(self) -> None:
        self.scene.clock.advance(300)
        self.scene.serve(f"BOARDSTATUS:{EMPTY_BOARD}")
        self.scene.clock.advance(300)
        self.assertEqual(self.end(EMPTY_BOARD, "bob"), "You took longer than 600 seconds.\n")

    def test_the_others_time(self) -> None:
        self.scene.type("PLACE", "1", "1")
        self.scene.serve("BOARDSTATUS:000010000")
        self.scene.clock.advance(601)
        said = "The other player resigned or left, or took longer than 600 seconds.\n"
        self.assertEqual(self.end("000010000", "alice"), said)

    def test_the_other_one_in_ones_own_turn(self) -> None:
        self.scene.clock.advance(601)
        said = "The other player resigned or left.\n"
        self.assertEqual(self.end(EMPTY_BOARD, "alice"), said)

    def test_giving_up(self) -> None:
        self.scene.clock.advance(601)
        self.scene.type("FORFEIT")
        self.assertEqual(self.end(EMPTY_BOARD, "bob"), "You resigned.\n")

    def test_one_account_on_both_sides_is_told_nothing(self) -> None:
        self.scene.serve("BEGIN:alice:alice")
        self.assertEqual(self.end(EMPTY_BOARD, "alice"), "")

    def test_who_watches_is_told_nothing(self) -> None:
        self.scene = Scene(keyboard=True, screen=True)
        self.scene.join("VIEWER")
        self.scene.serve("BEGIN:alice:bob")
        self.assertEqual(self.end(EMPTY_BOARD, "bob"), "")

    def test_where_nobody_looks_there_are_the_documented_lines_alone(self) -> None:
        self.scene = Scene()
        self.scene.create()
        self.scene.serve("BEGIN:alice:bob")
        self.scene.clock.advance(600)
        self.assertEqual(self.end(EMPTY_BOARD, "bob"), "")


class WaitingRoomTests(SynchronousTestCase):
    CLOSED = drawn(EMPTY_BOARD) + "The room was closed before the match began\n"

    def close(self, mode: str | None, *typed: str) -> str:
        """Return the text printed for a room that closes after an hour."""
        scene = Scene(keyboard=True, screen=True)
        scene.create() if mode is None else scene.join(mode)
        scene.clock.advance(3602)
        scene.type(*typed)
        scene.read()
        scene.serve(f"GAMEEND:{EMPTY_BOARD}:1")
        return scene.read().removeprefix(self.CLOSED).partition("(LOGIN")[0]

    def test_nobody_came(self) -> None:
        self.assertEqual(self.close(None), "No one joined it for 3600 seconds.\n")

    def test_it_was_given_up(self) -> None:
        self.assertEqual(self.close(None, "FORFEIT"), "")

    def test_who_watches_is_told_nothing(self) -> None:
        self.assertEqual(self.close("VIEWER"), "")


class OutsideTests(SynchronousTestCase):
    """Somebody at a command, on a pipe or at a terminal: it goes to standard error."""

    def setUp(self) -> None:
        self.scene = Scene()

    def lose(self, error: Exception | None = None) -> str:
        self.scene.client.connectionLost(Failure(error or ConnectionDone()))
        self.assertEqual(self.successResultOf(self.scene.status), 1)
        return self.scene.read_errors()

    def test_no_login(self) -> None:
        self.scene.clock.advance(200)
        self.scene.type("LOGIN", "alice", "wrong")
        self.scene.serve("LOGIN:ACKSTATUS:2")
        self.scene.read_errors()
        self.scene.clock.advance(104)
        error = "Error: the server closed the connection after 300 seconds without a login.\n"
        self.assertEqual(self.lose(), error)

    def test_in_the_middle_of_a_question(self) -> None:
        self.scene.type("LOGIN", "alice")
        self.scene.clock.advance(300)
        error = "Error: the server closed the connection after 300 seconds without a login.\n"
        self.assertEqual(self.lose(), error)

    def test_nothing_asked(self) -> None:
        self.scene.clock.advance(100)
        self.scene.type("LOGIN", "alice", "secret")
        self.scene.serve("LOGIN:ACKSTATUS:0")
        self.scene.clock.advance(3601)
        error = "Error: the server closed the connection after 3600 seconds without a request.\n"
        self.assertEqual(self.lose(), error)

    def test_a_server_that_goes_at_once(self) -> None:
        self.assertEqual(self.lose(), LOST)

    def test_a_connection_that_breaks(self) -> None:
        self.scene.clock.advance(300)
        self.assertEqual(self.lose(ConnectionLost()), LOST)

    def test_a_request_that_isnt_answered(self) -> None:
        self.scene.type("LOGIN", "alice", "secret")
        self.scene.clock.advance(300)
        self.assertEqual(self.lose(), LOST)


class NoLimitTests(SynchronousTestCase):
    def test_a_server_that_soon_goes_away_names_no_limit(self) -> None:
        scene = Scene(keyboard=True)
        scene.clock.advance(4)
        scene.client.connectionLost(Failure(ConnectionDone()))
        self.assertEqual(self.successResultOf(scene.status), 1)
        self.assertEqual(scene.read_errors(), LOST)

"""A match at the client, each text of rooms-client.md once."""

from __future__ import annotations

from twisted.internet.defer import CancelledError
from twisted.internet.error import ConnectionLost
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.classics.rooms.console_helpers import (
    CREATE_ROOM,
    EMPTY_BOARD,
    MY_TURN,
    NOT_MY_TURN,
    Scene,
    begins,
    drawn,
)

WON = "221010100"
DRAW = "121122211"


class CreatorTests(SynchronousTestCase):
    """The first player, from a script."""

    def setUp(self) -> None:
        self.scene = Scene()

    def test_the_match_of_the_source(self) -> None:
        scene = self.scene
        scene.create("PLACE", "1", "1", "place", "0", "2", "PLACE", "2", "0", "dance")
        self.assertEqual((scene.read(), scene.sent()), ("", []))
        scene.serve("BEGIN:alice:bob")
        self.assertEqual(scene.read(), begins("alice", "bob") + "Column: Row: ")
        self.assertEqual(scene.sent(), ["PLACE:1:1"])
        scene.serve("BOARDSTATUS:000010000")
        self.assertEqual(scene.read(), drawn("000010000") + NOT_MY_TURN)
        scene.serve("BOARDSTATUS:200010000")
        self.assertEqual(scene.read(), drawn("200010000") + MY_TURN + "Column: Row: ")
        self.assertEqual(scene.sent(), ["PLACE:0:2"])
        scene.serve("BOARDSTATUS:200010100", "BOARDSTATUS:220010100")
        self.assertEqual(scene.sent(), ["PLACE:2:0"])
        scene.read()
        scene.serve(f"GAMEEND:{WON}:0:alice")
        ending = drawn(WON) + "Congratulations, you won!\nUnknown command: dance\n"
        self.assertEqual(scene.read(), ending)

    def test_what_was_written_ahead_waits_for_ones_turn(self) -> None:
        self.scene.create("FORFEIT")
        self.scene.person.end_input()
        self.assertEqual(self.scene.sent(), [])
        self.scene.serve("BEGIN:alice:bob")
        self.assertEqual(self.scene.sent(), ["FORFEIT"])

    def test_the_end_of_the_input_while_the_room_waits(self) -> None:
        self.scene.create()
        self.scene.person.end_input()
        self.assertEqual(self.successResultOf(self.scene.status), 0)
        self.assertTrue(self.scene.transport.disconnecting)

    def test_the_result_of_the_last_move_is_waited_for(self) -> None:
        scene = self.scene
        scene.create("PLACE", "2", "0")
        scene.person.end_input()
        scene.serve("BEGIN:alice:bob")
        scene.forget()
        scene.serve(f"GAMEEND:{WON}:0:alice")
        self.assertEqual(scene.read(), drawn(WON) + "Congratulations, you won!\n")
        self.assertEqual(self.successResultOf(scene.status), 0)

    def test_the_room_is_closed_before_the_match(self) -> None:
        self.scene.create()
        self.scene.serve(f"GAMEEND:{EMPTY_BOARD}:1")
        closed = drawn(EMPTY_BOARD) + "The room was closed before the match began\n"
        self.assertEqual(self.scene.read(), closed)
        self.scene.type("CREATE")
        self.assertEqual(self.scene.read(), CREATE_ROOM)

    def test_lost_connection(self) -> None:
        self.scene.create()
        self.scene.client.connectionLost(Failure(ConnectionLost()))
        self.assertEqual(self.successResultOf(self.scene.status), 1)
        self.assertEqual(self.scene.read_errors(), "Error: lost the connection to the server.\n")


class EarlyTests(SynchronousTestCase):
    """What a server says of the match before it answers the request for the room."""

    def test_a_creator_who_begins(self) -> None:
        scene = Scene()
        scene.type("CREATE", "den", "PLACE", "1", "1")
        scene.serve("BEGIN:alice:bob", "CREATE:ACKSTATUS:0")
        shown = scene.read()
        self.assertTrue(shown.endswith(begins("alice", "bob") + "Column: Row: "), shown)
        self.assertEqual(scene.sent(), ["CREATE:den", "PLACE:1:1"])

    def test_somebody_who_joins_as_the_first_move_is_made(self) -> None:
        scene = Scene()
        scene.type("JOIN", "den", "PLAYER")
        scene.serve("BEGIN:alice:bob", "BOARDSTATUS:100000000", "JOIN:ACKSTATUS:0")
        shown = scene.read()
        moved = begins("alice", "bob") + drawn("100000000") + MY_TURN
        self.assertTrue(shown.endswith("den as a player\n" + moved), shown)

    def test_a_viewer(self) -> None:
        scene = Scene()
        scene.type("JOIN", "den", "VIEWER")
        scene.serve("INPROGRESS:bob:alice", "JOIN:ACKSTATUS:0")
        scene.clock.advance(0)
        scene.serve("BOARDSTATUS:100020000")
        self.assertTrue(scene.read().endswith("It is alice's turn\n"))

    def test_who_is_refused_is_in_no_match(self) -> None:
        scene = Scene()
        scene.type("JOIN", "den", "PLAYER")
        scene.serve("BEGIN:alice:bob", "JOIN:ACKSTATUS:1")
        scene.type("JOIN", "barn", "PLAYER")
        scene.serve("JOIN:ACKSTATUS:0")
        self.assertNotIn("match between", scene.read())


class TurnTests(SynchronousTestCase):
    """What may be typed when it is one's turn."""

    def setUp(self) -> None:
        self.scene = Scene()
        self.scene.create()
        self.scene.serve("BEGIN:alice:bob", "BOARDSTATUS:100020000")
        self.scene.forget()

    def test_unknown(self) -> None:
        self.scene.type("LOGIN", "", "dance")
        self.assertEqual(self.scene.read(), "Unknown command: LOGIN\nUnknown command: dance\n")

    def test_quit(self) -> None:
        self.scene.type("quit")
        self.assertEqual(self.successResultOf(self.scene.status), 0)
        self.assertTrue(self.scene.transport.disconnecting)
        self.assertEqual(self.scene.sent(), ["FORFEIT"])

    def test_the_end_of_the_input(self) -> None:
        for typed in ([], ["PLACE"], ["PLACE", "2"]):
            self.setUp()
            self.scene.type(*typed)
            self.scene.person.end_input()
            self.assertEqual(self.successResultOf(self.scene.status), 0)
            self.assertEqual(self.scene.sent(), ["FORFEIT"])

    def test_a_program_that_is_ended(self) -> None:
        self.scene.status.cancel()
        self.failureResultOf(self.scene.status, CancelledError)
        self.assertEqual(self.scene.sent(), ["FORFEIT"])
        self.assertTrue(self.scene.transport.disconnecting)

    def test_not_a_column_not_a_row(self) -> None:
        refused = "(Column/Row) values must be an integer between 0 and 2\n"
        self.scene.type("PLACE", "3", "x", " 2 ", "-1", "", "1")
        self.assertEqual(
            self.scene.read(),
            ("Column: " + refused) * 2 + "Column: " + ("Row: " + refused) * 2 + "Row: ",
        )
        self.assertEqual(self.scene.sent(), ["PLACE:2:1"])

    def test_taken(self) -> None:
        self.scene.type("PLACE", "1", "1", "0", "0", "0", "1")
        self.assertEqual(
            self.scene.read(),
            "Column: Row: (1, 1) is occupied by O.\n"
            "Column: Row: (0, 0) is occupied by X.\n"
            "Column: Row: ",
        )
        self.assertEqual(self.scene.sent(), ["PLACE:0:1"])

    def test_the_same_board_again(self) -> None:
        self.scene.type("PLACE", "2", "2", "FORFEIT")
        self.assertEqual(self.scene.sent(), ["PLACE:2:2"])
        self.scene.read()
        self.scene.serve("BOARDSTATUS:100020000")
        self.assertEqual(self.scene.read(), drawn("100020000") + MY_TURN)
        self.assertEqual(self.scene.sent(), ["FORFEIT"])

    def test_the_end_interrupts_any_question(self) -> None:
        for typed in ([], ["PLACE"], ["PLACE", "2"]):
            self.setUp()
            self.scene.type(*typed)
            self.scene.read()
            self.scene.serve("GAMEEND:100020000:2:bob")
            forfeited = "bob won due to the opposing player forfeiting\n"
            self.assertEqual(self.scene.read(), drawn("100020000") + forfeited)
            self.scene.type("2", "CREATE")
            self.assertEqual(self.scene.read(), "Unknown command: 2\n" + CREATE_ROOM, typed)

    def test_a_script_leaves_when_its_turn_comes(self) -> None:
        self.scene.type("PLACE", "2", "2", "QUIT")
        self.scene.sent()
        self.scene.serve(
            "BOARDSTATUS:100020001", "BOARDSTATUS:120020001", "GAMEEND:120020001:2:bob"
        )
        self.assertEqual(self.scene.sent(), ["FORFEIT"])
        self.assertEqual(self.successResultOf(self.scene.status), 0)

    def test_a_board_that_is_decided_is_nobodys_turn(self) -> None:
        self.scene.type("FORFEIT")
        self.scene.sent()
        self.scene.type("QUIT")
        self.scene.serve("BOARDSTATUS:222110100")
        self.assertNoResult(self.scene.status)

    def test_noroom_ends_the_match(self) -> None:
        self.scene.type("PLACE", "2", "2", "CREATE")
        self.scene.read()
        self.scene.serve("NOROOM")
        self.assertEqual(self.scene.read_errors(), "Error: You are not in a room\n")
        self.assertEqual(self.scene.read(), CREATE_ROOM)

    def test_badauth_ends_the_match(self) -> None:
        self.scene.serve("BADAUTH")
        self.assertEqual(
            self.scene.read_errors(), "Error: You must be logged in to perform this action\n"
        )
        self.scene.type("PLACE")
        self.assertEqual(self.scene.read(), "Unknown command: PLACE\n")

    def test_other_answers_are_unknown(self) -> None:
        self.scene.serve("CREATE:ACKSTATUS:0")
        self.assertEqual(self.successResultOf(self.scene.status), 1)
        self.assertEqual(self.scene.read(), "Unknown message received from server. Exiting...\n")
        self.assertEqual(self.scene.sent(), ["FORFEIT"])

    def test_lost_connection_in_a_question(self) -> None:
        self.scene.type("PLACE", "0")
        self.scene.client.connectionLost(Failure(ConnectionLost()))
        self.assertEqual(self.successResultOf(self.scene.status), 1)


class EndingsTests(SynchronousTestCase):
    """How it is told who has won."""

    def ending(self, mode: str, end: str) -> str:
        scene = Scene()
        scene.join(mode)
        scene.serve("BEGIN:Error:bob")
        scene.read()
        scene.serve(end)
        self.assertEqual(scene.read_errors(), "")
        scene.type("dance")
        shown = scene.read()
        self.assertTrue(shown.endswith("Unknown command: dance\n"), "the match isn't over")
        return shown.removesuffix("Unknown command: dance\n")

    def test_won(self) -> None:
        lost = "Sorry you lost. Good luck next time.\n"
        won = "Congratulations, you won!\n"
        self.assertEqual(self.ending("PLAYER", f"GAMEEND:{WON}:0:Error"), drawn(WON) + lost)
        o_won = "222110100"
        # By the board alone: the one account may play both sides.
        self.assertEqual(self.ending("PLAYER", f"GAMEEND:{o_won}:0:Error"), drawn(o_won) + won)
        seen = drawn(WON) + "Error has won this game\n"
        self.assertEqual(self.ending("VIEWER", f"GAMEEND:{WON}:0:Error"), seen)

    def test_the_winner_goes_by_name(self) -> None:
        before_the_last_move = "220010100"
        for winner, said in (
            ("alice", "Congratulations, you won!\n"),
            ("bob", "Sorry you lost. Good luck next time.\n"),
        ):  # fmt: skip
            scene = Scene()
            scene.type("LOGIN", "alice", "secret")
            scene.serve("LOGIN:ACKSTATUS:0")
            scene.create()
            scene.serve("BEGIN:alice:bob")
            scene.read()
            scene.serve(f"GAMEEND:{before_the_last_move}:0:{winner}")
            self.assertEqual(scene.read(), drawn(before_the_last_move) + said)

    def test_draw(self) -> None:
        seen = drawn(DRAW) + "Game ended in a draw\n"
        for mode in ("PLAYER", "VIEWER"):
            for end in ("1", "1:", "1:None"):
                self.assertEqual(self.ending(mode, f"GAMEEND:{DRAW}:{end}"), seen)

    def test_draw_of_an_empty_board(self) -> None:
        seen = drawn(EMPTY_BOARD) + "Game ended in a draw\n"
        self.assertEqual(self.ending("PLAYER", f"GAMEEND:{EMPTY_BOARD}:1"), seen)

    def test_forfeited(self) -> None:
        seen = drawn(EMPTY_BOARD) + "Error won due to the opposing player forfeiting\n"
        for mode in ("PLAYER", "VIEWER"):
            self.assertEqual(self.ending(mode, f"GAMEEND:{EMPTY_BOARD}:2:Error"), seen)


class JoinerTests(SynchronousTestCase):
    """The second player, from a script."""

    def test_waits_for_the_first_move(self) -> None:
        scene = Scene()
        scene.join("PLAYER", "PLACE", "2", "2")
        scene.serve("BEGIN:alice:bob")
        self.assertEqual((scene.read(), scene.sent()), (begins("alice", "bob"), []))
        scene.serve("BOARDSTATUS:100000000")
        self.assertEqual(scene.read(), drawn("100000000") + MY_TURN + "Column: Row: ")
        self.assertEqual(scene.sent(), ["PLACE:2:2"])
        scene.serve("BOARDSTATUS:100000002")
        self.assertEqual(scene.read(), drawn("100000002") + NOT_MY_TURN)


class OpposingTurnTests(SynchronousTestCase):
    """What comes from a pipe while the other one thinks."""

    def setUp(self) -> None:
        self.scene = Scene()
        self.scene.join("PLAYER")
        self.scene.serve("BEGIN:alice:bob")
        self.scene.forget()

    def test_place_is_not_sent(self) -> None:
        self.scene.type("PLACE")
        self.assertEqual((self.scene.read(), self.scene.sent()), (NOT_MY_TURN, []))

    def test_forfeit_is_sent_and_its_answer_waited_for(self) -> None:
        self.scene.type("FORFEIT")
        self.scene.person.end_input()
        self.assertEqual((self.scene.read(), self.scene.sent()), ("", ["FORFEIT"]))
        self.scene.serve(f"GAMEEND:{EMPTY_BOARD}:2:alice")
        self.assertEqual(self.successResultOf(self.scene.status), 0)

    def test_quit(self) -> None:
        self.scene.type("QUIT")
        self.assertEqual(self.successResultOf(self.scene.status), 0)

    def test_the_end_of_the_input(self) -> None:
        self.scene.person.end_input()
        self.assertEqual(self.successResultOf(self.scene.status), 0)
        self.assertTrue(self.scene.transport.disconnecting)

    def test_the_end_of_the_input_after_ones_own_move(self) -> None:
        self.scene.serve("BOARDSTATUS:100000000")
        self.scene.type("PLACE", "1", "1")
        self.scene.person.end_input()
        self.assertNoResult(self.scene.status)
        self.scene.serve("BOARDSTATUS:100020000")
        self.assertEqual(self.successResultOf(self.scene.status), 0)

    def test_a_whole_line_at_a_time(self) -> None:
        """What was typed too early doesn't count later."""
        self.scene.type("PLACE", "1")
        self.assertEqual(self.scene.read(), NOT_MY_TURN + "Unknown command: 1\n")


class ViewerTests(SynchronousTestCase):
    """Somebody who watches."""

    def setUp(self) -> None:
        self.scene = Scene()
        self.scene.join("VIEWER")

    def test_from_the_beginning(self) -> None:
        self.scene.serve("BEGIN:alice:bob", "BOARDSTATUS:100000000", "BOARDSTATUS:100000002")
        self.assertEqual(
            self.scene.read(),
            begins("alice", "bob")
            + drawn("100000000") + "It is bob's turn\n"
            + drawn("100000002") + "It is alice's turn\n",
        )  # fmt: skip

    def test_late(self) -> None:
        progress = "Match between {0} and {1} is currently in progress, it is {0}'s turn\n"
        for first, second, board, next_board in [
            ("bob", "alice", "122000010", "122000011"),
            ("alice", "bob", "121000000", "121200000"),
        ]:
            self.setUp()
            self.scene.serve(f"INPROGRESS:{first}:{second}")
            self.assertEqual(self.scene.read(), progress.format(first, second))
            self.scene.clock.advance(0)
            self.scene.serve(f"BOARDSTATUS:{board}")
            self.assertEqual(self.scene.read(), drawn(board) + f"It is {second}'s turn\n")
            self.scene.serve(f"BOARDSTATUS:{next_board}")
            self.assertEqual(self.scene.read(), drawn(next_board) + f"It is {first}'s turn\n")

    def test_late_where_the_board_comes_with_the_names(self) -> None:
        self.scene.serve("INPROGRESS:bob:alice", "BOARDSTATUS:100000000")
        self.assertTrue(self.scene.read().endswith(drawn("100000000") + "It is bob's turn\n"))

    def test_late_for_a_draw(self) -> None:
        self.scene.serve("INPROGRESS:alice:bob", f"GAMEEND:{DRAW}:1")
        self.assertTrue(self.scene.read().endswith(drawn(DRAW) + "Game ended in a draw\n"))

    def test_nobody_was_named(self) -> None:
        self.scene.serve("BOARDSTATUS:100000000")
        self.assertEqual(self.scene.read(), drawn("100000000") + "It is O's turn\n")

    def test_the_room_is_closed(self) -> None:
        self.scene.serve(f"GAMEEND:{EMPTY_BOARD}:1")
        closed = drawn(EMPTY_BOARD) + "The room was closed before the match began\n"
        self.assertEqual(self.scene.read(), closed)

    def test_stays_until_the_end_when_the_input_has_ended(self) -> None:
        self.scene.person.end_input()
        self.scene.serve("BEGIN:alice:bob")
        self.assertNoResult(self.scene.status)
        self.scene.serve(f"GAMEEND:{EMPTY_BOARD}:2:bob")
        self.assertEqual(self.successResultOf(self.scene.status), 0)

    def test_what_was_written_ahead_waits_for_the_end(self) -> None:
        scene = Scene()
        scene.join("VIEWER", "QUIT")
        scene.serve("BEGIN:alice:bob")
        self.assertNoResult(scene.status)
        scene.serve(f"GAMEEND:{EMPTY_BOARD}:2:bob")
        self.assertEqual(self.successResultOf(scene.status), 0)

    def test_leaves_meanwhile(self) -> None:
        self.scene.serve("BEGIN:alice:bob")
        self.scene.type("QUIT")
        self.assertEqual(self.successResultOf(self.scene.status), 0)

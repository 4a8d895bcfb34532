"""A match for somebody at a terminal, who may type at any time."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.classics.rooms.console_helpers import (
    EMPTY_BOARD,
    MY_TURN,
    NOT_MY_TURN,
    Scene,
    begins,
    drawn,
)

TURN_HINT = "(your turn: PLACE, FORFEIT, or QUIT)\n"
WAIT_HINT = "(meanwhile: FORFEIT or QUIT)\n"
WATCH_HINT = "(meanwhile: QUIT)\n"


class WaitingTests(SynchronousTestCase):
    """In a room whose second player hasn't come."""

    def setUp(self) -> None:
        self.scene = Scene(keyboard=True)
        self.scene.create()

    def test_place_is_not_sent(self) -> None:
        self.scene.type("place")
        self.assertEqual(self.scene.read(), "Waiting for other player...\n")
        self.assertEqual(self.scene.sent(), [])

    def test_forfeit_closes_the_room(self) -> None:
        self.scene.type("Forfeit")
        self.assertEqual(self.scene.sent(), ["FORFEIT"])
        self.scene.serve(f"GAMEEND:{EMPTY_BOARD}:1")
        closed = drawn(EMPTY_BOARD) + "The room was closed before the match began\n"
        self.assertEqual(self.scene.read(), closed)

    def test_anything_else(self) -> None:
        self.scene.type("", "LOGIN")
        self.assertEqual(self.scene.read(), "Unknown command: LOGIN\n")
        self.assertEqual(self.scene.sent(), [])

    def test_leaving(self) -> None:
        self.scene.type("quit")
        self.assertEqual(self.successResultOf(self.scene.status), 0)
        self.assertTrue(self.scene.transport.disconnecting)

    def test_end_of_input(self) -> None:
        self.scene.person.end_input()
        self.assertEqual(self.successResultOf(self.scene.status), 0)
        self.assertTrue(self.scene.transport.disconnecting)


class OpposingTurnTests(SynchronousTestCase):
    """While the other one thinks."""

    def setUp(self) -> None:
        self.scene = Scene(keyboard=True)
        self.scene.join("PLAYER")
        self.scene.serve("BEGIN:alice:bob")
        self.scene.forget()

    def test_place_is_not_sent(self) -> None:
        self.scene.type("PLACE")
        self.assertEqual((self.scene.read(), self.scene.sent()), (NOT_MY_TURN, []))
        self.scene.serve("BOARDSTATUS:100000000")
        self.assertEqual(self.scene.read(), drawn("100000000") + MY_TURN)
        self.scene.type("PLACE")
        self.assertEqual(self.scene.read(), "Column: ")

    def test_forfeit_counts_at_once(self) -> None:
        self.scene.type("FORFEIT")
        self.assertEqual((self.scene.read(), self.scene.sent()), ("", ["FORFEIT"]))
        self.scene.serve(f"GAMEEND:{EMPTY_BOARD}:2:alice")
        forfeited = drawn(EMPTY_BOARD) + "alice won due to the opposing player forfeiting\n"
        self.assertEqual(self.scene.read(), forfeited)

    def test_after_ones_own_move(self) -> None:
        self.scene.serve("BOARDSTATUS:100000000")
        self.scene.type("PLACE", "1", "1")
        self.scene.forget()
        self.scene.type("PLACE")
        self.assertEqual((self.scene.read(), self.scene.sent()), (NOT_MY_TURN, []))

    def test_leaving(self) -> None:
        self.scene.type("QUIT")
        self.assertEqual(self.successResultOf(self.scene.status), 0)


class WatchingTests(SynchronousTestCase):
    """A viewer."""

    def setUp(self) -> None:
        self.scene = Scene(keyboard=True)
        self.scene.join("VIEWER")

    def test_may_only_leave(self) -> None:
        self.scene.type("PLACE", "FORFEIT", "dance")
        unknown = "Unknown command: {}\n".format
        shown = unknown("PLACE") + unknown("FORFEIT") + unknown("dance")
        self.assertEqual((self.scene.read(), self.scene.sent()), (shown, []))
        self.scene.type("QUIT")
        self.assertEqual(self.successResultOf(self.scene.status), 0)

    def test_the_end_of_input_is_not_the_end(self) -> None:
        self.scene.person.end_input()
        self.scene.serve("BEGIN:alice:bob", "BOARDSTATUS:100000000")
        self.assertNoResult(self.scene.status)
        self.scene.serve("GAMEEND:100000000:2:alice")
        self.assertEqual(self.successResultOf(self.scene.status), 0)


class OnScreenTests(SynchronousTestCase):
    """What is shown besides, and where lines end."""

    def setUp(self) -> None:
        self.scene = Scene(keyboard=True, screen=True)

    def test_each_hint_once_a_match(self) -> None:
        scene = self.scene
        for _ in range(2):
            scene.type("CREATE", "den")
            scene.read()
            scene.serve("CREATE:ACKSTATUS:0")
            self.assertTrue(scene.read().endswith("Waiting for other player...\n" + WAIT_HINT))
            scene.serve("BEGIN:alice:bob")
            self.assertEqual(scene.read(), begins("alice", "bob") + TURN_HINT + "> ")
            scene.type("PLACE", "0", "0")
            self.assertEqual(scene.read(), "Column: Row: ")
            scene.serve("BOARDSTATUS:100000000", "BOARDSTATUS:120000000")
            shown = drawn("100000000") + NOT_MY_TURN + drawn("120000000") + MY_TURN + "> "
            self.assertEqual(scene.read(), shown)
            scene.serve("GAMEEND:120000000:2:bob")
            shown = "\n" + drawn("120000000") + "bob won due to"
            self.assertTrue(scene.read().startswith(shown))

    def test_a_question_that_is_given_up_leaves_its_line(self) -> None:
        self.scene.create()
        self.scene.serve("BEGIN:alice:bob")
        self.scene.type("PLACE")
        self.assertTrue(self.scene.read().endswith("Column: "))
        self.scene.serve(f"GAMEEND:{EMPTY_BOARD}:2:bob")
        shown = "\n" + drawn(EMPTY_BOARD) + "bob won due to the opposing player forfeiting\n"
        self.assertTrue(self.scene.read().startswith(shown))

    def test_what_comes_while_waiting_begins_no_new_line(self) -> None:
        self.scene.join("VIEWER")
        self.scene.serve("BEGIN:alice:bob")
        self.assertEqual(self.scene.read(), begins("alice", "bob"))

    def test_hint_for_viewers(self) -> None:
        self.scene.type("JOIN", "den", "VIEWER")
        self.scene.read()
        self.scene.serve("JOIN:ACKSTATUS:0")
        self.assertTrue(self.scene.read().endswith("as a viewer\n" + WATCH_HINT))


class ColourTests(SynchronousTestCase):
    """Marks and the winning line."""

    def test_marks_differ_and_winners_stand_out(self) -> None:
        scene = Scene(keyboard=True, screen=True, colour=True)
        scene.join("VIEWER")
        scene.serve("BEGIN:alice:bob", "BOARDSTATUS:120000000")
        row = scene.read().splitlines()[2]
        self.assertEqual(row, "| \x1b[36mX\x1b[0m | \x1b[33mO\x1b[0m |   |")
        scene.serve("GAMEEND:111220000:0:alice")
        rows = scene.read().splitlines()[1:4:2]
        self.assertEqual(rows[0].count("\x1b[1;32mX\x1b[0m"), 3)
        self.assertEqual(rows[1].count("\x1b[33mO\x1b[0m"), 2)

    def test_hints_are_dim(self) -> None:
        scene = Scene(keyboard=True, screen=True, colour=True)
        self.assertTrue(scene.read().startswith("\x1b[2m(LOGIN, REGISTER or QUIT)\x1b[0m\n"))


class OwnTurnTests(SynchronousTestCase):
    """At the prompts of a move."""

    def setUp(self) -> None:
        self.scene = Scene(keyboard=True)
        self.scene.create()
        self.scene.serve("BEGIN:alice:bob")
        self.scene.forget()

    def test_quit_leaves_at_a_coordinate(self) -> None:
        for typed in (("quit",), ("1", "QUIT")):
            self.setUp()
            self.scene.type("PLACE", *typed)
            self.assertEqual(self.successResultOf(self.scene.status), 0)
            self.assertEqual(self.scene.sent(), ["FORFEIT"])

    def test_forfeit_counts_at_a_coordinate(self) -> None:
        self.scene.type("PLACE", "1", "forfeit")
        self.assertEqual(self.scene.sent(), ["FORFEIT"])
        self.assertNoResult(self.scene.status)

    def test_an_empty_line_leads_back_to_the_command(self) -> None:
        self.scene.type("PLACE", "", "FORFEIT")
        self.assertEqual(self.scene.sent(), ["FORFEIT"])

    def test_a_move_fits_in_one_line(self) -> None:
        for typed in ("place 1 2", "1 2"):
            self.setUp()
            self.scene.type(typed)
            self.assertEqual(self.scene.sent(), ["PLACE:1:2"])

    def test_a_wrong_word_behind_the_command_is_asked_for_again(self) -> None:
        self.scene.type("place 1 9")
        self.assertEqual(self.scene.sent(), [])
        self.scene.type("2")
        self.assertEqual(self.scene.sent(), ["PLACE:1:2"])

    def test_help_shows_what_can_be_typed(self) -> None:
        for typed in ("help", "?"):
            self.scene.type(typed)
            self.assertEqual(self.scene.read(), TURN_HINT)


class OneLineTests(SynchronousTestCase):
    """Answers behind a command."""

    def setUp(self) -> None:
        self.scene = Scene(keyboard=True)
        self.scene.forget()

    def test_commands_with_their_answers(self) -> None:
        for typed, request in (
            ("login alice my secret", "LOGIN:alice:my secret"),
            ("create my den", "CREATE:my den"),
            ("join my den viewer", "JOIN:my den:VIEWER"),
            ("roomlist player", "ROOMLIST:PLAYER"),
        ):
            self.setUp()
            self.scene.type(typed)
            self.assertEqual(self.scene.sent(), [request])

    def test_the_mode_can_be_left(self) -> None:
        self.scene.type("JOIN", "den", "", "ROOMLIST", "PLAYER")
        self.assertEqual(self.scene.sent(), ["ROOMLIST:PLAYER"])
        self.setUp()
        self.scene.type("JOIN", "den", "quit")
        self.assertEqual(self.successResultOf(self.scene.status), 0)

    def test_a_script_answers_each_question_in_a_line(self) -> None:
        scene = Scene()
        scene.type("login alice secret")
        self.assertEqual(scene.read(), "Unknown command: login alice secret\n")
        self.assertEqual(scene.sent(), [])


class SilentServerTests(SynchronousTestCase):
    """A server that takes a request and doesn't answer."""

    TOLD = "No answer yet from 192.168.1.1:54321. QUIT leaves.\n"

    def setUp(self) -> None:
        self.scene = Scene(keyboard=True)
        self.scene.forget()
        self.scene.type("LOGIN", "alice", "secret")
        self.scene.forget()

    def test_the_person_reads_so_and_can_quit(self) -> None:
        self.scene.clock.advance(4.9)
        self.assertEqual(self.scene.read(), "")
        self.scene.clock.advance(0.2)
        self.assertEqual(self.scene.read(), self.TOLD)
        self.scene.type("quit")
        self.assertEqual(self.successResultOf(self.scene.status), 0)

    def test_a_late_answer_counts(self) -> None:
        self.scene.clock.advance(6)
        self.scene.forget()
        self.scene.type("what?")
        self.assertEqual(self.scene.read(), self.TOLD)
        self.scene.serve("LOGIN:ACKSTATUS:0")
        self.assertIn("Welcome alice\n", self.scene.read())

    def test_a_script_ends(self) -> None:
        scene = Scene()
        scene.type("LOGIN", "alice", "secret", "QUIT")
        scene.person.end_input()
        scene.clock.advance(5.1)
        self.assertNoResult(scene.status)
        scene.clock.advance(25)
        self.assertEqual(self.successResultOf(scene.status), 1)
        error = "Error: 192.168.1.1:54321 hasn't answered for 30 seconds."
        self.assertIn(error, scene.read_errors())

    def test_a_script_gets_a_late_answer(self) -> None:
        scene = Scene()
        scene.type("LOGIN", "alice", "secret", "QUIT")
        scene.clock.advance(6)
        scene.serve("LOGIN:ACKSTATUS:0")
        self.assertEqual(self.successResultOf(scene.status), 0)

    def test_lines_typed_ahead_wait_for_their_turn(self) -> None:
        self.scene.type("ROOMLIST", "PLAYER")
        self.scene.serve("LOGIN:ACKSTATUS:0")
        self.assertEqual(self.scene.sent(), ["ROOMLIST:PLAYER"])

    def test_an_answer_stops_the_watch(self) -> None:
        self.scene.serve("LOGIN:ACKSTATUS:0")
        self.scene.forget()
        self.scene.clock.advance(60)
        self.assertEqual(self.scene.read(), "")

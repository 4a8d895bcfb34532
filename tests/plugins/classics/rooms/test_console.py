"""The client's commands outside of a match, each text of rooms-client.md once."""

from __future__ import annotations

from twisted.internet.error import ConnectionDone, ConnectionLost
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.classics.rooms.console_helpers import (
    CREATE_ROOM,
    JOIN_MODE,
    JOIN_ROOM,
    LIST_MODE,
    PASSWORD,
    USER,
    Scene,
)

LONG_NAME = "x" * 21


class OutcomesTests(SynchronousTestCase):
    """What is said for each answer to each request."""

    # What is typed, what is asked, what is sent; then answers, and what they print.
    LOGIN = (("LOGIN", "alice", "secret"), USER + PASSWORD, "LOGIN:alice:secret")
    REGISTER = (("REGISTER", "alice", "secret"), USER + PASSWORD, "REGISTER:alice:secret")
    ROOMLIST = (("ROOMLIST", "Viewer"), LIST_MODE, "ROOMLIST:VIEWER")
    CREATE = (("CREATE", "my den"), CREATE_ROOM, "CREATE:my den")
    JOIN = (("JOIN", "den", "Player"), JOIN_ROOM + JOIN_MODE, "JOIN:den:PLAYER")
    VIEW = (("JOIN", "den", "VIEWER"), JOIN_ROOM + JOIN_MODE, "JOIN:den:VIEWER")

    NOT_LOGGED_IN = "Error: You must be logged in to perform this action"
    CASES = [
        (LOGIN, "LOGIN:ACKSTATUS:0", "Welcome alice"),
        (LOGIN, "LOGIN:ACKSTATUS:1", "Error: User alice not found"),
        (LOGIN, "LOGIN:ACKSTATUS:2", "Error: Wrong password for user alice"),
        (LOGIN, "LOGIN:ACKSTATUS:3", "Error: The server refused LOGIN"),
        (REGISTER, "REGISTER:ACKSTATUS:0", "Successfully created user account alice"),
        (REGISTER, "REGISTER:ACKSTATUS:1", "Error: User alice already exists"),
        (REGISTER, "REGISTER:ACKSTATUS:2", "Error: The server refused REGISTER"),
        (ROOMLIST, "BADAUTH", NOT_LOGGED_IN),
        (ROOMLIST, "ROOMLIST:ACKSTATUS:0:a,b", "Room available to join as VIEWER: a,b"),
        (ROOMLIST, "ROOMLIST:ACKSTATUS:0:", "Room available to join as VIEWER: "),
        (ROOMLIST, "ROOMLIST:ACKSTATUS:0", "Room available to join as VIEWER: "),
        (ROOMLIST, "ROOMLIST:ACKSTATUS:0:den!,caf\u00e9",
            "Room available to join as VIEWER: den!,caf\ufffd\ufffd"),
        (ROOMLIST, "ROOMLIST:ACKSTATUS:1", "Error: Please input a valid mode."),
        (CREATE, "BADAUTH", NOT_LOGGED_IN),
        (CREATE, "CREATE:ACKSTATUS:0",
            "Successfully created room my den\nWaiting for other player..."),
        (CREATE, "CREATE:ACKSTATUS:1", "Error: Room my den is invalid"),
        (CREATE, "CREATE:ACKSTATUS:2", "Error: Room my den already exists"),
        (CREATE, "CREATE:ACKSTATUS:3",
            "Error: Server already contains a maximum of 256 rooms"),
        (CREATE, "CREATE:ACKSTATUS:4", "Error: The server refused CREATE"),
        (JOIN, "BADAUTH", NOT_LOGGED_IN),
        (JOIN, "JOIN:ACKSTATUS:0", "Successfully joined room den as a player"),
        (VIEW, "JOIN:ACKSTATUS:0", "Successfully joined room den as a viewer"),
        (JOIN, "JOIN:ACKSTATUS:1", "Error: No room named den"),
        (JOIN, "JOIN:ACKSTATUS:2", "Error: The room den already has 2 players"),
        (JOIN, "JOIN:ACKSTATUS:3", "Error: The server refused JOIN"),
    ]  # fmt: skip

    def test_each(self) -> None:
        for (typed, asked, request), answer, text in self.CASES:
            scene = Scene()
            scene.type(*typed)
            self.assertEqual((scene.read(), scene.sent()), (asked, [request]), request)
            scene.serve(answer)
            is_error = text.startswith("Error")
            shown, errors = scene.read(), scene.read_errors()
            self.assertEqual(errors if is_error else shown, text + "\n", answer)
            self.assertEqual(shown if is_error else errors, "", answer)
            self.assertNoResult(scene.status)

    def test_who_is_refused_is_asked_for_the_next_command(self) -> None:
        for (typed, _, _), answer, text in self.CASES:
            if text.startswith("Error"):
                scene = Scene()
                scene.type(*typed)
                scene.serve(answer)
                scene.type("nonsense")
                self.assertTrue(scene.read().endswith("Unknown command: nonsense\n"), answer)


class CommandsTests(SynchronousTestCase):
    """Typing, and what is checked before anything is sent."""

    def setUp(self) -> None:
        self.scene = Scene()

    def assert_refused(self, typed: list[str], asked: str, error: str) -> None:
        self.scene.type(*typed)
        self.assertEqual(self.scene.read(), asked)
        self.assertEqual(self.scene.read_errors(), error + "\n")
        self.assertEqual(self.scene.sent(), [])

    def test_any_case_and_blanks_around(self) -> None:
        self.scene.type("  rooMList ", " pLAYER ")
        self.assertEqual(self.scene.sent(), ["ROOMLIST:PLAYER"])

    def test_unknown(self) -> None:
        self.scene.type(" Do it! ", "PLACE", "forfeit")
        shown = "Unknown command: Do it!\nUnknown command: PLACE\nUnknown command: forfeit\n"
        self.assertEqual(self.scene.read(), shown)

    def test_an_empty_line_is_nothing(self) -> None:
        self.scene.type("", "  ", "QUIT")
        self.assertEqual(self.scene.read(), "")
        self.assertEqual(self.successResultOf(self.scene.status), 0)

    def test_user_name_too_long(self) -> None:
        error = "Error: username length limitation is 20 characters."
        for command in ("LOGIN", "REGISTER"):
            self.assert_refused([command, LONG_NAME, "x" * 73], USER + PASSWORD, error)
        self.scene.type("LOGIN", LONG_NAME[:20], "secret")
        self.assertEqual(self.scene.sent(), [f"LOGIN:{LONG_NAME[:20]}:secret"])

    def test_password_too_long_in_bytes(self) -> None:
        error = "Error: password length limitation is 72 bytes."
        for password in ("x" * 73, "\N{SNOWMAN}" * 25):
            self.assert_refused(["REGISTER", "alice", password], USER + PASSWORD, error)
        self.scene.type("LOGIN", "alice", "x" * 72)
        self.assertEqual(self.scene.sent(), ["LOGIN:alice:" + "x" * 72])

    def test_what_the_protocol_cannot_say_is_not_sent(self) -> None:
        for user, password, char in (
            ("al:ice", "pw", "':'"),
            ("alice", "p:w", "':'"),
            ("\u00e9ve", "pw", "'\u00e9'"),
            ("alice", "caf\N{SNOWMAN}", "'\N{SNOWMAN}'"),
            ("a\x01", "pw", "a control character"),
        ):
            for verb in ("LOGIN", "REGISTER"):
                self.scene.type(verb, user, password)
                why = f"Error: the rooms protocol can't send {char}: it is ASCII without ':'\n"
                self.assertEqual(self.scene.read_errors(), why)
        self.scene.type("CREATE", "n\u00e9", "JOIN", "n\u00e9", "PLAYER")
        self.assertEqual(self.scene.read_errors().count("can't send '\u00e9'"), 2)
        self.assertEqual(self.scene.sent(), [])

    def test_no_mode_for_a_list(self) -> None:
        self.assert_refused(["ROOMLIST", "both"], LIST_MODE, "Error: Please input a valid mode.")

    def test_no_mode_for_joining(self) -> None:
        self.scene.type("JOIN", "den", "", "both", "viewer")
        unknown = JOIN_MODE + "Unknown input.\n"
        self.assertEqual(self.scene.read(), JOIN_ROOM + unknown * 2 + JOIN_MODE)
        self.assertEqual(self.scene.sent(), ["JOIN:den:VIEWER"])

    def test_a_colon_in_a_room_name(self) -> None:
        error = "Error: Room a:b is invalid"
        self.assert_refused(["CREATE", "a:b"], CREATE_ROOM, error)
        self.assert_refused(["JOIN", "a:b", "x", "PLAYER"],
            JOIN_ROOM + JOIN_MODE + "Unknown input.\n" + JOIN_MODE, error)  # fmt: skip

    def test_one_request_at_a_time(self) -> None:
        self.scene.type("LOGIN", "alice", "secret", "ROOMLIST", "PLAYER")
        self.assertEqual(self.scene.sent(), ["LOGIN:alice:secret"])
        self.scene.serve("LOGIN:ACKSTATUS:0")
        self.assertEqual(self.scene.sent(), ["ROOMLIST:PLAYER"])


class EndsTests(SynchronousTestCase):
    """Every way out."""

    def test_quit(self) -> None:
        scene = Scene()
        scene.type("quit")
        self.assertEqual(self.successResultOf(scene.status), 0)
        self.assertTrue(scene.transport.disconnecting)

    def test_end_of_input(self) -> None:
        for typed in ([], ["LOGIN"], ["LOGIN", "alice"], ["JOIN", "den"]):
            scene = Scene()
            scene.type(*typed)
            scene.person.end_input()
            self.assertEqual(self.successResultOf(scene.status), 0, typed)
            self.assertTrue(scene.transport.disconnecting)
            self.assertEqual(scene.sent(), [])

    def test_a_lost_connection_at_any_question(self) -> None:
        for typed in ([], ["LOGIN"], ["LOGIN", "alice"], ["LOGIN", "alice", "secret"]):
            for error in (ConnectionDone(), ConnectionLost()):
                scene = Scene()
                scene.type(*typed)
                scene.client.connectionLost(Failure(error))
                self.assertEqual(self.successResultOf(scene.status), 1)
                self.assertEqual(scene.read_errors(), "Error: lost the connection to the server.\n")

    def test_unknown_message(self) -> None:
        text = "Unknown message received from server. Exiting...\n"
        for typed, message in [
            ([], "HELLO"),
            (["CREATE", "den"], "CREATE:OK"),
            # Answers that are none to this:
            ([], "LOGIN:ACKSTATUS:0"),
            (["CREATE", "den"], "JOIN:ACKSTATUS:0"),
            (["CREATE", "den"], "CREATE:ACKSTATUS:9"),
        ]:
            scene = Scene()
            scene.type(*typed)
            scene.read()
            scene.serve(message)
            self.assertEqual((scene.read(), scene.read_errors()), (text, ""), message)
            self.assertEqual(self.successResultOf(scene.status), 1)
            self.assertTrue(scene.transport.disconnecting)


class StrayAnswersTests(SynchronousTestCase):
    """A move that crosses the end of its match is answered when the match is over."""

    def setUp(self) -> None:
        self.scene = Scene()

    def test_noroom_at_a_prompt(self) -> None:
        self.scene.type("LOGIN")
        self.scene.serve("NOROOM")
        self.assertEqual(self.scene.read_errors(), "Error: You are not in a room\n")
        self.assertEqual(self.scene.read(), USER + USER)
        self.scene.type("alice", "secret")
        self.assertEqual(self.scene.sent(), ["LOGIN:alice:secret"])

    def test_noroom_at_a_command(self) -> None:
        self.scene.serve("NOROOM")
        self.assertEqual(self.scene.read_errors(), "Error: You are not in a room\n")
        self.assertNoResult(self.scene.status)

    def test_noroom_before_the_answer_to_a_request(self) -> None:
        self.scene.type("CREATE", "den")
        self.scene.serve("NOROOM", "CREATE:ACKSTATUS:0", "BEGIN:alice:bob")
        self.assertEqual(self.scene.read_errors(), "Error: You are not in a room\n")
        self.assertIn("it is currently alice's turn.\n", self.scene.read())

    def test_what_belongs_to_a_match_is_passed_over(self) -> None:
        self.scene.serve("BOARDSTATUS:000000000", "GAMEEND:000000000:1")
        self.assertEqual((self.scene.read(), self.scene.read_errors()), ("", ""))
        self.assertNoResult(self.scene.status)


class AtATerminalTests(SynchronousTestCase):
    """What a person gets besides."""

    def setUp(self) -> None:
        self.scene = Scene(keyboard=True, screen=True)

    def test_hints_and_prompt(self) -> None:
        self.assertEqual(self.scene.read(), "(LOGIN, REGISTER or QUIT)\n> ")
        self.scene.type("")
        self.assertEqual(self.scene.read(), "> ")
        self.scene.type("dance")
        shown = "Unknown command: dance\n(LOGIN, REGISTER or QUIT)\n> "
        self.assertEqual(self.scene.read(), shown)

    def test_hints_know_who_is_logged_in(self) -> None:
        everything = "(ROOMLIST, CREATE, JOIN, LOGIN, REGISTER or QUIT)\n> "
        self.scene.type("LOGIN", "alice", "secret")
        self.scene.read()
        self.scene.serve("LOGIN:ACKSTATUS:0")
        self.assertEqual(self.scene.read(), "Welcome alice\n" + everything)
        self.scene.type("LOGIN", "bob", "wrong")
        self.scene.read()
        self.scene.serve("LOGIN:ACKSTATUS:2")
        self.assertEqual(self.scene.read(), "> ")

    def test_the_password_is_hidden(self) -> None:
        self.scene.type("LOGIN")
        self.scene.type("alice")
        self.assertEqual(self.scene.person.settings.calls, ["hide"])
        self.scene.type("secret")
        self.assertEqual(self.scene.person.settings.calls, ["hide", "show"])
        self.assertTrue(self.scene.read().endswith("Enter password: \n"))

    def test_a_lost_connection_is_told_on_a_line_of_its_own(self) -> None:
        self.scene.read()
        self.scene.client.connectionLost(Failure(ConnectionDone()))
        self.assertEqual(self.scene.read(), "\n")
        self.assertEqual(self.successResultOf(self.scene.status), 1)

    def test_a_prompt_but_no_hints_for_a_script_that_is_shown(self) -> None:
        scene = Scene(keyboard=False, screen=True)
        self.assertEqual(scene.read(), "> ")

    def test_neither_where_nobody_looks(self) -> None:
        scene = Scene(keyboard=True, screen=False)
        self.assertEqual(scene.read(), "")

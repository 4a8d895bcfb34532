"""Playing and watching at a table of the lobby."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.client.helpers import (
    BOARD,
    REVERSI,
    START,
    TIC_TAC_TOE,
    Scene,
    ended,
    moved,
    playing,
    room_event,
)
from tictac.client.seating import Wish

AFTER = ".X../.XX./.XO./.... O"
AFTER_BOARD = "    a b c d\n 1  . X . .\n 2  . X X .\n 3  . X O .\n 4  . . . .\n    X 4, O 1\n"
LOGIN = {"do": "login", "user": "alice", "password": "secret"}


class FindingATableCase(SynchronousTestCase):
    def scene(self, *, logged_in: bool = True, keyboard: bool = False, **wish: object) -> Scene:
        """Alice, whose wish for Reversi has been understood."""
        wished = Wish("reversi", **({"user": "alice"} | wish))  # type: ignore[arg-type]
        scene = Scene(wished, keyboard)
        scene.grant({"do": "games"}, games=[REVERSI, TIC_TAC_TOE])
        if logged_in:
            scene.type("secret")
            scene.grant(LOGIN, user="alice")
            self.assertEqual(scene.read(), "Welcome alice\n")
        return scene


class LoggingInTests(FindingATableCase):
    def test_logging_in_and_registering_as_in_the_old_dialogue(self) -> None:
        scene = self.scene(logged_in=False, user=None)
        scene.type("register", "alice", "secret", "LOGIN", "alice", "secret")
        scene.grant({"do": "register", "user": "alice", "password": "secret"})
        scene.grant(LOGIN, user="alice")
        self.assertEqual(scene.read(), "Successfully created user account alice\nWelcome alice\n")

    def test_a_wrong_password(self) -> None:
        scene = self.scene(logged_in=False)
        scene.type("wrong")
        refused = "The password of alice is another one."
        scene.refuse({**LOGIN, "password": "wrong"}, "wrong-password", refused)
        self.assertEqual(scene.read_errors(), f"Error: {refused}\n")
        scene.type("LOGIN", "alice", "secret")
        scene.grant(LOGIN, user="alice")
        self.assertEqual(scene.read(), "Welcome alice\n")

    def test_a_password_is_not_shown_and_may_be_any_word(self) -> None:
        scene = self.scene(logged_in=False, keyboard=True)
        self.assertEqual(scene.person.settings.calls, ["hide"])
        scene.type("quit")
        scene.grant({**LOGIN, "password": "quit"}, user="alice")

    def test_guests(self) -> None:
        scene = self.scene(logged_in=False, user=None, guest=True)
        scene.grant({"do": "guest"}, user="guest-3", guest=True)
        self.assertEqual(scene.read(), "Welcome guest-3\n")

    def test_a_server_without_guests(self) -> None:
        scene = self.scene(logged_in=False, user=None, guest=True)
        scene.refuse({"do": "guest"}, "guests-refused", "Guests aren't taken here.")
        self.assertEqual(self.successResultOf(scene.status), 1)
        self.assertEqual(scene.read_errors(), "Error: Guests aren't taken here.\n")

    def test_leaving(self) -> None:
        scene = self.scene(logged_in=False, user=None)
        scene.type("nonsense", "quit")
        self.assertEqual(scene.read(), "Unknown command: nonsense\n")
        self.assertEqual(self.successResultOf(scene.status), 0)


class FindingATableTests(FindingATableCase):
    def test_opening_one(self) -> None:
        scene = self.scene(options=("size=4",))
        scene.grant({"do": "open", "game": "reversi", "options": {"size": "4"}}, room="k7")
        scene.serve(
            room_event(0, begun=False, turn=None, moves=[], players=[{"user": "alice"}, None])
        )
        waiting = "Waiting for another player (--room k7 leads here)...\n"
        self.assertEqual(scene.read(), "k7: Reversi (size 4)\nEnclose pieces.\n" + waiting)
        joined = {"event": "joined", "room": "k7", "n": 2, "user": "bob", "seat": 1}
        began = {"event": "began", "room": "k7", "n": 3, "players": ["alice", "bob"]}
        scene.serve(
            joined | {"players": ["alice", "bob"]},
            began | {"position": START, "turn": 0, "moves": ["b1"], "clocks": None},
        )
        begun = "alice (X) against bob (O)\n" + BOARD + "It is your turn.\n"
        self.assertEqual(scene.read(), "bob sits down.\n" + begun)

    def test_against_the_computer(self) -> None:
        scene = self.scene(computer="club", second=True)
        terms = {"game": "reversi", "options": {}, "computer": "club", "seat": 1}
        scene.grant({"do": "open"} | terms, room="k7")
        scene.serve(room_event(1, begun=False, turn=None, players=[None, {"user": "alice"}]))
        self.assertEqual(scene.read(), "k7: Reversi (size 4)\nEnclose pieces.\n")

    def test_seeking(self) -> None:
        scene = self.scene(seek=True)
        scene.grant({"do": "seek", "game": "reversi", "options": {}}, room="k7")

    def test_a_rated_match(self) -> None:
        scene = self.scene(rated=True)
        terms = {"game": "reversi", "options": {}, "rated": True}
        scene.grant({"do": "open"} | terms, room="k7")
        scene.serve(room_event(0, rated=True))
        self.assertEqual(scene.read().splitlines()[0], "k7: Reversi (size 4), rated")

    def test_a_table_that_is_not_rated(self) -> None:
        scene = self.scene(room="den", rated=True)
        scene.grant({"do": "lobby", "follow": False}, rooms=[{"room": "den", "game": "reversi"}])
        self.assertEqual(self.successResultOf(scene.status), 1)
        self.assertEqual(scene.read_errors(), "Error: the match at den isn't rated.\n")

    def test_a_table_by_name_that_is_there(self) -> None:
        scene = self.scene(room="den", key="abc")
        scene.grant({"do": "lobby", "follow": False}, rooms=[{"room": "den", "game": "reversi"}])
        scene.grant({"do": "join", "room": "den", "key": "abc"}, room="den")

    def test_a_table_by_name_that_is_not_there(self) -> None:
        scene = self.scene(room="den")
        scene.grant({"do": "lobby", "follow": False}, rooms=[])
        scene.refuse({"do": "join", "room": "den"}, "no-such-room", "There is no room den.")
        scene.grant({"do": "open", "game": "reversi", "options": {}, "room": "den"}, room="den")

    def test_a_private_table_that_is_not_there(self) -> None:
        scene = self.scene(room="den", key="abc")
        scene.grant({"do": "lobby", "follow": False}, rooms=[])
        wanted = {"do": "join", "room": "den", "key": "abc"}
        scene.refuse(wanted, "no-such-room", "There is no room den.")
        self.assertEqual(self.successResultOf(scene.status), 1)
        self.assertEqual(scene.read_errors(), "Error: There is no room den.\n")

    def test_a_table_of_another_game(self) -> None:
        scene = self.scene(room="den")
        scene.grant(
            {"do": "lobby", "follow": False}, rooms=[{"room": "den", "game": "nim", "title": "Nim"}]
        )
        self.assertEqual(self.successResultOf(scene.status), 1)
        self.assertEqual(scene.read_errors(), "Error: at den they play Nim.\n")

    def test_a_full_table(self) -> None:
        scene = self.scene(room="den")
        scene.grant({"do": "lobby", "follow": False}, rooms=[])
        scene.refuse({"do": "join", "room": "den"}, "room-full", "den is full.")
        self.assertEqual(self.successResultOf(scene.status), 1)
        self.assertEqual(scene.read_errors(), "Error: den is full.\n")

    def test_numbers_are_sent_as_numbers(self) -> None:
        scene = Scene(Wish("tictactoe", ("rows=19",), guest=True))
        scene.grant({"do": "games"}, games=[TIC_TAC_TOE])
        scene.grant({"do": "guest"}, user="guest-1")
        scene.grant({"do": "open", "game": "tictactoe", "options": {"rows": 19}}, room="k7")

    def test_what_there_is_not(self) -> None:
        for game, option, error in (
            ("chess", "", "there is no game 'chess'; there are reversi, tictactoe"),
            ("reversi", "rows=3", "reversi has no option 'rows'; it has size"),
            ("reversi", "size=5", "size is one of 4, 6, 8, 10, not '5'"),
            ("tictactoe", "rows=x", "rows is a whole number from 3 to 19, not 'x'"),
        ):
            scene = Scene(Wish(game, (option,)))
            scene.grant({"do": "games"}, games=[REVERSI, TIC_TAC_TOE])
            self.assertEqual(self.successResultOf(scene.status), 1)
            self.assertEqual(scene.read_errors(), f"Error: {error}.\n")


class ChoosingATableTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.scene = Scene(Wish(watch="", guest=True))
        self.scene.grant({"do": "guest"}, user="guest-1")

    def test_from_a_list_that_grows(self) -> None:
        den = {"room": "den", "game": "reversi", "title": "Reversi", "players": ["alice", None]}
        self.scene.grant({"do": "lobby"}, rooms=[den])
        self.scene.serve({"event": "lobby", **den, "room": "attic", "players": ["carol", "bob"]})
        self.scene.serve({"event": "lobby", "room": "den", "gone": True})
        self.assertEqual(
            self.scene.read(),
            "Welcome guest-1\nden: Reversi, alice against nobody yet\n"
            "attic: Reversi, carol against bob\n",
        )
        self.scene.type("celler")
        refused = "there is no room celler"
        self.scene.refuse({"do": "watch", "room": "celler"}, "no-such-room", refused)
        self.assertEqual(self.scene.read_errors(), f"Error: {refused}\n")
        self.scene.type("attic")
        self.scene.grant({"do": "watch", "room": "attic"}, room="attic")
        self.scene.serve(room_event(None, room="attic"))
        self.scene.grant({"do": "lobby", "follow": False})
        self.assertTrue(self.scene.read().startswith("attic: Reversi"))

    def test_an_empty_lobby(self) -> None:
        self.scene.grant({"do": "lobby"}, rooms=[])
        self.assertEqual(self.scene.read(), "Welcome guest-1\nThere is no table yet.\n")


class PlayingTests(SynchronousTestCase):
    def test_a_move_and_the_other_ones(self) -> None:
        scene = playing()
        scene.type("B 1")
        scene.grant({"do": "move", "room": "k7", "move": "b1", "at": 3}, at=4)
        scene.serve(moved(4, 0, "b1", AFTER, 1))
        self.assertEqual(scene.read(), "You: b1\n" + AFTER_BOARD + "It is bob's turn.\n")
        scene.serve(moved(5, 1, "a1", START, 0, clocks=[300.0, 59.5]))
        self.assertEqual(
            scene.read(), "bob: a1\n" + BOARD + "It is your turn (You 5:00, bob 0:59).\n"
        )

    def test_the_next_line_of_a_script_waits_for_what_came_of_the_last(self) -> None:
        scene = playing()
        scene.type("b1", "c1", "quit")
        scene.grant({"do": "move", "room": "k7", "move": "b1", "at": 3}, at=4)
        self.assertEqual(scene.asked(), [])
        scene.serve(moved(4, 0, "b1", AFTER, 1))
        self.assertEqual(scene.asked(), [])
        scene.serve(moved(5, 1, "a1", START, 0))
        self.assertEqual(scene.asked(), [{"do": "move", "room": "k7", "move": "c1", "at": 5}])

    def test_the_end_of_a_script_hides_no_result(self) -> None:
        scene = playing()
        scene.type("b1")
        scene.person.end_input()
        scene.grant({"do": "move", "room": "k7", "move": "b1", "at": 3}, at=4)
        scene.serve(ended(4, "won", 0, move="b1", position=AFTER))
        self.assertEqual(scene.read(), "You: b1\n" + AFTER_BOARD + "You have won.\n")
        self.assertEqual(self.successResultOf(scene.status), 0)

    def test_a_server_that_stops(self) -> None:
        scene = playing()
        scene.serve({"event": "stopping", "seconds": 10.0})
        self.assertEqual(scene.read(), "The server stops, in 10 seconds at most.\n")

    def test_a_refused_move(self) -> None:
        scene = playing()
        scene.type("a1")
        scene.refuse(
            {"do": "move", "room": "k7", "move": "a1", "at": 3}, "illegal-move",
            "a1 encloses nothing",
        )  # fmt: skip
        self.assertEqual(scene.read_errors(), "Error: a1 encloses nothing\n")
        scene.type("b1")
        self.assertEqual(len(scene.asked()), 1)

    def test_a_refused_move_is_told_as_it_was_typed(self) -> None:
        scene = playing()
        options = {"rows": 3, "columns": 3, "strike": 3, "first": "X"}
        scene.begin(0, game="tictactoe", options=options, position="120000000")
        scene.type("b1")
        move = {"do": "move", "room": "k7", "move": "1:0", "at": 3}
        scene.refuse(move, "illegal-move", "1:0 is occupied by O")
        self.assertEqual(scene.read_errors(), "Error: b1 is occupied by O\n")

    def test_in_clue_what_others_do_draws_no_board(self) -> None:
        scene = playing()
        position = "17,24/U,V/15,0/10,0/0,6/U,S {} turn 0 - - - -"
        players = [{"user": name, "away": False} for name in ("alice", *"bcdef")]
        scene.begin(
            0, game="clue", options={"rounds": 500}, position=position.format(1), players=players
        )
        scene.serve(moved(4, 1, "no-roll", position.format(2), 2))
        self.assertEqual(scene.read(), "b: stay\n")

    def test_what_is_no_move_is_not_sent(self) -> None:
        scene = playing()
        scene.type("castle")
        self.assertEqual(scene.asked(), [])
        self.assertEqual(
            scene.read_errors(),
            "Error: castle is no move: "
            "a move is a cell: d3 is the fourth column and the third row\n",
        )

    def test_out_of_turn(self) -> None:
        scene = playing(1, keyboard=True)
        scene.type("d3", "moves")
        self.assertEqual(scene.asked(), [])
        self.assertEqual(
            scene.read(),
            "It isn't your turn. help tells what can be typed.\nIt isn't your turn.\n",
        )

    def test_help_moves_and_the_board(self) -> None:
        scene = playing(keyboard=True)
        scene.type("help")
        self.assertIn("A move is a cell: d3", scene.read())
        scene.type("MOVES")
        self.assertEqual(scene.read(), "b1   a2   d3   c4\n")
        scene.type("board")
        self.assertEqual(scene.read(), BOARD + "It is your turn.\n")
        self.assertEqual(scene.asked(), [])

    def test_resigning(self) -> None:
        scene = playing()
        scene.type("resign")
        scene.grant({"do": "resign", "room": "k7"}, at=4)
        scene.serve(ended(4, "forfeited", 1))
        self.assertEqual(scene.read(), BOARD + "You have resigned.\nYou have lost.\n")

    def test_offering_a_draw(self) -> None:
        scene = playing(keyboard=True)
        scene.type("draw")
        scene.grant({"do": "offer", "room": "k7", "what": "draw"}, at=4)
        offer = {"event": "offered", "room": "k7", "n": 4, "seat": 0, "what": "draw"}
        scene.serve(offer, {**offer, "event": "declined", "n": 5, "seat": 1})
        self.assertEqual(scene.read(), "You have offered a draw.\nbob has declined the draw.\n")

    def test_taking_a_draw(self) -> None:
        for typed, do in (("draw", "accept"), ("accept", "accept"), ("decline", "decline")):
            scene = playing(keyboard=True)
            scene.serve({"event": "offered", "room": "k7", "n": 4, "seat": 1, "what": "draw"})
            offer = "bob offers a draw: accept or decline.\n"
            self.assertEqual(scene.read(), offer)
            scene.type(typed)
            what = {"what": "draw"} if typed == "draw" else {}
            self.assertEqual(scene.asked(), [{"do": do, "room": "k7", **what}])
        scene.serve(ended(5, "agreed", None))
        self.assertEqual(scene.read(), BOARD + "The players have agreed to a draw.\n")

    def test_taking_a_move_back(self) -> None:
        scene = playing(keyboard=True)
        scene.serve(moved(4, 0, "b1", AFTER, 1))
        scene.read()
        scene.type("takeback")
        scene.grant({"do": "offer", "room": "k7", "what": "takeback"})
        about = {"room": "k7", "seat": 0, "what": "takeback"}
        scene.serve({"event": "offered", "n": 5, **about}, {"event": "expired", "n": 6, **about})
        offered = "You have offered a takeback.\nYou have waited too long for the takeback.\n"
        self.assertEqual(scene.read(), offered)
        undone = {"event": "undone", "room": "k7", "n": 7, "seat": 0, "count": 1}
        scene.serve({**undone, "position": START, "turn": 0, "moves": ["d3"], "clocks": None})
        self.assertEqual(scene.read(), f"You have taken a move back.\n{BOARD}It is your turn.\n")

    def test_talking(self) -> None:
        scene = playing(keyboard=True)
        scene.type("say good luck", "say")
        self.assertEqual(scene.asked(), [{"do": "say", "room": "k7", "text": "good luck"}])
        self.assertEqual(scene.read(), "say what?\n")
        said = {"event": "said", "room": "k7", "n": 4, "user": "bob", "text": "you\x1b[2Jtoo"}
        scene.serve(said)
        self.assertEqual(scene.read(), "bob says: you\\x1b[2Jtoo\n")

    def test_leaving_gives_the_seat_up(self) -> None:
        for leave in (lambda scene: scene.type("quit"), lambda scene: scene.person.end_input()):
            scene = playing()
            leave(scene)
            self.assertEqual(scene.asked(), [{"do": "leave", "room": "k7", "for_good": True}])
            self.assertEqual(self.successResultOf(scene.status), 0)
            self.assertTrue(scene.transport.disconnecting)

    def test_who_comes_and_goes(self) -> None:
        scene = playing(keyboard=True)
        event = {"room": "k7", "n": 4}
        players = ["alice", "bob"]
        scene.serve(
            event | {"event": "joined", "user": "vera", "seat": None, "players": players},
            event | {"event": "left", "user": "bob", "seat": 1, "held": 30.0},
            event | {"event": "left", "user": "vera", "seat": None, "held": None},
        )
        self.assertEqual(
            scene.read(),
            "vera watches.\nbob has left, and may come back for 30 seconds.\nvera has left.\n",
        )

    def test_the_other_one_is_late_or_gone(self) -> None:
        for said, how, more in (
            ("alice has taken too long.", "timed out", {}),
            ("alice has no time left on the clock.", "timed out", {"clocks": [0, 60]}),
            ("alice has left.", "left", {}),
            ("alice has lost the connection, and not come back.", "left", {"disconnected": True}),
        ):
            scene = playing(1)
            scene.serve(ended(4, how, 1, **more))
            self.assertEqual(scene.read(), f"{BOARD}{said}\nYou have won.\n")


class WatchingTests(SynchronousTestCase):
    def test_every_board_and_the_end(self) -> None:
        scene = playing(None)
        scene.serve(moved(4, 0, "b1", AFTER, 1))
        self.assertEqual(scene.read(), "alice: b1\n" + AFTER_BOARD + "It is bob's turn.\n")
        scene.person.end_input()
        self.assertNoResult(scene.status)
        scene.serve(ended(5, "won", 1, move="a1"))
        self.assertEqual(scene.read(), "bob: a1\n" + BOARD + "bob has won.\n")
        self.assertEqual(self.successResultOf(scene.status), 0)

    def test_moves_are_not_made(self) -> None:
        scene = playing(None, keyboard=True)
        scene.type("b1")
        self.assertEqual(scene.read(), "You watch. help tells what can be typed.\n")
        self.assertEqual(scene.asked(), [])

    def test_a_game_that_this_program_does_not_know(self) -> None:
        scene = playing(None)
        scene.serve(room_event(None, game="chess", title="Chess", options={}, position="a\x1bb"))
        self.assertIn("\na\\x1bb\nIt is alice's turn.\n", scene.read())


class FaultsTests(SynchronousTestCase):
    def test_what_is_no_message(self) -> None:
        for data in (b"BADAUTH\n", b"[]\n", b"{}\n", b"\xff\n", b"[" * 9000 + b"\n"):
            scene = playing()
            scene.clients[-1].dataReceived(data)
            self.assertEqual(self.successResultOf(scene.status), 1, data)
            unknown = "Unknown message received from server. Exiting...\n"
            self.assertEqual(scene.read(), unknown)

    def test_events_that_lack_something(self) -> None:
        for event in (
            {"event": "moved"},
            {"event": "ended", "n": "x"},
            {"event": "began", "players": 7},
            {"event": "room"},
            {"event": "said", "user": "bob", "text": 7},
        ):
            scene = playing()
            scene.serve(event | {"room": "k7"})
            self.assertEqual(self.successResultOf(scene.status), 1, event)

    def test_other_events_are_passed_over(self) -> None:
        scene = playing()
        scene.serve({"event": "weather", "room": "k7", "n": 4}, {"event": "moved", "room": "x"})
        self.assertNoResult(scene.status)
        self.assertEqual(scene.read(), "")

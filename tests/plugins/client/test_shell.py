"""The shell against the real server, over iosim: what is typed, and what is shown."""

from __future__ import annotations

import json

from twisted.internet.defer import Deferred

from tests.accounts.helpers import temporary_directory
from tests.plugins.client.shell import Player, ShellCase
from tictac.accounts.accounts import Accounts
from tictac.accounts.registration import Registration
from tictac.net.client_connection import UnknownMessage
from tictac.plugins.client.seek import Seek


class AccountTests(ShellCase):
    def test_a_private_server_says_that_it_forgets(self) -> None:
        dora = Player(self.network)
        dora.shell._server = "here"
        said = dora.type("register dora", answers=("pw", "pw"))
        assert said[1].startswith("This server is yours alone. It forgets"), said

    def test_games_and_levels_can_be_typed_in_capitals(self) -> None:
        said = self.alice.type("OPEN NIM CLUB")
        assert not [line for line in said if line.startswith("Error")], said

    def test_a_wish_for_no_such_game_fails_before_the_login(self) -> None:
        wishes = (
            (Seek(game="chess"), "there is no game"),
            (Seek(game="nim", computer="x"), "no level"),
        )
        for wish, why in wishes:
            said = Player(self.network, wish).read()
            assert why in said[0] and said[1].startswith("Welcome. Type login"), said

    def test_the_password_is_changed_and_the_person_stays_logged_in(self) -> None:
        carol = self.player("carol", self.keyring)
        said = carol.type("password", answers=("secret", "hunter2", "hunter2"))
        assert said == ["Changed your password. Your other devices have to log in again."]
        carol.cut()
        self.network.wait(5)
        assert "Back on the server." in carol.read()
        again = Player(self.network, keyring=self.keyring)
        assert "Welcome carol" in again.read()

    def test_a_password_is_typed_twice_and_the_old_one_must_be_right(self) -> None:
        (error,) = self.alice.type("password", answers=("secret", "one", "other"))
        assert error == "Error: the two passwords differ."
        (error,) = self.alice.type("password", answers=("wrong", "new", "new"))
        assert error == "Error: that isn't the password of alice."

    def test_a_code_is_asked_for_where_it_is_needed(self) -> None:
        path = temporary_directory(self) / "codes"
        path.write_text("sesame")
        self.network.server.accounts.registration = Registration(f"code:{path}")
        dora = Player(self.network)
        said = dora.type("register dora", answers=("pw", "pw", "sesame"))
        assert "Account dora created." in said
        said = Player(self.network).type("register eva", answers=("pw", "pw", "simsim"))
        assert said[-1] == "Error: that isn't a code of this server."

    def test_an_announcement_is_shown(self) -> None:
        for connection in self.network.server.factory.connections:
            connection.send_lines(b'{"event":"announced","text":"five minutes"}\n')
        assert self.alice.read() == ["Announcement: five minutes"]


class MatchTests(ShellCase):
    def test_a_match_to_its_end_and_another(self) -> None:
        opened = self.alice.type("open reversi size=4 room=den")
        assert "Waiting for another player (join den leads here)..." in opened
        joined = self.bob.type("JOIN den")
        assert "alice (X) against bob (O). You are O" in joined
        assert self.alice.read()[-2:] == [
            "It is your turn.",
            "A move is a cell: d3 is the fourth column and the third row.",
        ]
        assert "You: b1" in self.alice.type("b1")
        assert "alice: b1" in self.bob.read()
        assert self.bob.type("resign", answers=("yes",))[-2:] == ["You resigned.", "You have lost."]
        assert self.bob.shell.status().endswith(
            "over: rematch offers another match, leave goes back"
        )
        assert "You have won." in self.alice.read()
        assert "bob offers a rematch: accept or decline." in (
            self.bob.type("rematch") and self.alice.read()
        )
        assert "bob (X) against alice (O). You are O" in self.alice.type("rematch")

    def test_a_move_that_cant_be_made_is_told_in_its_words(self) -> None:
        self.begin()
        assert self.alice.type("d4") == ["Error: d4 encloses nothing."]
        assert self.alice.type("place b1")[0] == "You: b1"
        (why,) = self.alice.type("d3")
        assert why == (
            "Error: it isn't your turn, and there is no command 'd3'; type help for the commands."
        )

    def test_a_move_goes_before_a_command_of_that_name(self) -> None:
        self.begin()
        table = self.alice.shell.table
        assert table is not None
        self.patch(table.text_view, "spell", lambda move: {"b1": "draw"}.get(move, move))
        self.patch(table.text_view, "read", lambda typed: {"draw": "b1"}.get(typed, typed))
        assert "You: draw" in self.alice.type("draw")
        assert self.alice.type("draw") == ["You offered a draw."]

    def test_giving_up_is_asked_once_and_may_be_left(self) -> None:
        self.begin()
        for command in ("resign", "forfeit", "leave", "logout", "quit"):
            assert self.alice.type(command, answers=(None,)) == []
        assert len(self.alice.screen.asked) == 6  # one of them is for the password
        assert self.bob.read() == []
        self.alice.type("quit", answers=("y",))
        self.successResultOf(self.alice.status)
        assert "alice left." in self.bob.read()

    def test_offers_and_talk(self) -> None:
        self.begin()
        assert self.alice.type("draw") == ["You offered a draw."]
        self.bob.type("decline", "say well played")
        assert self.alice.read()[-2:] == ["bob declined the draw.", "bob says: well played"]
        self.alice.type("draw")
        assert "The players agreed to a draw." in self.bob.type("draw")
        self.alice.type("rematch")
        assert "bob (X) against alice (O). You are X" in self.bob.type("accept")

    def test_watching(self) -> None:
        self.begin()
        vera = self.player("vera")
        assert "den: Reversi, alice against bob" in vera.type("rooms")
        assert "alice (X) against bob (O)" in vera.type("watch den")
        assert vera.type("who") == ["In the room: alice (X) against bob (O).", "Watching: vera."]
        assert vera.type("b1")[0].startswith("Error: you watch, and there is no command 'b1'")
        assert vera.shell.status() == "vera · watching den · alice to move · 1 watching"
        vera.type("leave")
        assert vera.shell.table is None

    def test_the_line_that_says_how_it_stands(self) -> None:
        assert self.alice.shell.status() == "alice · host:1 · no rooms · help"
        self.begin("clock=60+1")
        self.network.wait(2)
        assert self.alice.shell.status() == "alice · den · you are X · your turn · 0:57 / 1:00"
        self.bob.cut()
        self.network.flush()
        self.network.server.clock.advance(0.1)
        assert self.alice.shell.status().endswith("bob disconnected, 30 s left")

    def test_it_says_which_periods_are_left(self) -> None:
        self.begin("clock=1m+3x30")
        self.network.wait(63)
        assert self.alice.shell.status().endswith("0:26 (3 periods left) / 1:00 + 3x30 s")


class CommandTests(ShellCase):
    def test_what_is_wrong_is_said(self) -> None:
        for typed, why in (
            ("jion den", "there is no command 'jion'; did you mean join?"),
            ("b1", "there is no command 'b1'; type help for the commands."),
            ("clear", "there is no command 'clear'; type help for the commands."),
            ("help hepl", "there is no command 'hepl'; did you mean help?"),
            ("resign", "you are in no room: join, watch, or open one"),
            ("join", "which room? rooms lists them"),
            ("join den", "there is no room den"),
            ("open chess", "there is no game 'chess'; there are"),
            ("open connect4 club", "there is no game 'connect4'; did you mean connectfour?"),
            ("ratings", "name a game, for example: ratings nim"),
            ("open reversi size=5", "size is one of 4, 6, 8, 10, not '5'"),
            (
                "open nim largest",
                "'largest' is neither a level (beginner, club, best) nor like NAME=VALUE",
            ),
            ("open nim clock=x", "'x' isn't a clock such as"),
            ("open", "which game?"),
        ):
            said = self.alice.type(typed)
            assert said and said[0].startswith(f"Error: {why}"), (typed, said)

    def test_help_suits_the_place_and_fits_on_a_screen(self) -> None:
        here = self.alice.type("help")
        assert any(line.startswith("open ") for line in here) and len(here) <= 23
        self.begin()
        there = self.alice.type("?")
        assert any(line.startswith("resign ") for line in there) and len(there) <= 22
        assert self.alice.type("help move")[-1].startswith("A move is a cell")
        assert self.alice.type("help join") == [
            "join [ROOM [KEY]]: sit down in a room; alone: return to your held seat."
        ]
        assert max(map(len, [*here, *there])) <= 80

    def test_completion(self) -> None:
        complete = self.alice.shell.complete
        assert "join" in complete("jo")
        assert list(complete("open ")) == [game["name"] for game in self.alice.shell.games]
        assert {"club", "size="} <= set(complete("open reversi "))
        self.begin()
        assert list(complete("watch d")) == ["den"]
        assert list(complete("move ")) == ["b1", "a2", "d3", "c4"]
        assert "d3" in complete("")

    def test_how_many_computers_come(self) -> None:
        asked = self.alice.shell.read_wish("clue sensible computers=4")
        assert asked == Seek("clue", computer="sensible", computers=4)

    def test_in_clue_it_is_said_what_may_be_typed_and_an_accusation_is_one_line(self) -> None:
        said = self.alice.type("open clue seats=1 room=rm")
        assert said[-1] == (
            "A move is roll, stay, or an accusation such as accuse plum rope lounge."
        )
        said = self.alice.type("stay")
        assert said[:1] == ["You: stay"] and said[1].startswith("You: go ")
        prompt = "A move is roll, stay, or an accusation such as accuse plum rope lounge."
        assert [line for line in said if line.startswith("A move is")] == [prompt]
        (error,) = self.alice.type("passage")
        assert error == "Error: there is no secret passage here."
        assert self.alice.type("suggest plum rope hall")[0].startswith("Error: suggest Plum, ")
        said = self.alice.type("accuse plum rope hall")
        assert "You: accuse Plum, rope, hall" in said
        assert self.alice.shell.table is not None and self.alice.shell.table.over
        assert said[-3] == "No one named the cards in the envelope."
        assert said[-1] == "There is no single winner."

    def test_the_questions_of_clue_are_answered_at_any_time(self) -> None:
        self.alice.type("open clue room=den")
        assert self.alice.type("where") == ["The match hasn't begun."]
        others = [Player(self.network, Seek(room="den", game="clue", guest=True)) for _ in "12345"]
        self.alice.read()
        assert self.alice.type("where")[0] == "You are at (17 24)."
        said = others[0].type("NOTES")
        assert said[-4].startswith("Your cards: ")
        assert "notes     what you know about the cards" in self.alice.type("help")
        assert "notes" in self.alice.shell.complete("")
        self.alice.type("leave", answers=("yes",))
        why = "there is no command 'where'; type help for the commands."
        assert self.alice.type("where") == [f"Error: {why}"]

    def test_notes_are_complete_after_coming_back(self) -> None:
        others = [Player(self.network, Seek(room="den", game="clue", guest=True)) for _ in "12345"]
        self.alice.type("join den")
        others[0].type("accuse 0 rope hall")
        before = others[0].type("notes")
        assert others[0].shell.table is not None
        others[0].cut()
        self.network.wait(5)
        others[0].read()
        assert others[0].type("notes") == before

    def test_the_rules_of_the_game_in_the_room_and_of_others(self) -> None:
        newcomer = Player(self.network)
        newcomer.read()
        said = newcomer.type("rules connectfour pops=no")
        assert said[0].startswith("Drop pieces into columns.")
        assert "pop" not in " ".join(said)
        assert newcomer.type("rules") == ["Error: which game? games lists them."]
        (error,) = newcomer.type("rules chess")
        assert error.startswith("Error: there is no game 'chess'")
        self.begin()
        assert "The board has 4 rows and 4 columns, with four discs in the middle." in (
            self.alice.type("rules")
        )
        assert self.alice.type("rules nim")[1].startswith("The game begins with 3 to 10 heaps")
        assert any(line.startswith("rules ") for line in self.alice.type("help"))

    def test_players_of_many_are_named_with_their_sides(self) -> None:
        self.alice.type("open clue room=den")
        for _ in range(5):
            Player(self.network, Seek(room="den", game="clue", guest=True))
        said = self.alice.read()
        assert any("You (Scarlet) can roll, stay, or accuse." in line for line in said)
        said = self.alice.type("accuse plum rope hall")
        wrong = "You have no more turns, but you still show cards"
        assert f"You: accuse Plum, rope, hall: wrong. {wrong}" in said
        (line,) = self.alice.type("who")
        assert "(Mustard)" in line and line.startswith("In the room: alice (Scarlet), guest-")
        assert "(Mustard)'s turn" in self.alice.type("board")[-1]

    def test_a_room_that_was_closed_can_be_left(self) -> None:
        self.alice.type("open clue room=den")
        self.bob.type("join den", "leave")
        assert self.alice.read()[-1] == "The room was closed."
        assert self.alice.type("leave") == []

    def test_a_match_against_the_computer_needs_no_account(self) -> None:
        guest = Player(self.network, Seek(game="nim", guest=True, computer="club"))
        said = guest.read()
        assert any(line.startswith("Welcome guest-") for line in said)
        assert not any(line.startswith("Waiting") for line in said)
        assert guest.shell.table is not None

    def test_accounts_are_made_with_two_equal_passwords(self) -> None:
        dora = Player(self.network)
        said = dora.type("register dora", answers=("one", "two"))
        assert said[-1] == "Error: the two passwords differ."
        said = dora.type("register dora", answers=("one", "one"))
        assert said == ["Account dora created.", "Welcome dora"]
        said = Player(self.network).type("register dora", answers=("one", "one"))
        assert said[-1] == "Error: there is a user dora already."

    def test_a_name_is_checked_before_a_password_is_asked_for(self) -> None:
        said = Player(self.network).type("register computer")
        assert said[-1] == "Error: the name computer is reserved."
        said = Player(self.network).type("register ä:b")
        assert said[-1].startswith("Error: 'ä:b' isn't a user name: 1 to 20 letters")

    def test_an_account_made_by_a_user_who_is_logged_in_takes_over(self) -> None:
        said = self.alice.type("register dora", answers=("one", "one"))
        left = "You are no longer logged in as alice."
        assert said == ["Account dora created.", left, "Welcome dora"]

    def test_a_guest_may_make_an_account(self) -> None:
        guest = Player(self.network, Seek(guest=True))
        said = guest.type("register dora", answers=("one", "one"))
        assert said[-2:] == ["Account dora created.", "Welcome dora"]

    def test_where_registration_is_closed_no_password_is_asked_for(self) -> None:
        self.network.server.accounts.registration = Registration("closed")
        said = Player(self.network).type("register dora")
        assert said[-1] == "Error: only the operator of this server makes accounts."

    def test_the_question_says_how_long_a_password_is(self) -> None:
        self.network.server.accounts.min_password = 8
        dora = Player(self.network)
        dora.type("register dora", answers=("1234567", "1234567"))
        assert dora.screen.asked[0] == "Password (8 characters at least): "

    def test_games_name_the_levels_of_the_computer(self) -> None:
        levels = "random (Pip), sensible (Rook), detective (Ada)"
        assert any(levels in line for line in self.alice.type("games"))

    def test_a_mistyped_command_in_a_room_has_a_near_one(self) -> None:
        self.alice.type("open tictactoe")
        (error,) = self.alice.type("hepl")
        assert error.startswith("Error: the match hasn't begun, and there is no command 'hepl'")


class ComingBackTests(ShellCase):
    def test_a_token_is_kept_and_logs_in(self) -> None:
        self.player("vera", self.keyring)
        again = Player(self.network, keyring=self.keyring)
        assert again.read() == ["Welcome vera"]
        assert again.screen.asked == []

    def test_a_token_outlives_a_connection_that_is_lost_before_it_was_looked_at(self) -> None:
        login = {"user": "vera", "token": "good"}
        self.keyring.keep("host:1", login)
        self.patch(Accounts, "login_by_token", lambda *_: Deferred())
        vera = Player(self.network, keyring=self.keyring)
        vera.cut()
        assert self.keyring.login("host:1") == login

    def test_a_token_that_has_ended_is_said_and_forgotten(self) -> None:
        self.keyring.keep("host:1", {"user": "vera", "token": "old"})
        again = Player(self.network, keyring=self.keyring)
        assert again.read()[0] == "Error: that login has ended: log in with the password."
        assert self.keyring.login("host:1") is None

    def test_logging_out_forgets_it(self) -> None:
        vera = self.player("vera", self.keyring)
        token = self.keyring.login("host:1")
        assert vera.type("logout") == ["Logged out."]
        assert self.keyring.login("host:1") is None
        assert token is not None
        stranger = Player(self.network)
        assert stranger.type(f"login {token['token']}", answers=("x",))[-1].startswith("Error")

    def test_a_lost_connection_is_made_again_and_the_seat_taken(self) -> None:
        self.begin()
        self.alice.cut()
        self.network.wait(2)
        said = self.alice.read()
        assert said[0] == (
            "The connection to the server was lost. Coming back, for up to 30 seconds..."
        )
        assert "Back on the server." in said and said[-1] == "It is your turn."
        assert "You: b1" in self.alice.type("b1")

    def test_a_server_that_stops_says_so(self) -> None:
        self.alice.pump.serverIO.protocol.send_stopping(10)
        assert self.alice.read() == ["The server stops, in 10 seconds at most."]

    def test_a_connection_that_a_limit_has_ended(self) -> None:
        self.network.server.expire(3600)
        assert self.alice.read()[0] == (
            "The server has closed the connection: nothing was heard for 3600 seconds."
            " Coming back, for up to 30 seconds..."
        )

    def test_another_connection_takes_the_seat_in_a_private_room(self) -> None:
        private = {"game": "reversi", "room": "den", "private": True}
        opened = Deferred.fromCoroutine(self.alice.shell.request("open", **private))
        self.network.flush()
        key = self.successResultOf(opened)["key"]
        self.bob.type(f"join den {key}")
        assert "It is your turn." in self.player("alice").type(f"join den {key}")

    def test_another_connection_takes_the_seat(self) -> None:
        self.begin()
        phone = self.player("alice")
        assert "It is your turn." in phone.type("join den")
        (told,) = self.alice.read()
        assert told == "You play on at another connection. join den takes the seat back."
        assert "It is your turn." in self.alice.type("join den")


class HostileServerTests(ShellCase):
    def receive(self, **message: object) -> list[str]:
        """Let the server say something to Alice."""
        self.alice.pump.client.dataReceived(json.dumps(message).encode() + b"\n")
        return self.alice.read()

    def test_a_name_of_a_room_does_nothing_to_the_terminal(self) -> None:
        room = "\x01\x1b]0;mine\x07\x02\x1b[2J"
        self.receive(
            event="room", n=1, room=room, game="nim", title=room, goal=room, options={},
            seat=None, begun=False, players=[room, room], viewers=[room],
        )  # fmt: skip
        assert self.alice.shell.status().isprintable()
        assert all(line.isprintable() for line in self.alice.type("who", "board", "x"))

    def test_what_would_break_the_line_that_tells_how_it_stands_is_no_event(self) -> None:
        for field, value in (("turn", "x"), ("offer", 5), ("clocks", ["x"]), ("n", 1e999)):
            self.setUp()
            self.begin()
            self.receive(**{"event": "paused", "room": "den", "user": "bob", field: value})
            self.failureResultOf(self.alice.status, UnknownMessage)

    def test_an_answer_that_makes_no_sense_ends_nothing(self) -> None:
        for asked, answer in (
            ("history", {"matches": [{}]}),
            ("ratings nim", {"players": 5}),
            ("replay m1", {"match": {"game": "chess"}}),
        ):
            self.alice.screen.lines.put(asked)
            number = self.alice.pump.client._number
            assert self.receive(answer=number, **answer) == [
                "Error: the server's answer makes no sense to this program."
            ]

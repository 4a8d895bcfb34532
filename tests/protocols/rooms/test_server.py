"""The rooms protocol, message by message.

Every row of the tables of rooms.md, for each kind of peer.
"""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import Server, Visitor

EMPTY = "BOARDSTATUS:000000000"

NEEDS_LOGIN: list[str | bytes] = [
    "ROOMLIST:PLAYER", "ROOMLIST", "ROOMLIST:x", "CREATE:den", "CREATE", "CREATE:a:b", "CREATE:?",
    "JOIN:den:PLAYER", "JOIN:nowhere:VIEWER", "JOIN", "JOIN:den:x", "PLACE:0:0", "PLACE", "PLACE:a",
    "FORFEIT", "FORFEIT:x", "HELLO", "login:alice:secret", b"CREATE:\xe4", b"\xff",
]  # fmt: skip


class Conversations:
    """To be mixed into a TestCase that says how its peers end their messages."""

    end: bytes

    def setUp(self) -> None:
        self.server = Server(max_rooms=3)

    def connect(self, user: str | None = None) -> Visitor:
        """Open a connection, and log in if a user is named."""
        server, end = self.server, self.end
        return server.connect(end) if user is None else server.log_in(user, end)

    def waiting_room(self) -> tuple[Visitor, Visitor, Visitor]:
        """Return alice, who waits in den, vera, who watches, and bob, who hasn't joined."""
        alice, bob, vera = map(self.connect, ("alice", "bob", "vera"))
        assert alice.ask("CREATE:den") == ["CREATE:ACKSTATUS:0"]
        assert vera.ask("JOIN:den:VIEWER") == ["JOIN:ACKSTATUS:0"]
        return alice, bob, vera

    def match(self, *moves: str) -> tuple[Visitor, Visitor, Visitor]:
        """Begin a match of alice and bob that vera watches, and make these moves."""
        alice, bob, vera = everybody = self.waiting_room()
        bob.send("JOIN:den:PLAYER")
        for number, move in enumerate(moves):
            everybody[number % 2].send(f"PLACE:{move}")
        for visitor in everybody:
            visitor.read()
        return alice, bob, vera

    def check_statuses(
        self, verb: str, user: str | None, rows: list[tuple[str | bytes, int]]
    ) -> None:
        """Check that each message, on a new connection of ``user``, gets its status."""
        for message, status in rows:
            self.server.clock.advance(1)  # refusals that help to guess are dear
            assert self.connect(user).ask(message) == [f"{verb}:ACKSTATUS:{status}"], message

    # Accounts

    def test_login(self) -> None:
        self.check_statuses(
            "LOGIN",
            None,
            [
                ("LOGIN:alice:secret", 0),
                ("LOGIN:nobody:secret", 1),
                ("LOGIN:Alice:secret", 1),
                ("LOGIN:computer:secret", 1),
                ("LOGIN::secret", 1),
                ("LOGIN:alice:wrong", 2),
                ("LOGIN:alice:", 2),
                ("LOGIN:alice:" + "x" * 73, 2),
                ("LOGIN:alice:secret" + "x" * 73, 2),
                ("LOGIN", 3),
                ("LOGIN:", 3),
                ("LOGIN:alice", 3),
                ("LOGIN:alice:secret:", 3),
                (b"LOGIN:alic\xe9:secret", 1),
                (b"LOGIN:alice:secret\xff", 2),
            ],
        )

    def test_register(self) -> None:
        self.check_statuses(
            "REGISTER",
            None,
            [
                ("REGISTER:dora:pw", 0),
                ("REGISTER:dora:pw", 1),
                ("REGISTER:Dora:pw", 1),
                ("REGISTER:alice:other", 1),
                ("REGISTER:computer:pw", 1),
                ("REGISTER:x:" + "p" * 72, 0),
                ("REGISTER:" + "n" * 20 + ":p", 0),
                ("REGISTER:a b!~:p p", 0),
                ("REGISTER:y:" + "p" * 73, 2),
                ("REGISTER:" + "n" * 21 + ":p", 2),
                ("REGISTER::p", 2),
                ("REGISTER:y:", 2),
                ("REGISTER: y:p", 2),
                ("REGISTER:y :p", 2),
                ("REGISTER:a,b:p", 2),
                ("REGISTER:a\tb:p", 2),
                ("REGISTER:y:p\x01", 2),
                ("REGISTER:y\x7f:p", 2),
                ("REGISTER", 2),
                ("REGISTER:y", 2),
                ("REGISTER:y:p:", 2),
                (b"REGISTER:\xe4:p", 2),
                (b"REGISTER:y:\xe4", 2),
            ],
        )

    def test_a_new_user_isnt_logged_in_but_can_be(self) -> None:
        dora = self.connect()
        assert dora.ask("REGISTER:dora:pass word") == ["REGISTER:ACKSTATUS:0"]
        assert dora.ask("ROOMLIST:PLAYER") == ["BADAUTH"]
        assert dora.ask("LOGIN:dora:pass word") == ["LOGIN:ACKSTATUS:0"]
        assert dora.ask("ROOMLIST:PLAYER") == ["ROOMLIST:ACKSTATUS:0:"]

    def test_without_a_login_everything_else_is_badauth(self) -> None:
        self.waiting_room()
        stranger = self.connect()
        for message in NEEDS_LOGIN:
            assert stranger.ask(message) == ["BADAUTH"], message

    def test_a_failed_login_is_none(self) -> None:
        stranger = self.connect()
        stranger.ask("LOGIN:alice:wrong")
        assert stranger.ask("CREATE:den") == ["BADAUTH"]

    def test_a_new_login_replaces_the_old_one(self) -> None:
        visitor = self.connect("alice")
        assert visitor.ask("LOGIN:bob:secret") == ["LOGIN:ACKSTATUS:0"]
        visitor.ask("CREATE:den")
        assert self.connect("carol").ask("JOIN:den:PLAYER") == [
            "JOIN:ACKSTATUS:0", "BEGIN:bob:carol"
        ]  # fmt: skip

    def test_a_failed_one_leaves_the_old_one(self) -> None:
        visitor = self.connect("alice")
        for message, status in [("LOGIN:bob:wrong", 2), ("LOGIN:nobody:x", 1), ("LOGIN:bob", 3)]:
            assert visitor.ask(message) == [f"LOGIN:ACKSTATUS:{status}"]
        visitor.ask("CREATE:den")
        assert self.connect("carol").ask("JOIN:den:PLAYER")[1] == "BEGIN:alice:carol"

    def test_in_a_room_nobody_logs_in(self) -> None:
        alice, bob, vera = self.match()
        for visitor in (alice, bob, vera):
            for message in ("LOGIN:carol:secret", "LOGIN:carol:wrong", "LOGIN"):
                assert visitor.ask(message) == ["LOGIN:ACKSTATUS:3"]
        assert alice.ask("FORFEIT") == ["GAMEEND:000000000:2:bob"]

    def test_register_works_anywhere(self) -> None:
        alice, bob, vera = self.match()
        for visitor, name in [(alice, "one"), (bob, "two"), (vera, "three")]:
            assert visitor.ask(f"REGISTER:{name}:pw") == ["REGISTER:ACKSTATUS:0"]
        assert alice.ask("PLACE:1:1") == ["BOARDSTATUS:000010000"]

    # Rooms

    def test_roomlist(self) -> None:
        carol = self.connect("carol")
        for mode in ("PLAYER", "VIEWER"):
            assert carol.ask(f"ROOMLIST:{mode}") == ["ROOMLIST:ACKSTATUS:0:"]
        self.check_statuses(
            "ROOMLIST",
            "carol",
            [
                ("ROOMLIST", 1),
                ("ROOMLIST:", 1),
                ("ROOMLIST:player", 1),
                ("ROOMLIST:PLAYER:VIEWER", 1),
                (b"ROOMLIST:PLAYER\xff", 1),
            ],
        )

    def test_roomlist_names_rooms_oldest_first(self) -> None:
        self.connect("carol").ask("CREATE:zoo")
        self.match()
        self.connect("carol").ask("CREATE:a b_c-D 1")
        carol = self.connect("carol")
        assert carol.ask("ROOMLIST:PLAYER") == ["ROOMLIST:ACKSTATUS:0:zoo,a b_c-D 1"]
        assert carol.ask("ROOMLIST:VIEWER") == ["ROOMLIST:ACKSTATUS:0:zoo,den,a b_c-D 1"]

    def test_roomlist_works_in_a_room(self) -> None:
        alice, *_ = self.match()
        assert alice.ask("ROOMLIST:PLAYER") == ["ROOMLIST:ACKSTATUS:0:"]
        assert alice.ask("ROOMLIST:VIEWER") == ["ROOMLIST:ACKSTATUS:0:den"]

    def test_create(self) -> None:
        self.connect("alice").ask("CREATE:den")
        self.check_statuses(
            "CREATE",
            "bob",
            [
                ("CREATE:x", 0),
                ("CREATE: ", 0),
                ("CREATE:", 1),
                ("CREATE:" + "x" * 21, 1),
                ("CREATE:a.b", 1),
                ("CREATE:a,b", 1),
                ("CREATE:den", 2),
                ("CREATE:new", 3),
                ("CREATE:a.b", 1),  # the name comes before existence and number,
                ("CREATE:x", 2),  # existence before the number
                ("CREATE", 4),
                ("CREATE:a:b", 4),
                (b"CREATE:\xe4", 1),
                (b"CREATE:caf\xc3\xa9", 1),
                (b"CREATE:\xe4:", 4),
            ],
        )

    def test_join(self) -> None:
        self.match()
        self.connect("carol").ask("CREATE:free")
        self.check_statuses(
            "JOIN",
            "bob",
            [
                ("JOIN:den:PLAYER", 2),
                ("JOIN:nowhere:PLAYER", 1),
                ("JOIN:nowhere:VIEWER", 1),
                ("JOIN::PLAYER", 1),
                ("JOIN", 3),
                ("JOIN:den", 3),
                ("JOIN:den:", 3),
                ("JOIN:den:viewer", 3),
                ("JOIN:nowhere:player", 3),
                ("JOIN:den:VIEWER:", 3),
                (b"JOIN:\xe4:VIEWER", 1),
                (b"JOIN:\xe4:viewer", 3),
                ("JOIN:free:VIEWER", 0),
            ],
        )
        assert self.connect("bob").ask("JOIN:free:PLAYER")[0] == "JOIN:ACKSTATUS:0"

    def test_who_is_in_a_room_enters_no_other(self) -> None:
        self.connect("carol").ask("CREATE:other")
        for visitor in self.match():
            for message, answer in [
                ("CREATE:new", "CREATE:ACKSTATUS:4"),
                ("CREATE:a.b", "CREATE:ACKSTATUS:4"),
                ("CREATE:den", "CREATE:ACKSTATUS:4"),
                ("JOIN:other:PLAYER", "JOIN:ACKSTATUS:3"),
                ("JOIN:den:VIEWER", "JOIN:ACKSTATUS:3"),
                ("JOIN:nowhere:VIEWER", "JOIN:ACKSTATUS:3"),
            ]:
                assert visitor.ask(message) == [answer]

    def test_outside_a_room(self) -> None:
        alice = self.connect("alice")
        for message in ("PLACE:0:0", "PLACE:9:9", "PLACE", "PLACE:a:b", "FORFEIT"):
            assert alice.ask(message) == ["NOROOM"], message
        assert alice.ask("FORFEIT:x") == []

    def test_what_is_unknown_is_ignored(self) -> None:
        for visitor in (self.connect("carol"), *self.match()):
            for message in ("HELLO", "login:a:b", "BADAUTH", "place:1:1", "FORFEIT "):
                assert visitor.ask(message) == []
            assert visitor.ask(b"\xff\x00") == []
            assert not visitor.closed

    # Matches

    def test_the_example_of_the_source(self) -> None:
        alice, bob, vera = self.waiting_room()
        assert bob.ask("JOIN:den:PLAYER") == ["JOIN:ACKSTATUS:0", "BEGIN:alice:bob"]
        bob.send("PLACE:0:0")
        assert alice.ask("PLACE:1:1") == [
            "BEGIN:alice:bob", "BOARDSTATUS:000010000", "BOARDSTATUS:200010000"
        ]  # fmt: skip
        bob.send("PLACE:1:0")
        assert alice.ask("PLACE:0:2") == ["BOARDSTATUS:200010100", "BOARDSTATUS:220010100"]
        assert alice.ask("PLACE:2:0") == ["GAMEEND:221010100:0:alice"]
        match = [
            "BOARDSTATUS:000010000", "BOARDSTATUS:200010000", "BOARDSTATUS:200010100",
            "BOARDSTATUS:220010100", "GAMEEND:221010100:0:alice",
        ]  # fmt: skip
        assert bob.read() == match
        assert vera.read() == ["BEGIN:alice:bob", *match]

    def test_a_draw(self) -> None:
        everybody = self.match("1:1", "0:0", "2:2", "2:0", "1:0", "1:2", "0:2", "0:1")
        everybody[0].send("PLACE:2:1")
        for visitor in everybody:
            assert visitor.read() == ["GAMEEND:212211121:1"]

    def test_the_second_player_wins(self) -> None:
        everybody = self.match("0:0", "0:1", "2:2", "1:1", "0:2")
        everybody[1].send("PLACE:2:1")
        for visitor in everybody:
            assert visitor.read() == ["GAMEEND:100222101:0:bob"]

    def test_a_forfeit_in_and_out_of_turn(self) -> None:
        for loser, winner in [(0, "bob"), (1, "alice")]:
            everybody = self.match("1:1", "0:0", "2:2")
            everybody[loser].send("FORFEIT:x")
            everybody[loser].send("FORFEIT")
            for visitor in everybody:
                assert visitor.read() == [f"GAMEEND:200010001:2:{winner}"]

    def test_a_move_that_cant_be_made_concerns_its_sender_only(self) -> None:
        alice, bob, vera = self.match("1:1")
        for message in (
            "PLACE:1:1", "PLACE:3:0", "PLACE:0:3", "PLACE:-1:0", "PLACE:0:99999999999999999999",
            "PLACE", "PLACE:", "PLACE:1", "PLACE:a:b", "PLACE:1:1:1", "PLACE: 0:0",
        ):  # fmt: skip
            assert bob.ask(message) == ["BOARDSTATUS:000010000"], message
        assert bob.ask(b"PLACE:\xe4:0") == ["BOARDSTATUS:000010000"]
        assert alice.read() == vera.read() == []
        assert bob.ask("PLACE:0:0") == ["BOARDSTATUS:200010000"]

    def test_a_move_out_of_turn_is_kept(self) -> None:
        alice, bob, vera = self.match()
        assert bob.ask("PLACE:0:0", "PLACE:a:b", "PLACE", "PLACE:1:0") == []
        boards = ["BOARDSTATUS:000010000", "BOARDSTATUS:200010000"]
        assert alice.ask("PLACE:1:1") == boards
        assert bob.read() == vera.read() == boards

    def test_a_move_before_the_match_is_kept(self) -> None:
        alice, bob, vera = self.waiting_room()
        assert alice.ask("PLACE:1:1", "PLACE:x") == []
        start = ["BEGIN:alice:bob", "BOARDSTATUS:000010000"]
        assert bob.ask("JOIN:den:PLAYER") == ["JOIN:ACKSTATUS:0", *start]
        assert alice.read() == vera.read() == start

    def test_a_kept_move_that_became_impossible(self) -> None:
        alice, bob, vera = self.match()
        bob.send("PLACE:1:1", "PLACE:0:0")
        alice.send("PLACE:1:1")
        boards = ["BOARDSTATUS:000010000", "BOARDSTATUS:200010000"]
        assert alice.read() == vera.read() == boards
        assert bob.read() == [boards[0], *boards]

    def test_a_viewers_place_and_forfeit_are_ignored(self) -> None:
        alice, bob, vera = self.match("1:1")
        assert vera.ask("PLACE:0:0", "PLACE:x", "PLACE", "FORFEIT", "FORFEIT:x") == []
        assert alice.read() == bob.read() == []
        assert bob.ask("PLACE:2:2") == ["BOARDSTATUS:000010002"]

    def test_a_viewer_in_the_middle_is_told_once_whose_turn_it_is(self) -> None:
        alice, bob, _ = self.match("1:1")
        late = self.connect("carol")
        assert late.ask("JOIN:den:VIEWER") == ["JOIN:ACKSTATUS:0", "INPROGRESS:bob:alice"]
        bob.send("PLACE:0:0")
        later = self.connect("carol")
        assert later.ask("JOIN:den:VIEWER") == ["JOIN:ACKSTATUS:0", "INPROGRESS:alice:bob"]
        alice.send("PLACE:2:2")
        assert late.read() == ["BOARDSTATUS:200010000", "BOARDSTATUS:200010001"]
        assert later.read() == ["BOARDSTATUS:200010001"]

    def test_the_same_account_everywhere(self) -> None:
        one, two, three = (self.connect("alice") for _ in range(3))
        one.ask("CREATE:mirror")
        assert three.ask("JOIN:mirror:VIEWER") == ["JOIN:ACKSTATUS:0"]
        assert two.ask("JOIN:mirror:PLAYER") == ["JOIN:ACKSTATUS:0", "BEGIN:alice:alice"]
        assert one.ask("PLACE:0:0") == ["BEGIN:alice:alice", "BOARDSTATUS:100000000"]
        assert two.ask("PLACE:1:1") == ["BOARDSTATUS:100000000", "BOARDSTATUS:100020000"]
        assert one.ask("FORFEIT") == ["BOARDSTATUS:100020000", "GAMEEND:100020000:2:alice"]

    def test_after_the_end_everybody_may_go_on(self) -> None:
        alice, bob, vera = self.match("1:1")
        bob.send("FORFEIT")
        for visitor in (alice, bob, vera):
            assert visitor.read()[-1] == "GAMEEND:000010000:2:alice"
            assert visitor.ask("PLACE:0:0") == ["NOROOM"]
        assert vera.ask("CREATE:den") == ["CREATE:ACKSTATUS:0"]
        assert alice.ask("JOIN:den:PLAYER") == ["JOIN:ACKSTATUS:0", "BEGIN:vera:alice"]
        assert bob.ask("JOIN:den:VIEWER") == ["JOIN:ACKSTATUS:0", "INPROGRESS:vera:alice"]
        assert vera.ask("PLACE:2:2") == ["BEGIN:vera:alice", "BOARDSTATUS:000000001"]

    # The room closes before the match

    def test_the_creator_gives_up_waiting(self) -> None:
        alice, _, vera = self.waiting_room()
        assert vera.ask("FORFEIT") == []
        assert alice.ask("FORFEIT:x") == []
        assert alice.ask("FORFEIT") == ["GAMEEND:000000000:1"]
        assert vera.read() == ["GAMEEND:000000000:1"]
        assert alice.ask("CREATE:den") == ["CREATE:ACKSTATUS:0"]

    # Who hangs up

    def test_a_creator_who_hangs_up(self) -> None:
        alice, bob, vera = self.waiting_room()
        alice.hang_up()
        assert vera.read() == ["GAMEEND:000000000:1"]
        assert bob.ask("JOIN:den:PLAYER") == ["JOIN:ACKSTATUS:1"]
        assert bob.ask("CREATE:den") == ["CREATE:ACKSTATUS:0"]

    def test_a_player_who_hangs_up(self) -> None:
        for loser, winner in [(0, "bob"), (1, "alice")]:
            everybody = self.match("1:1", "0:0")
            everybody[loser].hang_up()
            for visitor in (everybody[1 - loser], everybody[2]):
                assert visitor.read() == [f"GAMEEND:200010000:2:{winner}"]

    def test_a_viewer_who_hangs_up(self) -> None:
        alice, bob, vera = self.match("1:1")
        vera.hang_up()
        assert bob.ask("PLACE:0:0") == ["BOARDSTATUS:200010000"]
        assert alice.read() == ["BOARDSTATUS:200010000"]

    def test_somebody_outside_who_hangs_up(self) -> None:
        for visitor in (self.connect(), self.connect("alice")):
            visitor.hang_up()
            assert visitor.read() == []


class LineTests(Conversations, SynchronousTestCase):
    end = b"\n"


class CarriageReturnTests(Conversations, SynchronousTestCase):
    end = b"\r\n"


class BareTests(Conversations, SynchronousTestCase):
    end = b""

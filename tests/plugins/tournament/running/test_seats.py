"""How commands and accounts come into the matches of a tournament."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import Server
from tests.plugins.tournament.cups import plan_json
from tests.plugins.tournament.hosting.served import Tournaments
from tests.plugins.tournament.hosting.stage import CUP, result
from tests.plugins.tournament.running.helpers import ROOM, Bot, begin, terms
from tictac.plugins.tournament.cup import Line
from tictac.plugins.tournament.running.players import seat_makers
from tictac.plugins.tournament.running.roles import PlayerRole
from tictac.protocols.lobby.session import Session

LOGIN: dict[str, Any] = {"do": "login", "user": "whoever", "password": "any"}


@pytest.mark.parametrize(
    "request_",
    [
        {"do": "seek", "game": "nim"},
        {"do": "open", "game": "reversi", "computer": "best"},
        {"do": "join", "room": "the one there is"},
    ],
    ids=lambda each: each["do"],
)
def test_whatever_a_command_asks_for_it_gets_its_seat(request_: dict[str, Any]) -> None:
    server = Server()
    one, two = Bot(server, "one"), Bot(server, "two")
    for bot in (one, two):
        assert bot.ask(**LOGIN, id=1) == [{"answer": 1, "user": bot.name}]
        assert bot.ask(**request_, id=2) == [], "the answer comes with the match"
    begin(server, terms(), two=two, one=one)
    answer, room, joined, began = two.messages()
    assert answer == {"answer": 2, "room": ROOM}
    assert (room["seat"], room["game"], room["clocks"]) == (0, "tictactoe", [60.0, 60.0])
    assert (joined["event"], began["players"]) == ("joined", ["two", "one"])
    assert one.messages()[1]["seat"] == 1


def test_a_guest_is_the_player_too() -> None:
    bot = Bot(Server(), "one")
    assert bot.ask(do="guest") == [{"answer": None, "user": "one", "guest": True}]


def test_a_command_may_say_hello() -> None:
    (answer,) = Bot(Server(), "one").ask(do="hello")
    assert (answer["server"], answer["registration"]) == ("tictac", "closed")
    assert "min_password" not in answer


def test_a_command_that_waits_is_answered_otherwise() -> None:
    bot = Bot(Server(), "one")
    bot.ask(**LOGIN)
    bot.ask(do="seek", game="nim")
    assert bot.ask(do="ping", id=3) == [{"answer": 3}]
    (again,) = bot.ask(do="seek", game="nim")
    assert again["error"] == "already-playing"


@pytest.mark.parametrize(
    "request_",
    [
        {"do": "admin", "act": "on"},
        {"do": "logout", "everywhere": True},
        {"do": "matches", "player": "alice"},
    ],
    ids=lambda each: each["do"],
)
def test_a_command_has_no_rights_of_an_account_of_its_name(request_: dict[str, Any]) -> None:
    bot = Bot(Server(), "alice")
    bot.ask(**LOGIN)
    (refused,) = bot.ask(**request_)
    assert refused["error"] == "not-logged-in"


def seated(server: Server, game: str = "tictactoe") -> tuple[Bot, Bot]:
    """Return two bots in a match."""
    bots = Bot(server, "one"), Bot(server, "two")
    for bot in bots:
        bot.ask(**LOGIN)
        bot.ask(do="seek", game=game)
    begin(server, terms(game), one=bots[0], two=bots[1])
    for bot in bots:
        bot.messages()
    return bots


@pytest.mark.parametrize(("move", "is_wrong"), [("9:9", True), ("a1", True), ("1:1", False)])
def test_a_move_that_cannot_be_made_is_told(move: str, is_wrong: bool) -> None:
    one, _ = seated(Server())
    one.ask(do="move", room=ROOM, move=move)
    assert bool(one.cheated) is is_wrong


def test_a_move_out_of_turn_is_only_refused() -> None:
    _, two = seated(Server())
    (refused,) = two.ask(do="move", room=ROOM, move="1:1")
    assert (refused["error"], two.cheated) == ("not-your-turn", [])


def test_a_command_that_hangs_up_has_left_for_good() -> None:
    server = Server(rejoin_timeout=30)
    one, two = seated(server)
    one.transport.lose()
    ended = two.messages()[-1]
    assert (one.is_lost, ended["how"], ended["winner"]) == (True, "left", 1)


def test_a_command_may_speak_the_rooms_protocol() -> None:
    server = Server()
    one, two = Bot(server, "one"), Bot(server, "two")
    for bot, wish in ((one, "JOIN:den:PLAYER"), (two, "CREATE:den")):
        bot.send("LOGIN:whoever:any", wish)
        assert bot.lines() == ["LOGIN:ACKSTATUS:0"]
    begin(server, terms(), one=one, two=two)
    assert one.lines() == ["JOIN:ACKSTATUS:0", "BEGIN:one:two"]
    assert two.lines() == ["CREATE:ACKSTATUS:0", "BEGIN:one:two"], "each is told what it asked for"
    one.send("PLACE:1:1")
    assert two.lines() == ["BOARDSTATUS:000010000"]
    two.send("PLACE:1:1")
    assert two.cheated == ["1:1 is occupied by X"]


def test_the_two_player_session_meets_the_lobby_protocol() -> None:
    server = Server()
    one, two = Bot(server, "one", 0, "session"), Bot(server, "two", 1)
    assert one.transport.take().hex() == "00000001"
    two.ask(**LOGIN)
    two.ask(do="seek", game="tictactoe")
    begin(server, terms(), one=one, two=two)
    assert one.transport.take().hex() == "00000001", "the match begins"
    one.send(bytes.fromhex("00000001 00000002"))
    assert two.messages()[-1]["move"] == "2:1"
    two.ask(do="move", room=ROOM, move="0:0")
    assert one.transport.take().hex() == "00000004" + "00000000" * 2
    one.send(bytes.fromhex("00000007"))
    assert one.cheated == ["not-a-move"]


def test_nim_is_played_by_its_own_protocol() -> None:
    server, game = Server(), terms("nim", numbers=3, largest=1)
    one, two = Bot(server, "one", 0, "nim"), Bot(server, "two", 1, "nim")
    for bot in (one, two):
        bot.send(b"\x01")
    ends = begin(server, game, one=one, two=two)
    assert one.transport.take().hex() == "0203" + "00000001" * 3
    take_the_first = bytes.fromhex("030000000001")
    for bot in (one, two):
        bot.send(take_the_first)
    two.transport.take(), one.transport.take()
    one.send(take_the_first)
    assert (one.transport.take(), two.transport.take()) == (b"\x04", b"\x05")
    server.clock.advance(0)
    assert [(end.winner, end.ending) for end in ends.found] == [("one", "won")]


@pytest.mark.parametrize(
    ("protocol", "wish"),
    [("", b"LOGIN:any:any\nCREATE:den\n"), ("session", b""), ("nim", b"\x01")],
    ids=["rooms", "session", "nim"],
)
def test_a_second_connection_that_wants_to_play_is_closed(protocol: str, wish: bytes) -> None:
    bot = Bot(Server(), "one", 0, protocol)
    bot.send(wish)
    second = bot.connect()
    second.arrive(wish)
    assert (bot.transport.disconnecting, second.disconnecting) == (False, True)


def test_a_protocol_is_for_games_that_it_has_words_for() -> None:
    larger, makers = terms(rows=4, columns=4), seat_makers()
    assert [makers["session"].hosts(each) for each in (terms(), larger)] == [True, False]
    assert [makers["nim"].hosts(each) for each in (terms(), terms("nim"))] == [False, True]
    assert makers[""].hosts(larger)


class Seeking(SynchronousTestCase):
    """The accounts alice and bob on the server of a tournament that is theirs, and carol."""

    def setUp(self) -> None:
        self.server = Server()
        self.cup = Tournaments(self.server)
        role = partial(PlayerRole, self.cup.desk, CUP, {"alice", "bob"})
        self.server.factory.session = lambda connection, lobby: Session(connection, lobby, role())
        result(self.cup.follower.make(CUP, plan_json("round-robin", game="tictactoe"), ""))
        for name in ("alice", "bob"):
            self.append_line(["entered", name, None, None])

    def append_line(self, line: Line) -> None:
        result(self.cup.follower.append(CUP, lambda _: line))

    def begin(self) -> None:
        """Let the tournament begin."""
        self.append_line(["began", 1])
        self.cup.pass_time(1)

    def ask(self, user: str, **request: object) -> list[dict[str, Any]]:
        """Log in, and send a request: what has come then."""
        visitor = self.server.connect()
        login = {"do": "login", "user": user, "password": "secret"}
        visitor.ask(json.dumps(login))
        return [json.loads(line) for line in visitor.ask(json.dumps(request))]

    def test_who_seeks_any_match_gets_the_next_game(self) -> None:
        self.begin()
        answer, room = self.ask("alice", do="seek", game="nim", id=7)
        assert answer == {"answer": 7, "room": f"{CUP}.1"}
        assert (room["game"], room["begun"]) == ("tictactoe", False)
        self.ask("bob", do="seek", game="tictactoe")
        board = self.server.registry.room(f"{CUP}.1")
        assert board is not None and board.begun

    def test_who_seeks_before_the_beginning_waits(self) -> None:
        assert self.ask("alice", do="seek", game="tictactoe", id=7) == []

    def test_others_seek_as_ever_and_get_no_seat(self) -> None:
        self.begin()
        answer, *_ = self.ask("carol", do="seek", game="nim", id=1)
        assert answer["answer"] == 1 and answer["room"] != f"{CUP}.1"
        (refused,) = self.ask("carol", do="join", room=f"{CUP}.1")
        assert refused["error"] == "room-full"
        room = self.server.registry.room(f"{CUP}.1")
        assert room is not None and all(each.away is not None for each in room.players)

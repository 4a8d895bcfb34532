"""How commands and accounts come into the matches of a tournament."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import Server, Visitor
from tests.plugins.tournament.running.helpers import Bot, begin, terms
from tictac.plugins.tournament.running.contestants import WaitingArea
from tictac.plugins.tournament.running.players import seat_makers
from tictac.plugins.tournament.running.roles import account_session

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
    begin(server, terms(), two, one)
    answer, room, joined, began = two.messages()
    assert answer == {"answer": 2, "room": "tournament 1"}
    assert (room["seat"], room["game"], room["clocks"]) == (0, "tictactoe", [60.0, 60.0])
    assert (joined["event"], began["players"]) == ("joined", ["two", "one"])
    assert one.messages()[1]["seat"] == 1


def test_a_guest_is_the_player_too() -> None:
    bot = Bot(Server(), "one")
    assert bot.ask(do="guest") == [{"answer": None, "user": "one", "guest": True}]


def test_a_command_may_say_hello() -> None:
    (answer,) = Bot(Server(), "one").ask(do="hello")
    assert (answer["server"], answer["registration"]) == ("tictac", "closed")


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
    begin(server, terms(game), *bots)
    for bot in bots:
        bot.messages()
    return bots


@pytest.mark.parametrize(("move", "is_wrong"), [("9:9", True), ("a1", True), ("1:1", False)])
def test_a_move_that_cannot_be_made_is_told(move: str, is_wrong: bool) -> None:
    one, _ = seated(Server())
    one.ask(do="move", room="tournament 1", move=move)
    assert bool(one.cheated) is is_wrong


def test_a_move_out_of_turn_is_only_refused() -> None:
    _, two = seated(Server())
    (refused,) = two.ask(do="move", room="tournament 1", move="1:1")
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
    begin(server, terms(), one, two)
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
    begin(server, terms(), one, two)
    assert one.transport.take().hex() == "00000001", "the match begins"
    one.send(bytes.fromhex("00000001 00000002"))
    assert two.messages()[-1]["move"] == "2:1"
    two.ask(do="move", room="tournament 1", move="0:0")
    assert one.transport.take().hex() == "00000004" + "00000000" * 2
    one.send(bytes.fromhex("00000007"))
    assert one.cheated == ["not-a-move"]


def test_nim_is_played_by_its_own_protocol() -> None:
    server, game = Server(), terms("nim", numbers=3, largest=1)
    one, two = Bot(server, "one", 0, "nim"), Bot(server, "two", 1, "nim")
    for bot in (one, two):
        bot.send(b"\x01")
    ends = begin(server, game, one, two)
    assert one.transport.take().hex() == "0203" + "00000001" * 3
    take_the_first = bytes.fromhex("030000000001")
    for bot in (one, two):
        bot.send(take_the_first)
    two.transport.take(), one.transport.take()
    one.send(take_the_first)
    assert (one.transport.take(), two.transport.take()) == (b"\x04", b"\x05")
    server.clock.advance(0)
    assert [(end.winner, end.ending) for end in ends] == [("one", "won")]


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


class AccountOf:
    """A person of the lobby protocol on a server that seats those of a hall."""

    def __init__(self, server: Server, waiting_area: WaitingArea, user: str) -> None:
        server.factory.session = partial(account_session, waiting_area)
        self.visitor: Visitor = server.connect()
        self.ask(do="login", user=user, password="secret")

    def ask(self, **request: object) -> list[dict[str, Any]]:
        """Send a request: what has come."""
        return [json.loads(line) for line in self.visitor.ask(json.dumps(request))]

    def messages(self) -> list[dict[str, Any]]:
        """Return the messages received."""
        return [json.loads(line) for line in self.visitor.read()]


def test_an_account_that_takes_part_waits_until_it_is_seated() -> None:
    server, changes = Server(), list[int]()
    waiting_area = WaitingArea({"alice", "bob"}, lambda: changes.append(1))
    alice, bob = AccountOf(server, waiting_area, "alice"), AccountOf(server, waiting_area, "bob")
    assert alice.ask(do="seek", game="tictactoe", id=7) == []
    assert bob.ask(do="seek", game="tictactoe", id=8) == []
    assert (set(waiting_area.waiting), len(changes)) == ({"alice", "bob"}, 2)
    begin(server, terms(), waiting_area.waiting.pop("bob"), waiting_area.waiting.pop("alice"))
    assert [each["event"] for each in bob.messages()[1:]] == ["room", "joined", "began"]
    answer, room = alice.messages()
    assert (answer["answer"], room["seat"]) == (7, 1)


@pytest.mark.parametrize("request_", [LOGIN, {"do": "guest"}], ids=lambda each: each["do"])
def test_an_account_that_waits_for_its_seat_stays_who_it_is(request_: dict[str, Any]) -> None:
    alice = AccountOf(Server(), WaitingArea({"alice"}, lambda: None), "alice")
    alice.ask(do="seek", game="tictactoe")
    (refused,) = alice.ask(**request_)
    assert refused["error"] == "already-playing"


def test_an_account_waits_at_one_connection_and_is_forgotten_with_it() -> None:
    server = Server()
    waiting_area = WaitingArea({"alice"}, lambda: None)
    first, second = (
        AccountOf(server, waiting_area, "alice"),
        AccountOf(server, waiting_area, "alice"),
    )
    first.ask(do="seek", game="nim")
    (refused,) = second.ask(do="seek", game="nim")
    assert refused["error"] == "already-playing"
    first.visitor.hang_up()
    assert not waiting_area.waiting
    assert second.ask(do="seek", game="nim") == []


def test_who_watches_another_table_may_be_seated() -> None:
    server = Server()
    waiting_area = WaitingArea({"alice"}, lambda: None)
    AccountOf(server, waiting_area, "carol").ask(do="open", game="nim", room="den")
    alice = AccountOf(server, waiting_area, "alice")
    alice.ask(do="watch", room="den")
    assert alice.ask(do="seek", game="nim") == [] and set(waiting_area.waiting) == {"alice"}


def test_others_play_as_ever() -> None:
    server = Server()
    carol = AccountOf(server, WaitingArea({"alice"}, lambda: None), "carol")
    answer, _ = carol.ask(do="seek", game="nim", id=1)
    assert answer["answer"] == 1


class RematchTests(SynchronousTestCase):
    """Rematches of rooms beside the tournament, among those who take part and others."""

    def setUp(self) -> None:
        self.server = Server()
        self.waiting_area = WaitingArea({"alice"}, lambda: None)

    def played(self, one: str, other: str) -> tuple[AccountOf, AccountOf]:
        """Return two players whose match is over; the second one may offer a rematch."""
        people = (
            AccountOf(self.server, self.waiting_area, one),
            AccountOf(self.server, self.waiting_area, other),
        )
        people[0].ask(do="open", game="nim", room="den")
        people[1].ask(do="join", room="den")
        people[1].ask(do="resign", room="den")
        people[0].messages()
        return people

    def test_others_play_again(self) -> None:
        bob, carol = self.played("bob", "carol")
        carol.ask(do="offer", room="den", what="rematch")
        bob.messages()
        came = bob.ask(do="accept", room="den", id=1)
        faults = self.flushLoggedErrors()
        assert not faults
        answer, room = came
        assert answer == {"answer": 1} and (room["event"], room["begun"]) == ("room", True)

    def test_a_rematch_does_not_take_the_seat_in_the_tournament(self) -> None:
        alice, carol = self.played("alice", "carol")
        alice.ask(do="offer", room="den", what="rematch")
        carol.messages()
        assert alice.ask(do="seek", game="tictactoe", id=7) == []
        carol.ask(do="accept", room="den")
        faults = self.flushLoggedErrors()
        assert not faults
        assert 7 not in [each.get("answer") for each in alice.messages()]
        assert set(self.waiting_area.waiting) == {"alice"}

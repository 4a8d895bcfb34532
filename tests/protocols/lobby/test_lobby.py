"""Connections of the lobby protocol, without a network."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any
from unicodedata import normalize
from unittest.mock import Mock

from hypothesis import given
from hypothesis import strategies as st
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from tests.accounts.helpers import HASH
from tests.helpers import Server
from tests.plugins.people.served import People
from tests.plugins.tournament.cups import plan_json
from tests.plugins.tournament.hosting.served import Tournaments
from tests.plugins.web.helpers import Guest, WebServer
from tests.plugins.xmpp.hands import GAME_TYPE
from tests.protocols.lobby.case import LobbyCase
from tests.protocols.lobby.helpers import REQUESTS, Message, Person, check_message, events
from tests.protocols.lobby.schema import all_requests
from tests.storage.memory import MemoryStore
from tictac.accounts.tables import Account
from tictac.games.all import GAMES, game_type_of
from tictac.lobby.room import Room
from tictac.net.connection import Limits
from tictac.net.framing import Framing
from tictac.protocols.lobby import json_view
from tictac.protocols.lobby.lobby import PUSH_DELAY, Lobby
from tictac.protocols.lobby.session import MAX_MALFORMED
from tictac.text_view import unpainted

FIRST = "..../.OX./.XO./.... X"
MINUTE = {"initial": 60, "increment": 1}


class AccountTests(LobbyCase):
    def test_hello_tells_how_long_a_password_is_where_that_matters(self) -> None:
        assert "min_password" not in Person(self.server).ask("hello")[0]
        self.server.accounts.min_password = 8
        assert Person(self.server).ask("hello")[0]["min_password"] == 8

    def test_hello_says_what_answers_over_http(self) -> None:
        assert "parts" not in Person(self.server).ask("hello")[0]
        self.server.lobby.parts |= dict.fromkeys(["tournaments", "boards"], print)
        assert Person(self.server).ask("hello")[0]["parts"] == ["boards", "tournaments"]

    def test_a_name_comes_composed_from_every_keyboard(self) -> None:
        anna = Person(self.server)
        (made,) = anna.ask("register", user="A\u0308nne", password="secret")
        (entered,) = anna.ask("login", user="A\u0308nne", password="secret")
        assert made["user"] == entered["user"] == "\u00c4nne"

    def test_hello_needs_no_login(self) -> None:
        (answer,) = Person(self.server).ask("hello", id=1)
        assert answer["protocol"] == 1
        assert answer["guests"] is True

    def test_most_need_a_login(self) -> None:
        stranger = Person(self.server)
        assert stranger.error("open", game="nim") == "not-logged-in"
        assert stranger.error("move", room="den", move="a1") == "not-logged-in"

    def test_who_registers_can_log_in(self) -> None:
        stranger = Person(self.server)
        account = {"user": "dora", "password": "pw"}
        assert stranger.ask("register", **account, id=1) == [{"answer": 1, "user": "dora"}]
        assert stranger.ask("login", **account, id="x") == [{"answer": "x", "user": "dora"}]

    def test_a_password_is_the_same_from_every_keyboard(self) -> None:
        stranger = Person(self.server)
        stranger.ask("register", user="dora", password="密:p\u00e4ss")
        answer = stranger.ask("login", user="dora", password="密:pa\u0308ss", id=1)
        assert answer == [{"answer": 1, "user": "dora"}]

    def test_refused_logins_and_registrations(self) -> None:
        stranger = Person(self.server)
        assert stranger.error("login", user="alice", password="no") == "wrong-password"
        assert stranger.error("login", user="nobody", password="no") == "wrong-password"
        with_account, without = (
            stranger.ask("login", user=name, password="no", id=1) for name in ("alice", "nobody")
        )
        assert with_account == without
        assert stranger.error("register", user="alice", password="pw") == "user-exists"
        assert stranger.error("register", user="Guest-7", password="pw") == "user-exists"
        assert stranger.error("register", user="", password="pw") == "bad-user-name"
        assert stranger.error("register", user="dora", password="") == "bad-password"

    def test_nobody_logs_in_while_in_a_room(self) -> None:
        self.open()
        assert self.alice.error("login", user="bob", password="secret") == "already-in-room"
        assert self.alice.error("guest") == "already-in-room"

    def test_logging_out_leaves_the_rooms(self) -> None:
        self.begin()
        assert self.alice.ask("logout", id=1) == [{"answer": 1}]
        (left,) = self.bob.read()
        assert (left["event"], left["seat"], left["held"]) == ("left", 0, 30)
        assert self.alice.error("seek", game="nim") == "not-logged-in"

    def remembered(self) -> str:
        """Return a login token of alice's."""
        (answer,) = Person(self.server).ask(
            "login", user="alice", password="secret", remember=True, id=1
        )
        assert answer["expires"].endswith("Z")
        return str(answer["token"])

    def test_a_token_logs_in_as_its_user_alone(self) -> None:
        token = self.remembered()
        (answer,) = Person(self.server).ask("login", user="alice", token=token)
        assert (answer["user"], answer["token"]) == ("alice", token)
        stranger = Person(self.server)
        assert stranger.error("login", user="bob", token=token) == "bad-token"
        assert stranger.error("login", user="alice", token="") == "bad-token"
        assert stranger.error("open", game="nim") == "not-logged-in"

    def test_a_login_has_either_a_password_or_a_token(self) -> None:
        stranger = Person(self.server)
        for fields in ({}, {"password": "secret", "token": "t"}, {"token": 1}):
            (answer,) = stranger.send(json.dumps({"do": "login", "user": "alice", **fields}))
            assert answer["error"] == "malformed"

    def test_who_registers_can_log_in_by_token(self) -> None:
        stranger = Person(self.server)
        (answer,) = stranger.ask("register", user="dora", password="pw", remember=True)
        assert stranger.error("open", game="nim") == "not-logged-in"
        assert "user" in stranger.ask("login", user="dora", token=answer["token"])[0]

    def test_logging_out_ends_the_token_of_the_login(self) -> None:
        one, other = self.remembered(), self.remembered()
        person = Person(self.server)
        person.ask("login", user="alice", token=one)
        assert person.ask("logout", id=2) == [{"answer": 2}]
        assert person.error("login", user="alice", token=one) == "bad-token"
        assert "user" in person.ask("login", user="alice", token=other)[0]

    def test_logging_out_everywhere_ends_all(self) -> None:
        token = self.remembered()
        assert self.alice.ask("logout", everywhere=True, id=2) == [{"answer": 2}]
        assert self.alice.error("login", user="alice", token=token) == "bad-token"

    def test_a_guest_has_nothing_to_end(self) -> None:
        guest = Person(self.server)
        guest.ask("guest")
        assert guest.ask("logout", everywhere=True, id=2) == [{"answer": 2}]

    def test_who_has_logged_out_has_time_to_log_in_again(self) -> None:
        self.server.clock.advance(3000)
        self.alice.ask("logout")
        self.server.expire(50)
        assert not self.alice.visitor.closed
        self.server.expire(11)
        assert self.alice.visitor.closed

    def test_a_second_connection_takes_the_seat_and_the_first_is_told(self) -> None:
        self.begin()
        phone = Person(self.server, "alice")
        assert phone.error("join", room="den") == "room-full"
        answer, room = phone.ask("join", room="den", take=True)
        assert (answer["room"], room["seat"], room["turn"]) == ("den", 0, 0)
        assert self.alice.read() == [{"event": "replaced", "room": "den"}]
        assert self.alice.error("move", room="den", move="b1") == "not-in-room"
        assert events(self.bob.read()) == ["left", "joined"]
        assert events(phone.ask("move", room="den", move="b1")) == ["moved"]

    def test_a_seat_is_taken_from_no_others(self) -> None:
        answer, _ = self.alice.ask("open", game="nim", room="den", private=True)
        key = answer["key"]
        vera, phone = Person(self.server, "vera"), Person(self.server, "alice")
        self.bob.ask("join", room="den", key=key)
        assert vera.error("join", room="den", key=key, take=True) == "room-full"
        assert "replaced" not in events(self.alice.read())
        assert events(phone.ask("join", room="den", key=key, take=True)) == ["room"]

    def test_where_no_seats_are_held_none_is_taken(self) -> None:
        self.serve(rejoin_timeout=0)
        self.begin()
        assert Person(self.server, "alice").error("join", room="den", take=True) == "room-full"

    def test_nobody_makes_way_where_too_much_has_happened(self) -> None:
        self.serve(max_events=1)
        self.begin()
        phone = Person(self.server, "alice")
        assert phone.error("join", room="den", take=True) == "too-many-events"
        assert events(self.alice.ask("move", room="den", move="b1")) == ["moved"]

    def test_guests_have_names_of_their_own(self) -> None:
        guests = [Person(self.server).ask("guest", id=1, name="alice") for _ in range(2)]
        names = [answer["user"] for (answer,) in guests]
        assert len(set(names)) == 2 and all(re.fullmatch("guest-[0-9]+", name) for name in names)

    def test_an_account_with_the_name_of_a_guest_is_locked(self) -> None:
        self.serve(store=MemoryStore([Account(n, HASH) for n in ("alice", "bob", "guest-1")]))
        stranger = Person(self.server)
        assert stranger.error("login", user="guest-1", password="secret") == "wrong-password"

    def test_guests_play_the_computer_and_watch(self) -> None:
        self.serve(guests=False)
        self.open()
        guest = Person(self.server)
        (hello,) = guest.ask("hello")
        (named,) = guest.ask("guest")
        assert hello["guests"] is False and named["guest"] is True
        _, room = guest.ask("open", game="reversi", computer="club", room="attic")
        assert room["seat"] == 0
        assert events(guest.ask("say", room="attic", text="hello")) == ["said"]
        guest.ask("leave", room="attic")
        assert events(guest.ask("join", room="attic")) == ["room"]
        assert events(guest.ask("watch", room="den")) == ["room"]

    def test_guests_meet_nobody_unless_they_may(self) -> None:
        self.serve(guests=False)
        self.open()
        guest = Person(self.server)
        guest.ask("guest")
        guest.ask("watch", room="den")
        for do, fields in (
            ("open", {"game": "nim"}),
            ("open", {"game": "clue", "seats": 6, "computer": "sensible", "computers": 2}),
            ("seek", {"game": "nim"}),
            ("join", {"room": "den"}),
            ("join", {"room": "attic"}),
            ("say", {"room": "den", "text": "hello"}),
        ):
            (answer,) = guest.ask(do, **fields)
            assert answer["error"] == "guests-refused", do
            assert "log in" in answer["message"]

    def test_who_hangs_up_meanwhile_is_no_fault(self) -> None:
        self.open()
        self.alice.visitor.hang_up()
        assert self.server.registry.seats_held() == 1


class RoomTests(LobbyCase):
    def test_a_room_is_told_as_a_whole(self) -> None:
        room = self.open(clock=MINUTE)
        assert room["players"] == [{"user": "alice", "away": False}, None]
        assert (room["seat"], room["turn"], room["moves"]) == (0, None, [])
        assert (room["position"], room["clocks"]) == (FIRST, [60, 60])

    def test_the_server_names_rooms(self) -> None:
        (answer, room) = self.alice.ask("open", game="nim", id=1)
        assert answer == {"answer": 1, "room": room["room"]}
        assert self.server.registry.room(answer["room"]) is not None

    def test_what_no_room_can_be_opened_for(self) -> None:
        self.open()
        refused: list[tuple[dict[str, Any], str]] = [
            ({"game": "chess"}, "no-such-game"),
            ({"game": "reversi", "options": {"size": 5}}, "bad-option"),
            ({"game": "reversi", "options": {"colour": "red"}}, "bad-option"),
            ({"game": "reversi", "computer": "godlike"}, "bad-option"),
            ({"game": "reversi", "seat": 1}, "bad-option"),
            ({"game": "reversi", "computer": "club", "seat": -1}, "bad-option"),
            ({"game": "reversi", "room": "den"}, "already-in-room"),
            ({"game": "reversi", "room": "?"}, "bad-room-name"),
        ]
        for fields, code in refused:
            assert self.alice.error("open", **fields) == code, fields
        assert self.bob.error("open", game="nim", room="den") == "room-exists"

    def test_a_later_seat_needs_computers_before_it(self) -> None:
        (answer,) = self.alice.ask("open", game="reversi", seat=1)
        assert answer["message"] == "seat 1 needs computers in the seats before it"

    def test_clocks_that_are_none(self) -> None:
        for clock in ("{}", '{"initial":0}', '{"initial":1e9}', '{"initial":9,"increment":-1}'):
            (answer,) = self.alice.send(f'{{"do":"open","game":"nim","clock":{clock}}}')
            assert answer["error"] == "bad-option", clock

    def test_the_ways_not_to_come_in(self) -> None:
        self.begin()
        carol = Person(self.server, "carol")
        assert carol.error("join", room="cellar") == "no-such-room"
        assert carol.error("join", room="den") == "room-full"
        assert self.bob.error("watch", room="den") == "already-in-room"

    def test_a_private_room_opens_by_its_key(self) -> None:
        answer, _ = self.alice.ask("open", game="nim", room="den", private=True)
        assert self.bob.error("join", room="den") == "private-room"
        assert self.bob.error("watch", room="den", key="no") == "private-room"
        assert self.bob.ask("lobby", follow=False)[0]["rooms"] == []
        joined, _ = self.bob.ask("join", room="den", key=answer["key"])
        assert joined == {"answer": None, "room": "den"}

    def test_rooms_of_a_connection(self) -> None:
        self.serve(max_rooms=256)
        self.server.lobby.max_rooms = 2
        self.open()
        self.open(room="cellar")
        assert self.alice.error("open", game="nim") == "in-too-many-rooms"
        assert self.alice.ask("leave", room="den", id=1) == [{"answer": 1}]
        self.open(room="attic")

    def test_the_seat_of_who_has_left_is_held(self) -> None:
        self.begin()
        self.alice.visitor.hang_up()
        (left,) = self.bob.read()
        assert left["event"] == "left"
        self.server.clock.advance(6)
        _, watched = Person(self.server, "vera").ask("watch", room="den")
        assert watched["players"][0] == {"user": "alice", "away": True, "held": 24.0}
        again = Person(self.server, "alice")
        _, room = again.ask("join", room="den")
        assert (room["seat"], room["turn"]) == (0, 0)
        _, joined = self.bob.read()
        assert joined["players"][0] == {"user": "alice", "away": False}

    def test_who_leaves_for_good_has_lost(self) -> None:
        self.begin()
        assert self.alice.ask("leave", room="den", for_good=True) == [{"answer": None}]
        (ended,) = self.bob.read()
        assert (ended["how"], ended["winner"], ended["result"]) == ("left", 1, [0, 1])
        assert "disconnected" not in ended

    def test_who_is_cut_off_and_doesnt_come_back_is_told_apart_from_who_left(self) -> None:
        self.begin()
        self.alice.visitor.hang_up()
        self.server.expire(30)
        (_, ended) = self.bob.read()
        assert (ended["how"], ended["winner"], ended["disconnected"]) == ("left", 1, True)

    def test_where_no_seat_is_held_who_leaves_has_left_and_who_hangs_up_was_cut_off(self) -> None:
        self.serve(rejoin_timeout=0)
        for goes, told in ((lambda: self.alice.ask("leave", room="den"), None),
                           (lambda: self.alice.visitor.hang_up(), True)):  # fmt: skip
            self.begin()
            goes()
            (ended,) = self.bob.read()
            assert (ended["how"], ended.get("disconnected")) == ("left", told)

    def test_a_room_for_one(self) -> None:
        _, room = self.alice.ask("open", game="clue", seats=1)
        assert (len(room["players"]), room["begun"]) == (1, True)

    def test_a_player_in_two_rooms(self) -> None:
        self.begin()
        _, room = self.alice.ask("open", game="nim", room="cellar")
        answer, moved = self.alice.ask("move", room="den", move="b1", at=3)
        assert (answer["at"], moved["room"], room["room"]) == (4, "den", "cellar")

    def test_a_viewer_is_told_no_moves(self) -> None:
        self.begin()
        vera = Person(self.server, "vera")
        _, room = vera.ask("watch", room="den")
        assert (room["seat"], room["moves"], room["viewers"]) == (None, [], ["vera"])
        self.alice.ask("move", room="den", move="b1")
        (moved,) = vera.read()
        assert (moved["turn"], moved["moves"]) == (1, [])
        assert vera.error("move", room="den", move="a1") == "not-your-turn"
        assert vera.error("resign", room="den") == "not-in-room"
        assert vera.error("offer", room="den") == "not-offered"

    def test_a_viewer_goes(self) -> None:
        self.open()
        vera = Person(self.server, "vera")
        vera.ask("watch", room="den")
        vera.ask("leave", room="den")
        _, left = self.alice.read()
        assert (left["event"], left["user"], left["seat"]) == ("left", "vera", None)
        assert left["held"] is None

    def test_a_room_that_waits_is_closed_by_its_creator(self) -> None:
        self.open()
        answer, ended = self.alice.ask("resign", room="den", id=1)
        assert answer == {"answer": 1}
        assert (ended["how"], ended["winner"], ended["result"]) == ("closed", None, None)

    def test_too_much_happens(self) -> None:
        self.serve(max_events=4)
        self.begin()
        self.alice.ask("say", room="den", text="hello")
        assert self.alice.error("say", room="den", text="again") == "too-many-events"
        assert self.alice.error("offer", room="den") == "too-many-events"
        assert Person(self.server, "vera").error("watch", room="den") == "too-many-events"
        answer, _ = self.alice.ask("move", room="den", move="b1")
        assert answer["at"] == 5

    def test_a_match_without_end_is_drawn(self) -> None:
        # Otherwise two who take 1 of four billion in turns fill the server's memory.
        self.serve(max_events=4)
        self.begin(game="nim", options={"smallest": 2**32 - 1, "largest": 2**32 - 1})
        for move in range(7):
            (self.alice, self.bob)[move % 2].ask("move", room="den", move="0:1")
        assert self.server.registry.room("den") is not None
        self.bob.read()
        answer, moved, ended = self.bob.ask("move", room="den", move="0:1")
        assert (answer["at"], moved["event"], ended["how"]) == (11, "moved", "drawn")
        assert self.server.registry.room("den") is None


class MatchTests(LobbyCase):
    def setUp(self) -> None:
        super().setUp()
        self.begin()

    def test_everybody_is_told_of_a_move(self) -> None:
        answer, mine = self.alice.ask("move", room="den", move="b1", at=3, id=5)
        (his,) = self.bob.read()
        assert answer == {"answer": 5, "at": 4}
        assert (mine["n"], mine["seat"], mine["move"]) == (4, 0, "b1")
        assert (mine["turn"], mine["moves"]) == (1, [])
        assert his == {**mine, "moves": ["a1", "c1", "a3"]}

    def test_moves_that_change_nothing(self) -> None:
        (stale,) = self.alice.ask("move", room="den", move="b1", at=2)
        assert (stale["error"], stale["at"]) == ("stale-move", 3)
        assert self.alice.error("move", room="den", move="fold") == "not-a-move"
        assert self.alice.error("move", room="den", move="a1") == "illegal-move"
        assert self.bob.error("move", room="den", move="a1") == "not-your-turn"
        assert self.alice.error("move", room="cellar", move="b1") == "not-in-room"
        assert self.bob.read() == []

    def test_a_move_that_is_sent_twice_is_made_once(self) -> None:
        self.alice.ask("move", room="den", move="b1", at=3)
        assert self.alice.error("move", room="den", move="b1", at=3) == "stale-move"

    def test_what_is_said_makes_no_move_stale(self) -> None:
        answer, said = self.bob.ask("say", room="den", text="h\u00e4", id=1)
        assert (answer, said["text"], said["n"]) == ({"answer": 1}, "h\u00e4", 4)
        answer, _ = self.alice.ask("move", room="den", move="b1", at=3)[-2:]
        assert answer == {"answer": None, "at": 5}

    def test_what_is_said_is_in_any_script_and_composed(self) -> None:
        for text in ("a\u0308", "שלום", "नमस्ते", "🂡"):
            assert self.bob.ask("say", room="den", text=text)[-1]["text"] == normalize("NFC", text)

    def test_what_turns_other_texts_round_isnt_said(self) -> None:
        for mark in "\u061c\u200e\u200f\u202a\u202e\u2066\u2069":
            assert self.bob.error("say", room="den", text=f"a{mark}b") == "bad-text"
        # Composed it is longer than allowed.
        assert self.bob.error("say", room="den", text="\u0958" * 251) == "bad-text"

    def test_a_draw_that_is_declined(self) -> None:
        assert events(self.alice.ask("offer", room="den", what="draw")) == ["offered"]
        assert self.alice.error("accept", room="den") == "not-offered"
        assert events(self.bob.ask("decline", room="den")) == ["offered", "declined"]

    def test_a_draw_that_is_accepted(self) -> None:
        self.alice.ask("offer", room="den")
        ended = self.bob.ask("accept", room="den")[-1]
        assert (ended["how"], ended["winner"], ended["result"]) == ("agreed", None, [0.5, 0.5])

    def test_a_move_that_is_taken_back(self) -> None:
        self.alice.ask("move", room="den", move="b1")
        self.alice.ask("offer", room="den", what="takeback")
        vera = Person(self.server, "vera")
        _, room = vera.ask("watch", room="den")
        assert room["offer"] == {"seat": 0, "what": "takeback"}
        assert self.bob.ask("accept", room="den", what="draw")[-1]["error"] == "not-offered"
        answer, undone = self.bob.ask("accept", room="den", id=3)[-2:]
        assert (answer, undone["event"], undone["turn"]) == ({"answer": 3}, "undone", 0)
        assert vera.read() == [undone]
        assert self.alice.read()[-1]["moves"] == ["b1", "a2", "d3", "c4"]
        carol = Person(self.server, "carol")
        _, room = carol.ask("watch", room="den")
        assert room["record"] == [[4, "moved", 0, "b1"], [7, "undone", 0, 1]]
        self.alice.read()
        assert self.alice.error("move", room="den", move="b1", at=4) == "stale-move"
        assert self.alice.ask("move", room="den", move="d3", at=7)[-1]["move"] == "d3"

    def test_an_offer_that_is_withdrawn(self) -> None:
        self.alice.ask("offer", room="den")
        assert events(self.alice.ask("decline", room="den")) == ["withdrawn"]

    def test_a_match_that_is_given_up(self) -> None:
        answer, ended = self.alice.ask("resign", room="den", id=1)
        assert answer == {"answer": 1}
        assert (ended["how"], ended["winner"], ended["result"]) == ("forfeited", 1, [0, 1])
        assert self.alice.error("resign", room="den") == "not-in-room"

    def test_a_match_that_is_played_out(self) -> None:
        players, turn, moves = [self.alice, self.bob], 0, ["b1"]
        while True:
            answer, told = players[turn].ask("move", room="den", move=moves[0])[-2:]
            assert answer["at"] == told["n"]
            (other,) = players[1 - turn].read()
            if told["event"] == "ended":
                break
            turn, moves = told["turn"], told["moves"] or other["moves"]
        assert told == other
        assert (told["how"] == "drawn") == (told["winner"] is None)
        assert told["move"] == moves[0]

    def test_what_was_missed(self) -> None:
        self.alice.ask("move", room="den", move="b1")
        self.bob.read()
        self.bob.visitor.hang_up()
        bob = Person(self.server, "bob")
        answer, *missed = bob.ask("join", room="den", since=3)
        assert answer["room"] == "den"
        assert [(each["event"], each["n"]) for each in missed] == [
            ("moved", 4), ("left", 5), ("joined", 6),
        ]  # fmt: skip
        assert missed[0]["moves"] == ["a1", "c1", "a3"]

    def test_moves_of_what_was_missed_are_those_that_can_be_made_now(self) -> None:
        # Otherwise a program makes those of long ago, and 200 events of 19x19 are 200 KB.
        players = [self.alice, self.bob]
        for _ in range(4):
            room = self.server.registry.room("den")
            assert room is not None
            players[room.turn].ask("move", room="den", move=room.game.moves(room.position)[0])
        room = self.server.registry.room("den")
        assert room is not None
        players[room.turn].visitor.hang_up()
        again = Person(self.server, ("alice", "bob")[room.turn])
        _, *missed = again.ask("join", room="den", since=3)
        moves = [each["moves"] for each in missed if each["event"] == "moved"]
        assert moves == [[], [], [], list(room.game.moves(room.position))]

    def test_who_can_have_missed_nothing_of_the_kind_gets_everything(self) -> None:
        for since in (-1, 1, 99):
            _, room = Person(self.server, "vera").ask("watch", room="den", since=since)
            assert room["event"] == "room", since

    def test_the_record_of_a_room(self) -> None:
        self.alice.ask("move", room="den", move="b1")
        self.alice.ask("say", room="den", text="your turn")
        _, room = Person(self.server, "vera").ask("watch", room="den")
        assert room["record"] == [[4, "moved", 0, "b1"]]
        assert room["said"] == [[5, "alice", "your turn"]]


class PictureTests(LobbyCase):
    """Bob draws only Nim; alice has said nothing of what she draws."""

    def setUp(self) -> None:
        super().setUp()
        self.bob.ask("hello", draws=["nim"])

    def play(self, game: str) -> list[Message]:
        """Let bob open a room and alice join it; what bob is sent."""
        sent = self.bob.ask("open", game=game, room="den")
        self.alice.ask("join", room="den")
        return sent + self.bob.read()

    def test_each_position_of_a_game_that_a_client_cant_draw_has_a_picture(self) -> None:
        sent = self.play("tictactoe")
        sent += self.bob.ask("move", room="den", move="1:1", at=3)
        sent += self.bob.ask("resign", room="den")
        pictured = [each for each in sent if "position" in each]
        assert events(pictured) == ["room", "began", "moved", "ended"]
        text_view = game_type_of("tictactoe").text_view(game_type_of("tictactoe").values({}))
        for each in pictured:
            assert each["picture"] == text_view.lines(each["position"], unpainted)

    def test_a_takeback_has_a_picture(self) -> None:
        self.play("tictactoe")
        self.bob.ask("move", room="den", move="1:1", at=3)
        self.bob.ask("offer", room="den", what="takeback")
        self.alice.ask("accept", room="den", what="takeback")
        (undone,) = self.bob.read()
        assert undone["event"] == "undone" and "X" not in "".join(undone["picture"])

    def test_a_game_that_the_client_draws_has_none(self) -> None:
        assert all("picture" not in each for each in self.play("nim"))

    def test_a_client_that_says_nothing_gets_none(self) -> None:
        self.play("tictactoe")
        assert all("picture" not in each for each in self.alice.read())

    def test_a_later_hello_counts_from_then_on(self) -> None:
        self.play("tictactoe")
        self.bob.ask("hello", draws=["nim", "tictactoe"])
        _, moved = self.bob.ask("move", room="den", move="1:1", at=3)
        assert moved["event"] == "moved" and "picture" not in moved

    def test_draws_is_a_list_of_names(self) -> None:
        self.bob.visitor.send('{"do":"hello","draws":"nim"}')
        assert [each["error"] for each in self.bob.read()] == ["malformed"]


class ClockTests(LobbyCase):
    def test_a_move_that_comes_too_late(self) -> None:
        self.begin(clock=MINUTE)
        self.server.clock.advance(61)
        answer, ended = self.alice.ask("move", room="den", move="b1", id=1)
        assert (answer["answer"], answer["error"]) == (1, "not-in-room")
        assert (ended["how"], ended["winner"]) == ("timed out", 1)

    def test_no_answer_comes_in_time_once_the_time_is_up(self) -> None:
        self.begin(clock=MINUTE)
        self.bob.ask("offer", room="den")
        self.server.clock.advance(61)
        assert self.alice.ask("accept", room="den")[-1]["how"] == "timed out"

    def test_clocks_are_told(self) -> None:
        self.begin(clock=MINUTE)
        self.server.clock.advance(10)
        _, moved = self.alice.ask("move", room="den", move="b1")
        assert moved["clocks"] == [51, 60]

    def test_the_end_tells_what_the_side_to_move_has_used(self) -> None:
        self.begin(clock=MINUTE)
        self.server.clock.advance(10)
        *_, ended = self.bob.ask("resign", room="den")
        assert (ended["how"], ended["clocks"]) == ("forfeited", [50, 60])

    def test_who_has_run_out_of_time_has_none(self) -> None:
        self.begin(clock=MINUTE)
        self.server.clock.advance(61)
        self.server.registry.expire(0, 0)
        (ended,) = self.alice.read()
        assert (ended["how"], ended["clocks"]) == ("timed out", [0, 60])


class SeekTests(LobbyCase):
    def seek(self, person: Person, **fields: Any) -> Message:
        """Return the room that a player is in after seeking one."""
        _, room = person.ask("seek", game="nim", **fields)
        return room

    def test_two_who_seek_the_same_play(self) -> None:
        waiting = self.seek(self.alice)
        room = self.seek(self.bob)
        assert (room["room"], room["begun"], room["seat"]) == (waiting["room"], True, 1)

    def test_others_open_a_room(self) -> None:
        rooms = [
            self.seek(self.alice),
            self.seek(self.alice),
            self.seek(self.bob, options={"largest": 9}),
            self.seek(self.bob, clock=MINUTE),
        ]
        assert len({room["room"] for room in rooms}) == 4

    def test_a_player_meets_those_who_seek_as_many(self) -> None:
        self.patch(GAMES, "loaded", {**GAMES.loaded, "hands": GAME_TYPE})
        [answer, *_] = self.alice.ask("seek", game="hands", seats=3)
        assert self.bob.ask("seek", game="hands")[0]["room"] != answer["room"]
        for person, is_last in ((self.bob, False), (Person(self.server, "carol"), True)):
            found, room, *_ = person.ask("seek", game="hands", seats=3)
            assert (found["room"], room["begun"]) == (answer["room"], is_last)
        self.bob.read()
        assert self.bob.error("seek", game="hands", seats=4) == "bad-option"

    def test_a_room_that_was_opened_is_not_sought(self) -> None:
        self.alice.ask("open", game="nim", room="den")
        assert self.seek(self.bob)["room"] != "den"


class FollowTests(LobbyCase):
    def changes(self, person: Person) -> list[Message]:
        """Return the events that the lobby sends after a while."""
        self.server.clock.advance(PUSH_DELAY)
        return person.read()

    def test_rooms_that_open_change_and_close(self) -> None:
        vera = Person(self.server)
        (answer,) = vera.ask("lobby", id=1)
        assert (answer["answer"], answer["rooms"]) == (1, [])
        self.open()
        (opened,) = self.changes(vera)
        assert (opened["room"], opened["players"]) == ("den", ["alice", None])
        assert opened["owner"] == "alice"
        self.bob.ask("join", room="den")
        (begun,) = self.changes(vera)
        assert (begun["players"], begun["begun"]) == (["alice", "bob"], True)
        self.alice.ask("say", room="den", text="hello")
        assert self.changes(vera) == []
        self.alice.ask("resign", room="den")
        assert self.changes(vera) == [{"event": "lobby", "room": "den", "gone": True}]

    def test_a_room_that_was_there_before_is_gone(self) -> None:
        self.open()
        (answer,) = self.bob.ask("lobby")
        assert [room["room"] for room in answer["rooms"]] == ["den"]
        self.alice.ask("resign", room="den")
        assert self.changes(self.bob) == [{"event": "lobby", "room": "den", "gone": True}]

    def test_how_old_a_room_is(self) -> None:
        self.serve(utc=lambda: 1_800_000_000.0 + self.server.clock.seconds())
        self.open()
        self.server.clock.advance(90)
        (answer,) = self.bob.ask("lobby")
        assert answer["rooms"][0]["opened"] == "2027-01-15T08:00:00Z"
        assert answer["now"] == "2027-01-15T08:01:30Z"

    def test_who_stops_following(self) -> None:
        self.bob.ask("lobby")
        self.bob.ask("lobby", follow=False)
        self.open()
        assert self.changes(self.bob) == []

    def test_who_has_hung_up_follows_no_longer(self) -> None:
        self.bob.ask("lobby")
        self.bob.visitor.hang_up()
        self.open()
        assert self.changes(self.alice) == []

    def test_viewers_of_the_old_protocol_that_leave_are_shown_no_longer(self) -> None:
        carol, vera = self.server.log_in("carol"), self.server.log_in("vera")
        carol.ask("CREATE:attic")
        vera.ask("JOIN:attic:VIEWER")
        for follow in (False, True):
            (answer,) = self.bob.ask("lobby", follow=follow)
            assert answer["rooms"][0]["viewers"] == 1
        vera.hang_up()
        (change,) = self.changes(self.bob)
        assert (change["room"], change["viewers"]) == ("attic", 0)
        (answer,) = self.bob.ask("lobby", follow=False)
        assert answer["rooms"][0]["viewers"] == 0

    def test_rooms_are_written_once_however_often_they_are_asked_for(self) -> None:
        # 256 of them took 2 ms each time, and anybody may ask.
        for name in ("den", "attic"):
            self.alice.ask("open", game="nim", room=name)
        written: list[str] = []
        summary = json_view.summary

        def note(room: Room, *more: Any) -> Message:
            written.append(room.name)
            return summary(room, *more)

        self.patch(json_view, "summary", note)
        for follow in (True, False, False):
            (answer,) = self.bob.ask("lobby", follow=follow)
            assert [room["room"] for room in answer["rooms"]] == ["den", "attic"]
        assert sorted(written) == ["attic", "den"]
        self.alice.ask("leave", room="den", for_good=True)
        self.alice.ask("open", game="reversi", room="den")
        (answer,) = self.bob.ask("lobby")
        assert [room["game"] for room in answer["rooms"]] == ["nim", "reversi"]

    def test_a_room_of_the_old_protocol_is_shown_and_can_be_watched(self) -> None:
        carol = self.server.log_in("carol")
        carol.ask("CREATE:attic")
        (answer,) = self.bob.ask("lobby", follow=False)
        assert answer["rooms"][0]["game"] == "tictactoe"
        _, room = self.bob.ask("join", room="attic")
        assert carol.read() == ["BEGIN:carol:bob"]
        carol.send("PLACE:1:1")
        assert self.bob.read()[-1]["move"] == "1:1"
        assert room["begun"]

    def test_rooms_that_the_old_protocol_cannot_tell_of_are_hidden_there(self) -> None:
        self.open()
        assert self.server.log_in("carol").ask("ROOMLIST:VIEWER") == ["ROOMLIST:ACKSTATUS:0:"]


class GamesTests(LobbyCase):
    def test_every_game_describes_itself(self) -> None:
        (answer,) = self.alice.ask("games", id=1)
        games = {game["name"]: game for game in answer["games"]}
        assert {"tictactoe", "connectfour", "reversi", "nim"} <= games.keys()
        (size,) = games["reversi"]["options"]
        assert (size["kind"], size["choices"]) == ("choice", ["4", "6", "8", "10"])

    def test_the_rules_of_a_game_depend_on_its_options_and_need_no_login(self) -> None:
        person = Person(self.server)
        (answer,) = person.ask("rules", game="reversi", options={"size": "6"}, id=1)
        assert answer["rules"][0] == game_type_of("reversi").goal
        assert answer["rules"][1].startswith("The board has 6 rows and 6 columns")
        for error, fields in (
            ("no-such-game", {"game": "chess"}),
            ("bad-option", {"game": "reversi", "options": {"size": "5"}}),
        ):
            (answer,) = person.ask("rules", **fields)
            assert answer["error"] == error


class ConnectionTests(LobbyCase):
    def test_malformed_messages_are_answered_and_the_last_one_closes(self) -> None:
        for _ in range(MAX_MALFORMED - 1):
            (answer,) = self.alice.send("{")
            assert answer["error"] == "malformed"
        assert not self.alice.visitor.closed
        _, closing = self.alice.send("{")
        assert closing == {
            "event": "closing", "reason": "malformed", "limit": MAX_MALFORMED,
            "message": "20 messages weren't requests",
        }  # fmt: skip
        assert self.alice.visitor.closed
        assert self.server.factory.refusals.counts["malformed"] == MAX_MALFORMED

    def test_a_limit_that_closes_is_named_with_its_length(self) -> None:
        limits = Limits(login_timeout=60, idle_timeout=3600, budget=40, budget_burst=160)
        visitors = [Person(Server(limits=limits)) for _ in range(4)]
        for person in visitors:
            person.ask("ping")
        late, idle, fast, long = visitors
        late.visitor.server.expire(60)
        idle.ask("guest")
        idle.visitor.server.expire(3600)
        fast.visitor.send(*['{"do":"ping"}'] * 2000)
        fast.visitor.server.clock.pump([0.1] * 700)
        long.visitor.send("{" * 9000)
        assert [person.read()[-1]["message"] for person in visitors] == [
            "no login for 60 seconds",
            "nothing was heard for 3600 seconds",
            "more than 10 units per second for a minute",
            "a message has at most 8192 bytes",
        ]
        assert all(person.visitor.closed or person.visitor.dropped for person in visitors)

    def test_malformed_requests_get_their_id_back(self) -> None:
        for line in (
            '{"do":"dance","id":4}', '{"do":"join","id":4}', '{"do":"join","room":1,"id":4}',
            '{"do":"say","room":"den","text":"","id":4}',
            '{"do":"open","game":"nim","clock":7,"id":4}',
            '{"do":"offer","room":"den","what":"money","id":4}',
        ):  # fmt: skip
            (answer,) = self.alice.send(line)
            assert (answer["answer"], answer["error"]) == (4, "malformed"), line

    def test_the_rooms_protocol_is_out_of_reach(self) -> None:
        self.begin()
        for _ in range(2):
            (answer,) = self.alice.send("PLACE:1:1")
            assert answer["error"] == "malformed"

    def test_a_brace_later_on_is_a_message_of_the_rooms_protocol(self) -> None:
        carol = self.server.log_in("carol")
        assert carol.ask('{"do":"hello"}') == []
        assert carol.ask("ROOMLIST:PLAYER") == ["ROOMLIST:ACKSTATUS:0:"]

    def test_a_request_may_be_cut(self) -> None:
        carol = self.server.connect(b"")
        carol.transport.arrive(b'{"do":"pi')
        self.server.clock.advance(1)
        carol.transport.arrive(b'ng","id":1}\r\n{"do":"ping","id":2}\n')
        assert carol.transport.take() == b'{"answer":1}\n{"answer":2}\n'

    def test_who_ends_the_input_gets_the_answers(self) -> None:
        carol = self.server.connect()
        carol.transport.arrive(
            b'{"do":"login","user":"carol","password":"secret"}\n{"do":"ping"}\n', None
        )
        assert carol.transport.take() == b'{"answer":null,"user":"carol"}\n{"answer":null}\n'
        assert carol.closed

    def test_lines_are_enough_for_it(self) -> None:
        self.server.factory = Server(Framing(mode="line")).factory
        assert Person(self.server).ask("ping", id=1) == [{"answer": 1}]

    def test_who_is_in_a_room_may_be_silent(self) -> None:
        self.open()
        self.server.clock.advance(3000)
        self.server.factory.expire()
        self.server.clock.advance(3000)
        self.server.factory.expire()
        assert not self.alice.visitor.closed
        assert self.bob.visitor.closed


class BudgetTests(SynchronousTestCase):
    """What a request costs, in units of the budget."""

    def setUp(self) -> None:
        self.server = Server(guests=True)
        self.person = Person(self.server)
        self.person.ask("ping")
        self.paid: list[int] = []
        self.patch(self.person.visitor.protocol, "pay", self.paid.append)

    def cost(self, do: str, **fields: object) -> int:
        """Return the price of a request."""
        self.paid.clear()
        self.person.ask(do, **fields)
        return sum(self.paid)

    def test_a_ping_costs_one(self) -> None:
        assert self.cost("ping") == 1

    def test_a_list_costs_what_it_weighs(self) -> None:
        assert self.cost("lobby") == 2
        for number in range(60):
            owner = Person(self.server)
            owner.ask("guest")
            owner.ask("open", game="nim", room=f"room-{number}")
        self.server.clock.advance(1)
        self.person.read()
        answer = self.person.ask("lobby", follow=False)[-1]
        size = len(json.dumps(answer, separators=(",", ":"), ensure_ascii=False))
        assert size > 10_000
        assert self.cost("lobby", follow=False) in (2 + size // 1024, 3 + size // 1024)

    def test_a_list_is_made_once_until_it_changes(self) -> None:
        rooms = Mock(wraps=self.server.registry.public_rooms)
        self.patch(self.server.registry, "public_rooms", rooms)
        for _ in range(3):
            self.person.ask("lobby")
        assert rooms.call_count == 1
        owner = Person(self.server)
        owner.ask("guest")
        owner.ask("open", game="nim", room="den")
        assert "den" in str(self.person.ask("lobby")) and rooms.call_count == 2

    def test_what_games_there_are_is_told_once(self) -> None:
        json_view.games_json.cache_clear()
        for _ in range(3):
            self.person.ask("games")
        assert json_view.games_json.cache_info().misses == 1

    def test_what_is_pushed_costs_nothing(self) -> None:
        self.person.ask("lobby")
        self.paid.clear()
        owner = Person(self.server)
        owner.ask("guest")
        for number in range(16):
            owner.ask("open", game="nim", room=f"room-{number}")
        self.server.clock.advance(1)
        assert len(self.person.read()) == 16
        assert not self.paid

    def test_to_guess_names_is_dear(self) -> None:
        self.person.ask("guest")
        assert self.cost("watch", room="nowhere") > 50


class SocketTests(SynchronousTestCase):
    def test_a_page_speaks_it_in_text_frames(self) -> None:
        server = WebServer(guests=True)
        pages = [Guest(server.connect()) for _ in range(2)]
        for page in pages:
            page.upgrade(path="/ws")
            assert page.status == 101
            page.ask('{"do":"guest"}')
        pages[0].send('{"do":"open","game":"nim","room":"den"}')
        pages[1].send('{"do":"join","room":"den"}')
        told = [check_message(json.loads(each)) for each in pages[0].read()]
        assert events(told) == ["room", "joined", "began"]

    def test_it_speaks_nothing_else(self) -> None:
        page = Guest(WebServer().connect())
        page.upgrade(path="/ws")
        (answer,) = page.ask("LOGIN:alice:secret")
        assert json.loads(answer)["error"] == "malformed"


def test_who_has_resigned_where_others_play_on_only_watches() -> None:
    server = Server(guests=True)
    people = [Person(server) for _ in range(6)]
    for number, person in enumerate(people):
        person.ask("guest")
        if number:
            person.ask("join", room="den")
        else:
            person.ask("open", game="clue", seats=6, room="den")
    people[2].read()
    assert people[2].ask("resign", room="den")[0] == {"answer": None}
    assert people[2].error("resign", room="den") == "not-in-room"


# Python writes others, too, which are no JSON.
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | st.integers() | FLOATS | st.text(max_size=9)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
KNOWN = ["den", "nim", "reversi", "b1", "draw", "takeback", "rematch", "best", {}, 1]
# Only the fields of each request: others are ignored, and to invent them takes long.
requests = st.one_of(
    [
        st.fixed_dictionaries(
            {"do": st.just(do)},
            optional={name: st.sampled_from(KNOWN) | values for name in kind.__struct_fields__},
        )
        for do, kind in all_requests().items()
    ]
)


def test_the_time_of_day_is_right_after_the_time_of_matches_stood_still() -> None:
    server = Server()
    day = Clock()
    registry, clock = server.registry, server.clock
    lobby = Lobby(registry, clock.seconds, clock.callLater, Random(1), utc=day.seconds)
    day.advance(3600)  # as a standby
    assert json.loads(lobby.rooms())["now"] == "1970-01-01T01:00:00Z"


def test_a_room_stays_as_old_as_it_is_while_the_clocks_drift_apart() -> None:
    server = Server()
    day = Clock()
    registry, clock = server.registry, server.clock
    lobby = Lobby(registry, clock.seconds, clock.callLater, Random(1), utc=day.seconds)
    told = []
    for seconds in (0.4, 0.2, 0.2):
        day.advance(seconds)
        told.append(lobby.day_time(0))
    assert told == ["1970-01-01T00:00:00Z"] * 3


@given(st.lists(requests, max_size=12))
def test_any_requests_get_messages_of_the_schema(asked: list[dict[str, Any]]) -> None:
    server = Server(guests=True, rejoin_timeout=30)
    tournaments = Tournaments(server, "alice")
    People(server)
    alice, bob = Person(server, "alice"), Person(server, "bob")
    for person in (alice, bob):
        person.ask("hello", takes=["challenge"])
    alice.ask("open", game="reversi", room="den")
    bob.ask("join", room="den")
    alice.ask("admin", act="tournament", tournament="den", plan=plan_json("arena"))
    for person in (alice, bob):
        person.ask("enter", tournament="den")
    alice.ask("admin", act="begin", tournament="den")
    tournaments.pass_time(1)
    alice.read(), bob.read()
    for number, request in enumerate(asked):
        person = (alice, bob)[number % 2]
        line = json.dumps(request)
        answers = [m for m in person.send(line) if "answer" in m]
        if request["do"] == "play" and not answers:
            continue  # it waits for the next game
        assert len(answers) == 1, request
        # What Python writes for infinity is no JSON.
        if REQUESTS.is_valid(request) and not re.search("NaN|Infinity", line):
            assert answers[0]["answer"] == request.get("id")
        person.read()
    tournaments.pass_time(2)
    assert alice.read() is not None
    assert not server.faults

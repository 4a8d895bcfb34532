"""Another match of the same two: by whom, when, on which terms, and with whom looking on."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any
from unittest.mock import Mock

from tests.protocols.lobby.case import LobbyCase
from tests.protocols.lobby.helpers import Message, Person, events
from tictac.engines.computer import THINKS, Computer
from tictac.net.storage_quota import Storage
from tictac.protocols.lobby.rematch import MOST_OFFERS, MOST_SAID

EXPIRES = 60.0


class RematchCase(LobbyCase):
    def end(self, **fields: Any) -> None:
        """Play a match of alice and bob that vera watches, and let alice resign."""
        self.begin(**fields)
        self.vera = Person(self.server, "vera")
        self.vera.ask("watch", room="den")
        self.alice.ask("resign", room="den")
        for person in (self.alice, self.bob, self.vera):
            person.read()

    def offer(self, person: Person, do: str = "offer") -> list[Message]:
        return person.ask(do, room="den", what="rematch")

    def pass_time(self, seconds: float) -> None:
        self.server.clock.advance(seconds)
        self.server.lobby.expire(EXPIRES)


class RematchTests(RematchCase):
    def test_sides_are_swapped_and_who_watches_comes_along(self) -> None:
        self.end()
        answer, offered = self.offer(self.alice)
        assert answer == {"answer": None}
        about = {"room": "den", "seat": 0, "what": "rematch"}
        assert offered == {"event": "offered", "n": 6, **about}
        assert self.bob.read() == self.vera.read() == [offered]
        answer, mine, *_ = self.bob.ask("accept", room="den")
        assert answer == {"answer": None}
        assert (mine["event"], mine["seat"], mine["score"]) == ("room", 0, [1, 0])
        hers, theirs = self.alice.read()[0], self.vera.read()[0]
        assert (hers["seat"], theirs["seat"], theirs["begun"]) == (1, None, True)
        assert [player["user"] for player in theirs["players"]] == ["bob", "alice"]
        answer, moved = self.bob.ask("move", room="den", move="b1")
        assert moved["seat"] == 0

    def test_those_who_take_it_talk_on_after_the_end(self) -> None:
        self.end()
        for person in (self.alice, self.vera):
            person.ask("hello", takes=["after"])
        answer, said = self.vera.ask("say", room="den", text="Well played")
        assert answer == {"answer": None}
        assert said == {
            "event": "said",
            "room": "den",
            "n": 6,
            "user": "vera",
            "text": "Well played",
        }
        assert self.alice.read() == [said] and self.bob.read() == [], "bob's client is an older one"
        self.pass_time(EXPIRES - 1)
        self.alice.ask("say", room="den", text="Thanks")
        self.pass_time(EXPIRES - 1)
        assert self.offer(self.alice)[0] == {"answer": None}
        self.alice.ask("leave", room="den")
        assert self.alice.ask("say", room="den", text="Hm?")[0]["error"] == "not-in-room"

    def test_not_too_much_is_said_after_the_end(self) -> None:
        self.end()
        self.alice.ask("hello", takes=["after"])
        for _ in range(MOST_SAID):
            self.server.clock.advance(1)
            assert self.alice.ask("say", room="den", text="ha")[0] == {"answer": None}
        assert self.alice.ask("say", room="den", text="ha")[0]["error"] == "too-many-events"

    def test_a_series_keeps_its_score(self) -> None:
        self.end()
        for lost in (1, 2, 3):
            self.offer(self.alice)
            self.offer(self.bob, "accept")
            _, room = Person(self.server, "carol").ask("watch", room="den")
            users = [player["user"] for player in room["players"]]
            assert dict(zip(users, room["score"], strict=True)) == {"alice": 0, "bob": lost}
            assert users.index("alice") == lost % 2
            self.alice.ask("resign", room="den")

    def test_a_draw_is_half_a_point_each_and_clocks_begin_anew(self) -> None:
        self.begin(clock={"initial": 60, "increment": 0})
        self.server.clock.advance(10)
        self.alice.ask("offer", room="den")
        self.bob.ask("accept", room="den")
        self.offer(self.bob)
        self.offer(self.alice, "accept")
        _, room = Person(self.server, "carol").ask("watch", room="den")
        assert (room["clocks"], room["score"]) == ([60, 60], [0.5, 0.5])

    def test_a_private_room_stays_private(self) -> None:
        answer, _ = self.alice.ask("open", game="nim", room="den", private=True)
        self.bob.ask("join", room="den", key=answer["key"])
        self.alice.ask("resign", room="den")
        self.offer(self.alice)
        self.offer(self.bob, "accept")
        assert Person(self.server, "vera").error("watch", room="den") == "private-room"

    def test_it_is_declined_or_withdrawn_and_may_be_offered_again(self) -> None:
        self.end()
        self.offer(self.alice)
        assert events(self.offer(self.bob, "decline")) == ["offered", "declined"]
        self.offer(self.bob)
        assert events(self.offer(self.bob, "decline")) == ["withdrawn"]
        told = self.vera.read()
        assert [each["n"] for each in told] == [6, 7, 8, 9]

    def test_it_is_offered_too_often(self) -> None:
        self.end()
        for _ in range(MOST_OFFERS // 2):
            self.offer(self.alice)
            self.offer(self.alice, "decline")
        assert self.alice.error("offer", room="den", what="rematch") == "not-offered"

    def test_what_cant_be_asked_for(self) -> None:
        assert self.alice.error("offer", room="den", what="rematch") == "not-offered"
        self.end()
        assert self.alice.error("accept", room="den", what="rematch") == "not-offered"
        assert self.alice.error("offer", room="den", what="takeback") == "not-in-room"
        assert self.vera.error("offer", room="den", what="rematch") == "not-offered"
        self.offer(self.alice)
        assert self.alice.error("offer", room="den", what="rematch") == "not-offered"
        assert self.alice.error("accept", room="den", what="rematch") == "not-offered"

    def test_who_has_offered_it_has_no_room_left(self) -> None:
        self.end()
        self.server.lobby.max_rooms = 1
        self.offer(self.alice)
        self.alice.ask("open", game="nim", room="other")
        self.bob.read()
        assert self.bob.error("accept", room="den", what="rematch") == "not-offered"
        assert self.server.registry.room("den") is None

    def test_it_expires(self) -> None:
        self.end()
        self.pass_time(59)
        self.offer(self.alice)
        self.pass_time(59)
        assert events(self.bob.read()) == ["offered"]
        self.pass_time(1)
        assert events(self.bob.read()) == ["expired"]
        assert self.alice.read()[-1]["event"] == "expired"
        assert self.bob.error("accept", room="den", what="rematch") == "not-offered"

    def test_it_expires_without_an_offer(self) -> None:
        self.end()
        self.alice.ask("hello", takes=["after"])
        self.pass_time(EXPIRES)
        about = {"room": "den", "seat": 0, "what": "rematch"}
        assert self.alice.read() == [{"event": "expired", "n": 6, **about}]
        assert self.bob.read() == [], "bob's client is an older one"

    def test_who_goes_declines(self) -> None:
        leave: list[Callable[[], object]] = [
            lambda: self.bob.ask("leave", room="den"),
            lambda: self.bob.ask("login", user="bob", password="secret"),
            lambda: self.bob.visitor.hang_up(),
        ]
        for go in leave:
            self.end()
            self.offer(self.alice)
            go()
            assert events(self.alice.read()) == ["declined", "left"]
            assert self.alice.error("offer", room="den", what="rematch") == "not-offered"
            self.alice.ask("leave", room="den")
            self.vera.visitor.hang_up()
        assert self.server.lobby._over == {}

    def test_who_stays_hears_that_the_other_has_gone(self) -> None:
        self.end()
        self.vera.ask("leave", room="den")
        assert self.bob.read() == [], "a viewer's going changes nothing"
        self.alice.ask("leave", room="den")
        left = {"event": "left", "room": "den", "n": 6, "seat": 0, "user": "alice", "held": None}
        assert self.bob.read() == [left]

    def test_if_somebody_else_has_the_room_it_is_in_another_one(self) -> None:
        self.end()
        carol = Person(self.server, "carol")
        carol.ask("open", game="nim", room="den", computer="beginner")
        self.offer(self.alice)
        carol.ask("resign", room="den")  # somebody may even have played there meanwhile
        carol.ask("open", game="nim", room="den", private=True)
        told = [self.offer(self.bob, "accept"), self.alice.read(), self.vera.read()]
        rooms = [next(m for m in each if m.get("event") == "room") for each in told]
        assert [room["seat"] for room in rooms] == [0, 1, None]
        assert {room["game"] for room in rooms} == {"reversi"}
        (name,) = {room["room"] for room in rooms}
        assert name != "den"
        assert self.bob.ask("move", room=name, move="b1")[0]["at"] == 5

    def test_who_enters_another_room_of_that_name_wants_none(self) -> None:
        self.end()
        self.offer(self.alice)
        self.vera.ask("open", game="nim", room="den")
        self.bob.ask("join", room="den")
        assert events(self.alice.read()) == ["declined", "left"]
        assert self.bob.error("accept", room="den", what="rematch") == "not-offered"

    def test_there_is_no_room_until_somebody_leaves(self) -> None:
        for do in ("accept", "offer"):
            self.serve(max_rooms=1)
            self.end()
            self.offer(self.alice)
            self.vera.ask("open", game="nim", room="attic")
            self.bob.read()
            for _ in range(2):
                assert self.bob.error(do, room="den", what="rematch") == "too-many-rooms"
            assert self.alice.read() == [], "the offer stays"
            self.vera.ask("leave", room="attic", for_good=True)
            assert self.offer(self.bob, do)[0] == {"answer": None}
            assert events(self.alice.read())[0] == "room"

    def test_there_is_no_room_for_whoever_accepts(self) -> None:
        self.serve(max_rooms=1)
        self.end()
        self.offer(self.bob)
        self.vera.ask("open", game="nim", room="attic")
        self.alice.read()
        assert self.alice.error("accept", room="den", what="rematch") == "too-many-rooms"
        assert events(self.offer(self.bob, "decline")) == ["withdrawn"], "the offer stayed"

    def test_guests_wait_for_a_full_disk(self) -> None:
        disk = Mock(low=False)
        self.server.registry.storage = Storage(self.server.clock.seconds, 0, (), [disk])
        one, other = Person(self.server), Person(self.server)
        for guest in (one, other):
            guest.ask("guest")
        one.ask("open", game="nim", room="den")
        other.ask("join", room="den")
        one.ask("resign", room="den")
        self.offer(one)
        other.read()
        disk.low = True
        assert other.error("accept", room="den", what="rematch") == "disk-full"
        disk.low = False
        assert self.offer(other, "accept")[0] == {"answer": None}
        assert events(one.read())[-1] == "room"

    def test_who_is_in_too_many_rooms(self) -> None:
        self.end()
        self.server.lobby.max_rooms = 1
        self.offer(self.alice)
        self.bob.ask("open", game="nim", room="attic")
        assert self.bob.error("accept", room="den", what="rematch") == "not-offered"

    def test_not_with_whom_it_cant_be_told(self) -> None:
        carol = self.server.log_in("carol")
        carol.ask("CREATE:den")
        self.bob.ask("join", room="den")
        carol.read()
        self.bob.ask("resign", room="den")
        assert carol.read()[-1].startswith("GAMEEND")
        assert self.bob.error("offer", room="den", what="rematch") == "not-offered"
        assert carol.read() == []

    def test_not_after_a_room_that_never_had_a_match(self) -> None:
        self.open()
        self.alice.ask("resign", room="den")
        assert self.alice.error("offer", room="den", what="rematch") == "not-offered"


class ComputerTests(RematchCase):
    def begin_with_computer(self) -> None:
        clock, registry = self.server.clock, self.server.registry
        computer = Computer(registry, clock, None, Random(1), Any, by_name=False)  # type: ignore[arg-type]
        registry.observers.append(computer)
        self.alice.ask("open", game="tictactoe", computer="beginner", room="den")

    def test_it_accepts_and_begins_every_other_match(self) -> None:
        clock = self.server.clock
        self.begin_with_computer()
        for seat in (1, 0, 1):
            clock.advance(1)
            self.alice.ask("resign", room="den")
            room = next(each for each in self.offer(self.alice) if each.get("event") == "room")
            assert room["seat"] == seat
            clock.advance(THINKS)
            moved = [each for each in self.alice.read() if each["event"] == "moved"]
            assert len(moved) == seat, "it moves first when it has the first seat"
        assert room["score"] == [3, 0]

    def test_it_waits_for_a_room_too(self) -> None:
        self.serve(max_rooms=1)
        self.begin_with_computer()
        self.server.clock.advance(1)
        self.alice.ask("resign", room="den")
        self.bob.ask("open", game="nim", room="attic")
        assert self.alice.error("offer", room="den", what="rematch") == "too-many-rooms"
        self.bob.ask("leave", room="attic", for_good=True)
        assert "room" in events(self.offer(self.alice))

"""Seats that are held: what a login says of them, and the ways back."""

from __future__ import annotations

from random import Random
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import Server
from tests.protocols.lobby.helpers import Message, Person, events
from tictac.engines.computer import Computer
from tictac.lobby.room import Room
from tictac.protocols.lobby.guests import MOST_GONE


class SeatsCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.server = Server(rejoin_timeout=30, guests=True)
        self.alice, self.bob = Person(self.server, "alice"), Person(self.server, "bob")

    def tearDown(self) -> None:
        assert not self.server.faults

    def begin(self, room: str = "den", **fields: Any) -> None:
        answer = self.alice.ask("open", game="nim", room=room, **fields)[0]
        self.bob.ask("join", room=room, **{key: answer[key] for key in answer if key == "key"})
        self.alice.read()

    def log_in(self, user: str) -> Message:
        (answer,) = Person(self.server).ask("login", user=user, password="secret")
        return answer

    def guest(self, **fields: Any) -> tuple[Person, Message]:
        person = Person(self.server)
        (answer,) = person.ask("guest", **fields)
        return person, answer


class HeldTests(SeatsCase):
    def test_a_login_says_for_how_long_a_seat_is_held(self) -> None:
        self.begin()
        self.bob.visitor.hang_up()
        self.server.expire(6)
        (held,) = self.log_in("bob")["seats"]["held"]
        room = Person(self.server, "carol").ask("watch", room="den")[-1]
        told = {name: room[name] for name in ("game", "options", "turn", "position")}
        assert (
            held == {"room": "den", "seat": 1, "seconds": 24.0, "players": ["alice", "bob"]} | told
        )

    def test_a_seat_that_another_connection_plays_is_in_no_danger(self) -> None:
        self.begin()
        (held,) = self.log_in("alice")["seats"]["held"]
        assert (held["seat"], held["seconds"]) == (0, None)

    def test_the_oldest_room_comes_first(self) -> None:
        self.begin("den")
        self.begin("hut")
        assert [each["room"] for each in self.log_in("bob")["seats"]["held"]] == ["den", "hut"]

    def test_a_room_that_waits_counts(self) -> None:
        self.alice.ask("open", game="nim", room="den")
        self.alice.visitor.hang_up()
        (held,) = self.log_in("alice")["seats"]["held"]
        assert (held["seconds"], held["players"]) == (30.0, ["alice", None])
        assert held["turn"] is held["position"] is None

    def test_nothing_is_said_without_a_seat(self) -> None:
        self.begin()
        assert "seats" not in self.log_in("carol")

    def test_nothing_is_said_of_a_seat_that_was_given_up(self) -> None:
        self.begin()
        self.bob.ask("leave", room="den", for_good=True)
        assert "seats" not in self.log_in("bob")

    def test_the_lookup_forgets_rooms_that_closed(self) -> None:
        self.begin()
        self.bob.ask("resign", room="den")
        seats = self.server.registry.seats
        assert not [user for user in ("alice", "bob") if seats.of(user)]


class KeyTests(SeatsCase):
    def test_an_own_seat_needs_no_key(self) -> None:
        self.begin(private=True)
        self.bob.visitor.hang_up()
        bob = Person(self.server)
        bob.ask("login", user="bob", password="secret")
        answer, event = bob.ask("join", room="den")
        assert "error" not in answer and event["seat"] == 1

    def test_nor_does_one_that_another_connection_has(self) -> None:
        self.begin(private=True)
        bob = Person(self.server)
        bob.ask("login", user="bob", password="secret")
        assert bob.error("join", room="den") == "room-full"
        assert bob.ask("join", room="den", take=True)[-1]["seat"] == 1

    def test_strangers_need_it_whether_seats_are_free_or_not(self) -> None:
        self.alice.ask("open", game="nim", room="den", private=True)
        assert self.bob.error("join", room="den", key="guessed") == "private-room"
        self.begin("hut", private=True)
        self.bob.visitor.hang_up()
        carol = Person(self.server, "carol")
        assert carol.error("join", room="hut", key="guessed") == "private-room"
        assert carol.error("join", room="hut", take=True) == "private-room"


class GuestTests(SeatsCase):
    def seat(self) -> tuple[Person, Message]:
        self.alice.ask("open", game="nim", room="den")
        guest, answer = self.guest()
        guest.ask("join", room="den")
        return guest, answer

    def test_a_token_gives_the_name_and_the_seat_back(self) -> None:
        guest, first = self.seat()
        guest.visitor.hang_up()
        again, answer = self.guest(token=first["token"])
        assert (answer["user"], answer["token"]) == (first["user"], first["token"])
        assert answer["seats"]["held"][0]["seconds"] == 30.0
        assert again.ask("join", room="den")[-1]["seat"] == 1

    def test_it_takes_the_seat_from_the_own_other_connection(self) -> None:
        guest, first = self.seat()
        again, answer = self.guest(token=first["token"])
        assert answer["user"] == first["user"]
        assert again.ask("join", room="den", take=True)[-1]["seat"] == 1
        assert events(guest.read()) == ["replaced"]

    def test_another_token_makes_another_guest(self) -> None:
        guest, first = self.seat()
        guest.visitor.hang_up()
        name, _, secret = first["token"].partition(".")
        for token in ("", name, f"{name}.", f"{name}.{secret[1:]}", f"guest-9.{secret}", "\u00e9"):
            assert self.guest(token=token)[1]["user"] != first["user"]

    def test_a_name_is_kept_for_a_while_without_a_seat(self) -> None:
        guest, first = self.guest()
        guest.visitor.hang_up()
        self.server.clock.advance(29)
        guest, answer = self.guest(token=first["token"])
        assert answer["user"] == first["user"]
        guest.visitor.hang_up()
        self.server.clock.advance(31)
        assert self.guest(token=first["token"])[1]["user"] != first["user"]

    def test_where_no_seats_are_held_no_name_is_kept_but_for_news(self) -> None:
        self.server = Server(guests=True)
        self.alice = Person(self.server, "alice")
        guest, first = self.seat()
        guest.visitor.hang_up()
        _, answer = self.guest(token=first["token"])
        assert answer["user"] == first["user"] and answer["seats"]["ended"]
        guest, first = self.guest()
        guest.visitor.hang_up()
        assert self.guest(token=first["token"])[1]["user"] != first["user"]

    def test_a_token_of_any_text_is_only_wrong(self) -> None:
        person = Person(self.server)
        for text in ('"\\ud800"', '"\\u0000"', '".."', f'"{"x" * 7000}"'):
            (answer,) = person.send('{"do":"guest","token":' + text + "}")
            assert answer.get("guest") or answer["error"] == "malformed"

    def test_many_who_come_and_go_push_no_seat_out(self) -> None:
        guest, first = self.seat()
        guest.visitor.hang_up()
        others = [self.server.lobby.guest_list.come(None) for _ in range(MOST_GONE + 1)]
        for name, _ in others:
            self.server.lobby.guest_list.go(name)
        assert self.server.lobby.guest_list.come(others[0][1])[0] != others[0][0]
        assert self.server.lobby.guest_list.come(others[-1][1])[0] == others[-1][0]
        assert self.guest(token=first["token"])[1]["user"] == first["user"]

    def test_an_account_is_nobody_a_token_gives(self) -> None:
        guest, first = self.seat()
        (answer,) = guest.ask("login", user="bob", password="secret") or [{}]
        assert answer["error"] == "already-in-room"
        assert first["token"].startswith(first["user"] + ".")


class EndedTests(SeatsCase):
    def test_a_login_says_what_ended_meanwhile(self) -> None:
        self.begin()
        self.bob.visitor.hang_up()
        self.alice.ask("resign", room="den")
        (ended,) = self.log_in("bob")["seats"]["ended"]
        assert ended.pop("position").startswith("0:") and ended.pop("options")["largest"] == 20
        assert ended == {
            "room": "den", "game": "nim", "seat": 1, "how": "forfeited", "winner": 1,
            "result": [0, 1], "players": ["alice", "bob"], "turn": None,
        }  # fmt: skip

    def test_a_seat_that_was_lost_too(self) -> None:
        self.begin()
        self.bob.visitor.hang_up()
        self.server.expire(31)
        (ended,) = self.log_in("bob")["seats"]["ended"]
        assert (ended["how"], ended["winner"], ended["disconnected"]) == ("left", 0, True)

    def test_for_a_few_minutes(self) -> None:
        self.begin()
        self.bob.visitor.hang_up()
        self.server.expire(31)
        self.server.clock.advance(299)
        assert "seats" in self.log_in("bob")
        self.server.clock.advance(2)
        assert "seats" not in self.log_in("bob")

    def test_a_seat_that_was_given_up_while_the_others_play_on(self) -> None:
        clock, registry = self.server.clock, self.server.registry
        computer = Computer(registry, clock, None, Random(1), Any, by_name=False)  # type: ignore[arg-type]
        registry.observers.append(computer)
        self.alice.ask("open", game="clue", room="den", computer="random", computers=4)
        self.bob.ask("join", room="den")
        self.server.clock.advance(1)
        assert self.room.begun
        self.bob.visitor.hang_up()
        self.server.expire(31)
        answer = self.log_in("bob")["seats"]
        (lost,) = answer["ended"]
        assert lost["result"] is None and lost["disconnected"] and "held" not in answer
        self.server.registry.call_off("den")
        (ended,) = self.log_in("bob")["seats"]["ended"]
        assert ended["how"] == "drawn" and ended["result"] is not None

    @property
    def room(self) -> Room:
        room = self.server.registry.room("den")
        assert room is not None
        return room

    def test_who_hangs_up_after_the_flag(self) -> None:
        self.begin(clock={"initial": 60, "increment": 0})
        self.server.clock.advance(61)
        self.bob.visitor.hang_up()
        (ended,) = self.log_in("bob")["seats"]["ended"]
        assert (ended["how"], ended["winner"]) == ("timed out", 1)

    def test_nothing_for_who_was_there_or_left_for_good(self) -> None:
        self.begin()
        self.alice.ask("resign", room="den")
        assert "seats" not in self.log_in("alice") and "seats" not in self.log_in("bob")
        self.begin()
        self.bob.ask("leave", room="den", for_good=True)
        assert "seats" not in self.log_in("bob")

    def test_a_guest_too(self) -> None:
        self.alice.ask("open", game="nim", room="den")
        guest, first = self.guest()
        guest.ask("join", room="den")
        guest.visitor.hang_up()
        self.server.clock.advance(20)
        self.alice.ask("resign", room="den")
        self.server.clock.advance(60)
        _, answer = self.guest(token=first["token"])
        assert answer["user"] == first["user"] and answer["seats"]["ended"][0]["winner"] == 1

    def test_they_are_bounded(self) -> None:
        for number in range(7):
            self.bob = Person(self.server, None if number else "bob")
            if number:
                self.bob.ask("login", user="bob", password="secret")
            self.begin(f"den{number}")
            self.bob.visitor.hang_up()
            self.alice.ask("resign", room=f"den{number}")
        ended = self.log_in("bob")["seats"]["ended"]
        assert [each["room"] for each in ended] == [f"den{number}" for number in range(2, 7)]

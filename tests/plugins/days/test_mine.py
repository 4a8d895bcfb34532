"""Your games: the list, its events, and what a login says of them."""

from __future__ import annotations

from typing import Any

from tests.protocols.lobby.case import LobbyCase
from tests.protocols.lobby.helpers import Message, Person, events
from tictac.lobby.clock import DAY
from tictac.plugins.days.mine import MyGames

DAYS = {"days": 3}


class MineCase(LobbyCase):
    def setUp(self) -> None:
        super().setUp()
        self.server.registry.outbox.outlives = True
        self.server.lobby.extend(MyGames(self.server.lobby, self.server.clock))
        self.alice.ask("ping")

    def begin(self, room: str = "den", **fields: Any) -> None:
        asked = {"game": "reversi", "options": {"size": "4"}, "room": room, "clock": DAYS}
        self.alice.ask("open", **{**asked, **fields})
        self.bob.ask("join", room=room)
        self.settle()

    def settle(self) -> None:
        self.server.clock.advance(0)
        self.alice.read(), self.bob.read()

    def log_in(self, user: str) -> Message:
        person = Person(self.server)
        setattr(self, user, person)
        (answer,) = person.ask("login", user=user, password="secret")
        return answer

    def mine(self, person: Person, **fields: Any) -> list[Message]:
        told = person.ask("mine", **fields)
        self.server.clock.pump([0, 0, 0])
        (listed,) = [each["mine"] for each in [*told, *person.read()] if "mine" in each]
        found: list[Message] = listed
        return found


class ListTests(MineCase):
    def test_whose_turn_and_how_long(self) -> None:
        self.begin()
        self.server.expire(DAY)
        (one,) = self.mine(self.alice)
        assert (one["seat"], one["turn"], one["left"], one["clock"]) == (0, 0, 2 * DAY, DAYS)
        assert (one["last"], one["players"], one["unread"]) == (None, ["alice", "bob"], 0)
        self.alice.ask("move", room="den", move="b1")
        self.settle()
        (one,) = self.mine(self.bob)
        assert (one["seat"], one["turn"], one["left"]) == (1, 1, 3 * DAY)
        assert one["last"]["move"] == "b1" and one["position"] == ".X../.XX./.XO./.... O"

    def test_live_matches_and_waiting_rooms_too(self) -> None:
        self.alice.ask("open", game="nim", room="live")
        (one,) = self.mine(self.alice)
        assert (one["begun"], one["turn"], one["left"], one["clock"]) == (False, None, None, None)
        assert one["players"] == ["alice", None] and one["here"] == ["alice"]

    def test_many(self) -> None:
        for number in range(10):
            self.begin(f"den {number}")
        assert len(self.mine(self.alice)) == 10

    def test_chat_since_the_departure_is_unread(self) -> None:
        self.begin()
        self.alice.ask("leave", room="den")
        self.server.clock.advance(1)
        self.bob.ask("say", room="den", text="Hi!")
        self.bob.ask("say", room="den", text="Are you there?")
        self.settle()
        assert [each["unread"] for each in self.mine(self.alice, follow=False)] == [2]
        assert [each["unread"] for each in self.mine(self.bob, follow=False)] == [0]
        self.alice.ask("join", room="den")
        assert [each["unread"] for each in self.mine(self.alice, follow=False)] == [0]

    def test_changes_follow(self) -> None:
        self.begin()
        self.mine(self.bob)
        self.bob.ask("leave", room="den")
        self.settle()
        self.alice.ask("move", room="den", move="b1")
        self.server.clock.advance(0)
        (event,) = self.bob.read()
        assert (event["event"], event["turn"], event["seat"]) == ("mine", 1, 1)
        self.alice.ask("resign", room="den")
        self.server.clock.advance(0)
        (event,) = self.bob.read()
        assert (event["gone"], event["how"], event["winner"]) == (True, "forfeited", 1)
        assert self.mine(self.bob) == []

    def test_a_live_room_follows_without_its_moves(self) -> None:
        self.mine(self.bob)
        self.begin(clock=None)
        self.bob.read()
        self.alice.ask("move", room="den", move="b1")
        self.server.clock.advance(0)
        assert events(self.bob.read()) == ["moved"]
        self.bob.ask("resign", room="den")
        self.server.clock.advance(0)
        assert self.bob.read()[-1] == {"event": "mine", "room": "den", "gone": True}

    def test_no_longer(self) -> None:
        self.begin()
        self.mine(self.bob, follow=False)
        self.bob.ask("leave", room="den")
        self.settle()
        self.alice.ask("move", room="den", move="b1")
        self.server.clock.advance(0)
        assert self.bob.read() == []

    def test_a_guest_keeps_no_seat_for_days(self) -> None:
        guest = Person(self.server)
        guest.ask("guest")
        assert guest.error("open", game="nim", clock=DAYS) == "guests-refused"
        self.alice.ask("open", game="nim", room="den", clock=DAYS)
        assert guest.error("join", room="den") == "guests-refused"

    def test_the_lobby_lists_rooms_until_the_match_begins(self) -> None:
        self.alice.ask("open", game="nim", room="den", clock=DAYS)
        vera = Person(self.server)
        (answer,) = vera.ask("lobby")
        assert [each["clock"] for each in answer["rooms"]] == [DAYS]
        self.bob.ask("join", room="den")
        self.server.clock.advance(1)
        assert vera.read() == [{"event": "lobby", "room": "den", "gone": True}]
        (answer,) = vera.ask("lobby")
        assert answer["rooms"] == []

    def test_a_seek_finds_a_room_whose_owner_is_away(self) -> None:
        self.alice.ask("seek", game="nim", clock=DAYS)
        self.alice.visitor.hang_up()
        assert events(self.bob.ask("seek", game="nim", clock=DAYS)) == ["room"]


class LoginTests(MineCase):
    def test_turns_are_counted(self) -> None:
        self.begin()
        self.begin("attic")
        assert self.log_in("alice")["mine"] == {"games": 2, "turns": 2}
        assert self.log_in("bob")["mine"] == {"games": 2, "turns": 0}

    def test_nothing_is_said_without_games(self) -> None:
        assert "mine" not in self.log_in("carol")

    def test_a_departure_keeps_the_seat_and_so_does_a_logout(self) -> None:
        self.begin()
        self.bob.ask("leave", room="den")
        self.alice.ask("logout")
        assert self.server.registry.has_room("den")
        assert self.bob.ask("join", room="den")[-1]["event"] == "room"
        self.bob.ask("leave", room="den", for_good=True)
        assert not self.server.registry.has_room("den")

    def test_a_seat_over_days_is_held_for_no_seconds(self) -> None:
        self.begin()
        self.bob.visitor.hang_up()
        [left] = self.alice.read()
        assert (left["event"], left["held"]) == ("left", None)
        assert "seats" not in self.log_in("bob")

    def test_a_return_shows_the_whole_room(self) -> None:
        self.begin()
        self.bob.ask("leave", room="den")
        assert events(self.bob.ask("join", room="den", since=3)) == ["room"]


class ContinueTests(MineCase):
    def test_a_live_match_continues_over_days(self) -> None:
        self.begin(clock=None)
        (_, event) = self.alice.ask("offer", room="den", what="days", days=3)
        assert (event["event"], event["what"], event["days"]) == ("offered", "days", 3)
        self.settle()
        [listed] = self.mine(self.bob, follow=False)
        assert listed["offer"] == {"seat": 0, "what": "days", "days": 3}
        (_, event) = self.bob.ask("accept", room="den", what="days")
        assert (event["event"], event["clock"], event["clocks"]) == ("retimed", DAYS, [3 * DAY] * 2)
        assert events(self.alice.read()) == ["retimed"]
        self.bob.ask("leave", room="den")
        [listed] = self.mine(self.bob)
        assert listed["clock"] == DAYS
        assert self.log_in("bob")["mine"]["games"] == 1

    def test_an_offer_of_days_has_days(self) -> None:
        self.begin(clock=None)
        assert self.alice.error("offer", room="den", what="days") == "bad-option"
        assert self.alice.error("offer", room="den", what="draw", days=3) == "bad-option"
        assert self.alice.error("offer", room="den", what="days", days=15) == "bad-option"

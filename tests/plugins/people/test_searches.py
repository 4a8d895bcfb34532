"""Players who seek an opponent while they play the computer (people/searches.py)."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import Server
from tests.plugins.people.served import People
from tests.protocols.lobby.helpers import Message, Person
from tictac.plugins.people.searches import SECONDS

NIM = {"game": "nim"}


class SearchesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.server = Server(rejoin_timeout=30)
        self.people = People(self.server)
        self.alice, self.bob, self.vera = (
            Person(self.server, name) for name in ("alice", "bob", "vera")
        )

    def search(self, person: Person, **terms: Any) -> list[Message]:
        """Let a player search who plays the computer."""
        person.ask("open", computer="club", **NIM)
        person.ask("meanwhile", **{**NIM, **terms})
        return self.found(person)

    def found(self, person: Person, seconds: float = 0) -> list[Message]:
        """Let time pass; return the questions to a player."""
        self.server.clock.advance(seconds)
        return [each for each in person.read() if each.get("event") == "found"]

    def seek(self, person: Person, **terms: Any) -> str:
        """Let a player seek, who sits in a room then; return its name."""
        [answer, *_] = person.ask("seek", **{**NIM, **terms})
        room: str = answer["room"]
        return room

    def check_plays(self, room: str, *users: str) -> None:
        """Check that these play in that room."""
        found = self.server.registry.room(room)
        assert found is not None and found.begun
        assert [member.user for member in found.players] == [*users]

    def test_a_player_who_sits_is_found_by_one_who_plays(self) -> None:
        room = self.seek(self.bob)
        assert self.search(self.alice) == [
            {"event": "found", "room": room, "user": "bob", "seconds": SECONDS}
        ]
        self.alice.ask("join", room=room)
        self.check_plays(room, "bob", "alice")

    def test_a_player_who_plays_is_found_by_one_who_comes_later(self) -> None:
        assert self.search(self.alice) == []
        room = self.seek(self.bob)
        [question] = self.found(self.alice)
        assert (question["room"], question["user"]) == (room, "bob")
        assert len(self.people.searches) == 0, "each question ends its search"

    def test_two_who_play_find_each_other(self) -> None:
        assert self.search(self.alice) == []
        assert self.search(self.bob) == [], "the older one is asked first"
        [question] = self.found(self.alice)
        assert (question["room"], question["user"]) == (None, "bob")
        room = self.seek(self.alice)
        [question] = self.found(self.bob)
        assert (question["room"], question["user"]) == (room, "alice")
        self.bob.ask("join", room=room)
        self.check_plays(room, "alice", "bob")

    def test_the_next_one_is_asked_when_the_first_one_is_silent(self) -> None:
        self.search(self.alice)
        room = self.seek(self.bob)
        assert self.found(self.alice)[0]["room"] == room
        assert self.search(self.vera) == [], "alice is being asked about that room"
        assert self.found(self.vera, SECONDS - 1) == []
        assert self.found(self.vera, 1)[0]["room"] == room

    def test_a_search_is_for_one_kind_of_match(self) -> None:
        self.search(self.alice, clock={"initial": 300, "increment": 0})
        self.seek(self.bob)
        assert self.found(self.alice, SECONDS) == []

    def test_a_search_ends_by_request_and_with_its_connection(self) -> None:
        self.search(self.alice)
        self.search(self.bob, game="reversi")
        self.alice.ask("meanwhile", stop=True, **NIM)
        assert len(self.people.searches) == 1
        self.bob.visitor.hang_up()
        assert len(self.people.searches) == 0

    def test_blocked_players_are_asked_nothing(self) -> None:
        self.server.lobby.blocks = lambda one, other: {one, other} == {"alice", "bob"}
        self.search(self.alice)
        self.search(self.bob)
        assert self.found(self.alice, SECONDS) == self.found(self.bob) == []
        self.seek(self.bob)
        assert self.found(self.alice, SECONDS) == []

    def test_guests_search_only_where_they_play_people(self) -> None:
        guest = Person(self.server)
        guest.ask("guest")
        assert guest.error("meanwhile", **NIM) == "guests-refused"
        self.server.lobby.guests = True
        assert guest.error("meanwhile", rated=True, **NIM) == "guests-refused"
        guest.ask("meanwhile", **NIM)
        assert len(self.people.searches) == 1

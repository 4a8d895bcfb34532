"""The positions of rooms over HTTP (docs/reference/api.md, "Paths")."""

from __future__ import annotations

import json
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.web.helpers import WebServer
from tests.protocols.lobby.helpers import Person
from tictac.plugins.people.running_games import MOST, Boards


class BoardsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.server = WebServer()
        self.server.rooms.lobby.parts["boards"] = Boards(self.server.rooms.registry).answer
        self.alice = Person(self.server.rooms, "alice")
        self.bob = Person(self.server.rooms, "bob")

    def read(self, *rooms: str) -> dict[str, Any]:
        status, headers, body = self.server.get(f"/api/boards?rooms={','.join(rooms)}")
        assert (status, headers["content-type"]) == (200, "application/json")
        boards: dict[str, Any] = json.loads(body)["boards"]
        return boards

    def begin(self, room: str, game: str, **more: Any) -> None:
        [answer, *_] = self.alice.ask("open", game=game, room=room, **more)
        self.bob.ask("join", room=room, key=answer.get("key"))

    def test_they_follow_the_game(self) -> None:
        self.begin("den", "tictactoe")
        assert self.read("den") == {"den": "000000000"}
        self.alice.ask("move", room="den", move="1:1")
        assert self.read("den", "nowhere", "") == {"den": "000010000"}
        self.alice.ask("resign", room="den")
        assert self.read("den") == self.read() == {}

    def test_only_what_everybody_can_watch_is_shown(self) -> None:
        self.alice.ask("open", game="nim", room="attic")
        self.begin("burrow", "nim", private=True)
        assert [*self.read("attic", "burrow")] == ["attic"]

    def test_an_answer_has_a_limit(self) -> None:
        names = [f"den {number}" for number in range(MOST + 2)]
        for name in names:
            self.begin(name, "nim")
        assert [*self.read(*(name.replace(" ", "%20") for name in names))] == names[:MOST]

    def test_of_clue_everybody_sees_where_the_tokens_are(self) -> None:
        self.alice.ask("open", game="clue", room="hall", computer="random", computers=5)
        assert self.read("hall")["hall"].startswith("17,24/24,17/")

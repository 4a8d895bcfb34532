"""Alice and Bob before a server of the lobby protocol."""

from __future__ import annotations

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.helpers import Server
from tests.protocols.lobby.helpers import Message, Person, events


class LobbyCase(SynchronousTestCase):
    """Alice and Bob before a server that takes guests and holds seats."""

    def setUp(self) -> None:
        self.serve()

    def serve(self, **lobby: Any) -> None:
        options = {"rejoin_timeout": 30, "guests": True, **lobby}
        self.server = Server(**options)
        self.alice = Person(self.server, "alice")
        self.bob = Person(self.server, "bob")

    def tearDown(self) -> None:
        assert not self.server.faults

    def open(self, **fields: Any) -> Message:
        """Open a room for alice, and return the event that she receives."""
        asked = {"game": "reversi", "options": {"size": "4"}, "room": "den", **fields}
        answer, room = self.alice.ask("open", **asked)
        assert answer["room"] == room["room"]
        return room

    def begin(self, **fields: Any) -> None:
        """Begin a match of Reversi on 4x4; alice moves first, after event 3."""
        self.open(**fields)
        _, room = self.bob.ask("join", room="den")
        assert (room["seat"], room["begun"], room["n"]) == (1, True, 3)
        assert events(self.alice.read()) == ["joined", "began"]

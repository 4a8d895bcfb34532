"""Alice and Bob before a server that lists their games."""

from __future__ import annotations

import time
from typing import Any

from tests.helpers import Server
from tests.protocols.lobby.case import LobbyCase
from tests.protocols.lobby.helpers import Message, Person
from tictac.plugins.days.matches import DayMatches
from tictac.plugins.days.mine import MyGames
from tictac.plugins.days.record import Records

DAYS = {"days": 3}


def follow_games(server: Server) -> DayMatches:
    """Add the list of games, and the results of users, to a server."""
    matches = DayMatches(server.registry, server.clock.callLater, time.time)
    server.lobby.extend(MyGames(server.lobby, matches, server.clock))
    server.lobby.extend(Records(server.lobby))
    return matches


class MineCase(LobbyCase):
    def setUp(self) -> None:
        super().setUp()
        self.server.registry.outbox.outlives = True
        self.days = follow_games(self.server)
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

"""A server of tests.helpers with the desk of a class."""

from __future__ import annotations

from typing import Any

from tests.accounts.helpers import HASH
from tests.helpers import Server
from tests.protocols.lobby.case import LobbyCase
from tests.protocols.lobby.helpers import Person
from tictac.accounts.tables import Account, AccountTables
from tictac.plugins.desk.marks import Marks
from tictac.plugins.desk.presence import Presence
from tictac.plugins.desk.request_handlers import DeskRequests
from tictac.plugins.desk.tables import DeskTables
from tictac.storage.store import Stored

NOW = 1_800_000_000.0
"""The time of day of the desk."""


def add_desk(server: Server, slip_days: int = 14, most: int = 1000) -> DeskRequests:
    """Let a server have a desk."""
    clock, lobby = server.clock, server.lobby
    marks = Marks(Stored(server.store, DeskTables))
    presence = Presence(lobby, lambda: list(server.factory.connections), clock.seconds)
    desk = DeskRequests(
        server.store, server.accounts, lobby, presence, marks, slip_days, most,
        lambda: NOW + clock.seconds(),
    )  # fmt: skip
    lobby.extend(desk)
    return desk


class DeskCase(LobbyCase):
    """Berger teaches 7b with alice, bob and carol; vera teaches nothing, and root is an admin."""

    def setUp(self) -> None:
        self.server = Server(rejoin_timeout=30, guests=True)
        self.database = self.server.store.database
        accounts = AccountTables(self.database)
        accounts.add_many([
            Account("berger", HASH), Account("root", HASH, "", True), Account("zoe", HASH, "8a"),
            Account("boss", HASH, "7b", True),
        ])  # fmt: skip
        for name in ("alice", "bob", "carol"):
            accounts.set_group(name, "7b")
        self.tables = DeskTables(self.database)
        self.tables.set_teacher("berger", "7b", True)
        self.desk = add_desk(self.server)
        self.successResultOf(self.saved())
        self.teacher = Person(self.server, "berger")

    def saved(self) -> Any:
        """Note logins, as the service does every few seconds."""
        from twisted.internet.defer import Deferred

        return Deferred.fromCoroutine(self.desk.save())

    def ask(self, person: Person | None = None, **fields: Any) -> Any:
        """Return the one answer to a request about 7b."""
        asker = person or self.teacher
        answers = asker.ask("desk", **{"group": "7b", **fields})
        if not answers:  # the address waits for its turn
            self.server.clock.advance(1)
            answers = asker.read()
        [answer] = answers
        return answer

    def pupil(self, name: str) -> Any:
        """Return what the desk says about a pupil."""
        return next(each for each in self.ask()["pupils"] if each["user"] == name)

    def player(self, name: str) -> Person:
        """Return a pupil at the page, who waits for a match."""
        person = Person(self.server, name)
        person.ask("hello", takes=["challenge"])
        return person

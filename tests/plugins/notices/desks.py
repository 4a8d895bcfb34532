"""Alice and Bob before a server that sends notices."""

from __future__ import annotations

from typing import Any

from tests.plugins.notices.case import START, FakeNotifier
from tests.protocols.lobby.case import LobbyCase
from tests.protocols.lobby.helpers import Message, Person
from tests.storage.memory import MemoryStore
from tictac.accounts.tables import Account
from tictac.plugins.notices.desk import Desk
from tictac.plugins.notices.notifier import Notifier
from tictac.plugins.notices.tables import NoticeTables
from tictac.storage.store import Stored


class DeskCase(LobbyCase):
    def setUp(self) -> None:
        super().setUp()
        self.store = MemoryStore([Account(name, "x") for name in ("alice", "bob")])
        self.store.start()
        self.tables = Stored[NoticeTables](self.store, NoticeTables)
        self.watched: list[str] = []
        self.hook = FakeNotifier()
        self.hook.asks = False
        self.channels: dict[str, Notifier] = {"email": FakeNotifier(), "webhook": self.hook}
        self.desk = Desk(
            self.tables, self.channels, self.watched.append,
            self.server.clock.seconds, lambda: START + self.server.clock.seconds(),
        )  # fmt: skip
        self.server.lobby.extend(self.desk)

    def ask(self, person: Person, do: str = "notices", **fields: Any) -> Message:
        (answer,) = person.ask(do, **fields)
        return answer

    def add(self, address: str = "a@x.example", channel: str = "email", **more: Any) -> Message:
        [*_, contact] = self.ask(self.alice, channel=channel, address=address, **more)["contacts"]
        return dict(contact)

    def link(self, does: str) -> str:
        [row] = self.store.database.execute("SELECT id FROM notice_contacts").fetchall()
        return f"{does}/{row[0]}"

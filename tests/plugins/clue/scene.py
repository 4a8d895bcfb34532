"""The console client of Clue between a person and a server, both played by the test."""

from __future__ import annotations

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from tests.plugins.clue.helpers import BOARD
from tests.terminal.helpers import Person
from tictac.plugins.clue.client import ClueClient
from tictac.plugins.clue.console import Respond, Size, play
from tictac.terminal.style import Style
from tictac.testing.connection import FakeTransport


class Scene:
    """A running client; what it says to either side is read once."""

    def __init__(
        self,
        keyboard: bool = False,
        screen: bool = False,
        respond: Respond | None = None,
        size: Size = (80, 24),
    ) -> None:
        self.person = Person(keyboard, screen)
        self.clock = Clock()
        self.client = ClueClient(self.clock)
        self.transport = FakeTransport(self.client)
        self.client.makeConnection(self.transport)
        self.type, self.sent = self.person.type, self.transport.take
        self.status: Deferred[int] = Deferred.fromCoroutine(
            play(self.client, self.person.terminal, Style(), BOARD, "ann", respond, lambda: size)
        )

    def serve(self, *lines: str) -> None:
        """Let the server send these."""
        self.transport.arrive("".join(f"{line}\n" for line in lines).encode())

    def read(self) -> list[str]:
        """Return the lines printed, without those of the board and the notes."""
        lines = self.person.read().split("\n")
        return [line for line in lines if line and not line[:3].strip().isdigit()
                and not line.startswith(("       ", "    0   2"))]  # fmt: skip

    def close(self, reason: Exception | None = None) -> None:
        """Let the server close the connection."""
        self.transport.lost = True
        self.client.connectionLost(Failure(reason or ConnectionDone()))

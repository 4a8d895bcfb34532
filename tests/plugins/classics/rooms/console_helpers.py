"""The rooms client between a person and a server, both played by a test."""

from __future__ import annotations

from random import Random

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from tests.terminal.helpers import Person
from tictac.plugins.classics.rooms.client import RoomsClient, RoomsReconnector
from tictac.plugins.classics.rooms.console import play
from tictac.terminal.style import Style

EMPTY_BOARD = "000000000"

USER, PASSWORD = "Enter username: ", "Enter password: "
LIST_MODE = "Do you want to have a room list as player or viewer? (Player/Viewer) "
CREATE_ROOM = "Enter room name you want to create: "
JOIN_ROOM = "Enter room name you want to join: "
JOIN_MODE = "You wish to join the room as: (Player/Viewer) "

MY_TURN = "It is the current player's turn\n"
NOT_MY_TURN = "It is the opposing player's turn\n"


def begins(first: str, second: str) -> str:
    """Return the lines printed for BEGIN."""
    return f"match between {first} and {second} will commence, it is currently {first}'s turn.\n"


def drawn(board: str) -> str:
    """Return ``board`` as rooms-client.md draws it."""
    marks = [" XO"[int(digit)] for digit in board]
    rule = "-" * 13 + "\n"
    rows = ("| " + " | ".join(marks[start : start + 3]) + " |\n" for start in (0, 3, 6))
    return rule + rule.join(rows) + rule


class Scene:
    """A running client; what it says to either side is read once."""

    def __init__(self, keyboard: bool = False, screen: bool = False, colour: bool = False) -> None:
        self.person = Person(keyboard, screen)
        self.clock = clock = Clock()
        client = RoomsClient(clock)
        self.transport = StringTransport()
        client.makeConnection(self.transport)
        self.client = client
        self.type, self.read, self.read_errors = (
            self.person.type, self.person.read, self.person.read_errors
        )  # fmt: skip
        self.status: Deferred[int] = Deferred.fromCoroutine(
            play(
                RoomsReconnector(client, clock, None, Random(0)),
                self.person.terminal,
                Style(colour),
            )
        )

    def serve(self, *messages: str) -> None:
        """Let the server send messages, in one piece."""
        self.client.dataReceived("".join(message + "\n" for message in messages).encode())

    def sent(self) -> list[str]:
        """Return the requests sent since the last time."""
        requests: list[str] = self.transport.value().decode().splitlines()
        self.transport.clear()
        return requests

    def forget(self) -> None:
        """Pass over what was shown and sent so far."""
        self.read()
        self.read_errors()
        self.sent()

    def create(self, *ahead: str) -> None:
        """Wait in a room as its first player, with lines typed ``ahead``."""
        self.type("CREATE", "den", *ahead)
        self.serve("CREATE:ACKSTATUS:0")
        self.forget()

    def join(self, mode: str, *ahead: str) -> None:
        """Take a seat in another player's room, with lines typed ``ahead``."""
        self.type("JOIN", "den", mode, *ahead)
        self.serve("JOIN:ACKSTATUS:0")
        self.forget()

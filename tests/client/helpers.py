"""The client of the lobby between a person and a server, both played by a test."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import ConnectionLost, ConnectionRefusedError
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure

from tests.terminal.helpers import Person
from tictac.client.connection import Link, LobbyClient
from tictac.client.console import play
from tictac.client.seating import Wish
from tictac.terminal.style import Style

REVERSI = {
    "name": "reversi", "title": "Reversi", "goal": "Enclose pieces.", "seats": [2],
    "levels": ["beginner", "club", "best"],
    "options": [{"name": "size", "help": "Rows and columns.", "kind": "choice", "default": "8",
                 "choices": ["4", "6", "8", "10"]}],
}  # fmt: skip
TIC_TAC_TOE = {
    "name": "tictactoe", "title": "Tic-tac-toe", "goal": "Mark cells.", "seats": [2],
    "levels": [],
    "options": [{"name": "rows", "help": "Rows.", "kind": "number", "default": 3, "lowest": 3,
                 "highest": 19}],
}  # fmt: skip

START = "..../.OX./.XO./.... X"
BOARD = "    a b c d\n 1  . . . .\n 2  . O X .\n 3  . X O .\n 4  . . . .\n    X 2, O 2\n"


class Scene:
    """A running client; what it says to either side is read once."""

    def __init__(
        self, wish: Wish, keyboard: bool = False, screen: bool = False, *, back: bool = False
    ) -> None:
        self.person = Person(keyboard, screen)
        self.clock = Clock()
        self.is_up = True
        self.clients: list[LobbyClient] = []
        self.type, self.read, self.read_errors = (
            self.person.type, self.person.read, self.person.read_errors
        )  # fmt: skip
        link = Link(self.client(), self.clock, self.connect if back else None, Random(0))
        self.status: Deferred[int] = Deferred.fromCoroutine(
            play(link, self.person.terminal, Style(), wish)
        )

    def client(self) -> LobbyClient:
        client = LobbyClient(self.clock)
        self.transport = StringTransport()
        client.makeConnection(self.transport)
        self.clients.append(client)
        return client

    def connect(self) -> Deferred[LobbyClient]:
        return succeed(self.client()) if self.is_up else fail(ConnectionRefusedError())

    def lose(self) -> None:
        """Cut the newest connection."""
        self.clients[-1].connectionLost(Failure(ConnectionLost()))

    def asked(self) -> list[dict[str, Any]]:
        """The requests that came over the newest connection, without their ids."""
        lines = self.transport.value().splitlines()
        self.transport.clear()
        requests = [json.loads(line) for line in lines]
        for request in requests:
            self.last = request.pop("id")
        return requests

    def serve(self, *messages: dict[str, Any]) -> None:
        """Let the server say something."""
        for message in messages:
            self.clients[-1].dataReceived(json.dumps(message).encode() + b"\n")

    def grant(self, expected: dict[str, Any], **answer: Any) -> None:
        """Check that just this was asked for, and answer it."""
        assert self.asked() == [expected]
        self.serve({"answer": self.last} | answer)

    def refuse(self, expected: dict[str, Any], code: str, message: str) -> None:
        """Check that just this was asked for, and refuse it."""
        self.grant(expected, error=code, message=message)

    def begin(self, seat: int | None, **fields: Any) -> None:
        """Come to a match of Reversi on 4 x 4 in which alice is to move, with nothing unread."""
        self.serve(room_event(seat, **fields))
        self.read()


def room_event(seat: int | None, **fields: Any) -> dict[str, Any]:
    """The event ``room`` of a running match."""
    return {
        "event": "room", "room": "k7", "n": 3, "game": "reversi", "title": "Reversi",
        "goal": "Enclose pieces.", "options": {"size": "4"}, "seat": seat,
        "players": [{"user": "alice", "away": False}, {"user": "bob", "away": False}],
        "viewers": [], "position": START, "turn": 0,
        "moves": ["b1", "a2", "d3", "c4"] if seat == 0 else [],
        "begun": True, "clocks": None, "offer": None, "record": [], "said": [],
    } | fields  # fmt: skip


def moved(n: int, seat: int, move: str, position: str, turn: int, **fields: Any) -> dict[str, Any]:
    """The event ``moved``."""
    event = {"event": "moved", "room": "k7", "n": n, "seat": seat, "move": move}
    return event | {"position": position, "turn": turn, "moves": [], "clocks": None} | fields


def ended(n: int, how: str, winner: int | None, **fields: Any) -> dict[str, Any]:
    """The event ``ended``."""
    event = {"event": "ended", "room": "k7", "n": n, "how": how, "winner": winner, "result": None}
    return event | {"move": None, "position": START} | fields


def playing(seat: int | None = 0, keyboard: bool = False, *, back: bool = False) -> Scene:
    """Alice or bob at the table k7, or a guest who watches it."""
    wish = Wish("reversi", room="k7", user="alice") if seat is not None else Wish(watch="k7")
    scene = Scene(wish, keyboard, back=back)
    if seat is None:
        scene.type("LOGIN", "vera", "secret")
        scene.grant({"do": "login", "user": "vera", "password": "secret"})
        scene.grant({"do": "watch", "room": "k7"}, room="k7")
    else:
        scene.grant({"do": "games"}, games=[REVERSI])
        scene.type("secret")
        scene.grant({"do": "login", "user": "alice", "password": "secret"})
        scene.grant({"do": "lobby", "follow": False}, rooms=[])
        scene.grant({"do": "join", "room": "k7"}, room="k7")
    scene.begin(seat)
    return scene

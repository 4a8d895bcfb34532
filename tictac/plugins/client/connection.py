"""The client's side of the lobby protocol: one JSON object per line, both ways.

Source: docs/reference/lobby.md.
"""

from __future__ import annotations

import json
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from tictac.games.all import GAMES
from tictac.net import client_connection, reconnector
from tictac.net.client_connection import ClientConnection, Tls
from tictac.net.framing import Framing
from tictac.terminal.style import visible

Message = dict[str, Any]

FRAMING = Framing(mode="line", max_message=1 << 22)
"""Framing with long messages, because a lobby can list many rooms, and a record many moves."""


def greeting() -> dict[str, object]:
    """Return the fields of each ``hello``, because it replaces those of the one before."""
    return {"draws": list(GAMES), "takes": ["challenge"]}


class Refused(Exception):
    """A request that the server refused; ``str()`` is its message, ``code`` its error code."""

    def __init__(self, code: object, message: object) -> None:
        super().__init__(str(message))
        self.code = code


class LobbyClient(ClientConnection[Message]):
    """One connection that speaks the lobby protocol."""

    framing = FRAMING
    why = ""
    """The server's reason for closing the connection, if sent: a sentence without its period."""

    def __init__(self, clock: IReactorTime) -> None:
        super().__init__(clock)
        self._number = 0

    @property
    def ending(self) -> str:
        """The reason why the connection ended, if it is known: a sentence without its period."""
        closed = f"the server has closed the connection: {visible(self.why)}"
        return closed if self.why else "lost the connection to the server"

    async def greet(self) -> None:
        """Send ``hello`` with the games that this program draws; the server draws all others.

        Raises as :meth:`request`.
        """
        await self.request("hello", **greeting())

    def send(self, do: str, **fields: object) -> int:
        """Send a request; return the number that its answer will have."""
        self._number += 1
        request = {"do": do, "id": self._number} | fields
        self.transport.write(json.dumps(request).encode() + b"\n")
        return self._number

    async def request(self, do: str, **fields: object) -> tuple[Message, list[Message]]:
        """Send a request; return its answer, and the messages before the answer.

        Raises :class:`Refused`, and as ``next_message`` fails.
        """
        number = self.send(do, **fields)
        before = []
        while (message := await self.next_message()).get("answer") != number:
            before.append(message)
        if "error" in message:
            raise Refused(message["error"], message.get("message", message["error"]))
        return message, before

    def parse(self, message: bytes) -> Message | None:
        try:
            value = json.loads(message)
        except (ValueError, RecursionError):
            return None
        known = isinstance(value, dict) and ("answer" in value or "event" in value)
        if known and value.get("event") == "closing":
            self.why = str(value.get("message"))
        return value if known else None


LobbyReconnector = reconnector.Reconnector[LobbyClient]


def connect(reactor: IReactorTime, host: str, port: int, tls: Tls = None) -> Deferred[LobbyClient]:
    """Connect to a server by name or address, as ``client_connection.connect`` does."""
    return client_connection.connect(reactor, host, port, LobbyClient(reactor), tls)

"""A connection of the lobby protocol over a real socket."""

from __future__ import annotations

import json
import socket

from tests.programs import Program
from tests.protocols.lobby.helpers import Message, check_message
from tests.terminal.processes import PATIENCE


class RoomObserver:
    """A connection of the lobby protocol over a real socket."""

    def __init__(self, program: Program) -> None:
        self._socket = socket.create_connection(program.address(), PATIENCE)
        self._file = self._socket.makefile(encoding="utf-8", newline="\n")

    def send(self, **request: object) -> None:
        """Send a request."""
        self._socket.sendall(f"{json.dumps(request)}\n".encode())

    def read(self) -> Message:
        """Return the next message."""
        line = self._file.readline()
        assert line, "closed"
        message = check_message(json.loads(line))
        assert "error" not in message, message
        return message

    def until(self, *names: str) -> Message:
        """Read on to one of these events."""
        while True:
            message = self.read()
            if message.get("event") in names:
                return message

    def close(self) -> None:
        self._file.close()
        self._socket.close()

"""A client's connection to a Clue server: reads messages and writes answers. Source: clue.md."""

from __future__ import annotations

from tictac.errors import NotAMove
from tictac.net.client_connection import ClientConnection, WrongMessage
from tictac.net.framing import Framing
from tictac.plugins.clue import wire
from tictac.plugins.clue.game.messages import Message
from tictac.plugins.clue.game.position import Answer
from tictac.terminal.style import visible


class ClueClient(ClientConnection[Message]):
    """A connection to a Clue server."""

    framing = Framing(mode="line", max_message=wire.LONGEST_LINE)
    _name = b""

    def introduce(self, name: str) -> None:
        """Send the player's name, the first line of the connection."""
        self.transport.write(name.encode("utf-8") + b"\n")

    def send(self, answer: Answer) -> None:
        """Send an answer."""
        self.transport.write(wire.format_answer(answer))

    def lineReceived(self, line: bytes) -> None:
        if wire.is_blank(line):
            return
        if not self._name and wire.begins_message(line):
            self._name = line
        else:
            super().lineReceived(line)
            self._name = b""

    def parse(self, message: bytes) -> Message | None:
        try:
            return wire.read_message(self._name, message)
        except NotAMove:
            return None

    def lineLengthExceeded(self, line: bytes) -> None:
        text = b" ".join(filter(None, (self._name, line)))[:200].decode("utf-8", "replace")
        self._inbox.end(WrongMessage(f"it sent {visible(text.rstrip())}"))
        self.drop()

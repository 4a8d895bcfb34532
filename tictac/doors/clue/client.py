"""Clue from the client's side: messages in, two lines each; answers out. Source: clue.md."""

from __future__ import annotations

from dataclasses import dataclass

from tictac.doors.clue import wire
from tictac.doors.clue.wire import LONGEST_LINE
from tictac.errors import NotAMove
from tictac.games.clue.messages import Answer, Message
from tictac.net.client import DecodingClient
from tictac.terminal.style import visible


@dataclass(frozen=True, slots=True)
class Malformed:
    """What isn't a message; ``why`` says so, and shows it."""

    why: str


Heard = Message | Malformed


class Decoder:
    """Makes messages of bytes (decoding.Decoder). Nothing can be made of what follows a fault."""

    def __init__(self) -> None:
        self._unread = b""
        self._name: bytes | None = None
        self._failed = False

    def feed(self, data: bytes) -> list[Heard]:
        """The messages that ``data`` completes; the last one may be Malformed."""
        *lines, self._unread = (self._unread + data).split(b"\n")
        if len(self._unread) > LONGEST_LINE:
            lines.append(self._unread)
        found: list[Heard] = []
        for line in lines:
            if not self._failed and not wire.is_blank(line):
                self._take(line, found)
        return found

    def _take(self, line: bytes, found: list[Heard]) -> None:
        name, self._name = self._name, None
        try:
            if name is None:
                wire.check_message_name(line)
                self._name = line
            else:
                found.append(wire.read_message(name, line))
        except NotAMove:
            self._failed = True
            text = b" ".join(filter(None, (name, line)))[:200].decode("utf-8", "replace")
            found.append(Malformed(f"it sent {visible(text.rstrip())}"))


class ClueClient(DecodingClient[Heard]):
    """One connection to a Clue server."""

    def __init__(self) -> None:
        super().__init__(Decoder())

    def introduce(self, name: str) -> None:
        """Send the name, which comes first."""
        self.transport.write(name.encode("utf-8") + b"\n")

    def send(self, answer: Answer) -> None:
        """Write an answer."""
        self.transport.write(wire.write_answer(answer))

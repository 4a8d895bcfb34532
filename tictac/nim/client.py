"""Nim from the client's side: messages out, messages in. Source: nim.md."""

from __future__ import annotations

from tictac.net.decoding import DecodingClient
from tictac.nim.wire import (
    FROM_SERVER,
    TYPES,
    Decoder,
    Malformed,
    Message,
    Types,
    format_message,
)


class NimClient(DecodingClient[Message | Malformed]):
    """One connection to a Nim server, with whom it shares the table of types."""

    def __init__(self, types: Types = TYPES) -> None:
        super().__init__(Decoder(FROM_SERVER, types))
        self._types = types

    def send(self, message: Message) -> None:
        """Write ``message``."""
        self.transport.write(format_message(message, self._types))

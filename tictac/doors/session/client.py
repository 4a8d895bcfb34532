"""The two-player session from the client's side. Source: session.md."""

from __future__ import annotations

from tictac.doors.session.wire import Decoder, format_integers
from tictac.net.decoding import DecodingClient


class SessionClient(DecodingClient[int]):
    """One connection to a session server."""

    def __init__(self) -> None:
        super().__init__(Decoder())

    def send_move(self, row: int, column: int) -> None:
        """Mark a cell."""
        self.transport.write(format_integers((row, column)))

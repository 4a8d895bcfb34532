"""The two-player session on the wire: four-byte signed big-endian integers, without framing.

Source: session.md.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

DEFAULT_PORT = 8000
"""The port of a server, if a client is given none."""

PLAYER1, PLAYER2 = 1, 2
PLAYER1_WON, PLAYER2_WON, DRAW, CONTINUE = 1, 2, 3, 4
ENDS = (PLAYER1_WON, PLAYER2_WON, DRAW)

SIDE = 3
"""The number of rows, and of columns."""

_SIZE = 4


def format_integers(integers: Sequence[int]) -> bytes:
    """Return ``integers``, each from -2**31 to 2**31 - 1, as bytes."""
    return struct.pack(f"!{len(integers)}i", *integers)


def format_move(row: int, column: int) -> str:
    """Return a move as text of the game (games.tictactoe.game)."""
    return f"{column}:{row}"


def read_move(move: str) -> tuple[int, int]:
    """Return the row and the column of a move of the game."""
    column, row = map(int, move.split(":"))
    return row, column


class Decoder:
    """Decoder of integers from a byte stream that is cut anywhere, for client and server."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Sequence[int]:
        """Return the integers that ``data`` completes."""
        data = self._rest + data
        whole = len(data) // _SIZE
        self._rest = data[whole * _SIZE :]
        return struct.unpack(f"!{whole}i", data[: whole * _SIZE])

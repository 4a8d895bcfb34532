"""Binary protocols: a player who speaks in bytes over a socket, and bytes cut into pieces."""

from __future__ import annotations

import socket
from itertools import pairwise

from twisted.trial.unittest import SynchronousTestCase

from tests.terminal.processes import PATIENCE


class Caller:
    """A player who speaks in bytes."""

    def __init__(self, case: SynchronousTestCase, address: tuple[str, int]) -> None:
        self.socket = socket.create_connection(address, PATIENCE)
        case.addCleanup(self.socket.close)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def expect(self, data: bytes) -> None:
        """Read this and no more."""
        found = b""
        while len(found) < len(data):
            piece = self.socket.recv(len(data) - len(found))
            assert piece, f"closed after {found!r}"
            found += piece
        assert found == data

    def expect_end(self) -> None:
        assert self.socket.recv(1) == b""


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """Cut ``data`` into pieces that begin at ``places``, taken modulo its length."""
    edges = sorted({0, len(data), *(place % (len(data) or 1) for place in places)})
    return [data[start:end] for start, end in pairwise(edges)]

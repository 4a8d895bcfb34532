"""A blocking connection that sends and receives lines."""

from __future__ import annotations

import select
import socket
import struct
from types import TracebackType

PATIENCE = 60.0

BIND_ADDRESS_NO_PORT = 24
"""From socket(7), not in Python 3.11: the kernel chooses the port in connect()."""

RESET = struct.pack("ii", 1, 0)
"""For SO_LINGER: reset the connection, so that the port doesn't stay in TIME_WAIT."""


class UnexpectedAnswerError(Exception):
    """An answer of the server that isn't the expected one."""


def new_socket(address: str = "") -> socket.socket:
    """Return an unconnected TCP socket; ``address`` is its local address."""
    new = socket.socket()
    if address:
        new.setsockopt(socket.IPPROTO_IP, BIND_ADDRESS_NO_PORT, 1)
        new.bind((address, 0))
    new.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    new.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return new


class Wire:
    """A client that waits for its answers."""

    def __init__(self, port: int, address: str = "", patience: float = PATIENCE) -> None:
        self.socket = new_socket(address)
        self.socket.settimeout(patience)
        self.socket.connect(("127.0.0.1", port))
        self._poll = select.poll()
        self._poll.register(self.socket, select.POLLIN)
        self._rest = b""

    def __enter__(self) -> Wire:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self.socket.close()

    def send(self, line: str) -> None:
        """Send a request."""
        self.socket.sendall(line.encode() + b"\n")

    def has_answer(self) -> bool:
        """Return whether there is unread data."""
        return bool(self._rest) or bool(self._poll.poll(0))

    def read(self) -> str:
        """Return the next line."""
        while b"\n" not in self._rest:
            data = self.socket.recv(65536)
            if not data:
                raise UnexpectedAnswerError("the server has closed the connection")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode()

    def take(self, *expected: str) -> None:
        """Read a line that must be one of ``expected``."""
        line = self.read()
        if line not in expected:
            raise UnexpectedAnswerError(f"{line} instead of {' or '.join(expected)}")

    def expect(self, request: str, *expected: str) -> None:
        """Send a request, and read an answer that must be one of ``expected``."""
        self.send(request)
        self.take(*expected)

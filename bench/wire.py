"""A blocking connection that speaks in lines."""

from __future__ import annotations

import select
import socket
import struct
from types import TracebackType

PATIENCE = 60.0

BIND_ADDRESS_NO_PORT = 24
"""Of socket(7), which Python 3.11 doesn't have: the port is chosen when it connects."""

RESET = struct.pack("ii", 1, 0)
"""For SO_LINGER: hang up at once, so that the port doesn't stay in TIME_WAIT."""


class UnexpectedAnswerError(Exception):
    """The server answered something else than it should have."""


def new_socket(address: str = "") -> socket.socket:
    """A TCP socket that isn't connected yet; ``address`` is the one of ours that it comes from."""
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
        """Hang up."""
        self.socket.close()

    def send(self, line: str) -> None:
        """Ask for something."""
        self.socket.sendall(line.encode() + b"\n")

    def has_answer(self) -> bool:
        """Whether something has come that wasn't read yet."""
        return bool(self._rest) or bool(self._poll.poll(0))

    def read(self) -> str:
        """The next line that comes."""
        while b"\n" not in self._rest:
            data = self.socket.recv(65536)
            if not data:
                raise UnexpectedAnswerError("the server has closed the connection")
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line.decode()

    def take(self, *expected: str) -> None:
        """Read a line that must be one of those."""
        line = self.read()
        if line not in expected:
            raise UnexpectedAnswerError(f"{line} instead of {' or '.join(expected)}")

    def expect(self, request: str, *expected: str) -> None:
        """Ask, and read one of the answers that are right."""
        self.send(request)
        self.take(*expected)

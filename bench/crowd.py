"""Simultaneous connections that all request the same line."""

from __future__ import annotations

import select
import socket
import time
from types import TracebackType

from bench.servers import BenchError
from bench.wire import PATIENCE, new_socket

IN_PROGRESS = 115


class Crowd:
    """A group of ``size`` clients of a server, which connect in :meth:`connect_and_ask`."""

    def __init__(self, port: int, size: int) -> None:
        self._address = ("127.0.0.1", port)
        self._poll = select.epoll()
        self._clients: dict[int, socket.socket] = {}
        for _ in range(size):
            client = new_socket()
            client.setblocking(False)
            self._clients[client.fileno()] = client

    def __enter__(self) -> Crowd:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._poll.close()
        for client in self._clients.values():
            client.close()

    def connect_and_ask(self, request: bytes, expected: bytes) -> list[float]:
        """Connect all clients, send ``request`` and wait for ``expected``.

        Return the seconds from the beginning to each answer, the earliest first.
        """
        begin = time.monotonic()
        for number, client in self._clients.items():
            error = client.connect_ex(self._address)
            if error not in (0, IN_PROGRESS):
                raise OSError(error, "can't connect")
            self._poll.register(number, select.EPOLLOUT)
        answered: list[float] = []
        while len(answered) < len(self._clients):
            events = self._poll.poll(PATIENCE)
            if not events:
                raise BenchError(f"{len(self._clients) - len(answered)} clients weren't answered")
            for number, event in events:
                client = self._clients[number]
                if event & select.EPOLLOUT:
                    client.send(request)
                    self._poll.modify(number, select.EPOLLIN)
                    continue
                answer = client.recv(4096)
                if answer != expected:
                    raise BenchError(f"{answer!r} instead of {expected!r}")
                self._poll.unregister(number)
                answered.append(time.monotonic() - begin)
        return answered

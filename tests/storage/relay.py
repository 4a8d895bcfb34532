"""A network between a store and its server that loses what the test wants lost."""

from __future__ import annotations

import select
import socket
import threading
from contextlib import suppress


class Relay:
    """Passes on what comes to its port, until it is told to break a connection."""

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.lost = 0
        self._word = b""
        self._reaches = self._hangs = False
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def lose(self, word: bytes, reaches: bool) -> None:
        """End the connection on which the client sends ``word`` next.

        If ``reaches``, the server gets ``word`` first, and the client misses the answer.
        """
        self._word, self._reaches, self._hangs = word, reaches, False

    def hang(self, word: bytes) -> None:
        """When the client sends ``word`` next, pass nothing on any more, and end nothing."""
        self._word, self._reaches, self._hangs = word, False, True

    def close(self) -> None:
        """Take no more connections; those that are there must have ended."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._threads.append(threading.Thread(target=self._connect, args=[client]))
                self._threads[-1].start()

    def _connect(self, client: socket.socket) -> None:
        with suppress(OSError), client, socket.create_connection(self._target) as server:
            self._pass_on(client, server)

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        while True:
            for source in select.select([client, server], [], [])[0]:
                data = source.recv(65_536)
                if not data:
                    return
                if source is client and self._word and self._word in data:
                    self._break_off(client, server, data)
                    return
                (server if source is client else client).sendall(data)

    def _break_off(self, client: socket.socket, server: socket.socket, data: bytes) -> None:
        self._word = b""
        self.lost += 1
        if self._reaches:
            server.sendall(data)
            assert server.recv(65_536)  # it is done, and said so
        while self._hangs and client.recv(65_536):
            pass  # until the client has had enough

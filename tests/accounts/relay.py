"""A network between a store and its server that loses what the test wants lost."""

from __future__ import annotations

import select
import socket
import threading
from contextlib import suppress


class Relay:
    """Passes on what comes to its port. Once, it breaks a connection at a word of the client's.

    ``lose`` names the word, and whether the server still gets it (and answers in vain).
    """

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.lost = 0
        self._word = b""
        self._reaches = False
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def lose(self, word: bytes, reaches: bool) -> None:
        """Break the next connection on which this is said."""
        self._word, self._reaches = word, reaches

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
        with client, socket.create_connection(self._target) as server, suppress(OSError):
            self._pass_on(client, server)

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        while True:
            for source in select.select([client, server], [], [])[0]:
                data = source.recv(65_536)
                if not data:
                    return
                if source is client and self._word and self._word in data:
                    self._word = b""
                    self.lost += 1
                    if self._reaches:
                        server.sendall(data)
                        assert server.recv(65_536)  # it is done, and said so
                    return
                (server if source is client else client).sendall(data)

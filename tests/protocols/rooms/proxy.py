"""A way to a server that a test can cut."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial

PATIENCE = 300
"""Seconds after which a connection that was expected isn't any more."""


class Proxy:
    """Passes TCP connections on to a port of this machine, in threads of its own.

    It listens on ``port`` until its test is over: ``add_cleanup`` gets what is to be called then.
    """

    def __init__(self, add_cleanup: Callable[[Callable[[], None]], object], target: int) -> None:
        self._target = target
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        add_cleanup(self._stop)
        self._start(self._accept)

    @property
    def made(self) -> int:
        """How many connections there have been."""
        return len(self._pairs)

    def cut(self) -> None:
        """Close all connections, for both sides."""
        self.cut_near()
        self.cut_far(self.made)

    def cut_near(self) -> None:
        """Close those to the clients; the server notices nothing."""
        _shut_down(near for near, _ in self._pairs)

    def cut_far(self, number: int) -> None:
        """Close the first connections to the server."""
        _shut_down(far for _, far in self._pairs[:number])

    def wait_for(self, number: int) -> None:
        """Wait until so many connections have been made."""
        with self._changed:
            made = self._changed.wait_for(lambda: self.made >= number, PATIENCE)
        assert made, f"{self.made} connections instead of {number}"

    def _accept(self) -> None:
        with suppress(OSError):  # it is shut down at the end
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(("127.0.0.1", self._target))
                with self._changed:
                    self._pairs.append((near, far))
                    self._changed.notify_all()
                self._start(partial(_pass_on, near, far))
                self._start(partial(_pass_on, far, near))

    def _start(self, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work)
        self._threads.append(thread)
        thread.start()

    def _stop(self) -> None:
        _shut_down([self._listening])
        self._threads[0].join()
        self.cut()
        for thread in self._threads[1:]:
            thread.join()
        for pair in self._pairs:
            for one in pair:
                one.close()
        self._listening.close()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):  # either may be cut
        while data := source.recv(65_536):
            sink.sendall(data)


def _shut_down(sockets: Iterable[socket.socket]) -> None:
    for one in sockets:
        with suppress(OSError):  # it may be lost already
            one.shutdown(socket.SHUT_RDWR)

"""Clients that flood a server, in a separate process and from separate addresses.

``python -m bench.flooders PORT CLIENTS ADDRESSES REQUEST`` connects clients from 127.0.0.2 on,
prints ``ready``, sends the request repeatedly as fast as the sockets accept it, and reads the
answers. Clients of the rooms protocol log in first. When the program reads a line, it prints the
number of answers and exits. It runs only when a core is idle, as the attackers do.
"""

from __future__ import annotations

import selectors
import socket
import sys

from bench.attackers import only_if_idle
from bench.wire import Wire

AT_ONCE = 65536


class Flooder:
    """A client that never waits for an answer."""

    def __init__(self, port: int, request: str, address: str) -> None:
        self._wire = Wire(port, address)
        if not request.startswith("{"):
            self._wire.expect("LOGIN:vic:pw", "LOGIN:ACKSTATUS:0")
        self.socket: socket.socket = self._wire.socket
        self.socket.setblocking(False)
        line = request.encode() + b"\n"
        self._flood = line * (AT_ONCE // len(line))
        self._sent = 0
        self.answers = 0

    def read(self) -> None:
        """Read the data that has arrived."""
        data = self.socket.recv(AT_ONCE)
        if not data:
            sys.exit("Error: the server has closed a flood")
        self.answers += data.count(b"\n")

    def write(self) -> None:
        """Send more, and continue in the middle of a line the next time."""
        self._sent += self.socket.send(self._flood[self._sent :])
        self._sent %= len(self._flood)


def main(port: int, count: int, addresses: int, request: str) -> None:
    """Flood until there is a line to read."""
    flooders = [
        Flooder(port, request, f"127.0.0.{2 + number % addresses}") for number in range(count)
    ]
    selector = selectors.DefaultSelector()
    for flooder in flooders:
        selector.register(flooder.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, flooder)
    selector.register(sys.stdin, selectors.EVENT_READ)
    only_if_idle(0)
    print("ready", flush=True)
    while True:
        for key, mask in selector.select():
            if key.data is None:
                print(sum(flooder.answers for flooder in flooders), flush=True)
                return
            if mask & selectors.EVENT_READ:
                key.data.read()
            if mask & selectors.EVENT_WRITE:
                key.data.write()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])

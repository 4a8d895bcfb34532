"""Servers to compare with: they answer in the same lines, and do nothing else.

``python -m bench.floors selectors|linereceiver`` listens on a free port of 127.0.0.1 and
prints its number. There are no rules, accounts, checks or limits: every client in a room gets
a constant board for every PLACE. The cost of a match here is the cost of reading and writing
alone, by hand or with unchanged Twisted.
"""

from __future__ import annotations

import selectors
import socket
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory
from twisted.protocols.basic import LineReceiver
from twisted.python.failure import Failure

BACKLOG = 4096


class Member:
    """A connected client: ``send`` takes the bytes of one line."""

    room: list[Member]
    send: Callable[[bytes], object]


Rooms = dict[bytes, list[Member]]


def answer(rooms: Rooms, member: Member, line: bytes) -> None:
    """Send the answers to a line of ``member`` to all clients that get one."""
    if line.startswith(b"PLACE"):
        for other in member.room:
            other.send(b"BOARDSTATUS:000010000\n")
    elif line.startswith(b"LOGIN"):
        member.send(b"LOGIN:ACKSTATUS:0\n")
    elif line.startswith(b"CREATE"):
        member.send(b"CREATE:ACKSTATUS:0\n")
        member.room = rooms[line[7:]] = [member]
    elif line.startswith(b"JOIN"):
        _, name, mode = line.split(b":")
        member.send(b"JOIN:ACKSTATUS:0\n")
        member.room = rooms[name]
        member.room.append(member)
        if mode == b"PLAYER":
            for other in member.room:
                other.send(b"BEGIN:ann:ben\n")
    else:
        member.send(b"BADAUTH\n")


def leave(member: Member) -> None:
    """Send nothing more to ``member``."""
    if member in member.room:
        member.room.remove(member)


class BareConnection(Member):
    """The data of a connection in the loop."""

    __slots__ = ("rest", "room", "socket")

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self.rest = b""
        self.room = []

    def send(self, line: bytes) -> None:
        try:  # noqa: SIM105, which would cost more than the floor it stands on
            self.socket.send(line)
        except OSError:
            pass


def listen() -> socket.socket:
    """Return a socket that listens on a free port, after printing the port."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(BACKLOG)
    print(listener.getsockname()[1], flush=True)
    return listener


def serve_selectors() -> NoReturn:
    """Serve with a plain loop: wait, read, answer at once."""
    listener = listen()
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    rooms: Rooms = {}
    while True:
        for key, _ in selector.select():
            member: BareConnection | None = key.data
            if member is None:
                accepted, _ = listener.accept()
                accepted.setblocking(False)
                accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                selector.register(accepted, selectors.EVENT_READ, BareConnection(accepted))
                continue
            try:
                data = member.socket.recv(65536)
            except OSError:
                data = b""
            if not data:
                selector.unregister(member.socket)
                member.socket.close()
                leave(member)
                continue
            if member.rest:
                data = member.rest + data
            *lines, member.rest = data.split(b"\n")
            for line in lines:
                answer(rooms, member, line)


class BareLines(LineReceiver, Member):
    """A connection in Twisted's usual way: LineReceiver, TCP_NODELAY, ``transport.write``."""

    delimiter = b"\n"
    rooms: Rooms
    transport: Any

    def connectionMade(self) -> None:
        self.transport.setTcpNoDelay(True)
        self.room = []
        self.send = self.transport.write

    def lineReceived(self, line: bytes) -> None:
        answer(self.rooms, self, line)

    def connectionLost(self, reason: Failure | None = None) -> None:
        leave(self)


class BareFactory(Factory):
    """A factory whose connections share the rooms."""

    noisy = False

    def __init__(self) -> None:
        self.rooms: Rooms = {}

    def buildProtocol(self, addr: IAddress | None) -> BareLines:
        connection = BareLines()
        connection.rooms = self.rooms
        return connection


def serve_linereceiver() -> None:
    """Serve on Twisted's reactor."""
    from twisted.internet import reactor as default

    reactor: Any = default
    port = reactor.listenTCP(0, BareFactory(), backlog=BACKLOG, interface="127.0.0.1")
    print(port.getHost().port, flush=True)
    reactor.run()


if __name__ == "__main__":
    {"selectors": serve_selectors, "linereceiver": serve_linereceiver}[sys.argv[1]]()

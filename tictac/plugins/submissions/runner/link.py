"""The connections between the Unix socket of a program's sandbox and a server.

A program has one connection at a time. The server's side of it is opened when the program connects.
Each side is read only as fast as the other takes it: a program that floods, or reads nothing, costs
no memory.
"""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IStreamClientEndpoint
from twisted.internet.protocol import Factory, connectionDone
from twisted.internet.tcp import Connection
from twisted.protocols.basic import LineOnlyReceiver
from twisted.python.failure import Failure

from tictac.plugins.submissions.runner.translation import FloodError, Translation

LONGEST_REQUEST, LONGEST_MESSAGE = 1 << 16, 1 << 22
"""Maximum bytes of a line of a program, and of a server."""

MOST_DOUBLES = 100
"""Connections beside an open one, after which a program is ended."""


class _Side(LineOnlyReceiver):
    """One side of a link. It is a producer of the other one, and stops with it."""

    delimiter = b"\n"
    transport: Connection
    other: _Side | None = None

    def passed(self, line: bytes) -> None:
        """Take a line that came."""
        raise NotImplementedError

    def lineReceived(self, line: bytes) -> None:
        self.passed(line.removesuffix(b"\r"))

    def pair(self, other: _Side) -> None:
        """Read this side only as fast as ``other`` takes it."""
        self.other = other
        other.transport.registerProducer(self, True)

    def pauseProducing(self) -> None:
        self.transport.pauseProducing()

    def resumeProducing(self) -> None:
        self.transport.resumeProducing()

    def stopProducing(self) -> None:
        self.transport.loseConnection()

    def lineLengthExceeded(self, line: bytes) -> None:
        self.transport.abortConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        other, self.other = self.other, None
        if other is not None:
            other.other = None
            other.transport.unregisterProducer()
            other.transport.loseConnection()


class ServerSide(_Side):
    """The connection to the server."""

    MAX_LENGTH = LONGEST_MESSAGE

    def __init__(self, link: Link) -> None:
        self._link = link

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._link.lost += self.other is not None
        super().connectionLost(reason)

    def passed(self, line: bytes) -> None:
        found = self._link.translation.from_server(line)
        if found is not None and self.other is not None:
            self.other.sendLine(found)


class ProgramSide(_Side):
    """The connection of the program, through its sandbox."""

    MAX_LENGTH = LONGEST_REQUEST

    def __init__(self, link: Link) -> None:
        self._link = link
        self._connecting: Deferred[object] | None = None

    def connectionMade(self) -> None:
        self.transport.pauseProducing()
        self._link.enter(self)

    def connect(self) -> None:
        """Connect to the server, and begin."""
        factory = Factory.forProtocol(lambda: ServerSide(self._link))
        factory.noisy = False
        connecting = self._link.server.connect(factory)
        self._connecting = connecting  # type: ignore[assignment]
        connecting.addCallbacks(self._connected, lambda _: self.transport.loseConnection())

    def _connected(self, server: ServerSide) -> None:
        self._connecting = None
        self._link.translation.connected()
        self.pair(server)
        server.pair(self)
        self.transport.resumeProducing()

    def passed(self, line: bytes) -> None:
        if self.other is None:
            return
        try:
            forward, back = self._link.translation.from_program(line)
        except FloodError as error:
            self._link.stop(str(error))
            return
        if back is not None:
            self.sendLine(back)
        if forward is not None:
            self.other.sendLine(forward)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        if self._connecting is not None:
            self._connecting.cancel()
        super().connectionLost(reason)
        self._link.leave(self)


class Link(Factory):
    """The listener at a program's Unix socket. ``stop`` is called to end the program, and why."""

    noisy = False

    def __init__(
        self, server: IStreamClientEndpoint, translation: Translation, stop: Callable[[str], object]
    ) -> None:
        self.server, self.translation, self.stop = server, translation, stop
        self._sides: list[ProgramSide] = []
        self.doubles = self.lost = 0
        """Connections beside an open one, and connections that the server closed."""

    def buildProtocol(self, addr: object) -> ProgramSide:
        return ProgramSide(self)

    def enter(self, side: ProgramSide) -> None:
        """Let a connection begin, or wait for the end of the connection before it.

        The end of that one might be noticed after the beginning of this one. Others are closed.
        """
        if len(self._sides) > 1:
            side.transport.abortConnection()
        self._sides.append(side)
        if self._sides == [side]:
            side.connect()
            return
        self.doubles += 1
        if self.doubles >= MOST_DOUBLES:
            self.stop(f"it connected {self.doubles} times beside its connection")

    def leave(self, side: ProgramSide) -> None:
        """Free the place of a connection for the next one."""
        first = self._sides[0]
        self._sides.remove(side)
        if side is first and self._sides:
            self._sides[0].connect()

    def close(self) -> None:
        """Close the connections of the program."""
        for side in self._sides:
            side.transport.abortConnection()

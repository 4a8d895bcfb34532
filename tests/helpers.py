"""What the tests of several parts need: a transport, a reactor's turn and a whole server that
aren't there."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from random import Random
from typing import Any
from unittest import skipIf

from twisted.internet.address import IPv4Address
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IHalfCloseableProtocol, ITCPTransport
from twisted.internet.protocol import Protocol
from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport
from twisted.python.failure import Failure
from zope.interface import implementer

from tests.accounts.helpers import HASH, InstantPool, InstantReactor, ManualPool
from tests.accounts.memory import MemoryStore
from tictac.accounts.accounts import Accounts
from tictac.accounts.passwords import PasswordHasher
from tictac.accounts.store import Account
from tictac.accounts.throttle import LoginThrottle
from tictac.archive.behind import WriteBehind
from tictac.doors.lobby.lobby import Lobby
from tictac.doors.rooms.server import RoomsFactory
from tictac.lobby.registry import Registry
from tictac.net.connection import ConnectionFactory, Limits
from tictac.net.framing import Framing

needs_linux = skipIf(sys.platform != "linux", "needs Linux")


def epoll_reactor() -> Any:
    """A reactor as the server's is on Linux, for one test."""
    from twisted.internet.epollreactor import EPollReactor

    return EPollReactor()


@implementer(ITCPTransport)
class FakeTransport(StringTransport):
    """A StringTransport that does more of what TCP does.

    What arrives while its protocol has paused it waits, and each piece is one read. After
    the protocol has closed it nothing more arrives. The connection is lost when the test
    says so: with TCP that comes later, never during a call of the protocol's.
    """

    def __init__(self, protocol: Protocol, host: str = "192.0.2.1") -> None:
        super().__init__(peerAddress=IPv4Address("TCP", host, 1234), lenient=True)
        self.protocol = protocol
        self.arrived: list[bytes | None] = []
        self.writes: list[bytes] = []
        self.no_delay = False
        self.lost = False
        self._delivering = False

    def arrive(self, *pieces: bytes) -> None:
        """Let pieces of data come from the peer, one read each."""
        self.arrived += pieces
        self._deliver()

    def end_input(self, *pieces: bytes) -> None:
        """Let pieces of data come, and right behind them the end of the peer's input."""
        self.arrived += [*pieces, None]
        self._deliver()

    def lose(self) -> None:
        """Let the connection be gone."""
        assert not self.lost
        self.lost = True
        if self.producer is not None:
            self.producer.stopProducing()
        self.protocol.connectionLost(Failure(ConnectionDone()))

    def resumeProducing(self) -> None:
        super().resumeProducing()
        # TCP reads again in its next turn; for the protocol that is the same as now.
        self._deliver()

    def unregisterProducer(self) -> None:
        # Twisted's transports don't mind a second time.
        self.producer = self.streaming = None

    def take(self) -> bytes:
        """What was written since the last time."""
        return b"".join(self.take_writes())

    def take_writes(self) -> list[bytes]:
        """What was written since the last time, write by write."""
        writes, self.writes = self.writes, []
        self.clear()
        return writes

    def _deliver(self) -> None:
        if self._delivering:
            return
        self._delivering = True
        try:
            while self.arrived and self.producerState == "producing" and not self.disconnecting:
                data = self.arrived.pop(0)
                if data is not None:
                    self.protocol.dataReceived(data)
                else:
                    IHalfCloseableProtocol(self.protocol).readConnectionLost()
        finally:
            self._delivering = False

    def write(self, data: bytes) -> None:
        super().write(data)
        self.writes.append(data)

    def writeSequence(self, data: Iterable[bytes]) -> None:
        self.write(b"".join(data))

    # ITCPTransport, which StringTransport isn't.

    def setTcpNoDelay(self, enabled: bool) -> None:
        self.no_delay = enabled

    def getTcpNoDelay(self) -> bool:
        return self.no_delay

    def setTcpKeepAlive(self, enabled: bool) -> None:
        self.keep_alive = enabled

    def getTcpKeepAlive(self) -> bool:
        raise NotImplementedError

    def loseWriteConnection(self) -> None:
        raise NotImplementedError


class TurnClock(Clock):
    """A Clock that can make one turn, as a reactor does.

    ``advance`` also makes the calls that are put off by 0 seconds meanwhile; a reactor
    leaves them for its next turn.
    """

    def turn(self) -> None:
        """Make the calls that are due, and none that they ask for."""
        for call in [c for c in self.calls if c.getTime() <= self.seconds()]:
            if call.active():
                self.calls.remove(call)
                call.called = 1
                call.func(*call.args, **call.kw)


class Server:
    """A rooms server without a network, whose accounts are checked at once.

    ``alice``, ``bob``, ``carol`` and ``vera`` have accounts, all with the password
    ``secret``. With ``pool=ManualPool()`` a password is checked when the test says so. ``lobby``
    is more for the one of the lobby protocol.
    """

    def __init__(
        self,
        framing: Framing | None = None,
        limits: Limits | None = None,
        max_rooms: int = 256,
        pool: ManualPool | None = None,
        store: MemoryStore | None = None,
        origin: float = 0.0,
        rejoin_timeout: float = 0,
        **lobby: Any,
    ) -> None:
        self.clock = TurnClock()
        self.clock.rightNow = origin
        self.pool = pool or InstantPool()
        hasher = PasswordHasher(InstantReactor(), 4, 1, lambda threads, name: self.pool)
        self.store = store or MemoryStore(
            [Account(name, HASH) for name in ("alice", "bob", "carol", "vera")]
        )
        throttle = LoginThrottle(self.clock, self.clock.seconds, failures=0)
        self.accounts = Accounts(self.store, hasher, throttle)
        self.accounts.start()
        self.faults: list[object] = []
        self.registry = Registry(max_rooms, self.clock.seconds, self.faults.append, rejoin_timeout)
        if lobby.get("archive") is not None:
            self.registry.archivist = WriteBehind(
                lobby["archive"], self.clock, self.clock.seconds, utc=lambda: 1_800_000_000.0
            )
        self.lobby = Lobby(
            self.registry,
            self.clock.seconds,
            self.clock.callLater,
            Random(1),
            held=rejoin_timeout,
            **lobby,
        )
        self.factory = RoomsFactory(
            self.clock,
            self.clock.seconds,
            framing or Framing(),
            limits or Limits(),
            accounts=self.accounts,
            registry=self.registry,
            lobby=self.lobby,
        )

    def connect(self, end: bytes = b"\n", host: str = "192.0.2.1") -> Visitor:
        """A new connection, of a peer that ends its messages with ``end``."""
        return Visitor(self, end, host)

    def log_in(self, user: str, end: bytes = b"\n", host: str = "192.0.2.1") -> Visitor:
        """A new connection that has logged in."""
        visitor = self.connect(end, host)
        assert visitor.ask(f"LOGIN:{user}:secret") == ["LOGIN:ACKSTATUS:0"]
        return visitor

    def expire(self, seconds: float) -> None:
        """Let so much time pass, and look for what has stood still for too long."""
        self.clock.advance(seconds)
        self.registry.expire(600, 3600)
        self.factory.expire()


class Visitor:
    """The other side of a connection of a :class:`Server`."""

    def __init__(self, server: Server, end: bytes, host: str) -> None:
        self.server = server
        self.end = end
        address = IPv4Address("TCP", host, 1234)
        self.protocol = server.factory.buildProtocol(address)
        self.transport = FakeTransport(self.protocol, host)
        self.protocol.makeConnection(self.transport)

    def send(self, *messages: str | bytes) -> None:
        """Send messages, each in a segment of its own."""
        for message in messages:
            data = message.encode() if isinstance(message, str) else message
            self.transport.arrive(data + self.end)
            if not self.end:
                # Enough of silence for any message.
                self.server.clock.pump([0.02] * 26)

    def read(self) -> list[str]:
        """The messages that have come since the last time."""
        if not self.end:
            self.server.clock.pump([0.02] * 26)
            return [data.decode() for data in self.transport.take_writes()]
        *lines, rest = self.transport.take().decode().split("\n")
        assert rest == "", "the last line has no end"
        return lines

    def ask(self, *messages: str | bytes) -> list[str]:
        """Send messages; all that comes back."""
        self.send(*messages)
        return self.read()

    def choke(self) -> None:
        """Read nothing from now on: the transport says so when 64 KiB wait."""
        producer: Any = self.transport.producer
        producer.pauseProducing()

    def hang_up(self) -> None:
        """Close the connection, or take note that the server has."""
        self.transport.lose()

    @property
    def closed(self) -> bool:
        """Whether the server has closed the connection, now or soon."""
        return bool(self.transport.disconnecting)

    @property
    def dropped(self) -> bool:
        """Whether the server has dropped it, with what wasn't sent yet."""
        return bool(self.transport.disconnected)


class LineServer:
    """A server of lines without a network: its ``clock``, and the ``factory`` of its port."""

    clock: TurnClock
    factory: ConnectionFactory

    def expire(self, seconds: float) -> None:
        """Let so much time pass, and look for connections that were silent for too long."""
        self.clock.advance(seconds)
        self.factory.expire()

    @property
    def refusals(self) -> dict[str, int]:
        """How many of each kind there were."""
        return dict(self.factory.refusals.counts)


class LineCaller:
    """The other side of a connection of such a server, whose lines end with ``end``."""

    end = "\n"

    def __init__(self, factory: ConnectionFactory) -> None:
        self.protocol = factory.buildProtocol(IPv4Address("TCP", "192.0.2.1", 1234))
        self.transport = FakeTransport(self.protocol)
        self.protocol.makeConnection(self.transport)

    def send(self, *lines: str | bytes) -> None:
        """Send lines, each in a segment of its own."""
        for line in lines:
            data = line if isinstance(line, bytes) else line.encode()
            self.transport.arrive(data + self.end.encode())

    def read(self) -> list[str]:
        """The lines that have come since the last time."""
        *lines, rest = self.transport.take().decode().split(self.end)
        assert rest == "", "the last line has no end"
        return lines

    def ask(self, *lines: str | bytes) -> list[str]:
        """Send lines; all that comes back."""
        self.send(*lines)
        return self.read()

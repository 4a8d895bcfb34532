"""Helpers for the tests of several folders, such as a transport and a whole server in memory.

tictac.testing has the helpers that the tests of plug-ins need, too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from random import Random
from typing import Any
from unittest import skipIf

from twisted.internet.interfaces import ITCPTransport
from twisted.internet.protocol import Protocol
from twisted.internet.task import Clock
from zope.interface import implementer

from tests.accounts.helpers import HASH, InstantPool, InstantReactor, ManualPool
from tests.storage.memory import MemoryStore
from tictac.accounts.accounts import Accounts
from tictac.accounts.hasher import PasswordHasher
from tictac.accounts.tables import Account
from tictac.accounts.throttle import LoginThrottle
from tictac.archive.write_behind import WriteBehind
from tictac.lobby.registry import Registry
from tictac.net.connection import ConnectionFactory, Limits
from tictac.net.framing import Framing
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.rooms.server import RoomsFactory
from tictac.testing.connection import Caller, FakeTransport

needs_linux = skipIf(sys.platform != "linux", "needs Linux")


def epoll_reactor() -> Any:
    """Return a reactor as the server's is on Linux, for one test."""
    from twisted.internet.epollreactor import EPollReactor

    return EPollReactor()


@implementer(ITCPTransport)
class TcpTransport(FakeTransport):
    """One that also has the options of TCP, and knows its ``writes`` one by one."""

    def __init__(self, protocol: Protocol, host: str = "192.0.2.1") -> None:
        super().__init__(protocol, host)
        self.writes: list[bytes] = []
        self.no_delay = False

    def take_writes(self) -> list[bytes]:
        """Return the writes since the last time."""
        writes, self.writes = self.writes, []
        self.clear()
        return writes

    def take(self) -> bytes:
        return b"".join(self.take_writes())

    def write(self, data: bytes) -> None:
        super().write(data)
        self.writes.append(data)

    def writeSequence(self, data: Iterable[bytes]) -> None:
        self.write(b"".join(data))

    # ITCPTransport

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


class Peer(Caller):
    """A caller over a :class:`TcpTransport`."""

    transport: TcpTransport
    make_transport = TcpTransport

    def hang_up(self) -> None:
        """Close the connection, or take note that the server has."""
        self.transport.lose()


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
        self.registry = Registry(
            max_rooms, self.clock.seconds, self.faults.append, rejoin_timeout, rng=Random(1)
        )
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
        """Open a connection of a client that ends its messages with ``end``."""
        return Visitor(self, end, host)

    def log_in(self, user: str, end: bytes = b"\n", host: str = "192.0.2.1") -> Visitor:
        """Open a connection, and log in."""
        visitor = self.connect(end, host)
        assert visitor.ask(f"LOGIN:{user}:secret") == ["LOGIN:ACKSTATUS:0"]
        return visitor

    def expire(self, seconds: float) -> None:
        """Let so much time pass, and look for what has stood still for too long."""
        self.clock.advance(seconds)
        self.registry.expire(600, 3600)
        self.factory.expire()


class Visitor(Peer):
    """The other side of a connection of a :class:`Server`, that ends messages with ``ending``."""

    def __init__(self, server: Server, ending: bytes, host: str) -> None:
        super().__init__(server.factory, host=host)
        self.server = server
        self.ending = ending

    def send(self, *pieces: str | bytes) -> None:
        """Send messages, each in a segment of its own."""
        for message in pieces:
            data = message.encode() if isinstance(message, str) else message
            self.transport.arrive(data + self.ending)
            if not self.ending:
                # Enough of silence for any message.
                self.server.clock.pump([0.02] * 26)

    def read(self) -> list[str]:
        """Return the messages received since the last time."""
        if not self.ending:
            self.server.clock.pump([0.02] * 26)
            return [data.decode() for data in self.transport.take_writes()]
        return super().read()

    def choke(self) -> None:
        """Read nothing from now on: the transport says so when 64 KiB wait."""
        producer: Any = self.transport.producer
        producer.pauseProducing()

    @property
    def dropped(self) -> bool:
        """Whether the server has dropped it, with what wasn't sent yet."""
        return bool(self.transport.disconnected)


class LineCaller(Peer):
    """One whose messages all have an end, those in bytes too."""

    def send(self, *pieces: str | bytes) -> None:
        for piece in pieces:
            data = piece if isinstance(piece, bytes) else piece.encode()
            self.transport.arrive(data + self.end.encode())


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

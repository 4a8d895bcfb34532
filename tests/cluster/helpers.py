"""A real Redis for the tests, and connections to it that do only what a test says."""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any
from unittest import skipIf

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import ConnectionDone
from twisted.internet.protocol import Factory
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from tictac.cluster.address import Address
from tictac.cluster.connection import Connection
from tictac.cluster.leases import RedisTime
from tictac.cluster.link import Link
from tictac.cluster.registry import RedisRegistry
from tictac.cluster.scripts import command

REDIS = shutil.which("redis-server") or shutil.which("valkey-server")

needs_redis = skipIf(
    REDIS is None and not os.environ.get("TICTAC_TEST_ALL"), "there is no redis-server"
)

STARTS_IN = 10.0


class RedisServer:
    """A Redis of our own, on loopback."""

    def __init__(self, *options: str) -> None:
        assert REDIS is not None, "there is no redis-server"
        self.folder = Path(tempfile.mkdtemp(prefix="tictac-redis-"))
        self.port = free_port()
        self._options = options
        self.start()

    def start(self) -> None:
        """Start it (again), and wait until it answers."""
        assert REDIS is not None
        self._process = subprocess.Popen(
            [REDIS, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", *self._options],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + STARTS_IN
        while True:
            try:
                with socket.create_connection(("127.0.0.1", self.port)) as connection:
                    connection.sendall(b"PING\r\n")
                    if connection.recv(100).startswith((b"+PONG", b"-NOAUTH")):
                        return
            except OSError:
                pass
            assert time.monotonic() < deadline, "redis-server doesn't answer"
            select.select([], [], [], 0.01)

    def kill(self) -> None:
        """Let it die on the spot."""
        self._process.kill()
        self._process.wait()

    def stop(self) -> None:
        """End it, and leave nothing."""
        self.kill()
        shutil.rmtree(self.folder)


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@cache
def shared_redis() -> RedisServer:
    """One for all tests that don't kill it."""
    server = RedisServer()
    atexit.register(server.stop)
    return server


class Wire:
    """A transport over a socket that reads when the test says so.

    ``deaf``: what comes waits in the socket, as if the network were slow.
    """

    disconnecting = False

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.protocol: Any = None
        self.lost = self.deaf = False
        self.sent: list[bytes] = []

    def write(self, data: bytes) -> None:
        assert not self.lost
        self.sent.append(data)
        self.socket.setblocking(True)
        with contextlib.suppress(OSError):
            self.socket.sendall(data)
        self.socket.setblocking(False)

    def read(self) -> bool:
        """Hand on what has come; whether there was something."""
        if self.lost or self.deaf:
            return False
        try:
            data = self.socket.recv(1 << 20)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if data:
            self.protocol.dataReceived(data)
        else:
            self.cut()
        return True

    def throw_away(self) -> None:
        """Let what waits in the socket be lost; Redis doesn't know."""
        select.select([self.socket], [], [], 0)
        with contextlib.suppress(BlockingIOError):
            self.socket.recv(1 << 20)

    def cut(self) -> None:
        """Let the connection be lost, with all that hasn't been read."""
        if not self.lost:
            self.lost = True
            self.socket.close()
            self.protocol.connectionLost(Failure(ConnectionDone()))

    def abortConnection(self) -> None:
        self.cut()


class Wires:
    """The connections of one node. ``refuse``: no more are made; ``deaf``: new ones are."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.wires: list[Wire] = []
        self.refuse = self.deaf = False

    def connect(self, factory: Factory) -> Deferred[Any]:
        """As an endpoint does."""
        protocol: Any = factory.buildProtocol(None)
        try:
            if self.refuse:
                raise ConnectionRefusedError
            wire = Wire(self.port)
        except OSError:
            return fail()
        wire.protocol = protocol
        wire.deaf = self.deaf
        self.wires.append(wire)
        protocol.makeConnection(wire)
        return succeed(protocol)

    @property
    def last(self) -> Wire:
        """The one that was made last."""
        return self.wires[-1]


class Pushes:
    """What comes unasked to a node. While it is ``deaf`` that waits, or is lost.

    Redis never lets it wait; but the code doesn't count on that.
    """

    def __init__(self, link: Link) -> None:
        self._link = link
        self._deliver = link._pushed
        self._held: list[tuple[Wire, list[Any]]] = []
        self._deaf = False
        link._pushed = self._pushed  # type: ignore[method-assign]

    def _pushed(self, message: list[Any]) -> None:
        if self._deaf:
            self._held.append((self._wire(), message))
        else:
            self._deliver(message)

    def _wire(self) -> Wire:
        assert self._link._connection is not None
        wire: Any = self._link._connection.transport
        assert isinstance(wire, Wire)
        return wire

    @property
    def deaf(self) -> bool:
        """Whether what comes waits."""
        return self._deaf

    @deaf.setter
    def deaf(self, deaf: bool) -> None:
        self._deaf = deaf
        while not deaf and self._held:
            wire, message = self._held.pop(0)
            if not wire.lost:
                self._deliver(message)

    def throw_away(self) -> None:
        """Let what waits be lost."""
        self._held = []


PATIENCE = 10.0


class Cluster:
    """Nodes in this process, on one Redis database that is empty at first.

    Time stands still for them, but for what a test lets pass. Leases last for a minute, of
    Redis's time; :meth:`lapse` ends one.
    """

    def __init__(self, port: int | None = None, seconds: Callable[[], float] | None = None) -> None:
        self.port = shared_redis().port if port is None else port
        self.clock = Clock()
        self.nodes: list[TestNode] = []
        self._made = 0
        self.redis("FLUSHALL")

    def node(self, **options: Any) -> TestNode:
        """One more node, which has begun."""
        self._made += 1
        node = TestNode(self, " abcdefgh"[self._made], options)
        self.nodes.append(node)
        self.settle()
        return node

    def redis(self, *words: str) -> Any:
        """Ask Redis directly."""
        client = redis_client(self.port)
        client.write(command(*words))
        while not client.protocol.replies:
            select.select([client.socket], [], [], PATIENCE)
            client.read()
        return client.protocol.replies.pop()

    def settle(self) -> None:
        """Wait until every node has every answer, and everything that was published."""
        deadline = time.monotonic() + PATIENCE
        self._wait()
        while not self._hear_all(deadline):
            self._wait()

    def pass_time(self, seconds: float) -> None:
        """Let time pass, in which the nodes read what comes, and then settle."""
        step = 0.05 if seconds < 5 else 0.5
        for _ in range(round(seconds / step)):
            self.clock.advance(step)
            # For Redis hardly any time passes: what was asked is answered meanwhile.
            self._wait()
        self.settle()

    def _wait(self) -> None:
        deadline = time.monotonic() + PATIENCE
        self._exchange()
        while not self._quiet():
            assert time.monotonic() < deadline, "something isn't answered"
            self._exchange()

    def _exchange(self) -> bool:
        self.clock.advance(0)
        return sum(wire.read() for node in self.nodes for wire in list(node.wires.wires)) > 0

    def _quiet(self) -> bool:
        return all(node.quiet() for node in self.nodes)

    def _hear_all(self, deadline: float) -> bool:
        """Whether nothing follows from what was published before now."""
        hearing = [node for node in self.nodes if node.link.up and not node.wires.last.deaf]
        wires = [node.wires.last for node in hearing]
        answered: list[Wire] = []
        for node, wire in zip(hearing, wires, strict=True):
            node.link.send(command("PING"), partial(_note, answered, wire))
        while any(wire not in answered and not wire.lost for wire in wires):
            self._exchange()
            assert time.monotonic() < deadline, "nothing comes of what is published"
        self._exchange()
        return self._quiet()

    def close(self) -> None:
        """Leave nothing open."""
        for node in self.nodes:
            node.link.stop()
        redis_client(self.port).cut()
        redis_client.cache_clear()

    def lapse(self, node: TestNode) -> None:
        """Let a node's lease end."""
        self.redis("DEL", f"node:{{lease}}:{node.registry.id}")


class TestNode:
    """One node of a cluster."""

    __test__ = False

    def __init__(self, cluster: Cluster, name: str, options: dict[str, Any]) -> None:
        self.cluster = cluster
        self.faults: list[Any] = []
        self.wires = Wires(cluster.port)
        self.link = Link(cluster.clock, self.wires.connect, Address("127.0.0.1", cluster.port))
        chosen: dict[str, Any] = {"lease": 60.0, "on_fault": self.faults.append, "max_rooms": 0}
        chosen |= options
        self.registry = RedisRegistry(
            cluster.clock,
            name * 8,
            self.link,
            time=StandingTime(cluster.clock.seconds),
            **chosen,
        )
        self.pushes = Pushes(self.link)
        self.registry.start()

    def die(self) -> None:
        """As of kill -9; its lease lasts on."""
        self.link.stop()
        self.registry._leases._loop.stop()
        self.cluster.nodes.remove(self)

    def quiet(self) -> bool:
        """Whether it waits for nothing that can come."""
        if not self.link.up:
            return self.link._later is not None or not self.link._running
        if self.wires.last.deaf:
            return True
        return not self.link._waiting and (self.pushes.deaf or not self.link._confirming)


def _note(wires: list[Wire], wire: Wire, reply: object) -> None:
    wires.append(wire)


class StandingTime(RedisTime):
    """The test's clock, instead of Redis's time."""

    def learn(self, now: float) -> None:
        pass


class _Replies(Connection):
    def __init__(self) -> None:
        super().__init__(Clock())
        self.replies: list[Any] = []
        self.replied = self.replies.append


@cache
def redis_client(port: int) -> Wire:
    """A connection for the tests themselves."""
    wire = Wire(port)
    wire.protocol = _Replies()
    wire.protocol.makeConnection(wire)
    return wire

"""A cluster in memory, for tests: its nodes share a database, a network, and a clock.

A test starts nodes by name, and lets time pass:

    cluster = Cluster()
    a, b = map(cluster.node, "AB")
    a.create(alice, "den")
    cluster.pass_time(LEASE)
    assert b.room("den") is not None

Each node is a registry of rooms. ``kill`` and ``stop`` end a node. ``net.cut`` loses the links
between two nodes, ``net.part`` keeps them apart until ``net.mend``. While ``stores["A"].away`` is
true, node A can't reach the database.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import ConnectionDone, ConnectionRefusedError
from twisted.internet.protocol import Factory
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from tictac.lobby.interfaces import Occupant, RoomObserver
from tictac.lobby.registry import Registry
from tictac.plugins.cluster.memory import MemoryDatabase, MemoryStore
from tictac.plugins.cluster.node import LocalNode

SECRET = b"open sesame"

PATIENCE = 5.0
"""Seconds that requests wait for the database or another node."""

LEASE = 1.0
"""Seconds without a renewed lease after which a node is dead."""


class Wire:
    """One end of a connection in memory: a transport. While ``deaf``, it delivers nothing."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.other: Wire
        self.protocol: Any = None
        self.lost = False
        self.deaf = False
        self.late: list[bytes] = []

    def write(self, data: bytes) -> None:
        if not self.lost:
            self.clock.callLater(0, self.other.take, data)

    def take(self, data: bytes) -> None:
        if self.lost:
            return
        if self.deaf:
            self.late.append(data)
        else:
            self.protocol.dataReceived(data)

    def deliver(self) -> None:
        """Deliver what came while deaf, and stop being deaf."""
        self.deaf = False
        late, self.late = self.late, []
        for data in late:
            self.take(data)

    def abortConnection(self) -> None:
        for wire in (self, self.other):
            if not wire.lost:
                wire.lost = True
                gone = Failure(ConnectionDone())
                self.clock.callLater(0, wire.protocol.connectionLost, gone)

    loseConnection = abortConnection

    def registerProducer(self, producer: object, streaming: bool) -> None:
        """Do nothing: this transport is always fast enough."""


class Net:
    """Connects nodes by their endpoints, unless they are ``apart``."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.listening: dict[str, Factory] = {}
        self.wires: list[tuple[str, str, Wire]] = []
        self.apart: set[frozenset[str]] = set()

    def connect(self, here: str, there: str, factory: Factory) -> Deferred[Any]:
        listening = self.listening.get(there)
        if listening is None or frozenset((here, there)) in self.apart:
            return fail(ConnectionRefusedError())
        ends = Wire(self.clock), Wire(self.clock)
        for wire, other, made_by in zip(ends, ends[::-1], (factory, listening), strict=True):
            wire.other = other
            wire.protocol = made_by.buildProtocol(None)
        for wire in ends:
            wire.protocol.makeConnection(wire)
        self.wires = [each for each in self.wires if not each[2].lost]
        self.wires += [(here, there, ends[0]), (there, here, ends[1])]
        return succeed(ends[0].protocol)

    def between(self, one: str, other: str) -> list[Wire]:
        """Return the ends at ``one`` of the connections to ``other``."""
        return [w for here, there, w in self.wires if (here, there) == (one, other) and not w.lost]

    def cut(self, one: str, other: str) -> None:
        """Lose the connections of two nodes."""
        for wire in self.between(one, other):
            wire.abortConnection()

    def part(self, one: str, other: str) -> None:
        """Keep two nodes from reaching each other."""
        self.apart.add(frozenset((one, other)))
        self.cut(one, other)

    def mend(self) -> None:
        """Let all nodes reach each other again."""
        self.apart.clear()


class Cluster:
    """Nodes called A, B, C ... on one database, whose time is that of ``clock``.

    ``options`` are arguments of each node's registry. ``faults`` has the occupants and observers
    that raised an error, with the error; ``lost`` has the names of rooms that no node can restore.
    """

    def __init__(self, seconds: Callable[[], float] | None = None, **options: Any) -> None:
        self.clock = Clock()
        self.seconds = seconds or self.clock.seconds
        self.database = MemoryDatabase(self.clock, LEASE)
        self.net = Net(self.clock)
        self.faults: list[Any] = []
        self.on_fault: Callable[[Occupant | RoomObserver], None] = self.fault
        self.lost: list[str] = []
        self.options = {"max_rooms": 0, "rejoin_timeout": 30, **options}
        self.stores: dict[str, MemoryStore] = {}
        self.nodes: dict[str, Registry] = {}
        self.parts: dict[str, LocalNode] = {}

    def node(self, name: str) -> Registry:
        """Start a node; the others know it within a LEASE."""
        store = self.stores[name] = MemoryStore(self.database, PATIENCE)
        part = self.parts[name] = LocalNode(
            store,
            self.clock,
            lambda there, factory: self.net.connect(name, there, factory),
            name,
            SECRET,
            on_lost=self.lost.append,
            seconds=self.seconds,
            on_fault=self.on_fault,
            rng=Random(len(self.stores)),
            patience=PATIENCE,
            silence=2 * LEASE,
            **self.options,
        )
        self.net.listening[name] = part.links.factory
        self.nodes[name] = part.registry
        part.registry.start()
        self.settle()
        return part.registry

    def fault(self, culprit: Occupant | RoomObserver) -> None:
        self.faults.append((culprit, Failure()))

    def kill(self, name: str) -> None:
        """End a node as kill -9 does: its lease runs on."""
        del self.nodes[name]
        del self.net.listening[name]
        self.stores[name].stop()
        node = self.parts[name]
        node.halt()
        node.links.stop()

    def stop(self, name: str) -> None:
        """End a node as SIGTERM does: the others take its rooms over at once."""
        stopped = Deferred.fromCoroutine(self.nodes.pop(name).stop())
        self.pass_time(0.1)
        assert stopped.called, "the node doesn't stop"
        del self.net.listening[name]

    def settle(self) -> None:
        """Make all calls that are due."""
        for _ in range(10_000):
            calls = self.clock.getDelayedCalls()
            if not any(call.getTime() <= self.clock.seconds() for call in calls):
                return
            self.clock.advance(0)
        raise AssertionError("it never ends")

    def pass_time(self, seconds: float) -> None:
        """Advance the clock in small steps."""
        end = self.clock.seconds() + seconds
        self.settle()
        while self.clock.seconds() < end - 1e-9:
            self.clock.advance(min(0.05, end - self.clock.seconds()))
            self.settle()

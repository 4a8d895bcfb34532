"""Nodes of a cluster in one process: a database and a network of their own, and one clock."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from random import Random
from typing import Any, cast

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.error import ConnectionDone, ConnectionRefusedError
from twisted.internet.protocol import Factory
from twisted.internet.task import Clock
from twisted.python.failure import Failure

from tests.lobby import registry_suite
from tests.nodes.memory import MemoryDatabase, MemoryStore
from tictac.lobby.events import Mode, OccupantId
from tictac.lobby.interfaces import Occupant, Watcher
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.nodes.node import LocalNode

SECRET = b"open sesame"
PATIENCE = 5.0
LEASE = 1.0


class Wire:
    """One end of a connection in memory: a transport. ``deaf``: what comes stays on the way."""

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

    def hear(self) -> None:
        """Take what is late."""
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
        """It is always fast enough."""


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
        """The ends at ``one`` of the connections to ``other``."""
        return [w for here, there, w in self.wires if (here, there) == (one, other) and not w.lost]

    def cut(self, one: str, other: str) -> None:
        """Let the connections of two nodes be lost."""
        for wire in self.between(one, other):
            wire.abortConnection()

    def part(self, one: str, other: str) -> None:
        """Let two nodes not reach each other any more."""
        self.apart.add(frozenset((one, other)))
        self.cut(one, other)


class Cluster:
    """Nodes called A, B, C ... on one database."""

    def __init__(self, seconds: Callable[[], float] | None = None, **options: Any) -> None:
        self.clock = Clock()
        self.seconds = seconds or self.clock.seconds
        self.database = MemoryDatabase(self.clock, LEASE)
        self.net = Net(self.clock)
        self.faults: list[Any] = []
        self.on_fault: Callable[[Occupant | Watcher], None] = self.fault
        self.lost: list[str] = []
        self.options = {"max_rooms": 0, "rejoin_timeout": 30, **options}
        self.stores: dict[str, MemoryStore] = {}
        self.nodes: dict[str, Registry] = {}
        self.parts: dict[str, LocalNode] = {}

    def node(self, name: str) -> Registry:
        """Start a node."""
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
            dice=Random(len(self.stores)),
            patience=PATIENCE,
            silence=2 * LEASE,
            **self.options,
        )
        self.net.listening[name] = part.links.factory
        self.nodes[name] = part.registry
        part.registry.start()
        self.settle()
        return part.registry

    def fault(self, culprit: Occupant | Watcher) -> None:
        self.faults.append((culprit, Failure()))

    def kill(self, name: str) -> None:
        """As by kill -9: its lease lasts on."""
        del self.nodes[name]
        node = self.parts[name]
        self.stores[name].stop()
        del self.net.listening[name]
        node._stopped = True
        if node._beating.active():
            node._beating.cancel()
        node.links.stop()
        node.outbox.shut, node.takeover.node_id = True, ""

    def settle(self) -> None:
        """Let all that is due happen."""
        for _ in range(10_000):
            calls = self.clock.getDelayedCalls()
            if not any(call.getTime() <= self.clock.seconds() for call in calls):
                return
            self.clock.advance(0)
        raise AssertionError("it never ends")

    def pass_time(self, seconds: float) -> None:
        """Let time go by, in small steps."""
        end = self.clock.seconds() + seconds
        self.settle()
        while self.clock.seconds() < end - 1e-9:
            self.clock.advance(min(0.05, end - self.clock.seconds()))
            self.settle()


class _Watchers(list[Any]):
    """Those who watch every node."""

    def __init__(self, nodes: list[Registry]) -> None:
        super().__init__()
        self.nodes = nodes

    def append(self, watcher: Any) -> None:
        for node in self.nodes:
            node.watchers.append(watcher)

    def __iadd__(self, watchers: Any) -> _Watchers:  # type: ignore[misc]
        for watcher in watchers:
            self.append(watcher)
        return self


class Together:
    """Several nodes as one registry: each new occupant is at the next node."""

    outlives = True

    def __init__(self, nodes: list[Registry]) -> None:
        self.nodes = nodes
        self.watchers = _Watchers(nodes)
        self._next = cycle(nodes)
        self._at: dict[OccupantId, Registry] = {}

    def at(self, occupant: Occupant) -> Registry:
        return self._at[occupant.occupant_id]

    def new_occupant_id(self) -> OccupantId:
        node = next(self._next)
        occupant_id = node.new_occupant_id()
        self._at[occupant_id] = node
        return occupant_id

    def list_rooms(self, occupant: Occupant, mode: Mode) -> None:
        self.at(occupant).list_rooms(occupant, mode)

    def create(self, occupant: Occupant, name: str, *more: Any) -> None:
        self.at(occupant).create(occupant, name, *more)

    def join(self, occupant: Occupant, name: str, mode: Mode, *more: Any) -> None:
        self.at(occupant).join(occupant, name, mode, *more)

    def place(self, occupant: Occupant, move: str | None, keep: bool = True) -> None:
        self.at(occupant).place(occupant, move, keep)

    def forfeit(self, occupant: Occupant) -> None:
        self.at(occupant).forfeit(occupant)

    def leave(self, occupant: Occupant) -> None:
        self.at(occupant).leave(occupant)

    def room(self, name: str) -> Room | None:
        return self.nodes[0].room(name)

    def expire(self, move_timeout: float, wait_timeout: float) -> None:
        for node in self.nodes:
            node.expire(move_timeout, wait_timeout)

    def stop_holding(self) -> None:
        for node in self.nodes:
            node.stop_holding()

    def start(self) -> None:
        """They have been started."""

    async def stop(self) -> None:
        for node in self.nodes:
            await node.stop()

    def ready(self) -> bool:
        return all(node.ready() for node in self.nodes)

    def rooms(self) -> int:
        return sum(node.rooms() for node in self.nodes)

    def moves(self) -> int:
        return sum(node.moves() for node in self.nodes)

    def running(self, door: str | None = None) -> int:
        return sum(node.running(door) for node in self.nodes)

    def seats_held(self) -> int:
        return sum(node.seats_held() for node in self.nodes)


class OnNodes(registry_suite.RegistryCase):
    """Makes a registry of ``count`` nodes; who comes next is at the next one."""

    count = 2
    cluster: Cluster

    def make_registry(
        self,
        max_rooms: int,
        on_fault: Callable[[Occupant | Watcher], None],
        max_rooms_per_user: int = 0,
    ) -> Registry:
        self.cluster = Cluster(
            self.clock.seconds,
            max_rooms=max_rooms,
            rejoin_timeout=self.rejoin_timeout,
            max_rooms_per_user=max_rooms_per_user,
        )
        self.cluster.on_fault = on_fault
        nodes = [self.cluster.node("ABC"[number]) for number in range(self.count)]
        self.cluster.pass_time(LEASE)
        return cast(Registry, Together(nodes))

    def settle(self) -> None:
        self.cluster.settle()

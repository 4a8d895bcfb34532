"""Nodes of a cluster as one registry, for the suites of registries."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from typing import Any, cast

from tests.lobby import registry_suite
from tictac.lobby.events import Mode, OccupantId
from tictac.lobby.interfaces import Occupant, RoomObserver
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.plugins.cluster.testing import LEASE, Cluster


class _Watchers(list[Any]):
    """Those who watch every node."""

    def __init__(self, nodes: list[Registry]) -> None:
        super().__init__()
        self.nodes = nodes

    def append(self, watcher: Any) -> None:
        for node in self.nodes:
            node.observers.append(watcher)

    def __iadd__(self, observers: Any) -> _Watchers:  # type: ignore[misc]
        for watcher in observers:
            self.append(watcher)
        return self


class Together:
    """Several nodes as one registry: each new occupant is at the next node."""

    outlives = True

    def __init__(self, nodes: list[Registry]) -> None:
        self.nodes = nodes
        self.observers = _Watchers(nodes)
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
        """Ignore the call: the stores are started already."""

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
        on_fault: Callable[[Occupant | RoomObserver], None],
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

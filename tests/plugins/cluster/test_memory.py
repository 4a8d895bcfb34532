"""The database of nodes in memory."""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.task import Clock

from tests.plugins.cluster import store_suite
from tictac.plugins.cluster.memory import MemoryDatabase, MemoryStore
from tictac.plugins.cluster.store import NodeStore


class MemoryStoreTests(store_suite.EveryStoreTests):
    def setUp(self) -> None:
        self.clock = Clock()
        self.database = MemoryDatabase(self.clock)

    def new_store(self) -> NodeStore:
        return MemoryStore(self.database)

    def until(self, condition: Callable[[], object]) -> None:
        self.clock.pump([0, 0, 0])
        assert condition()

    def lapse(self, node_id: str) -> None:
        node, _ = self.database.nodes[node_id]
        self.database.nodes[node_id] = node, self.clock.seconds()

    def look_around(self) -> None:
        self.clock.pump([1, 0, 0])

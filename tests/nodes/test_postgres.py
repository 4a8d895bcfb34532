"""The database of nodes in PostgreSQL: a real server, and a network that breaks."""

from __future__ import annotations

from collections.abc import Callable

from tests.accounts.postgres import running
from tests.accounts.relay import Relay
from tests.nodes import store_suite
from tests.nodes.loop import Loop
from tictac.accounts.postgres import PostgresDatabase
from tictac.nodes.postgres import PostgresStore

LEASE, TIMEOUT = 1.0, 5.0


class InPostgres(store_suite.StoreCase):
    def setUp(self) -> None:
        self.postgres = running()
        self.url = self.postgres.new_place()
        PostgresDatabase.open(self.url).close()
        self.loop = Loop()
        super().setUp()

    def new_store(self) -> PostgresStore:
        return self.store_at(self.url)

    def store_at(self, url: str) -> PostgresStore:
        store = PostgresStore(url, self.loop, LEASE, TIMEOUT, self.loop.seconds)
        self.addCleanup(store.stop)
        store.start()
        return store

    def until(self, condition: Callable[[], object]) -> None:
        self.loop.until(condition)

    def lapse(self, node_id: str) -> None:
        self.execute(f"UPDATE nodes SET expires = now() - interval '1 s' WHERE id = '{node_id}'")

    def look_around(self) -> None:
        # Nobody is trusted for longer than a lease.
        for _ in range(6):
            self.loop.advance(LEASE / 4)
            self.wait_for_all()

    def wait_for_all(self) -> None:
        """Everything that was asked for has been answered."""
        self.until(lambda: not any(link._asked for link in self.loop.readers))

    def execute(self, statement: str) -> list[tuple[object, ...]]:
        return self.postgres.execute(statement, self.url)


class PostgresStoreTests(InPostgres, store_suite.EveryStoreTests):
    """What every store promises."""

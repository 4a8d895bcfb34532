"""Clocks across restarts and failovers with PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from random import Random
from typing import Any, cast

from tests.lobby import clocks_suite
from tests.plugins.postgres.journals import LEASE, TIMEOUT, InPostgres
from tests.plugins.postgres.loop import Loop
from tictac.lobby.journal import KeptRoom
from tictac.lobby.outbox import Journaled
from tictac.lobby.registry import Registry
from tictac.plugins.postgres.journal import PostgresJournal
from tictac.storage.postgres import PostgresDatabase
from tictac.storage.upgrades import shipped_steps


class PostgresClocksTests(InPostgres, clocks_suite.ClocksTests):
    """With PostgreSQL; a killed process is one whose connection has gone."""

    most = LEASE / 4
    examples = 15

    def new_place(self) -> None:
        self.url = self.postgres.new_place()
        PostgresDatabase.open(self.url).close()

    def old_place(self, rows: Iterable[tuple[str, str]]) -> None:
        self.url = self.postgres.new_place()
        steps = shipped_steps("postgresql")[:12]
        PostgresDatabase.open(self.url, steps=steps).close()
        self.execute("ALTER TABLE rooms ALTER COLUMN node SET DEFAULT 'a'")
        columns = {"rooms": "(id, format, name, terms, start)", "room_events": ""}
        for table, row in rows:
            self.execute(f"INSERT INTO {table} {columns[table]} VALUES ({row})")
        PostgresDatabase.open(self.url).close()

    def start(self, origin: float) -> None:
        self.loop = cast(Any, Loop())
        self.loop.advance(origin)
        self.journal = PostgresJournal(self.url, self.loop, LEASE, TIMEOUT, self.loop.seconds)
        self.addCleanup(self.journal.stop)
        self.journal.connect(str(id(self.journal)))
        self.served = Registry(
            9, self.loop.seconds, self.fail, 1e9, rng=Random(1),
            outbox=partial(Journaled, cast(Any, self.journal), self.loop.callLater),
        )  # fmt: skip
        self.served.start()
        self.wait(self._take())

    async def _take(self) -> None:
        assert await self.journal.take(await self.journal.whose())
        for kept in await self.journal.read(-1):
            assert isinstance(kept, KeptRoom) and self.served.continue_room(kept)

    def end(self) -> None:
        self.wait_for_all()
        self.wait(self.journal.release())
        self.kill()

    def kill(self) -> None:
        self.journal.stop()

    def think(self, seconds: float) -> None:
        outbox = cast(Journaled, self.served.outbox)
        for step in clocks_suite.steps_of(seconds):
            self.loop.advance(step)
            self.until(lambda: not outbox.behind)
            self.wait_for_all()

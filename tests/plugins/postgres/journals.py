"""Processes, by their journals in one PostgreSQL, and the batches they write."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, cast

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from tests.plugins.postgres.loop import Loop
from tests.storage.postgres import running
from tictac.lobby.journal import Batch, KeptRoom, Opened
from tictac.options import MAIN
from tictac.plugins.postgres.journal import PostgresJournal
from tictac.storage.postgres import PostgresDatabase

LEASE, TIMEOUT = 1.0, 5.0
Kept = dict[str, list[tuple[int, str]]]


def made(room: int, name: str, *texts: str) -> Batch:
    """Return a batch that opens a room."""
    return Batch({room: Opened(name, "{}", "start")}, lines(room, 1, *texts))


def lines(room: int, first: int, *texts: str) -> list[tuple[int, int, float, str]]:
    """Return events of a room, one per second."""
    return [(room, n, float(n), text) for n, text in enumerate(texts, first)]


def moved(room: int, number: int, text: str = "moved") -> Batch:
    """Return a batch with one event."""
    return Batch({}, lines(room, number, text))


def summary(rooms: Iterable[KeptRoom | int]) -> Kept:
    """Return the events of each room."""
    kept = [room for room in rooms if isinstance(room, KeptRoom)]
    return {r.opened.name: [(line.number, line.text) for line in r.lines] for r in kept}


class Process:
    """A process, by its journal."""

    def __init__(self, case: InPostgres, name: str, url: str, lobby: str = MAIN) -> None:
        self.case = case
        self.name = name
        seconds = case.loop.seconds
        self.journal = PostgresJournal(url, case.loop, LEASE, TIMEOUT, seconds, lobby)
        self.refused: list[Collection[int]] = []
        self.losses: list[str] = []
        self.rooms = Batch()
        self.journal.lost = self.losses.append
        self.journal.everything = lambda: self.rooms
        self.journal.connect(name)
        case.addCleanup(self.journal.stop)

    def take(self) -> bool:
        """Take over from whoever is active."""
        is_taken: bool = self.case.wait(self._take())
        return is_taken

    async def _take(self) -> bool:
        return await self.journal.take(await self.journal.whose())

    def read(self) -> list[KeptRoom | int]:
        """Return the first rooms."""
        rooms: list[KeptRoom | int] = self.case.wait(self.journal.read(-1))
        return rooms

    def begin(self, batch: Batch) -> None:
        """Commit without waiting."""
        self.journal.commit(batch, self.refused.append)

    def commit(self, batch: Batch) -> Collection[int]:
        """Write a batch; return the ids of the rooms that the journal refused."""
        before = len(self.refused)
        self.begin(batch)
        self.case.until(lambda: len(self.refused) > before)
        return self.refused[-1]

    def open(self, name: str, *texts: str) -> int:
        """Make a room with these events."""
        room = self.journal.new_id()
        assert self.commit(made(room, name, *texts)) == set()
        return room


class InPostgres(SynchronousTestCase):
    def setUp(self) -> None:
        self.postgres = running()
        self.url = self.postgres.new_place()
        PostgresDatabase.open(self.url).close()
        self.loop = cast(Any, Loop())

    def process(self, name: str, url: str = "") -> Process:
        return Process(self, name, url or self.url)

    def active(self, name: str, url: str = "") -> Process:
        process = self.process(name, url)
        assert process.take()
        return process

    def until(self, condition: Callable[[], object]) -> None:
        self.loop.until(condition)

    def wait(self, work: Any) -> Any:
        deferred = work if isinstance(work, Deferred) else Deferred.fromCoroutine(work)
        outcome: list[Any] = []
        deferred.addBoth(outcome.append)
        self.until(lambda: outcome)
        if hasattr(outcome[0], "raiseException"):
            outcome[0].raiseException()
        return outcome[0]

    def wait_for_all(self) -> None:
        """Wait until every request has its answer."""
        self.until(lambda: not any(link._asked for link in self.loop.readers))

    def execute(self, statement: str) -> list[tuple[object, ...]]:
        return self.postgres.execute(statement, self.url)

    def kept(self) -> Kept:
        """Return the rooms that the next process reads."""
        self.wait_for_all()
        return summary(self.active("next").read())

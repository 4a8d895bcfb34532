"""A registry whose rooms are kept in a file, and a process that may die."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from shutil import rmtree
from tempfile import mkdtemp

from twisted.internet.task import Clock

from tests.lobby import registry_suite
from tests.lobby.any_game import Knowing
from tests.lobby.registry_suite import Settled
from tictac.archive.room_journal import SqliteJournal
from tictac.engines.computer import Computer
from tictac.lobby.events import Joined
from tictac.lobby.outbox import Journaled
from tictac.lobby.registry import Registry
from tictac.storage.databases import prepare


class InSqlite(registry_suite.RegistryCase):
    """Makes a registry whose journal is a file; a turn of the reactor settles a request."""

    path: Path
    served: Registry

    def make_registry(
        self, max_rooms: int, on_fault: Callable[[object], None], max_rooms_per_user: int = 0
    ) -> Registry:
        folder = mkdtemp()
        self.addCleanup(rmtree, folder)
        self.path = Path(folder) / "users.db"
        prepare(str(self.path))
        return self.open_registry(max_rooms, on_fault, max_rooms_per_user)

    def open_registry(
        self, max_rooms: int, on_fault: Callable[[object], None], max_rooms_per_user: int = 0
    ) -> Registry:
        """Return a registry with the rooms in the file, and a computer for rooms that want one."""
        self.takers: list[str] = []
        journal = SqliteJournal(
            self.path, self.clock.seconds, self.clock.callLater, lost=self.takers.append
        )
        # Not before the end: a process that is killed merges no log into the file.
        self.addCleanup(journal.stop)
        self.lost: list[str] = []
        registry = Registry(
            max_rooms,
            self.clock.seconds,
            on_fault,
            self.rejoin_timeout,
            max_rooms_per_user,
            Random(1),
            on_lost=self.lost.append,
            outbox=partial(Journaled, journal, self.clock.callLater),
        )
        computer = Computer(registry, self.clock, None, Random(1), None, by_name=False)  # type: ignore[arg-type]
        registry.observers.append(computer)
        registry.start()
        return registry

    def settle(self) -> None:
        while any(call.getTime() <= self.clock.seconds() for call in self.clock.getDelayedCalls()):
            self.clock.advance(0)


class KeptCase(InSqlite):
    """A process that may die and be started again."""

    rejoin_timeout = 30

    def restart(self) -> None:
        """Begin anew with what is in the file, as after kill -9."""
        seconds = self.clock.seconds()
        self.clock = Clock()
        self.clock.advance(seconds + 5)
        self.served = self.open_registry(3, self.faults.append)
        self.registry = Settled(self.served, self.settle)

    def back(self, user: str, room: str = "den") -> Joined:
        """Let a user come back, and return their event."""
        guest = Knowing(self.served, user)
        setattr(self, user, guest)
        self.registry.join(guest, room, "PLAYER")
        [joined] = guest.news()
        assert isinstance(joined, Joined), joined
        return joined

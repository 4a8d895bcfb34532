"""A journal that commits when the test lets it, and a registry over it: events come late."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from random import Random

from twisted.internet.task import Clock

from tictac.lobby.journal import Batch, KeptRoom
from tictac.lobby.outbox import Journaled
from tictac.lobby.record import RecordLine
from tictac.lobby.registry import Registry
from tictac.testing.server import raise_fault


class Journal:
    """Keeps rooms in a dict, when :meth:`keep` lets it."""

    def __init__(self) -> None:
        self.epoch = 0.0
        self.kept: dict[int, KeptRoom] = {}
        self._keep: Callable[[], None] | None = None
        self._last_id = 0

    def start(self) -> list[KeptRoom]:
        return list(self.kept.values())

    def new_id(self) -> int:
        self._last_id += 1
        return self._last_id

    def commit(self, batch: Batch, done: Callable[[Collection[int]], None]) -> None:
        def keep() -> None:
            for room, opened in batch.opened.items():
                self.kept[room] = KeptRoom(room, opened, [])
            for room, number, at, text in batch.lines:
                kept = self.kept[room]
                self.kept[room] = replace(kept, lines=[*kept.lines, RecordLine(number, at, text)])
            for room in batch.closed:
                self.kept.pop(room, None)
            done(())

        self._keep = keep

    def ready(self) -> bool:
        return True

    def stop(self) -> None:
        pass

    def keep(self) -> None:
        """Keep what there is to keep."""
        keep, self._keep = self._keep, None
        if keep is not None:
            keep()


class Late:
    """A registry over a journal; :meth:`settle` lets all be kept, and told, that is decided.

    The test starts the registry.
    """

    def __init__(
        self, journal: Journal | None = None, rejoin_timeout: float = 30, clock: Clock | None = None
    ) -> None:
        self.journal, self._turns = journal or Journal(), Clock()
        outbox = partial(Journaled, self.journal, self._turns.callLater)
        seconds = (clock or self._turns).seconds
        self.registry = Registry(
            0, seconds, raise_fault, rejoin_timeout, outbox=outbox, rng=Random(1)
        )

    def settle(self, after_each: Callable[[], object] = bool) -> None:
        """Commit until nothing waits; ``after_each`` commit, do this."""
        while self._turns.getDelayedCalls():
            self._turns.advance(0)
            self.journal.keep()
            after_each()

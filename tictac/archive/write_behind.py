"""A queue of finished matches for the archive, which can be unavailable for a while.

Invariant: a match leaves the queue only after the database has saved it, and each match is saved
once, in the order in which the matches were queued.

1. `pack` runs in the turn in which the match ends, because the registry forgets the room then. If
   the room is in a journal, the row goes into its batch (lobby/outbox.py), not into this queue.
2. `keep` refuses a match while ``most`` wait, and counts it as lost: an outage must not fill the
   memory. Otherwise it plans a write in ``DELAY`` seconds, so one transaction saves many matches.
3. `_next` stays set from that plan to the end of the write, so only one write runs. With two, both
   would write the same matches, and the second would remove matches that nothing has saved.
4. `_write_some` copies the first matches and removes them after the answer. If the answer of a
   commit is lost, the next attempt writes them again: `MatchTables.add` skips saved ids.
5. `stop` cancels the plan and waits for a running write before it writes the rest itself, until the
   queue is empty or a write fails; matches that are left then are lost. `cut` comes before: matches
   that end only because the server closes their connections aren't saved.

    keep(A), keep(B)   queue A, B; a write in 0.5 s
    _write_some        add([A, B]) in the thread of the store
    keep(C)            queue A, B, C; no new plan
    StoreAwayError     queue A, B, C; a write in 1 s
    add([A, B, C])     A and B were saved before: only C is new; the queue is empty
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from itertools import islice

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.archive.packed import pack_room
from tictac.archive.tables import MatchTables
from tictac.lobby.journal import Outcome, Packed
from tictac.lobby.room import Room
from tictac.storage.store import Store, StoreAwayError, Stored

_log = Logger()

DELAY, AWAY = 0.5, 1.0
"""Seconds until matches are written: after the first of them, and after a failure."""

# Each batch, and each statement in it, passes Python's lock to the thread and back several times,
# and moves wait for that. A few large batches cost moves less than many small ones.
MOST = 2000
"""Matches in one batch; as many waiting matches are written at once."""

PRUNED_EVERY = 3600.0
"""Seconds between two checks for matches that are too old."""

DAY = 86_400.0


class WriteBehind:
    """Puts matches that end into ``archive`` (lobby.interfaces.Archivist).

    Up to ``most`` wait; more are lost, and counted. Matches are deleted ``keep_days`` days after
    their end; 0 keeps them. ``seconds`` is the registry's clock.
    """

    def __init__(
        self,
        archive: Store,
        clock: IReactorTime,
        seconds: Callable[[], float],
        most: int = 10_000,
        keep_days: float = 0,
        utc: Callable[[], float] = time.time,
    ) -> None:
        self.archive = archive
        self._matches = Stored(archive, MatchTables)
        self.lost = 0
        self._clock = clock
        self._seconds = seconds
        self._utc = utc
        self._most = most
        self._keep_days = keep_days
        self._queue: deque[tuple[Packed | None, Outcome | None]] = deque()
        self._failing = self._losing = self._cutting = self._stopping = False
        self._written: Deferred[None] | None = None
        self._next: IDelayedCall | None = None
        self._pruning: IDelayedCall | None = None

    @property
    def waiting(self) -> int:
        """The number of waiting matches."""
        return len(self._queue)

    @property
    def trouble(self) -> str:
        """The current fault in a few words; empty: none."""
        if not (self._failing or self._losing):
            return ""
        return f"{self.waiting} finished matches wait for the database, {self.lost} are lost"

    def start(self) -> None:
        """Open the archive. Raises SetupError."""
        self.archive.start()
        if self._keep_days:
            self._prune()

    async def stop(self) -> None:
        """Write waiting matches if possible, and close the archive."""
        for call in (self._next, self._pruning):
            if call is not None and call.active():
                call.cancel()
        self._stopping = True
        if self._written is not None:
            await self._written
        while self._queue and not self._failing:
            await self._write_some()
        if self._queue:
            _log.error("{lost} finished matches lost: database unavailable", lost=self.waiting)
        await self.archive.close()

    def cut(self) -> None:
        """Stop saving: matches that end because the server closes connections don't count."""
        self._cutting = True

    # lobby.interfaces.Archivist

    def pack(self, room: Room) -> Packed | None:
        """Return the match that has just ended in the room; None without a match."""
        return pack_room(room, self._utc() - self._seconds())

    def keep(self, packed: Packed | None, outcome: Outcome | None = None) -> bool:
        """Queue a match, unless it ended because the server closes connections."""
        if self._cutting:
            return False
        if self._most and len(self._queue) >= self._most:
            self.lost += 1
            if not self._losing:
                self._losing = True
                why = "{most} finished matches wait for the database: further ones are lost"
                _log.error(why, most=self._most)
            return False
        self._queue.append((packed, outcome))
        if self._next is None and not self._stopping:
            self._next = self._clock.callLater(DELAY, self._write)
        return True

    # Writing

    def _write(self) -> None:
        self._written = Deferred.fromCoroutine(self._write_some())

    async def _write_some(self) -> None:
        some = list(islice(self._queue, MOST))
        try:
            matches = [match for match, _ in some if match is not None]
            outcomes = [outcome for _, outcome in some if outcome is not None]
            await self._matches.ask(MatchTables.add, matches, outcomes)
        except Exception:
            self._failed(Failure())
        else:
            for _ in some:
                self._queue.popleft()
            self._succeeded()
        self._next = self._written = None
        if self._queue and not self._stopping:
            delay = AWAY if self._failing else 0 if len(self._queue) >= MOST else DELAY
            self._next = self._clock.callLater(delay, self._write)

    def _failed(self, failure: Failure) -> None:
        if not self._failing and not failure.check(StoreAwayError):  # outages have a line already
            why = failure.getErrorMessage()
            _log.error("cannot save finished matches: {why}; they wait in memory", why=why)
        self._failing = True

    def _succeeded(self) -> None:
        if self._losing:
            _log.warn("finished matches are saved again; lost so far: {lost}", lost=self.lost)
        self._failing = self._losing = False

    def _prune(self) -> None:
        self._pruning = self._clock.callLater(PRUNED_EVERY, self._prune)
        pruning: Deferred[None] = Deferred.fromCoroutine(self._prune_all())
        pruning.addErrback(lambda _: None)  # it runs again; the writer logs faults

    async def _prune_all(self) -> None:
        before = self._utc() - self._keep_days * DAY
        while await self._matches.ask(MatchTables.prune, before):
            """Prune in small pieces: matches are written in between."""

"""Whose turn it is: of the processes with one lobby, one is active, and the others wait.

    waiting        asks whose lease it is, four times per lease; its ports are closed
    restoring      has the lease, and renews it; reads all rooms, and continues the oldest first
    active         its ports are open
    paused         the database hasn't answered for too long: the ports are closed, seats are held
    over           another process is active, or this one stops

Invariant: a process sends only what it has committed, and commits only in its own term
(``journal.py``). So two processes can never both play on, whatever their clocks and networks do.
The rest of this module only makes sure that players find the one that can serve them.

1. ``waiting`` reads the signs of life in the database, and takes over if there was none for the
   lease of the active process. No time of day decides: a clock can be set while all run. Taking
   over fails if there was a sign meanwhile. After the database was away, the time begins again, and
   is ``GRACE`` at least: the active process was disconnected, too, and is about to come back. If
   taking over fails, as when it waits for a slow batch, the process tries again.
2. ``restoring`` opens the outbox before the ports, and the ports last. A health check of TCP thus
   finds the active process only. A process that stops meanwhile gives the lease back: it has
   decided nothing yet.
3. ``paused`` begins when the lease couldn't be renewed for as long as requests can wait. This
   process can't know whether another one is active by now, so a balancer must not find both.
4. ``over``: a process whose turn another one has taken ends, and starts again as a standby. To
   forget everything in a process that has served would be a second way to start.
5. A planned stop gives up the lease after the last commit, and after the connections are closed:
   ``Registry.leave`` then holds the seats, and the standby finds them so.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from math import inf
from os import getpid
from secrets import token_hex
from socket import gethostname
from typing import TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.lobby.journal import KeptRoom
from tictac.lobby.outbox import Journaled
from tictac.lobby.record import PackedRecord
from tictac.lobby.registry import Registry
from tictac.net.plugin import Served
from tictac.plugins.postgres.journal import PostgresJournal, Sign
from tictac.plugins.postgres.libpq import QueryError
from tictac.storage.store import StoreAwayError

_log = Logger()

T = TypeVar("T")

SHORTEST = 0.005
"""Seconds between two looks at least."""

AT_ONCE = 100
"""Maximum rooms that are continued in a turn of the reactor."""

GRACE = 2.5
"""Seconds after an outage in which the active process can come back (outages.LONGEST_DELAY)."""


class PostgresTurn:
    """The turn of this process (net.plugin.Turn), whose rooms are in ``registry``.

    ``patience`` is the seconds for which a request waits for the database; 0 is no limit.
    """

    def __init__(
        self,
        reactor: IReactorTime,
        journal: PostgresJournal,
        registry: Registry,
        outbox: Journaled,
        lease: float,
        patience: float,
    ) -> None:
        self._reactor = reactor
        self._journal = journal
        self._registry = registry
        self._outbox = outbox
        self._lease = lease
        self._patience = patience
        self._server: Served | None = None
        self._why_not = "the server starts"
        self._is_over = self._is_paused = False
        self._beating: IDelayedCall | None = None
        self._sleeping: IDelayedCall | None = None
        self._warned_since = -1.0
        self._warned_of = ""
        self._process = ""
        outbox.shut = True
        outbox.ending = self._release
        journal.lost = self._lost

    # net.plugin.Turn

    def wait(self, server: Served) -> None:
        """Wait until the lease is free; then restore the rooms, and let ``server`` begin."""
        self._server = server
        self._process = f"{gethostname()} pid {getpid()}/{token_hex(8)}"
        self._journal.connect(self._process)
        Deferred.fromCoroutine(self._run()).addErrback(self._failed)

    def why_not(self) -> str:
        """Return why this process doesn't serve now; empty: it does."""
        return self._why_not

    async def stop(self) -> None:
        """Wait no longer, and pause no more."""
        self._is_over = True
        for call in (self._beating, self._sleeping):
            if call is not None and call.active():
                call.cancel()
        if self._outbox.shut:  # it was never active, or is no more
            if self._journal.ready():  # it has the lease, and hasn't all rooms yet
                await _or_away(self._journal.release)
            self._journal.stop()

    # Waiting, and restoring

    async def _run(self) -> None:
        last: Sign | None = None
        answered = since = self._reactor.seconds()
        needed = 0.0
        while not self._is_over:
            try:
                sign = await self._journal.whose()
            except StoreAwayError:
                continue
            except QueryError as error:
                await self._cannot("look whose turn it is", error)
                continue
            now, before = self._reactor.seconds(), answered
            answered = now
            was_away = last is not None and now - before > max(self._lease, 1.0)
            if was_away or sign != last:
                self._log_active(last, sign)
                last, since = sign, now
                # Also a lease that is free, because the database can be an older one now.
                needed = max(sign.seconds if sign.process else 0.0, GRACE if was_away else 0.0)
            # It is its own if the answer to a take-over was lost.
            is_free = sign.process == self._process or now - since >= needed
            if is_free and not self._is_over and await self._take(sign):
                await self._restore(sign)
                return
            left = self._lease if is_free else since + needed - now
            await self._sleep(max(SHORTEST, min(self._lease / 4, left)))

    async def _take(self, sign: Sign) -> bool:
        """Take over; return whether that is certain. A batch that is under way can have the row."""
        try:
            return await self._journal.take(sign)
        except StoreAwayError:
            return False
        except QueryError as error:
            await self._cannot("take over", error)
            return False

    async def _cannot(self, what: str, error: QueryError) -> None:
        if str(error) != self._warned_of:
            self._warned_of = str(error)
            _log.warn("standby: this process can't {what}: {why}", what=what, why=error)
        await self._sleep(self._lease)

    def _log_active(self, last: Sign | None, sign: Sign) -> None:
        if sign.process not in ("", self._process, None if last is None else last.process):
            self._why_not = f"standby: {_shown(sign.process)} is active"
            _log.info("standby: {active} is active", active=_shown(sign.process))
            if self._server is not None:
                self._server.stands_by()

    async def _restore(self, former: Sign) -> None:
        begun = self._reactor.seconds()
        self._why_not = "the rooms are restored"
        if former.term:
            why = "is silent" if former.process else "has ended"
            _log.info("standby: the active process {why}: restoring its rooms", why=why)
        count = 0
        for number, kept in enumerate(await self._read_rooms(), 1):
            if self._registry.continue_room(kept):
                count += 1
            else:
                await self._insist(self._journal.set_aside, kept.room_id)
            if number % AT_ONCE == 0:
                await self._sleep(0)
        # It can have slept while it read, and another process have played meanwhile.
        sign = await self._insist(self._journal.whose)
        if self._is_over:
            return
        if sign.process != self._process:
            self._lost("another process has taken over")
            return
        self._journal.everything = self._outbox.everything
        self._outbox.shut = False
        self._why_not = ""
        assert self._server is not None
        if not self._server.begin():
            return
        _log.info(
            "active: {count} rooms restored in {seconds:.2f} s",
            count=count,
            seconds=self._reactor.seconds() - begun,
        )
        self._beat()

    async def _read_rooms(self) -> list[KeptRoom]:
        """Return the rooms of the journal, the oldest first; each process restarts the ids."""
        found, after = list[KeptRoom](), -1
        while not self._is_over and (page := await self._insist(self._journal.read, after)):
            found += [each for each in page if isinstance(each, KeptRoom)]
            last = page[-1]
            after = last.room_id if isinstance(last, KeptRoom) else last
        return sorted(found, key=_opened_at)

    async def _insist(self, ask: Callable[..., Awaitable[T]], *room_id: int) -> T:
        """Return the answer, however long the database is unavailable."""
        while True:
            try:
                return await ask(*room_id)
            except StoreAwayError:
                if self._is_over:
                    raise

    async def _sleep(self, seconds: float) -> None:
        awake: Deferred[None] = Deferred()
        self._sleeping = self._reactor.callLater(seconds, awake.callback, None)
        await awake

    def _failed(self, failure: Failure) -> None:
        if self._is_over and failure.check(StoreAwayError):
            return
        _log.failure("the rooms can't be restored", failure)
        self._lost("the rooms can't be restored")

    # Serving

    def _beat(self) -> None:
        """Refuse callers that wait too long; pause without a lease, and continue with one."""
        self._beating = self._reactor.callLater(self._lease / 4, self._beat)
        if not self._patience or self._server is None:
            return
        now, renewed = self._reactor.seconds(), self._journal.renewed_at
        if now - renewed < self._patience:
            self._put_off_waiting(self._registry.seconds())
            if self._is_paused and self._journal.ready():
                self._is_paused, self._why_not = False, ""
                self._server.go_on()
                _log.info("active: the database answers again: the ports are open")
        elif not self._is_paused:
            self._is_paused = True
            self._why_not = "the database doesn't answer"
            _log.error("active: the database doesn't answer: seats are held, and the ports closed")
            self._server.pause()
            self._registry.put_off_all()

    def _put_off_waiting(self, now: float) -> None:
        since = self._outbox.since
        if since is None or now - since < self._patience:
            return
        waiting = self._outbox.waiting()
        if since != self._warned_since:
            self._warned_since = since
            why = "active: the database doesn't answer: {count} players were disconnected"
            _log.error(why, count=len(waiting))
        for occupant in waiting:
            self._registry.put_off(occupant)

    # The end

    def _lost(self, why: str) -> None:
        if self._is_over:
            return
        self._outbox.shut, self._is_over = True, True
        self._why_not = why
        if self._server is not None:
            self._server.lost(why)

    async def _release(self) -> None:
        """Commit the decisions, and let another process be active."""
        waited = 0.0
        while self._outbox.behind and not self._outbox.shut:
            if self._patience and waited >= self._patience:
                break
            waited += 0.01
            await self._sleep(0.01)
        if self._outbox.shut:
            return
        self._outbox.shut, self._why_not = True, "the turn of this process is over"
        await _or_away(self._journal.release)


async def _or_away(ask: Callable[[], Awaitable[None]]) -> None:
    try:
        await ask()
        _log.info("the turn of this process is over: another one can be active")
    except StoreAwayError:
        _log.warn("the database doesn't answer: another process can be active after the lease")


def _opened_at(kept: KeptRoom) -> float:
    """Return when a room was opened, as lists order rooms; those that sleep are in none."""
    if isinstance(kept.lines, PackedRecord):
        return inf
    return next((line.at for line in kept.lines), inf)


def _shown(process: str) -> str:
    """Return the readable part of the name of a process."""
    return process.rpartition("/")[0]

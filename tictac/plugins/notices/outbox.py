"""The outbox as the server uses it: adds notices, and sends those of one channel that are due."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Protocol

from twisted.internet.defer import CancelledError, Deferred, DeferredList
from twisted.internet.error import ConnectingCancelledError
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.logs import LIMITED
from tictac.plugins.days.matches import DayMatch
from tictac.plugins.notices import texts
from tictac.plugins.notices.notices import Notice, quiet_until
from tictac.plugins.notices.notifier import GoneError, Letter, Line, Notifier
from tictac.plugins.notices.tables import CLAIMED, Due, NoticeTables
from tictac.storage.store import StoreAwayError, StoreClosedError, Stored

_log = Logger(observer=LIMITED)

AT_ONCE = 40
"""Maximum addresses to which a channel sends at a time."""

OF_USER_AT_ONCE = 2
"""Maximum addresses of an account among these, so that slow ones hold up no other account."""

ROOMS_AT_ONCE = 4
"""Rooms that are described in a turn of the reactor, because each can wake for that."""

TRIES = 8
"""Attempts after which a message is given up; they take about a day."""

LONGEST = 120.0
"""Seconds for an attempt; less than tables.CLAIMED."""

assert LONGEST < CLAIMED


def new_id() -> str:
    """Return a new id that no one can guess."""
    return secrets.token_hex(12)


def backoff(tries: int) -> int:
    """Return the seconds until the next attempt, after so many that failed before the last one."""
    return int(min(60 * 4**tries, 6 * 3600))


class Outbox:
    """Adds notices; ``most`` can wait. ``utc`` is the time of day.

    ``counts`` has how many messages were sent or failed, how many addresses were given up, and how
    many notices were dropped.
    """

    def __init__(self, tables: Stored[NoticeTables], most: int, utc: Callable[[], float]) -> None:
        self.counts = dict.fromkeys(("sent", "failed", "gone", "dropped"), 0)
        self.tables, self.utc = tables, utc
        self._most = most

    def add(self, user: str, notice: Notice) -> Deferred[None]:
        """Add a notice; fails if the outbox is full, or its database is unavailable."""
        return self.tables.ask(NoticeTables.add, user, notice, int(self.utc()), self._most)


class Truth(Protocol):
    """The present matches (watch.Watch)."""

    def match_of(self, user: str, notice: Notice) -> DayMatch | None:
        """Return the match of a notice; None: the notice is no longer true."""

    def key_of(self, user: str, notice: Notice) -> str | None:
        """Return the key of the room of a challenge, or ""; None: it no longer waits for a user."""

    def turns_of(self, user: str) -> int:
        """Return the number of matches in which it is the turn of a user."""


class Sender:
    """Sends the due messages of one channel. ``url`` is the address of the page."""

    def __init__(
        self,
        channel: str,
        notifier: Notifier,
        outbox: Outbox,
        truth: Truth,
        url: str,
        clock: IReactorTime,
    ) -> None:
        self._channel, self._notifier, self._outbox = channel, notifier, outbox
        self._truth, self._url, self._clock = truth, url, clock
        self._tables = outbox.tables
        self._unmarked: set[str] = set()  # batches that were sent, but their rows don't say so
        self._taking: Deferred[None] | None = None
        self._on_way: dict[str, Due] = {}  # by contact
        self._sending: dict[Deferred[None], None] = {}

    def look(self) -> None:
        """Send due messages; messages on their way delay no others."""
        if self._taking is None and len(self._on_way) < AT_ONCE:
            self._taking = taking = Deferred.fromCoroutine(self._take())
            taking.addErrback(_note_failure).addBoth(self._taken)

    def _taken(self, _: object) -> None:
        self._taking = None

    async def stop(self) -> None:
        """Wait for messages on their way."""
        if self._taking is not None:
            await self._taking
        await DeferredList(list(self._sending))

    async def _take(self) -> None:
        ids = [new_id() for _ in range(AT_ONCE - len(self._on_way))]
        now = int(self._outbox.utc())
        due = await self._tables.ask(NoticeTables.take, self._channel, now, self._notifier.gap, ids)
        for each in due:  # each encrypts
            sending = Deferred.fromCoroutine(self._send_in_turn(each)).addErrback(_note_failure)
            if not sending.called:
                self._sending[sending] = None
                sending.addBoth(self._sent, sending)
            await deferLater(self._clock, 0)

    def _sent(self, _: object, sending: Deferred[None]) -> None:
        del self._sending[sending]

    async def _send_in_turn(self, due: Due) -> None:
        """Send a message, or later, if its account has enough messages on their way."""
        user, contact_id = due.contact.name, due.contact.id
        of_user = sum(each.contact.name == user for each in self._on_way.values())
        if contact_id in self._on_way or of_user >= OF_USER_AT_ONCE:
            await self._tables.ask(NoticeTables.later, due, int(self._outbox.utc()))
            return
        self._on_way[contact_id] = due
        try:
            await self._send(due)
        finally:
            del self._on_way[contact_id]

    async def _send(self, due: Due) -> None:
        now, counts = self._outbox.utc(), self._outbox.counts
        if due.batch in self._unmarked:
            await self._tables.ask(NoticeTables.done, due, int(now), True)
            self._unmarked.discard(due.batch)
            return
        asks = any(notice.kind == "confirm" for notice in due.notices)
        lines, ends = await self._lines(due, now)
        quiet = quiet_until(due.wishes, now)
        is_worth = bool(lines) or (asks and not due.contact.confirmed)
        if not is_worth or due.tries >= TRIES:
            counts["dropped"] += len(due.notices)
            await self._tables.ask(NoticeTables.done, due, int(now), False)
            return
        if now < quiet < ends and not asks:
            await self._tables.ask(NoticeTables.later, due, int(quiet))
            return
        contact = due.contact
        try:
            await self._attempt(due, lines)
        except GoneError as error:
            counts["gone"] += 1
            _log.warn(
                "notices: {channel} refuses an address of {user!r}: {why}",
                channel=self._channel,
                user=contact.name,
                why=error,
            )
            await self._tables.ask(NoticeTables.give_up, contact.id, str(error), int(now))
        except Exception as error:
            counts["failed"] += 1
            _log.warn("notices: {channel} fails: {why}", channel=self._channel, why=error)
            when = int(self._outbox.utc()) + backoff(due.tries)
            await self._tables.ask(NoticeTables.later, due, when, _why(error))
        else:
            counts["sent"] += 1
            self._unmarked.add(due.batch)
            # A confirmation delays no message, such as by a day.
            is_message = due.contact.confirmed > 0
            await self._tables.ask(NoticeTables.done, due, int(self._outbox.utc()), is_message)
            self._unmarked.discard(due.batch)

    def _attempt(self, due: Due, lines: list[Line]) -> Deferred[object]:
        contact, language = due.contact, due.wishes.language

        async def send() -> object:
            if not contact.confirmed:
                link = f"{self._url}/notice/confirm/{contact.id}"
                return await self._notifier.ask(contact.address, contact.name, language, link)
            stop = f"{self._url}/notice/stop/{contact.id}"
            turns = self._truth.turns_of(contact.name)
            letter = Letter(due.batch, contact.name, language, lines, stop, turns)
            return await self._notifier.send(contact.address, letter)

        sending = Deferred.fromCoroutine(send())
        return sending.addTimeout(LONGEST, self._clock)

    async def _lines(self, due: Due, now: float) -> tuple[list[Line], float]:
        """Return lines that are still true, the newest of each match, and when it is too late."""
        language, user = due.wishes.language, due.contact.name
        found: dict[str, Line] = {}
        too_late = float("inf")
        for number, notice in enumerate(due.notices, 1):
            if number % ROOMS_AT_ONCE == 0:
                await deferLater(self._clock, 0)
            if notice.kind == "confirm":
                continue
            if notice.kind == "ended":
                found[notice.match] = texts.line_of_end(notice, language)
                continue
            if notice.kind == "challenge":
                if (key := self._truth.key_of(user, notice)) is not None:
                    found[notice.match] = texts.line_of_challenge(notice, key, language)
                continue
            match = self._truth.match_of(user, notice)
            if match is None or user in match.here:
                continue
            found[notice.match] = texts.line_of_match(notice, match, user, now, language)
            if notice.is_urgent:
                too_late = min(too_late, match.until)
        return list(found.values()), too_late


def _note_failure(failure: Failure) -> None:
    if not failure.check(StoreAwayError, StoreClosedError):  # the store has logged these
        _log.failure("cannot send notices", failure)


def _why(error: Exception) -> str:
    """Return a failure in one line."""
    if isinstance(error, CancelledError | ConnectingCancelledError):
        return "timed out"
    return " ".join(str(error).split()) or type(error).__name__

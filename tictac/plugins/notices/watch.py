"""Looks at matches over days, and fills the outbox with what absent players should know.

A player gets nothing in the first QUIET seconds of a turn, and nothing while in the room. The
sender checks a notice again when it sends it (:meth:`Watch.match_of`).

Turns are facts of the journal. If the outbox is unavailable or full, the watch looks again, and a
later process looks at all matches of accounts with addresses.

The end of a match is a fact of the archive, which has it in the same commit as the journal. So none
is lost if the process is killed before the outbox has it:

1. The watch saves the time up to which the outbox has all ends (``NoticeTables.mark_ends``), when
   none of them waits.
2. A later process looks for the matches that have ended since then, and OVERLAP seconds before it,
   because the end of one can be decided while that of another one is reported.
3. A notice of an end has the match's id in its name, so that it is in the outbox once. A player who
   was in the room can get one after a restart.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from heapq import heappop, heappush
from itertools import count

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.archive.match import Match
from tictac.games.all import game_type_of
from tictac.lobby.events import Ended
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.plugins.days.matches import DayMatch, DayMatches
from tictac.plugins.notices.notices import Kind, Notice
from tictac.plugins.notices.outbox import Outbox
from tictac.plugins.notices.tables import NoticeTables, OutboxFullError
from tictac.storage.store import StoreAwayError, StoreClosedError

_log = Logger()

QUIET = 60.0
"""Seconds for which a player who is there can move before a notice says that it is their turn."""

LOOKS_AGAIN = 300.0
"""Seconds until another look at a player who is in the room, or at an unavailable outbox."""

AT_ONCE = 4
"""Rooms that it checks in a turn of the reactor, because each can wake for that."""

OVERLAP = 60
"""Seconds."""

MOST_ENDS = 10_000
"""Maximum ends of matches that wait in memory while the outbox is unavailable."""


def _about(
    players: Sequence[str], seat: int, title: str, winner: int | None, ending: str, kept: str
) -> str:
    """Return what the player of a seat should know of an end (Notice.about)."""
    others = [player for player in players if player != players[seat]]
    outcome = "drawn" if winner is None else "won" if winner == seat else "lost"
    return json.dumps([others, title, outcome, ending, kept])


class Watch:
    """Looks at the matches of accounts with an address (``users``), as a DaysObserver."""

    def __init__(
        self, days: DayMatches, registry: Registry, outbox: Outbox, clock: IReactorTime
    ) -> None:
        self.users: set[str] = set()
        self._days, self._registry, self._outbox, self._clock = days, registry, outbox, clock
        self._due: list[tuple[float, int, str, Notice]] = []
        self._order = count()
        self._seen: dict[str, tuple[float, int, object]] = {}
        self._ends: list[tuple[str, Notice]] = []
        self._ended: float | None = None  # when the last match has ended
        self._adding = 0  # ends on their way to the outbox
        days.observers.append(self)

    # people.challenges.Messages

    def reaches(self, user: str) -> bool:
        return user in self.users

    def invite(self, user: str, room: Room) -> None:
        days = 0 if room.terms.time is None else room.terms.time.days
        about = json.dumps([room.players[0].user, room.terms.game_type.title, days])
        made = round(self._registry.seconds() + self._registry.outbox.epoch, 3)
        self._queue(user, Notice("challenge", room.name, made, 0, about))

    def key_of(self, user: str, notice: Notice) -> str | None:
        room = self._registry.room(notice.room)
        if room is None or room.begun or not room.players or room.has_seat(user):
            return None
        return (
            (room.terms.key or "") if room.players[0].user == json.loads(notice.about)[0] else None
        )

    # Turns

    async def begin(self) -> Collection[str]:
        """Queue what a former process can have missed; return all accounts with an address."""
        ask, now = self._outbox.tables.ask, int(self._outbox.utc())
        users = await ask(NoticeTables.users)
        since = int(await ask(NoticeTables.key, "ends", str(now)))
        self._look_at_ends(await ask(NoticeTables.ended_since, since))
        return users

    async def look_at_all(self, users: Iterable[str]) -> None:
        """Look at all matches of accounts that have an address since now, or since a restart."""
        for user in users:
            self.users.add(user)
            for number, room in enumerate(list(self._days.of(user)), 1):
                match = self._days.match(room)
                if match is not None and match.user == user:
                    self._seen[room] = match.began, match.number, match.offer
                    self._plan(user, "turn", match, QUIET)
                elif match is not None and match.offer is not None:
                    self._plan(user, "offer", match, QUIET)  # if it isn't the user's own
                if number % AT_ONCE == 0:
                    await deferLater(self._clock, 0)
            await deferLater(self._clock, 0)

    # DaysObserver

    def changed(self, match: DayMatch) -> None:
        if not self.users.intersection(match.players):
            return
        state = match.began, match.number, match.offer
        before = self._seen.get(match.room)
        if before == state:
            return
        self._seen[match.room] = state
        is_first = before is None or before[0] != match.began
        is_first = is_first and not self._has_moves(match.room)
        if before is None or before[:2] != state[:2]:
            self._plan(match.user, "turn", match, QUIET)
        for seat, user in enumerate(match.players):
            if seat == match.turn:
                continue
            if match.offer is not None and match.offer[0] != seat:
                self._plan(user, "offer", match, QUIET)
            if is_first:
                self._plan(user, "began", match, QUIET)

    def late(self, match: DayMatch) -> None:
        self._plan(match.user, "late", match, 0)

    def over(self, match: DayMatch, ended: Ended) -> None:
        self._seen.pop(match.room, None)
        self._ended = self._outbox.utc()
        first = Notice("ended", match.room, match.began, match.number)
        title, here = match.game_type.title, match.here
        for seat, user in enumerate(match.players):
            if user in self.users and user not in here:
                about = _about(match.players, seat, title, ended.seat, ended.ending, ended.match)
                self._queue(user, first._replace(about=about))

    def _look_at_ends(self, ends: Iterable[tuple[str, Match]]) -> None:
        for user, match in ends:
            players = [player.name for player in match.players]
            title = game_type_of(match.game).title
            seat = players.index(user)
            about = _about(players, seat, title, match.winner, match.ending, match.id)
            self._queue(user, Notice("ended", "", 0, 0, about))

    def _has_moves(self, name: str) -> bool:
        room = self._registry.room(name)
        return room is None or room.moves > 0

    # Looking

    def _plan(self, user: str, kind: Kind, match: DayMatch, seconds: float) -> None:
        if user in self.users:
            notice = Notice(kind, match.room, match.began, match.number)
            self._push(user, notice, seconds)

    def _push(self, user: str, notice: Notice, seconds: float) -> None:
        heappush(self._due, (self._clock.seconds() + seconds, next(self._order), user, notice))

    async def look(self) -> None:
        """Queue the notices that are due."""
        ends, self._ends = self._ends, []
        for user, notice in ends:
            self._queue(user, notice)
        now, looked = self._clock.seconds(), 0
        while self._due and self._due[0][0] <= now:
            *_, user, notice = heappop(self._due)
            looked += 1
            if looked % AT_ONCE == 0:
                await deferLater(self._clock, 0)
            match = self.match_of(user, notice)
            if match is None:
                continue
            if user in match.here:
                self._push(user, notice, LOOKS_AGAIN)
            else:
                self._queue(user, notice)

        if (ended := self._ended) is not None and not (self._adding or self._ends):
            self._ended = None
            try:
                await self._outbox.tables.ask(NoticeTables.mark_ends, int(ended) - OVERLAP)
            except (StoreAwayError, StoreClosedError):
                self._ended = ended

    def match_of(self, user: str, notice: Notice) -> DayMatch | None:
        """Return the match of a notice; None: the notice is no longer true."""
        match = self._days.match(notice.room)
        if match is None or (match.began, match.number) != (notice.began, notice.number):
            return None
        if user not in match.players or (notice.kind in ("turn", "late") and match.user != user):
            return None
        if notice.kind == "offer" and (
            match.offer is None or match.players[match.offer[0]] == user
        ):
            return None
        return match

    def turns_of(self, user: str) -> int:
        """Return the number of matches over days in which it is the turn of ``user``."""
        return self._days.turns_of(user)

    def _queue(self, user: str, notice: Notice) -> None:
        is_end = notice.kind == "ended"
        self._adding += is_end
        queued: Deferred[None] = self._outbox.add(user, notice)
        queued.addErrback(self._not_added, user, notice)
        if is_end:
            queued.addBoth(self._was_added)

    def _was_added(self, _: object) -> None:
        self._adding -= 1

    def _not_added(self, failure: Failure, user: str, notice: Notice) -> None:
        """Look later, because the outbox is full, or its database is unavailable."""
        if not failure.check(OutboxFullError, StoreAwayError, StoreClosedError):
            _log.failure("cannot add a notice", failure)
        if notice.kind != "ended":
            self._push(user, notice, LOOKS_AGAIN)
        elif len(self._ends) < MOST_ENDS:
            self._ends.append((user, notice))
        else:
            self._outbox.counts["dropped"] += 1

"""Matches over days while their rooms are empty: half a kilobyte each, and no work.

A sleeping room is the packed text of its record. A player or viewer who comes wakes it, and so does
the end of its time; what only reads the room gets a copy. Invariants:

1. A room sleeps only if the journal has all its events (`Outbox.lay_down`), so nothing is lost with
   the text, and the room has the same record after it woke as after a restart.
2. The returns and departures of players are in neither (`record.passes`).
3. No list of rooms has a sleeping room: only its name, or a player of it, leads to the room.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from heapq import heappop, heappush
from typing import NamedTuple

from tictac.errors import BadOption, GuestsRefused, TooManyRooms, TooManyRoomsOfOneUser
from tictac.lobby.clock import TimeControl
from tictac.lobby.journal import LASTING_FORMAT, KeptRoom, Opened
from tictac.lobby.live_room import LiveRoom
from tictac.lobby.outbox import Outbox
from tictac.lobby.record import BadRecord, PackedRecord, load_terms
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms
from tictac.names import GUEST

AT_ONCE = 20
"""Maximum rooms that fall asleep in a sweep, and maximum that wake."""

LATE = 0.25
"""The part of the time for a move that is left when a player is late."""


class Sleeper(NamedTuple):
    """A room in the journal: its id, the texts of its creation, its record, and when its time ends.

    ``away`` has the time since which each player is disconnected, if it is known.
    """

    room_id: int
    terms: str
    start: str
    record: PackedRecord
    ends: float
    away: tuple[float | None, ...]


class Sleepers:
    """The sleeping rooms of a registry, by their names, and which of them wakes when."""

    def __init__(self, restore: Callable[[KeptRoom], Room | None]) -> None:
        """Take a function that returns a room of the journal; None: it can't be read."""
        self.most, self.most_of_user = 20_000, 50
        """Maximum matches over days, and those of a user (0: none)."""
        self._sleepers: dict[str, Sleeper] = {}
        self._rooms_of: dict[str, dict[str, None]] = {}
        self._due: list[tuple[float, str]] = []  # when a player is late, later when the time ends
        self._queued: set[str] = set()  # those in the list, perhaps with an earlier turn
        self.late: list[str] = []
        """Rooms in which a player is late now, again after each visit; plugins/days empties it."""
        self._texts: dict[str, str] = {}
        self._restore = restore
        self._read: tuple[Sleeper, Room | None] | None = None
        self.moves = 0
        """The number of moves made in all of them."""

    def __len__(self) -> int:
        return len(self._sleepers)

    def __contains__(self, name: str) -> bool:
        return name in self._sleepers

    def __iter__(self) -> Iterator[str]:
        return iter(self._sleepers)

    @property
    def users(self) -> Collection[str]:
        """All players in them."""
        return self._rooms_of.keys()

    def of(self, user: str) -> Collection[str]:
        """Return the names of the rooms in which ``user`` has a seat."""
        return self._rooms_of.get(user, {}).keys()

    def check(
        self, terms: Terms, user: str | None, awake: Iterable[LiveRoom], outlives: bool
    ) -> None:
        """Raise a Refusal unless a match on such terms can begin for ``user``.

        ``awake`` are the rooms that don't sleep. ``outlives``: rooms are in a journal.
        """
        if not terms.lasting:
            return
        if not (outlives and self.most_of_user):
            raise BadOption("this server keeps no matches over days")
        if (user or "").startswith(GUEST):  # of XMPP, too
            raise GuestsRefused("a match over days is between accounts: log in first")
        if terms.computer is not None:
            raise BadOption("the computer moves at once: it plays with another clock")
        lasting = [each.room for each in awake if each.room.terms.lasting]
        if len(self) + len(lasting) >= self.most:
            raise TooManyRooms(f"there are {self.most} matches over days already")
        mine = len(self.of(user or "")) + sum(room.has_seat(user) for room in lasting)
        if mine >= self.most_of_user:
            raise TooManyRoomsOfOneUser(f"{user} has {self.most_of_user} matches over days already")

    def check_offer(self, room: Room, days: int, awake: Iterable[LiveRoom], outlives: bool) -> None:
        """Raise a Refusal unless the match in ``room`` can continue with ``days`` for each move."""
        terms = replace(room.terms, time=TimeControl.read({"days": days}))
        for member in room.players:
            self.check(terms, member.user, awake, outlives)

    def get(self, name: str) -> Sleeper | None:
        """Return a sleeping room; its times are of the registry's clock."""
        return self._sleepers.get(name)

    def room(self, name: str) -> Room | None:
        """Return a copy of a room that sleeps, only to read it; None: no such room sleeps."""
        if (sleeper := self._sleepers.get(name)) is None:
            return None
        # A request asks several times, and wakes the room then: one copy is kept.
        if self._read is None or self._read[0] is not sleeper:
            self._read = sleeper, self._restore(_kept(name, sleeper))
        return self._read[1]

    def add(self, kept: KeptRoom) -> bool:
        """Let a room sleep; return False if it isn't a match over days that has begun."""
        opened, record = kept.opened, kept.lines
        if opened.format != LASTING_FORMAT:
            return False
        if not isinstance(record, PackedRecord):
            record = PackedRecord.of(record)
        try:
            time = load_terms(opened.terms).time
        except BadRecord:
            return False
        if time is None or record.since is None or record.turn is None:
            return False
        # Most rooms have the same terms and the same first position.
        one = self._texts.setdefault
        terms, start = one(opened.terms, opened.terms), one(opened.start, opened.start)
        name, ends = opened.name, record.since + time.total
        self._sleepers[name] = Sleeper(kept.room_id, terms, start, record, ends, kept.away)
        for user in record.users:
            self._rooms_of.setdefault(user, {})[name] = None
        self._queue(ends - LATE * time.total, name)
        self.moves += record.moves
        return True

    def lay_down(self, room: Room, outbox: Outbox) -> bool:
        """Let a room sleep, and return whether it does."""
        if not room.running or (kept := outbox.lay_down(room)) is None:
            return False
        away = tuple([member.away for member in room.players])
        if not self.add(replace(kept, away=away)):
            outbox.knows(room, kept.room_id)
            return False
        return True

    def wake(self, name: str) -> tuple[KeptRoom, Room | None]:
        """Remove a room that sleeps; return what the journal has of it, and the room itself."""
        room, sleeper = self.room(name), self._sleepers.pop(name)
        self.moves, self._read = self.moves - sleeper.record.moves, None
        for user in set(sleeper.record.users):
            rooms = self._rooms_of[user]
            del rooms[name]
            if not rooms:
                del self._rooms_of[user]
        if not self._sleepers:
            self._texts.clear()
        return _kept(name, sleeper), room

    def all(self) -> Iterator[KeptRoom]:
        """Iterate over all rooms, as the journal has them."""
        for name, sleeper in self._sleepers.items():
            yield _kept(name, sleeper)

    def due(self, now: float) -> Iterator[str]:
        """Yield some rooms whose time has ended, and note those in which a player is late."""
        for _ in range(AT_ONCE):
            if not self._due or self._due[0][0] > now:
                break
            _, name = heappop(self._due)
            self._queued.discard(name)
            if (sleeper := self._sleepers.get(name)) is None:
                continue
            since, ends = sleeper.record.since or 0.0, sleeper.ends
            if ends <= now:
                yield name
            elif (late := ends - LATE * (ends - since)) <= now:
                self.late.append(name)
                self._queue(ends, name)
            else:
                self._queue(late, name)

    def _queue(self, at: float, name: str) -> None:
        if name not in self._queued:
            self._queued.add(name)
            heappush(self._due, (at, name))


def _kept(name: str, sleeper: Sleeper) -> KeptRoom:
    opened = Opened(name, sleeper.terms, sleeper.start, LASTING_FORMAT)
    return KeptRoom(sleeper.room_id, opened, sleeper.record, sleeper.away)

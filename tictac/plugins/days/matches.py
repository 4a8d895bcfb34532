"""Facts about matches over days: whose turn it is, since when, until when, and what changed.

Lists of a user's matches, and notices to disconnected players, ask this module alone. Observers get
a change after the journal has it, once for all changes of a turn of the reactor. So no notice is
about a move that a killed process forgets.

1. `Registry.changed` reports each event of a match over days, before its commit. `_note` keeps the
   room for the next turn of the reactor.
2. There, `_notify` hands a call to the outbox, which makes it after all decisions so far were sent.
3. The call describes the room as it is then, and the observers get that.

`match` returns the facts at any time. Those of a room that sleeps are in its text, so that a start
looks at thousands of them without waking one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from heapq import heappop, heappush
from math import inf
from typing import NamedTuple, Protocol

from tictac.game import GameType
from tictac.lobby.clock import DAY
from tictac.lobby.events import Agreement, Ended, Listed
from tictac.lobby.live_room import Listener
from tictac.lobby.record import load_terms
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.lobby.sleeping import LATE, Sleeper

GIVEN_UP_AT_ONCE = 4
"""Maximum seats of a user that are given up in a sweep."""


class DayMatch(NamedTuple):
    """A match over days, as it is at one moment. Times are in seconds.

    ``room`` and ``began`` name the match, also in a later process: ``began`` is a time of the
    journal (lobby/journal.py), and no time of day. ``turn`` is the seat to move, whose turn began
    with the event ``number``, at ``since``, and ends at ``until``: times of day since 1970, which
    move if the server was away meanwhile. So ``room``, ``began``, and ``number`` name a turn.
    ``here`` are the players who are in the room. ``offer`` is the open offer: a seat, and what it
    offers.
    """

    room: str
    began: float
    game_type: GameType
    days: int
    players: tuple[str, ...]
    turn: int
    number: int
    since: float
    until: float
    here: tuple[str, ...]
    offer: tuple[int, Agreement] | None
    tournament: str | None
    is_private: bool

    @property
    def user(self) -> str:
        """The player whose turn it is."""
        return self.players[self.turn]


class DaysObserver(Protocol):
    """An observer of matches over days (DayMatches.observers)."""

    def changed(self, match: DayMatch) -> None:
        """Note that something has happened in a match, such as a move, an offer, chat, or a coming.

        It can be the same turn as before.
        """

    def late(self, match: DayMatch) -> None:
        """Note that a quarter of the time is left. A later process can say so again."""

    def over(self, match: DayMatch, ended: Ended) -> None:
        """Note the end of a match; ``ended.match`` is its id in the archive, or empty."""


class DayMatches:
    """The matches over days in ``registry``.

    ``later(0, function)`` calls a function in the next turn of the reactor. ``utc`` is the time of
    day.
    """

    def __init__(
        self, registry: Registry, later: Callable[..., object], utc: Callable[[], float]
    ) -> None:
        self.observers: list[DaysObserver] = []
        self._registry, self._later, self._utc = registry, later, utc
        self._due: dict[Room, None] = {}
        self._late: list[tuple[float, str]] = []  # rooms that were awake, each once
        self._in_late: set[str] = set()
        self._were_late: dict[str, object] = {}  # turns that observers know, by room
        self._before = registry.changed
        registry.changed = self._note

    # Questions

    def of(self, user: str) -> Collection[str]:
        """Return the names of the rooms in which ``user`` plays over days, asleep or awake."""
        awake = [name for name in self._registry.seats.of(user) if self._lasts(name)]
        return [*self._registry.sleepers.of(user), *awake]

    def users(self) -> list[str]:
        """Return all players over days, asleep or awake."""
        rooms = [each.room for each in self._registry.live_rooms.values()]
        awake = [member.user for room in rooms if room.terms.lasting for member in room.players]
        return list({*self._registry.sleepers.users, *awake})

    def match(self, room: str) -> DayMatch | None:
        """Return the match in the room of that name; None: there is none that has begun."""
        if (sleeper := self._registry.sleepers.get(room)) is not None:
            return self._match_of(room, sleeper)
        live_room = self._registry.live_rooms.get(room)
        return None if live_room is None else self._match(live_room.room)

    def turns_of(self, user: str) -> int:
        """Return the number of matches over days in which it is the turn of ``user``."""
        return sum(self._turn_in(name) == user for name in self.of(user))

    def _turn_in(self, name: str) -> str | None:
        if (sleeper := self._registry.sleepers.get(name)) is not None:
            return sleeper.record.users[sleeper.record.turn or 0]
        room = self._registry.live_rooms[name].room
        return room.players[room.turn].user if room.running else None

    def _lasts(self, name: str) -> bool:
        live_room = self._registry.live_rooms.get(name)
        return live_room is not None and live_room.room.terms.lasting

    def _match(self, room: Room) -> DayMatch | None:
        clock, terms = room.clock, room.terms
        if clock is None or not terms.lasting or (began := room.began) is None:
            return None
        now, day_time = self._registry.seconds(), self._utc()
        offer = room.offer
        return DayMatch(
            room.name,
            # A room that slept has its times in milliseconds.
            round(round(began, 3) + self._registry.outbox.epoch, 3),
            terms.game_type,
            clock.control.days,
            tuple([member.user for member in room.players]),
            room.turn,
            room.moved,
            day_time - (now - clock.since),
            day_time + clock.remaining(now)[room.turn],
            tuple([m.user for m in room.players if m.away is None and not m.gone]),
            None if offer is None else (offer.seat, offer.what),
            terms.play and terms.play.tournament,
            terms.key is not None,
        )

    def _match_of(self, room: str, sleeper: Sleeper) -> DayMatch:
        terms, record, facts = load_terms(sleeper.terms), sleeper.record, sleeper.record.facts()
        to_day = self._utc() - self._registry.seconds()
        return DayMatch(
            room,
            round(facts.began + self._registry.outbox.epoch, 3),
            terms.game_type,
            0 if terms.time is None else terms.time.days,
            record.users,
            record.turn or 0,
            facts.number,
            to_day + (record.since or 0.0),
            to_day + sleeper.ends,
            (),
            facts.offer,
            terms.play and terms.play.tournament,
            terms.key is not None,
        )

    def give_up(self, user: str) -> bool:
        """Give up seats over days of a user, who has left for good; return whether all are.

        A seat with a connection stays. Rooms wake for that, so each call gives up some.
        """
        for name in list(self.of(user))[:GIVEN_UP_AT_ONCE]:
            leaver = Listener(user, lambda event: None)
            leaver.occupant_id = self._registry.new_occupant_id()
            self._registry.join(leaver, name, "PLAYER")
            self._registry.leave(leaver, for_good=True)
        return not self.of(user)

    # Changes

    def expire(self) -> None:
        """Report players who are late now, each turn once."""
        sleepers, now = self._registry.sleepers, self._registry.seconds()
        late, sleepers.late = sleepers.late, []
        while self._late and self._late[0][0] <= now:
            _, name = heappop(self._late)
            self._in_late.discard(name)
            live_room = self._registry.live_rooms.get(name)  # a room that sleeps is in the others
            if live_room is None or not live_room.room.terms.lasting:
                continue
            if self._late_at(live_room.room) > now:
                self._note_late(live_room.room)
            else:
                late.append(name)
        for name in late:
            match = self.match(name)
            if match is None or match.until - self._utc() > LATE * match.days * DAY + 1:
                continue  # it has another turn by now
            turn = match.began, match.number
            if self._were_late.get(name) != turn:
                self._were_late[name] = turn
                for observer in self.observers:
                    observer.late(match)

    def _late_at(self, room: Room) -> float:
        clock = room.clock
        return inf if clock is None else clock.since + (1 - LATE) * clock.control.total

    def _note_late(self, room: Room) -> None:
        if room.name not in self._in_late:
            self._in_late.add(room.name)
            heappush(self._late, (self._late_at(room), room.name))

    def _note(self, room: Room) -> None:
        """Note a change of a room (Registry.changed)."""
        if self._before is not None:
            self._before(room)
        if room.terms.lasting and room.begun:
            if not self._due:
                self._later(0, self._notify)
            self._due[room] = None

    def when_sent(self, call: Callable[[], object]) -> None:
        """Call a function after the decisions so far are committed and sent."""

        def take(_: object) -> None:
            call()

        self._registry.outbox.answer(Listener("", take), Listed("", "VIEWER", ()))

    def _notify(self) -> None:
        rooms, self._due = self._due, {}
        self.when_sent(lambda: self._notify_of(rooms))

    def _notify_of(self, rooms: Iterable[Room]) -> None:
        for room in rooms:
            self._notify_of_one(room)

    def _notify_of_one(self, room: Room) -> None:
        match, last = self._match(room), room.record[-1][1]
        if match is None or room.clock is None:
            return
        if isinstance(last, Ended):
            self._were_late.pop(match.room, None)
            for observer in self.observers:
                observer.over(match, last)
            return
        self._note_late(room)
        for observer in self.observers:
            observer.changed(match)

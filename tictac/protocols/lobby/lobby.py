"""State that connections of the lobby protocol share: subscribers, seeks, guests, rematches.

Source: lobby.md, "Requests".
"""

from __future__ import annotations

import hmac
import math
import time
from collections.abc import Callable, Collection
from random import Random
from typing import Any, Protocol
from weakref import WeakValueDictionary

from tictac.archive.match import utc_text
from tictac.archive.reader import Reader
from tictac.engines.pool import EnginePool
from tictac.errors import NoSuchRoom, TooManyEvents
from tictac.lobby.events import Ended, Happened, Refused
from tictac.lobby.interfaces import Call
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms
from tictac.names import PLAIN_LETTERS
from tictac.net.budget import KIB
from tictac.protocols.lobby import json_view, wire
from tictac.protocols.lobby.admin import Admin
from tictac.protocols.lobby.analysis_requests import Judging
from tictac.protocols.lobby.extension import Extension, Handlers
from tictac.protocols.lobby.guests import Guests
from tictac.protocols.lobby.login_news import HeldSeats
from tictac.protocols.lobby.rated import Rated
from tictac.protocols.lobby.rematch import Rematch, RematchParty
from tictac.storage.store import Store

LobbySubscriber = Callable[[bytes], None]
"""A function that sends lines to a connection that follows the rooms."""

PUSH_DELAY = 0.2
"""Seconds to collect changes of rooms before sending them to subscribers."""

PUSH_RATE, LONGEST_DELAY = 8_000, 2.0
"""Subscribers per second that can get 4 KiB of changes; beyond them, the delay grows up to that."""

NAME_LENGTH, KEY_LENGTH = 5, 20

MOST_MISSED = 200
"""Maximum missed events to send; after more of them a client gets the whole room."""

MOST_OVER = 1000
"""Maximum finished matches for which a rematch is possible."""


class Seated(Protocol):
    """A connection of a player, for another one of the same account."""

    def make_way(self, room: Room) -> None:
        """Leave the seat in ``room``, if the player still has it."""


class Lobby:
    """The rooms of ``registry`` as this protocol shows them.

    ``seconds`` is the clock, ``later`` calls after a delay, ``rng`` makes names and keys.
    ``guests``: whether guests can play people, not only the computer. ``max_rooms`` is the maximum
    per connection (0: no limit). After ``max_events`` a room takes only moves; after twice as many
    moves the match is a draw. ``held`` is how long seats are held, in seconds. ``archive`` has
    finished matches (None: no archive). ``engine`` analyzes them. ``utc`` is the time of day.
    """

    def __init__(
        self,
        registry: Registry,
        seconds: Callable[[], float],
        later: Callable[..., Call],
        rng: Random,
        guests: bool = False,
        max_rooms: int = 16,
        max_events: int = 2000,
        held: float = 0,
        archive: Store | None = None,
        engine: EnginePool | None = None,
        utc: Callable[[], float] = time.time,
    ) -> None:
        self.registry = registry
        self.seconds = seconds
        self.guests = guests
        self.visitors = wire.ALL
        """Which requests need no account (wire.Request.visitors)."""
        self.blocks: Callable[[str, str], bool] = lambda one, other: False
        """Whether one of two users wants no match against the other."""
        self.max_rooms = max_rooms
        self._max_events = max_events
        self._later = later
        self._rng = rng
        self.held = held
        self.held_seats = HeldSeats(registry, seconds, held)
        self.guest_list = Guests(registry, seconds, held, self.held_seats.has_ended)
        self._utc = utc
        self._offset = -math.inf
        self._rated = Rated(archive, seconds, self._ratings_known)
        self._followers: set[LobbySubscriber] = set()
        self._shown: dict[str, bytes] = {}
        self._listed: bytes | None = None
        self._changes: dict[str, bytes] = {}
        self._push: Call | None = None
        self._push_from = seconds()
        self._event: tuple[Happened, Room] | None = None
        self._lines: dict[tuple[int | None, bool], bytes] = {}
        self.games: json_view.Pages = ()
        self.matches = Reader(archive, seconds, later)
        self.judging: Judging | None = None
        if archive is not None and engine is not None:
            self.judging = Judging(self.matches, archive, engine)
        self.admin: Admin | None = None
        self._over: dict[Room, Rematch] = {}
        self.seated: WeakValueDictionary[tuple[str, str], Seated] = WeakValueDictionary()
        """The connections of players, by room and user."""
        self.requests: wire.Requests = wire.REQUESTS
        self.handlers: Handlers = {}
        """What handles requests of extensions."""
        self.extensions: list[Extension] = []
        self.parts: dict[str, Callable[..., Any]] = {}
        """What plug-ins answer below /api/ (web.api.ApiPart), by the first word of the path."""
        registry.changed = self.changed
        registry.room_closed = self.room_closed

    def stop(self) -> None:
        """Stop sending changes of rooms."""
        if self._push is not None:
            self._push.cancel()
            self._push = None
        self._followers.clear()

    def extend(self, extension: Extension) -> None:
        """Take the requests of an extension, too."""
        self.extensions.append(extension)
        self.handlers |= extension.handlers
        self.requests = {**self.requests, **wire.by_name(extension.handlers)}

    # Names

    def room_name(self) -> str:
        """Return a name that no room has."""
        while True:
            name = self._word(NAME_LENGTH)
            if not self.registry.has_room(name):
                return name

    def key(self) -> str:
        """Return a key for a private room."""
        return self._word(KEY_LENGTH)

    def _word(self, length: int) -> str:
        return "".join(self._rng.choice(PLAIN_LETTERS) for _ in range(length))

    # Seeking

    def find(self, terms: Terms, user: str | None) -> str | None:
        """Return the oldest room where another user seeks a match on these terms."""
        sought = self.registry.sought
        for room in self.registry.public_rooms():
            if room.name in sought and not room.begun and are_alike(room.terms, terms):
                players = room.players
                are_here = all(each.away is None or terms.lasting for each in players)
                if not players or not are_here or any(each.user == user for each in players):
                    continue
                if not any(self.blocks(each.user, user or "") for each in players):
                    return room.name
        return None

    # Rejoining

    def make_way(self, room: Room, user: str) -> None:
        """Move ``user`` out of their seat, so that another of their connections can take it."""
        is_held = any(m.user == user and m.away is not None for m in room.players)
        seated = self.seated.get((room.name, user))
        if seated is not None and (self.held or room.terms.lasting) and not is_held:
            seated.make_way(room)

    # Following

    def rooms(self) -> bytes:
        """Return all public rooms, the oldest first, and the current time, as JSON."""
        now = self.day_time(self.seconds()).encode()
        return b'{"rooms":[%b],"now":"%b"}' % (self.listed(), now)

    def listed(self) -> bytes:
        """Return the entries of all public rooms, the oldest first, as JSON."""
        # Cached, because strangers can send this request often.
        if self._listed is None:
            shown = self._shown
            rooms = self.registry.public_rooms()
            for room in rooms:
                if room.name not in shown:
                    shown[room.name] = self._summary(room)
            self._listed = b",".join([shown[room.name] for room in rooms])
        return self._listed

    def peek(self, name: str, key: str | None) -> json_view.Message:
        """Return what an invitation to a room says. Raises NoSuchRoom, also for a wrong key."""
        room = self.registry.room(name)
        needed = None if room is None else room.terms.key
        fits = hmac.compare_digest((needed or "").encode(), (key or "").encode())
        if room is None or (needed is not None and not fits):
            raise NoSuchRoom("there is no such room, or it has another key")
        opened = self.day_time(self.registry.opened(room))
        about = json_view.summary(room, opened, self._rated.of)
        guests = self.guests and not room.terms.rated
        return about | {
            "goal": room.terms.game_type.goal, "private": needed is not None, "guests": guests
        }  # fmt: skip

    def _summary(self, room: Room) -> bytes:
        opened = self.day_time(self.registry.opened(room))
        return wire.encode(json_view.summary(room, opened, self._rated.of))

    def day_time(self, seconds: float) -> str:
        """Return a time of the registry's clock, which can stand still, in UTC, in seconds."""
        # Keep the time: a second calculation can differ, because the clocks drift apart.
        offset = self._utc() - self.seconds()
        if abs(offset - self._offset) >= 1:
            self._offset = offset
        return utc_text(round(self._offset + seconds)).replace(".000", "")

    def _ratings_known(self, user: str) -> None:
        for name in list(self.registry.seats.of(user)):
            room = self.registry.room(name)
            if room is not None and room.is_listed:
                self.changed(room)

    def follow(self, follower: LobbySubscriber) -> None:
        """Send every change of the rooms from now on."""
        self._followers.add(follower)

    def unfollow(self, follower: LobbySubscriber) -> None:
        """Stop sending changes to ``follower``."""
        self._followers.discard(follower)

    def changed(self, room: Room) -> None:
        """Update the lobby's entry of ``room`` (Registry.changed)."""
        self._listed = None
        if not self._followers:
            self._shown.pop(room.name, None)
        elif not room.is_listed:
            self.room_closed(room.name)
        else:
            summary = self._summary(room)
            if self._shown.get(room.name) != summary:
                self._shown[room.name] = summary
                self._note(room.name, summary)

    def room_closed(self, name: str) -> None:
        """Remove a closed room from the lobby (Registry.room_closed)."""
        self._listed = None
        if self._shown.pop(name, None) is not None and self._followers:
            self._note(name, wire.encode({"room": name, "gone": True}))

    def _note(self, name: str, change: bytes) -> None:
        # Collected: otherwise a client that opens and leaves rooms makes work for all subscribers.
        self._changes[name] = change
        if self._push is None:
            wait = max(PUSH_DELAY, self._push_from - self.seconds())
            self._push = self._later(wait, self._notify_followers)

    def _notify_followers(self) -> None:
        self._push = None
        changes, self._changes = self._changes, {}
        lines = b"".join(b'{"event":"lobby",%b\n' % each[1:] for each in changes.values())
        # Changes that come meanwhile replace one another, so that nothing is lost.
        cost = len(self._followers) * (1 + len(lines) / (4 * KIB))
        self._push_from = self.seconds() + min(cost / PUSH_RATE, LONGEST_DELAY)
        for follower in list(self._followers):
            follower(lines)

    # Rematches

    def over(self, party: RematchParty, room: Room, ended: Ended) -> Rematch | None:
        """Return the rematch of the finished match in ``room``, if possible, and add ``party``."""
        if not Rematch.may_follow(room, ended):
            return None
        rematch = self._over.get(room)
        if rematch is None:
            if len(self._over) >= MOST_OVER:
                next(iter(self._over.values())).expire()
            rematch = Rematch(
                self.registry, room, ended, self.seconds, self.room_name, self._drop, self._later
            )
            self._over[room] = rematch
        rematch.stay(party)
        return rematch

    def expire(self, offer_timeout: float) -> None:
        """End rematches without a change for ``offer_timeout`` seconds (0: no limit)."""
        until = self.seconds() - offer_timeout
        for rematch in list(self._over.values()):
            if offer_timeout and rematch.since <= until:
                rematch.expire()

    def _drop(self, rematch: Rematch) -> None:
        self._over.pop(rematch.room, None)

    # Messages

    def line_of_room(
        self, room: Room, seat: int | None, drawn: bool = False, muted: Collection[str] = ()
    ) -> bytes:
        """Return a line with the whole of ``room``, without the chat of ``muted`` users."""
        message = json_view.whole(room, seat, self.seconds(), self.held, muted)
        return wire.line(json_view.with_picture(message, room) if drawn else message)

    def line_of(self, event: Happened, room: Room, seat: int | None, drawn: bool = False) -> bytes:
        """Return the line of an event, made once for all occupants with the same view."""
        if self._event is None or self._event[0] is not event or self._event[1] is not room:
            self._event, self._lines = (event, room), {}
        line = self._lines.get((seat, drawn))
        if line is None:
            message = json_view.event_json(event, room, seat, self.seconds(), self.held)
            message = json_view.with_picture(message, room) if drawn else message
            line = self._lines[seat, drawn] = wire.line(message)
        return line

    def missed(self, room: Room, since: int | None) -> list[Happened] | None:
        """Return the events after ``since``; None if the client needs the whole room."""
        if since is None or room.terms.lasting or not json_view.can_follow(room, since):
            return None  # after a match over days slept, other events can have the same numbers
        happened = [event for _, event in room.record if not isinstance(event, Refused)]
        events = [event for event in happened if event.number > since]
        return events if len(events) <= MOST_MISSED else None

    def check_takes_more(self, room: Room, times: int = 1) -> None:
        """Raise TooManyEvents if ``room`` has more events than ``times`` the limit."""
        number = len(room.record) if room.terms.lasting else room.number
        if self._max_events and number >= times * self._max_events:
            raise TooManyEvents(f"too much has happened in room {room.name}: only moves are taken")

    def end_if_endless(self, room: Room) -> None:
        """End the match in a draw after too many moves: some games could continue for years."""
        endless = 0 < 2 * self._max_events <= room.moves
        if endless and self.registry.room(room.name) is room:
            self.registry.call_off(room.name)


def are_alike(one: Terms, other: Terms) -> bool:
    """Return whether two players who seek matches on these terms seek the same."""
    same = (
        one.game_type is other.game_type and one.values == other.values and one.rated is other.rated
    )
    return same and one.seats == other.seats and one.time == other.time

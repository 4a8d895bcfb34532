"""All rooms of a server and their occupants: finds the room of a request, delivers its events.

A request returns nothing. Its outcome, also a refusal, comes to the occupant as an event, so a
caller doesn't depend on whether the registry had to wait. The registry decides at once. Where its
decisions go is the business of the ``outbox``.

Every occupant receives events in the order of their numbers, also if an occupant answers an event
with a request before the others have received that event.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random

from tictac.errors import (
    AlreadyInRoom,
    NoSuchRoom,
    NotInRoom,
    PrivateRoom,
    Refusal,
    RoomExists,
    RoomFull,
)
from tictac.lobby import offers, shares
from tictac.lobby.events import (
    Agreement,
    Ended,
    Ending,
    Listed,
    Mode,
    OccupantId,
    Placed,
    Position,
    Refused,
    RoomEvent,
)
from tictac.lobby.interfaces import Archivist, Occupant, RoomObserver, Storage, payer_of, rejoins_of
from tictac.lobby.journal import KeptRoom, restored
from tictac.lobby.live_room import Delivery, Dispatcher, LiveRoom, Opener
from tictac.lobby.outbox import Direct, Outbox
from tictac.lobby.room import Decided, Room
from tictac.lobby.seats import Seats
from tictac.lobby.sleeping import AT_ONCE, Sleepers
from tictac.lobby.terms import USUAL_TERMS, Terms, check_room_name


class Registry:
    """The rooms that this process decides.

    ``max_rooms`` doesn't count direct rooms, whose protocol limits connections, rooms of
    tournaments, and matches over days. A user waits in up to ``max_rooms_per_user`` rooms (0: any
    number). ``seconds`` is a clock of any origin. ``on_fault`` is called in the handler of an
    exception of an occupant, an observer, or the archivist, ``on_lost`` in that of an unreadable
    room, with its name. Seats are held for ``rejoin_timeout`` seconds (0: not at all).
    """

    def __init__(
        self,
        max_rooms: int,
        seconds: Callable[[], float],
        on_fault: Callable[[object], None],
        rejoin_timeout: float = 0,
        max_rooms_per_user: int = 0,
        rng: Random | None = None,
        *,
        on_lost: Callable[[str], object] = str,
        outbox: Callable[[Dispatcher, Callable[[], float]], Outbox] = Direct,
    ) -> None:
        self.observers: list[RoomObserver] = []
        self.changed: Callable[[Room], None] | None = None
        """Called when an occupant joins or leaves, a match begins, or a room is about to close;
        in a match over days, after every event."""
        self.room_closed: Callable[[str], None] | None = None
        """Called when the room of that name has closed."""
        self.absent: Callable[[str, Room], Occupant] | None = None
        """Returns the receiver of a match's end for a disconnected player."""
        self.seats, self.sleepers = Seats(), Sleepers(self._restored)
        self.archivist: Archivist | None = None
        """Saves finished matches."""
        self.storage: Storage | None = None
        """Decides what can be stored; None: everything."""
        self.vet: Callable[[KeptRoom], object] = lambda kept: None
        """Raises ValueError if this process must not replay a saved room."""
        self.sought: set[str] = set()
        """The rooms that wait for a player who seeks such a match."""
        self.max_rooms_per_peer = self.max_viewers_per_peer = 0
        """Maximum rooms of an address's guests, and its viewers in each room; 0: any number."""
        self._max_rooms = max_rooms
        self._max_rooms_per_user = max_rooms_per_user
        self.seconds = seconds
        self.on_lost = on_lost
        self._on_fault = on_fault
        self._rejoin_timeout = rejoin_timeout
        self._stopping = False
        self._put_off: set[OccupantId] = set()
        self.rng = rng or Random()
        self.live_rooms: dict[str, LiveRoom] = {}
        self.live_room_of: dict[OccupantId, LiveRoom] = {}
        self.dispatcher = Dispatcher(on_fault)
        self.outbox = outbox(self.dispatcher, seconds)
        self.outbox.sleeping = self.sleepers.all
        self._last_id = self._moves = 0  # moves in finished rooms, except direct rooms

    @property
    def outlives(self) -> bool:
        """Whether matches continue after the end of this process."""
        return self.outbox.outlives

    def start(self) -> None:
        """Continue the rooms of the journal, and report all rooms. Raises SetupError."""
        for kept in self.outbox.start(self._withdraw):
            self.continue_room(kept)
        for live_room in list(self.live_rooms.values()):
            self._notify_observers(live_room.room.name, live_room.room.terms)

    def continue_room(self, kept: KeptRoom) -> bool:
        """Continue a room of the journal without any occupant; return False if it can't be read."""
        with suppress(ValueError):
            if not self.has_room(kept.opened.name):
                self.vet(kept)
                return self.sleepers.add(kept) or self._go_on(kept, self._restored(kept))
        self.on_lost(kept.opened.name)
        return False

    def _restored(self, kept: KeptRoom) -> Room | None:
        with suppress(ValueError):
            return restored(kept, self.rng, self.seconds())
        self.on_lost(kept.opened.name)
        return None

    def _go_on(self, kept: KeptRoom, room: Room | None) -> bool:
        if room is None:
            return False
        since = room.held_since() if room.awaited else None
        live_room = LiveRoom(room, self.seconds() if since is None else since)
        self.live_rooms[room.name] = live_room
        live_room.holds = True
        self.outbox.knows(room, kept.room_id)
        self.seats.note(room)
        if self.changed is not None and room.is_listed:  # a room that wakes hasn't changed
            self.changed(room)
        return True

    async def stop(self) -> None:
        """Save what waits."""
        await self.outbox.stop()

    def ready(self) -> bool:
        """Return whether requests are served soon."""
        return self.outbox.ready()

    def new_occupant_id(self) -> OccupantId:
        """Return an id that no occupant has had, and that isn't in the name of a seat's guest."""
        self._last_id = self.seats.next_guest(self._last_id + 1)
        return str(self._last_id)

    # Requests

    def list_rooms(self, occupant: Occupant, mode: Mode) -> None:
        """Send ``occupant`` the list of rooms that it can join."""
        every, rooms = mode == "VIEWER", self.known_rooms()
        names = tuple(r.name for r in rooms if r.terms.plain and (every or not r.begun))
        self.outbox.answer(occupant, Listed(occupant.occupant_id, mode, names))

    def create(
        self,
        occupant: Occupant,
        name: str,
        terms: Terms = USUAL_TERMS,
        start: Position | None = None,
    ) -> None:
        """Make a room on these terms, and seat ``occupant`` as its first player.

        The match continues from ``start``; None: it begins at the first position.
        """
        try:
            self._check_outside(occupant)
            check_room_name(name)
            if self.has_room(name):
                raise RoomExists(f"room {name} exists already")
            self.sleepers.check(terms, occupant.user, self.live_rooms.values(), self.outlives)
            opener, makes_way = Opener.of(occupant), terms.protocol is None and not terms.lasting
            closing = self.make_way(occupant, opener) if makes_way else None
            if self.storage is not None:
                self.storage.open(opener, terms)
        except Refusal as refusal:
            self._refuse(occupant, "create", refusal)
            return
        room = Room(name, terms, self.rng, start)
        live_room = self.live_rooms[name] = LiveRoom(room, self.seconds())
        live_room.opener = opener
        if closing is not None:
            self._apply(closing, closing.room.call_off("closed"))
        self._notify_observers(name, terms)
        self._enter(occupant, live_room, "PLAYER")

    def convene(self, name: str, terms: Terms, start: Position | None = None) -> None:
        """Make a room whose seats wait for the players of ``terms.play``, unless it exists."""
        check_room_name(name, convened=True)
        if self.has_room(name):
            return
        now = self.seconds()
        room = Room(name, terms, self.rng, start)
        live_room = self.live_rooms[name] = LiveRoom(room, now)
        live_room.holds = True
        self._apply(live_room, room.convene(now))
        if terms.lasting:
            self._apply(live_room, room.begin())
        self._notify_observers(name, terms)

    def join(
        self,
        occupant: Occupant,
        name: str,
        mode: Mode,
        key: str | None = None,
        seated_by: str | None = None,
    ) -> None:
        """Seat ``occupant`` in an existing room, by ``seated_by``, or by ``key``."""
        try:
            self._check_outside(occupant)
            if (live_room := self._awake(name)) is None:
                raise NoSuchRoom(f"there is no room {name}")
            room, terms = live_room.room, live_room.room.terms
            owner = terms.protocol if terms.play is None else terms.play.tournament
            is_assigned = seated_by is not None and seated_by == owner
            if not (terms.plain or occupant.supports_all_events or is_assigned):
                raise NoSuchRoom(f"there is no room {name}")
            if terms.key not in (None, key) and not live_room.room.has_seat(occupant.user):
                raise PrivateRoom(f"room {name} is private: only its key opens it")
            if mode == "PLAYER" and terms.protocol is not None and not is_assigned:
                raise RoomFull(f"the seats of room {name} are taken by {terms.protocol}")
            if mode == "PLAYER" and not (room.begun or room.has_seat(occupant.user)):
                self.sleepers.check(terms, occupant.user, self.live_rooms.values(), self.outlives)
            if mode == "VIEWER" and (payer := payer_of(occupant)) is not None:
                most = self.max_viewers_per_peer * payer.times
                if 0 < most <= live_room.viewers_at(payer.network):
                    raise RoomFull(f"{most} viewers of your address are in room {name} already")
            self._enter(occupant, live_room, mode)
        except Refusal as refusal:
            self._refuse(occupant, "join", refusal)

    def place(self, occupant: Occupant, move: str | None, keep: bool = True) -> None:
        """Play or keep a move; None stands for an unreadable move."""
        live_room = self.live_room_of.get(occupant.occupant_id)
        if live_room is None:
            self._refuse(occupant, "place", NotInRoom("a move needs a room"))
            return
        if live_room.clock is not None and live_room.clock.is_out(self.seconds()):
            events = live_room.room.time_is_up()
        else:
            events = live_room.room.place(occupant.occupant_id, move, keep)
        self._apply(live_room, events, occupant)

    def forfeit(self, occupant: Occupant) -> None:
        """Resign the match."""
        self._ask(occupant, "forfeit", lambda t: t.room.forfeit(occupant.occupant_id))

    def offer(self, occupant: Occupant, what: Agreement, days: int = 0) -> None:
        """Make an offer to the other player; ``days`` for each move, if that is the offer."""
        who, now = occupant.occupant_id, self.seconds()

        def propose(t: LiveRoom) -> list[RoomEvent]:
            if what == "days":
                self.sleepers.check_offer(t.room, days, self.live_rooms.values(), self.outlives)
            return offers.propose(t.room, who, what, now, t.players_support_all_events, days)

        self._ask(occupant, "offer", propose)

    def answer(self, occupant: Occupant, what: Agreement | None, accept: bool) -> None:
        """Accept, decline, or withdraw an offer; ``what`` of None means any."""
        who, now = occupant.occupant_id, self.seconds()
        self._ask(
            occupant,
            "offer",
            lambda t: offers.answer(t.room, who, what, accept, now, t.players_support_all_events),
        )

    def pause(self, occupant: Occupant, paused: bool) -> None:
        """Pause or continue the match."""
        who = occupant.occupant_id
        self._ask(occupant, "pause", lambda t: t.room.pause(who, paused))

    def call_off(self, name: str, ending: Ending = "drawn", decided: Decided = None) -> None:
        """End the match in the room of that name, if there is one, as others ``decided``."""
        if live_room := self._awake(name):
            self._apply(live_room, live_room.room.call_off(ending, decided))

    def say(self, occupant: Occupant, text: str) -> None:
        """Send a chat message to the room."""
        if self.storage is not None:
            try:
                self.storage.spend(payer_of(occupant), shares.size_of(text), spare=True)
            except Refusal as refusal:
                self._refuse(occupant, "say", refusal)
                return
        self._ask(occupant, "say", lambda t: t.room.say(occupant.occupant_id, text))

    def leave(self, occupant: Occupant, for_good: bool = False) -> None:
        """Take ``occupant`` out of its room, if it is in one.

        A player's seat is held for its user if the registry holds seats, and if the occupant
        rejoins, was put off, or this process stops. Otherwise, or ``for_good``, the player
        forfeits.
        """
        self.outbox.left(occupant)
        if (live_room := self.live_room_of.pop(occupant.occupant_id, None)) is not None:
            self._leave(live_room, occupant, for_good)
        self._put_off.discard(occupant.occupant_id)

    def put_off(self, occupant: Occupant) -> None:
        """Disconnect an occupant who can't be served now, and hold its seat in every protocol.

        One that ``stays``, such as the computer, is part of this process and only waits.
        """
        if getattr(occupant, "stays", False):
            return
        self._put_off.add(occupant.occupant_id)
        occupant.close()

    def put_off_all(self) -> None:
        """Put off all occupants of the rooms that the journal has."""
        for live_room in list(self.live_rooms.values()):
            if live_room.room.terms.protocol is None and live_room.room.terms.kept:
                for occupant in list(live_room.occupants.values()):
                    self.put_off(occupant)

    def _leave(self, live_room: LiveRoom, occupant: Occupant, for_good: bool) -> None:
        live_room.unseat(occupant)
        room, who = live_room.room, occupant.occupant_id
        seat = room.seat_of(who)
        rejoins = self._stopping or who in self._put_off or rejoins_of(occupant)
        can_hold = self._rejoin_timeout or room.awaited or room.terms.lasting
        holds = can_hold and rejoins and not for_good
        if holds:
            room.hold(who, self.seconds())
            live_room.holds = True
        if self._times_out(live_room):
            return  # leaving loses no match that the other player lost already
        events: list[RoomEvent] = [] if holds else room.leave(who, not for_good)
        if events and not for_good:
            self._drop(live_room, events, occupant)
            return
        if not events and live_room.knowing:
            events = [room.missed(occupant.user or "", seat)]
        if not events:
            self._update_lists(room)
        self._apply(live_room, events, occupant)

    def _drop(self, live_room: LiveRoom, events: list[RoomEvent], cause: Occupant | None) -> None:
        """Apply the end of a seat whose player is disconnected; the others might continue."""
        self._apply(live_room, events, cause)
        event = events[0]
        if type(event) is Placed and self.absent is not None:
            user = live_room.room.players[event.seat].user
            self.outbox.answer(self.absent(user, live_room.room), event)

    def has_room(self, name: str) -> bool:
        """Return whether there is a room of that name, awake or asleep."""
        return name in self.live_rooms or name in self.sleepers

    def room(self, name: str) -> Room | None:
        """Return the room of that name, only to read it; of one that sleeps, a copy."""
        live_room = self.live_rooms.get(name)
        return self.sleepers.room(name) if live_room is None else live_room.room

    def opened(self, room: Room) -> float:
        """Return when a room was made."""
        return room.record[0][0] if room.record else self.seconds()

    def public_rooms(self) -> list[Room]:
        """Return the rooms that lists show, the oldest first."""
        return [room for room in self.known_rooms() if room.is_listed]

    def known_rooms(self) -> list[Room]:
        """Return all rooms that don't sleep, also private ones, the oldest first."""
        return [live_room.room for live_room in self.live_rooms.values()]

    # For the service

    def expire(self, move_timeout: float, wait_timeout: float, offer_timeout: float = 0) -> None:
        """End overdue matches and rooms, expired offers, and holds of seats that lasted too long.

        Timeouts are in seconds; 0 is no limit. The terms of a room take precedence over
        ``move_timeout``. The time runs from the last move, the beginning of the match, or the
        creation of the room.
        """
        if self.outbox.waits:
            return  # the journal can't save an end now
        now, drowsy = self.seconds(), AT_ONCE
        for name in self.sleepers.due(now):
            self._awake(name)
        for live_room in list(self.live_rooms.values()):
            room = live_room.room
            if room.awaited:
                if room.is_absent(now, live_room.since):
                    self._apply(live_room, [room.absent()])
            elif live_room.is_overdue(now, move_timeout, wait_timeout):
                self._apply(live_room, room.call_off() if room.paused else room.time_is_up())
            elif room.terms.lasting:
                drowsy -= drowsy > 0 and self._lay_down(live_room)
            elif live_room.holds and self._is_given_up(room, now):
                self._drop(live_room, room.give_up_held(), None)
            elif offer_timeout and room.offer and now - room.offer.since >= offer_timeout:
                self._apply(live_room, offers.expire(room))

    def stop_holding(self) -> None:
        """Release all held seats, and hold no more, unless matches continue after this process.

        If they do, players rejoin in another process.
        """
        self._stopping = True
        if self.outlives:
            return
        self._rejoin_timeout = 0
        for live_room in list(self.live_rooms.values()):
            if live_room.room.awaited:
                self._apply(live_room, live_room.room.call_off("closed"))
            elif live_room.holds:
                self._apply(live_room, live_room.room.give_up_held())

    @property
    def holds_seats(self) -> bool:
        """Whether a disconnected player can rejoin."""
        return self._rejoin_timeout > 0

    def rooms(self) -> int:
        """Return the number of rooms, except direct rooms."""
        return len(self._rooms_of(None))

    def moves(self) -> int:
        """Return the number of moves made so far, except in direct rooms."""
        return self._moves + self.sleepers.moves + sum(r.moves for r in self._rooms_of(None))

    def running(self, protocol: str | None = None) -> int:
        """Return the number of running matches in the rooms of that protocol."""
        return sum(room.running for room in self._rooms_of(protocol))

    def seats_held(self) -> int:
        """Return the number of seats that are held for disconnected players."""
        here = [live_room.room for live_room in self.live_rooms.values() if live_room.holds]
        rooms = [room for room in here if not (room.awaited or room.terms.lasting)]
        return sum(member.away is not None for room in rooms for member in room.players)

    # Matches over days

    def _awake(self, name: str) -> LiveRoom | None:
        """Return the room of that name, which doesn't sleep any more."""
        if name in self.sleepers:
            self._go_on(*self.sleepers.wake(name))
        return self.live_rooms.get(name)

    def _lay_down(self, live_room: LiveRoom) -> bool:
        room = live_room.room
        if live_room.occupants or not self.sleepers.lay_down(room, self.outbox):
            return False
        del self.live_rooms[room.name]
        self.seats.forget(room.name)
        return True

    # Helpers

    def _ask(
        self, occupant: Occupant, verb: str, ask: Callable[[LiveRoom], list[RoomEvent]]
    ) -> None:
        live_room = self.live_room_of.get(occupant.occupant_id)
        try:
            if live_room is None:
                raise NotInRoom("that needs a room")
            if not self._times_out(live_room):
                self._apply(live_room, ask(live_room), occupant)
        except Refusal as refusal:
            self._refuse(occupant, verb, refusal)

    def _times_out(self, live_room: LiveRoom) -> bool:
        """End the match if a player has no time left, which no request can change any more."""
        clock = live_room.clock
        if clock is None or not clock.is_out(self.seconds()):
            return False
        self._apply(live_room, live_room.room.time_is_up())
        return True

    def _rooms_of(self, protocol: str | None) -> list[Room]:
        here = self.live_rooms.values()
        return [live_room.room for live_room in here if live_room.room.terms.protocol == protocol]

    def make_way(self, occupant: Occupant, opener: Opener | None) -> LiveRoom | None:
        """Return a room to close before another one is opened, or None. Raises a Refusal."""
        here = self.live_rooms.values()
        shares.check_user(occupant.user, here, self._max_rooms_per_user)
        shares.check_guest(opener, here, self.max_rooms_per_peer)
        is_full = shares.is_full(here, self._max_rooms)
        return shares.room_to_close(here, opener, self.seconds()) if is_full else None

    def _check_outside(self, occupant: Occupant) -> None:
        live_room = self.live_room_of.get(occupant.occupant_id)
        if live_room is not None:
            raise AlreadyInRoom(f"{occupant.user} is in room {live_room.room.name}")

    def _enter(self, occupant: Occupant, live_room: LiveRoom, mode: Mode) -> None:
        # The room can refuse. If seats are held, a user who wants to play against themselves more
        # likely rejoins before the server noticed the loss.
        who, user = occupant.occupant_id, occupant.user or ""
        held = (self.holds_seats or live_room.room.terms.lasting) and rejoins_of(occupant)
        token_hash = getattr(occupant, "token_hash", "")
        events = live_room.room.join(who, user, mode, held, token_hash)
        terms = live_room.room.terms
        if live_room.opener is None and mode == "PLAYER" and not (terms.protocol or terms.play):
            live_room.opener = Opener.of(occupant)  # of a room of the journal
        live_room.seat(occupant)
        self.live_room_of[who] = live_room
        self._apply(live_room, events, occupant)

    def _is_given_up(self, room: Room, now: float) -> bool:
        since = room.held_since()
        return since is not None and now - since >= self._rejoin_timeout

    def _refuse(self, occupant: Occupant, request: str, refusal: Refusal) -> None:
        self.outbox.answer(occupant, Refused(occupant.occupant_id, request, refusal))

    def _apply(
        self, live_room: LiveRoom, events: Sequence[RoomEvent], cause: Occupant | None = None
    ) -> None:
        """Note the changes by these events, then hand the events to the outbox.

        ``cause`` pays for their receivers, if there are more than the two players.
        """
        if not events:
            return
        now = self.seconds()
        first = event = events[0]
        deliveries: list[Delivery] = [(live_room.note(event, now), event)]
        if len(events) > 1:  # most moves are alone
            for event in events[1:]:
                deliveries.append((live_room.note(event, now), event))
        if live_room.crowded:
            live_room.charge(cause, deliveries)
        if type(event) is Ended:
            lost = live_room.lost(event, self.absent) if self.absent is not None else ()
            event = self._close(live_room, event)
            live_room.room.record[-1] = now, event
            deliveries[-1] = (*deliveries[-1][0], *lost), event
        elif type(first) is not Placed or live_room.shows_moves:
            self._update_lists(live_room.room)
        self.outbox.decided(live_room.room, deliveries)

    def _update_lists(self, room: Room) -> None:
        self.seats.note(room)
        if self.changed is not None:
            self.changed(room)

    def _notify_observers(self, name: str, terms: Terms) -> None:
        for observer in self.observers:
            try:
                observer.room_opened(name, terms)
            except Exception:
                self._on_fault(observer)

    def _close(self, live_room: LiveRoom, ended: Ended) -> Ended:
        """Remove a finished room; return its end with the id of the saved match."""
        # Before anybody receives the end: the receiver can create the next room at once.
        del self.live_rooms[live_room.room.name]
        live_room.holds = False
        if live_room.room.terms.protocol is None:
            self._moves += live_room.room.moves
        if self.changed is not None and live_room.room.terms.lasting:
            self.changed(live_room.room)
        self._forget(live_room.room.name)
        for occupant_id in live_room.occupants:
            del self.live_room_of[occupant_id]
        kept = self.storage is None or self.storage.keeps(live_room.room, live_room.opener)
        if (archivist := self.archivist if kept else None) or live_room.room.terms.play is not None:
            try:
                ended = ended._replace(match=self.outbox.put_away(live_room.room, archivist))
            except Exception:
                self._on_fault(self.archivist)
        users = tuple([member.user for member in live_room.room.players])
        for observer in self.observers:
            try:
                observer.room_closed(live_room.room.name, users, ended)
            except Exception:
                self._on_fault(observer)
        return ended

    def _forget(self, name: str) -> None:
        """Note that there is no room of that name any more."""
        self.sought.discard(name)
        self.seats.forget(name)
        if self.room_closed is not None:
            self.room_closed(name)

    def _withdraw(self, room: Room) -> LiveRoom:
        """Remove a room that the journal refused."""
        live_room = self.live_rooms.pop(room.name)
        self._forget(room.name)
        for occupant_id in live_room.occupants:
            del self.live_room_of[occupant_id]
        return live_room

"""All rooms of a server, and who is in which: finds the room, delivers what happened.

A request returns nothing. Its outcome, a refusal too, comes to the occupant as an event, so
that whoever asks doesn't see whether it was waited for. Rooms are decided here and at once. The
registry knows three others, and nothing of what stands behind them: where decisions go (its
``outbox``), who of its occupants sits elsewhere (``visits``), and what rooms there are elsewhere
(``directory``). Alone in a process it has the plainest of each.

Events reach every occupant in the order of their numbers, also when one occupant answers an event
with a new request before the others have been told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from tictac.errors import (
    AlreadyInRoom,
    NoSuchRoom,
    NotInRoom,
    PrivateRoom,
    Refusal,
    RoomExists,
    RoomFull,
    TooManyRooms,
    TooManyRoomsOfOneUser,
)
from tictac.lobby import offers
from tictac.lobby.elsewhere import Alone, Directory, Stay, Visits
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
from tictac.lobby.interfaces import Archivist, Occupant, RoomObserver, rejoins_of
from tictac.lobby.journal import KeptRoom
from tictac.lobby.live_room import Delivery, Dispatcher, LiveRoom
from tictac.lobby.outbox import Direct, Outbox
from tictac.lobby.record import load_terms, restore
from tictac.lobby.room import Room
from tictac.lobby.terms import USUAL_TERMS, Terms, check_room_name


class Registry:
    """The rooms that are decided in this process.

    There are ``max_rooms`` at most, besides those of doors, which limit their connections; a
    user waits in ``max_rooms_per_user`` (0: any number). ``seconds`` tells the time, from any
    origin; ``on_fault`` is called in the handler of an exception of an occupant, a watcher or the
    archivist, ``on_lost`` in that of a kept room that can't be read, with its name. Seats are held
    for ``rejoin_timeout`` seconds, 0: not.
    """

    id_prefix = ""
    """What begins the ids of its occupants: other nodes have others."""

    def __init__(
        self,
        max_rooms: int,
        seconds: Callable[[], float],
        on_fault: Callable[[Any], None],
        rejoin_timeout: float = 0,
        max_rooms_per_user: int = 0,
        rng: Random | None = None,
        *,
        on_lost: Callable[[str], object] = str,
        outbox: Callable[[Dispatcher, Callable[[], float]], Outbox] = Direct,
    ) -> None:
        self.visits: Visits = Stay()
        self.directory: Directory = Alone()
        self.observers: list[RoomObserver] = []
        self.changed: Callable[[Room], None] | None = None
        """Called when somebody came or went, a match began, or a room is about to close."""
        self.room_closed: Callable[[str], None] | None = None
        """Called when there is no room of that name any more."""
        self.archivist: Archivist | None = None
        """Who keeps matches that have ended."""
        self.pass_on: Callable[..., None] | None = None
        """Tells other servers what the lobby agrees on; None: there are none."""
        self.passed_on: Callable[..., None] | None = None
        """Called with what one of them has told."""
        self.sought: set[str] = set()
        """The rooms that wait for anybody who seeks such a match."""
        self.ear_of: Callable[[Occupant, LiveRoom], Occupant] = lambda occupant, _: occupant
        """Who hears for an occupant what happens at a table."""
        self._max_rooms = max_rooms
        self._max_rooms_per_user = max_rooms_per_user
        self.seconds = seconds
        self.on_lost = on_lost
        self._on_fault = on_fault
        self._rejoin_timeout = rejoin_timeout
        self._stopping = False
        self.rng = rng or Random()
        self.live_rooms: dict[str, LiveRoom] = {}
        self.live_room_of: dict[OccupantId, LiveRoom] = {}
        self.dispatcher = Dispatcher(on_fault)
        self.outbox = outbox(self.dispatcher, seconds)
        self._last_id = 0
        self._moves = 0  # made in rooms of no door that are over

    @property
    def outlives(self) -> bool:
        """Whether matches go on without this process."""
        return self.outbox.outlives

    def start(self) -> None:
        """Let the rooms that are kept go on. Raises SetupError."""
        for kept in self.outbox.start(self.withdraw):
            try:
                room = self.restored(kept)
            except ValueError:
                self.on_lost(kept.opened.name)
            else:
                self.go_on(room, kept.room_id)
                self.announce(room.name, room.terms)

    async def stop(self) -> None:
        """Keep what there is to keep."""
        await self.outbox.stop()

    def ready(self) -> bool:
        """Whether requests would be served now."""
        return self.outbox.ready()

    def new_occupant_id(self) -> OccupantId:
        """A number that nobody has had."""
        self._last_id += 1
        return f"{self.id_prefix}{self._last_id}"

    # Requests

    def list_rooms(self, occupant: Occupant, mode: Mode) -> None:
        """Tell ``occupant`` which rooms it could join."""
        every = mode == "VIEWER"
        rooms = self.known_rooms()
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

        The match goes on from ``start``; None: it begins at the beginning.
        """
        try:
            self._check_outside(occupant)
            check_room_name(name)
            if self.room(name) is not None:
                raise RoomExists(f"room {name} exists already")
            if terms.door is None and self._is_full():
                raise TooManyRooms(f"there are {self._max_rooms} rooms already")
            most = 0 if terms.door is not None else self._max_rooms_per_user
            if most and sum(room.is_alone(occupant.user) for room in self.known_rooms()) >= most:
                raise TooManyRoomsOfOneUser(f"{occupant.user} is alone in {most} rooms already")
        except Refusal as refusal:
            self._refuse(occupant, "create", refusal)
            return
        room = Room(name, terms, self.rng, start)
        live_room = self.live_rooms[name] = LiveRoom(room, self.seconds())
        self.directory.opened_here(room)
        self.announce(name, terms)
        self._enter(occupant, live_room, "PLAYER")

    def join(
        self,
        occupant: Occupant,
        name: str,
        mode: Mode,
        key: str | None = None,
        door: str | None = None,
    ) -> None:
        """Seat ``occupant`` in an existing room, a private one if ``key`` is its own."""
        try:
            self._check_outside(occupant)
            if (live_room := self.live_rooms.get(name)) is None:
                if door is None and self.visits.join(occupant, name, mode, key):
                    return
                raise NoSuchRoom(f"there is no room {name}")
            terms = live_room.room.terms
            of_door = door is not None and door == terms.door
            if not (terms.plain or occupant.supports_all_events or of_door):
                raise NoSuchRoom(f"there is no room {name}")
            if terms.key not in (None, key):
                raise PrivateRoom(f"room {name} opens only to who knows its key")
            if mode == "PLAYER" and terms.door is not None and not of_door:
                raise RoomFull(f"the seats of room {name} are taken by {terms.door}")
            self._enter(occupant, live_room, mode)
        except Refusal as refusal:
            self._refuse(occupant, "join", refusal)

    def place(self, occupant: Occupant, move: str | None, keep: bool = True) -> None:
        """Play or keep a move; None stands for a move that couldn't be read."""
        live_room = self.live_room_of.get(occupant.occupant_id)
        if live_room is None:
            if not self.visits.take(occupant, "place", move, keep):
                self._refuse(occupant, "place", NotInRoom("a move needs a room"))
            return
        if live_room.clock is not None and live_room.clock.is_out(self.seconds()):
            events = live_room.room.time_is_up()
        else:
            events = live_room.room.place(occupant.occupant_id, move, keep)
        self._apply(live_room, events)

    def forfeit(self, occupant: Occupant) -> None:
        """Give the match up."""
        self._ask(occupant, "forfeit", (), lambda t: t.room.forfeit(occupant.occupant_id))

    def offer(self, occupant: Occupant, what: Agreement) -> None:
        """Propose something to the other player."""
        who, now = occupant.occupant_id, self.seconds()
        self._ask(
            occupant,
            "offer",
            (what,),
            lambda t: offers.propose(t.room, who, what, now, t.players_support_all_events),
        )

    def answer(self, occupant: Occupant, what: Agreement | None, accept: bool) -> None:
        """Accept what the other player proposes (None: whatever it is), decline it, or withdraw."""
        who, now = occupant.occupant_id, self.seconds()

        def ask(live_room: LiveRoom) -> list[RoomEvent]:
            if live_room.clock is not None and live_room.clock.is_out(now):
                return live_room.room.time_is_up()  # which no answer can undo
            return offers.answer(
                live_room.room, who, what, accept, now, live_room.players_support_all_events
            )

        self._ask(occupant, "answer", (what, accept), ask)

    def pause(self, occupant: Occupant, paused: bool) -> None:
        """Interrupt the match, or let it go on."""
        who = occupant.occupant_id
        self._ask(occupant, "pause", (paused,), lambda t: t.room.pause(who, paused))

    def call_off(self, name: str, ending: Ending = "drawn") -> None:
        """End the match in the room of that name, if there is one, with a draw or nothing."""
        if (live_room := self.live_rooms.get(name)) is None:
            self.visits.call_off(name, ending)
        else:
            self._apply(live_room, live_room.room.call_off(ending))

    def say(self, occupant: Occupant, text: str) -> None:
        """Say something in the room."""
        self._ask(occupant, "say", (text,), lambda t: t.room.say(occupant.occupant_id, text))

    def leave(self, occupant: Occupant, for_good: bool = False) -> None:
        """Take ``occupant`` out of its room, if it is in one.

        A player's seat is held for its user if the registry holds seats, and if the occupant
        rejoins or this process stops. Otherwise, or ``for_good``, the player forfeits.
        """
        self.outbox.left(occupant)
        if (live_room := self.live_room_of.pop(occupant.occupant_id, None)) is not None:
            self._leave(live_room, occupant, for_good)
        self.visits.leave(occupant, for_good)

    def _leave(self, live_room: LiveRoom, occupant: Occupant, for_good: bool) -> None:
        live_room.unseat(occupant)
        room, events, who = live_room.room, list[RoomEvent](), occupant.occupant_id
        seat = room.seat_of(who)
        rejoins = self._stopping or rejoins_of(occupant)
        if self._rejoin_timeout and rejoins and not for_good:
            room.hold(who, self.seconds())
            live_room.holds = True
        else:
            events = room.leave(who, not for_good)
        if not events and live_room.knowing:
            events = [room.missed(occupant.user or "", seat)]
        if not events:
            self.show(room)
        self._apply(live_room, events)

    def room(self, name: str) -> Room | None:
        """The room of that name, to be looked at."""
        if (live_room := self.live_rooms.get(name)) is not None:
            return live_room.room
        return self.visits.room(name) or self.directory.room(name)

    def opened(self, room: Room) -> float:
        """When that room was made."""
        made = self.directory.made(room)
        if made is None:
            made = room.record[0][0] if room.record else self.seconds()
        return made

    def public_rooms(self) -> list[Room]:
        """The rooms that anybody may see, oldest first."""
        return [room for room in self.known_rooms() if room.terms.key is None]

    def known_rooms(self) -> list[Room]:
        """All rooms, private ones, too, oldest first."""
        return self.directory.with_others(
            [live_room.room for live_room in self.live_rooms.values()]
        )

    # What the service asks

    def expire(self, move_timeout: float, wait_timeout: float, offer_timeout: float = 0) -> None:
        """End what has stood still for so many seconds, and what nobody has come back to.

        0 is no limit; what the terms of a room say goes before ``move_timeout``. The time runs
        from the last move that was made, the beginning of the match, or the creation of the room.
        """
        if self.outbox.waits:
            return  # nothing is kept just now
        now = self.seconds()
        for live_room in list(self.live_rooms.values()):
            room = live_room.room
            if live_room.is_overdue(now, move_timeout, wait_timeout):
                self._apply(live_room, room.call_off() if room.paused else room.time_is_up())
            elif live_room.holds and self._is_given_up(room, now):
                self._apply(live_room, room.give_up_held())
            elif offer_timeout and room.offer and now - room.offer.since >= offer_timeout:
                self._apply(live_room, offers.expire(room))

    def stop_holding(self) -> None:
        """Give up every seat that is held, and hold none from now on; but where matches go on
        without this process their players come back to another one."""
        self._stopping = True
        if self.outlives:
            return
        self._rejoin_timeout = 0
        for live_room in list(self.live_rooms.values()):
            if live_room.holds:
                self._apply(live_room, live_room.room.give_up_held())

    @property
    def holds_seats(self) -> bool:
        """Whether a player who is cut off may come back."""
        return self._rejoin_timeout > 0

    def rooms(self) -> int:
        """How many rooms there are, but for those of doors."""
        return len(self._rooms_of(None))

    def moves(self) -> int:
        """How many moves were made so far in rooms of no door."""
        return self._moves + sum(room.moves for room in self._rooms_of(None))

    def running(self, door: str | None = None) -> int:
        """How many matches of that door's rooms are being played."""
        return sum(room.running for room in self._rooms_of(door))

    def seats_held(self) -> int:
        """How many seats are held for players who were cut off."""
        rooms = [live_room.room for live_room in self.live_rooms.values() if live_room.holds]
        return sum(member.away is not None for room in rooms for member in room.players)

    # How it is done

    def _ask(
        self,
        occupant: Occupant,
        verb: str,
        words: tuple[Any, ...],
        ask: Callable[[LiveRoom], list[RoomEvent]],
    ) -> None:
        live_room = self.live_room_of.get(occupant.occupant_id)
        if live_room is None and self.visits.take(occupant, verb, *words):
            return
        try:
            if live_room is None:
                raise NotInRoom("that needs a room")
            self._apply(live_room, ask(live_room))
        except Refusal as refusal:
            self._refuse(occupant, "offer" if verb == "answer" else verb, refusal)

    def _rooms_of(self, door: str | None) -> list[Room]:
        here = self.live_rooms.values()  # not all that are known
        return [live_room.room for live_room in here if live_room.room.terms.door == door]

    def _is_full(self) -> bool:
        if not 0 < self._max_rooms <= len(self.live_rooms) + self.directory.count():
            return False
        return self._max_rooms <= sum(room.terms.door is None for room in self.known_rooms())

    def _check_outside(self, occupant: Occupant) -> None:
        live_room = self.live_room_of.get(occupant.occupant_id)
        if live_room is not None:
            raise AlreadyInRoom(f"{occupant.user} is in room {live_room.room.name}")
        if (name := self.visits.room_of(occupant)) is not None:
            raise AlreadyInRoom(f"{occupant.user} is in room {name}")

    def _enter(self, occupant: Occupant, live_room: LiveRoom, mode: Mode) -> None:
        # The room may refuse. Where seats are held, who wants to sit opposite themselves is more
        # likely to come back before their loss was noticed.
        who, user, held = occupant.occupant_id, occupant.user or "", self.holds_seats
        held = held and rejoins_of(occupant)
        events = live_room.room.join(who, user, mode, held)
        self.seat(occupant, live_room)
        self._apply(live_room, events)

    def seat(self, occupant: Occupant, live_room: LiveRoom) -> None:
        """Let somebody hear what happens at a table, of which nobody else is told."""
        live_room.seat(occupant, self.ear_of(occupant, live_room))
        self.live_room_of[occupant.occupant_id] = live_room

    def _is_given_up(self, room: Room, now: float) -> bool:
        since = room.held_since()
        return since is not None and now - since >= self._rejoin_timeout

    def _refuse(self, occupant: Occupant, request: str, refusal: Refusal) -> None:
        self.outbox.answer(occupant, Refused(occupant.occupant_id, request, refusal))

    def _apply(self, live_room: LiveRoom, events: Sequence[RoomEvent]) -> None:
        """Note what the events change here, then tell everybody of them."""
        if not events:
            return
        now = self.seconds()
        told: list[Delivery] = []
        for event in events:
            told.append((live_room.note(event, now), event))
        if type(event) is Ended:
            event = self._close(live_room, event)
            live_room.room.record[-1] = now, event
            told[-1] = told[-1][0], event
            self.directory.changed(live_room.room)
        elif type(events[0]) is not Placed:
            self.show(live_room.room)
        elif live_room.many and self.changed is not None:
            self.changed(live_room.room)  # such a move may be that somebody has gone
        self.outbox.decided(live_room.room, told)

    def show(self, room: Room) -> None:
        """Lists show it otherwise now."""
        self.directory.changed(room)
        if self.changed is not None:
            self.changed(room)

    def announce(self, name: str, terms: Terms) -> None:
        """Say that there is a room, to all who watch."""
        for watcher in self.observers:
            try:
                watcher.room_opened(name, terms)
            except Exception:
                self._on_fault(watcher)

    def _close(self, live_room: LiveRoom, ended: Ended) -> Ended:
        """Forget a room that is over; its end, with what is kept of the match."""
        # Before anybody hears of the end: who does may create the next room at once.
        del self.live_rooms[live_room.room.name]
        live_room.holds = False
        if live_room.room.terms.door is None:
            self._moves += live_room.room.moves
        self.forget(live_room.room.name)
        for occupant_id in live_room.occupants:
            del self.live_room_of[occupant_id]
        if self.archivist is not None:
            try:
                ended = ended._replace(match=self.outbox.put_away(live_room.room, self.archivist))
            except Exception:
                self._on_fault(self.archivist)
        users = tuple([member.user for member in live_room.room.players])
        for watcher in self.observers:
            try:
                watcher.room_closed(live_room.room.name, users, ended)
            except Exception:
                self._on_fault(watcher)
        return ended

    def forget(self, name: str) -> None:
        """There is no room of that name any more, here or elsewhere."""
        self.sought.discard(name)
        self.directory.closed(name)
        if self.room_closed is not None:
            self.room_closed(name)

    # Rooms that were there before, or have never been

    def restored(self, kept: KeptRoom) -> Room:
        """A room as it was kept. Raises ValueError."""
        name, terms_text, start_text = kept.opened
        if name in self.live_rooms:
            raise ValueError(f"there is a room {name} already")
        try:
            terms = load_terms(terms_text)
            start = terms.game.load(start_text)
            return restore(name, terms, start, kept.lines, self.rng, self.seconds())
        except Exception as error:  # what a game raises isn't known
            raise ValueError(f"room {name} can't be read: {error}") from error

    def go_on(self, room: Room, room_id: int) -> LiveRoom:
        """Let a room that was kept be decided here; nobody has heard of it yet."""
        live_room = self.live_rooms[room.name] = LiveRoom(room, self.seconds())
        live_room.holds = True
        self.outbox.knows(room, room_id)
        self.directory.opened_here(room)
        return live_room

    def withdraw(self, room: Room) -> LiveRoom:
        """Forget a room that is another's, or of a name that another has."""
        live_room = self.live_rooms.pop(room.name)
        self.forget(room.name)
        for occupant_id in live_room.occupants:
            del self.live_room_of[occupant_id]
        return live_room

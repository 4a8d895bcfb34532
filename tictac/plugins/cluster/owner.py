"""The owner's side: occupants of other nodes in rooms of this node.

Each of them is a :class:`Guest`. A :class:`Channel` is in a room for all guests of one node, and
sends each event to that node once.

Invariant: a visitor's node gets the events of a room in the order of their numbers, each once, and
none before its commit. Each request takes effect once, however often it comes.

1. The outbox delivers to a channel only committed events. `newest` is the last of them, `since` the
   last that the visitor knows. The record also has events that aren't committed, so `catch_up`
   stops at `newest`: otherwise a player could see a move that the database never gets.
2. `catch_up` sends "state" before the newest event. That event can seat the newcomer, who is shown
   the viewers and absent players at once.
3. `ask` compares the number of a request with `asked` and `done`. A request that comes again isn't
   made again; only its answer is repeated. Without that, a link that is lost before the answer
   could make a request twice.
4. "done" waits for `when_told`, and the link sends it after the events of its turn. If "done" came
   first, the player's next move would be for a board that the player hasn't seen.
5. "place" has the number of the last event that the visitor saw change the position. If the
   position has changed since, the move is refused instead of made on another board.
6. `again` seats the occupants of a room that this node has taken over. Their channel sends nothing
   until everything decided so far is committed. Otherwise the next event would find `since` unset,
   and the visitor would begin the room anew.
7. After a match's end, `ended` keeps the channel until the visitor's node answers "heard", has sent
   "all said" over a new link, or is dead. Without it, a link that is lost just then loses the end.
8. `all_said` removes the guests that no "again" has named: they left while there was no link.

    ["ask", 4, alice, 7, "join", ...]       event 3: alice joined; its batch is under way
    the link is lost                        the commit ends: newest is 3, and nothing is sent
    ["again", 4, null, "den", null, ...]    the channel is known: the room, and events 1 to 3,
                                            then ["synced", 4]
    ["ask", 4, alice, 7, "join", ...]       7 is done already: ["done", 7]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tictac.errors import NotInRoom, StaleMove
from tictac.lobby.events import Ended, Ending, Event, Joined, Listed, OccupantId, Placed, Refused
from tictac.lobby.interfaces import Occupant
from tictac.lobby.live_room import LiveRoom
from tictac.lobby.outbox import Journaled
from tictac.lobby.record import dump_terms, fields_of
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.plugins.cluster.link import Frame, NodeLink
from tictac.plugins.cluster.store import NodeId

MOST_ENDED = 1000
"""Maximum number of ended rooms whose end one node hasn't confirmed yet."""


class Hosting:
    """The occupants of other nodes in rooms of this node.

    ``told_at`` is the time of the last events sent, by the clock of records. ``takes`` restores a
    room that this node has taken over, before the room is searched for.
    """

    def __init__(self, registry: Registry, outbox: Journaled) -> None:
        self.registry = registry
        self.outbox = outbox
        self.visitors: dict[NodeId, Visitors] = {}
        self.told_at = 0.0
        self.takes: Callable[[str], object] = str
        registry.ear_of = _ear_of

    def live_room(self, name: str) -> LiveRoom | None:
        """Return the room of that name, if this node owns it and its creation is committed."""
        self.takes(name)
        live_room = self.registry.live_rooms.get(name)
        return live_room if live_room is not None and self.outbox.is_kept(live_room.room) else None

    def begin(self, link: NodeLink) -> None:
        """Use a new link for the occupants of its node."""
        visitors = self.visitors.get(link.node_id)
        if visitors is None:
            visitors = self.visitors[link.node_id] = Visitors(link.node_id, self)
        visitors.begin(link)

    def link_lost(self, node_id: NodeId) -> None:
        """Note when the link to a node was lost."""
        if node_id in self.visitors:
            self.visitors[node_id].link = None
            self.visitors[node_id].lost_since = self.registry.seconds()

    def give_up(self, patience: float) -> None:
        """Hold the seats of guests whose node has had no link for ``patience`` seconds."""
        now = self.registry.seconds()
        for visitors in self.visitors.values():
            if visitors.link is None and now - visitors.lost_since >= patience:
                visitors.disconnected()


def _ear_of(occupant: Occupant, live_room: LiveRoom) -> Occupant:
    """Return who receives events for ``occupant``: a guest's channel, or the occupant."""
    if isinstance(occupant, Guest):
        return occupant.visitors.channel(occupant, live_room)
    return occupant


class Guest:
    """An occupant of another node, which knows the room as ``key`` (an Occupant).

    ``asked`` is the number of the last request, ``done`` that of the last answered one. ``refusal``
    is the frame that refused the last request, if any.
    """

    whole_events = True

    def __init__(
        self,
        visitors: Visitors,
        key: int,
        occupant_id: OccupantId,
        user: str,
        supports_all_events: bool,
    ) -> None:
        self.visitors = visitors
        self.key = key
        self.occupant_id = occupant_id
        self.user: str | None = user
        self.supports_all_events = supports_all_events
        self.rejoins = True
        self.asked = self.done = 0
        self.refusal: Frame = ()

    def receive(self, event: Event) -> None:
        """Pass a refusal on; the channel sends all other events."""
        if isinstance(event, Refused):
            live_room = self.visitors.registry.live_room_of.get(self.occupant_id)
            position = event.position
            text = (
                None
                if live_room is None or position is None
                else live_room.room.game.dump(position)
            )
            why = event.refusal
            self.refusal = ("no", self.occupant_id, event.request, type(why).__name__, str(why))
            self.refusal += (text,)
            self.visitors.send(*self.refusal)
            if event.request == "join":
                self.visitors.drop(self)

    def answer(self, number: int) -> None:
        """Send "done" for a request whose events were all sent."""
        self.done = number
        if self.visitors.link is not None:
            self.visitors.link.done(number)

    def wait(self) -> None:
        """Do nothing: the guest's own node lets the connection wait."""

    def release(self) -> None:
        """Do nothing: :meth:`answer` releases the guest."""

    def close(self) -> None:
        """Have the guest's node close the connection."""
        self.visitors.send("close", self.occupant_id)


class Channel:
    """An occupant that sends what happens in a room to a node, which knows the room as ``key``.

    Events that only some clients support can be sent later, before the next event. ``since`` is the
    number of the last event that the node knows; None if it knows nothing. The channel sends
    nothing unless ``resumed``.
    """

    user: str | None = None
    whole_events = True

    def __init__(self, visitors: Visitors, key: int, live_room: LiveRoom) -> None:
        self.occupant_id = f"{visitors.node_id}/{key}"
        self.live_room = live_room
        self.guests: dict[OccupantId, Guest] = {}
        self.newest = 0
        self.supports_all_events = False
        self.since: int | None = None
        self.resumed = True
        time = live_room.room.terms.time
        # A period of such a clock can begin a moment earlier or later at the other node.
        self._drifts = time is not None and not time.plain
        self._visitors = visitors
        self._key = key

    def receive(self, event: Event) -> None:
        """Send an event, after those that the other node doesn't know yet."""
        if isinstance(event, Refused):
            guest = self.guests.get(event.to)
            if guest is not None:
                guest.receive(event)
        elif not isinstance(event, Listed):
            number = self.newest = event.number
            link = self._visitors.link
            if not self.resumed or link is None:
                return
            if self.since == number - 1:
                self.since = number
                self._send(link, self.live_room.room.record[-1][0], event)
                if self._drifts and number == self.live_room.room.number:
                    self._send_state(link)
            else:
                self.catch_up(link)

    def resume(self, since: int | None) -> None:
        """Send the events after ``since``, and the state that isn't in the record."""
        self.since, self.resumed = since, True
        link = self._visitors.link
        if self.newest and link is not None:
            self.catch_up(link)

    def catch_up(self, link: NodeLink) -> None:
        """Send the committed events after ``since``, and the state that isn't in the record."""
        send, key, room = link.send, self._key, self.live_room.room
        hosting = self._visitors.hosting
        hosting.told_at = hosting.registry.seconds()
        fresh = self.since is None
        if self.since is None:
            start = room.game.dump(room.start)
            send("room", key, hosting.outbox.id_of(room), dump_terms(room.terms), start)
            self.since = 0
        missed = []
        for at, event in reversed(room.record):
            if isinstance(event, Refused) or event.number <= self.since:
                break
            if event.number <= self.newest:
                missed.append((at, event))
        for at, event in reversed(missed[1:]):
            self._send(link, at, event)
        away = any(member.away is not None for member in room.players)
        if not fresh or room.clock or room.viewers or away:
            self._send_state(link)
        self.since = self.newest
        for at, event in missed[:1]:
            self._send(link, at, event)
        if room.clock is not None and missed:
            self._send_state(link)  # the clocks after the newest event

    def wait(self) -> None:
        """Do nothing: a channel makes no requests."""

    release = wait

    def close(self) -> None:
        """Have the guests reconnect: the database refused the room."""
        self._visitors.send("gone", self._key)
        for guest in list(self.guests.values()):
            self._visitors.drop(guest)
            self._visitors.registry.leave(guest)

    def _send_state(self, link: NodeLink) -> None:
        room, clock, times = self.live_room.room, self.live_room.clock, None
        now = self._visitors.hosting.registry.seconds()
        if clock is not None and clock.stopped is None:
            times = [clock.left, clock.running, now - clock.since]
        elif clock is not None:
            times = [clock.remaining(now), None, 0]
        away = [member.away is not None for member in room.players]
        link.send("state", self._key, away, room.viewers, times)

    def _send(self, link: NodeLink, at: float, event: Any) -> None:
        age = max(0, int((self._visitors.hosting.told_at - at) * 1000))
        who = event.to if type(event) is Joined else event.match if type(event) is Ended else ""
        placed = type(event) is Placed  # most of them
        fields = ["moved", event.seat, event.move] if placed else fields_of(event)
        if type(event) is Ended:
            fields.append(event.cut)
        link.send("ev", self._key, event.number, age, fields, who)
        if type(event) is Ended:
            self._visitors.forget(self._key)


class Visitors:
    """All occupants of one other node in rooms of this node; ``link`` leads to that node."""

    def __init__(self, node_id: NodeId, hosting: Hosting) -> None:
        self.node_id = node_id
        self.hosting = hosting
        self.registry = hosting.registry
        self.link: NodeLink | None = None
        self.lost_since = 0.0
        self._channels: dict[int, Channel] = {}
        self.ended: dict[int, Channel] = {}  # their end was sent, but not confirmed
        self._guests: dict[OccupantId, Guest] = {}
        self._mentioned: set[OccupantId] | None = None  # over this link, until "all said"

    def send(self, *frame: Any) -> None:
        """Send a frame to the node, unless it can't be reached."""
        if self.link is not None:
            self.link.send(*frame)

    # Frames of the node

    def begin(self, link: NodeLink) -> None:
        """Use a new link, over which nothing was sent yet."""
        self.link, self._mentioned = link, set()

    def ask(self, key: int, occupant_id: OccupantId, number: int, verb: str, *words: Any) -> None:
        """Do a request of one of the node's occupants, unless it was done already."""
        guest = self._guests.get(occupant_id)
        if guest is None:
            if verb != "join":
                why = "that needs a room"
                self.send("no", occupant_id, verb, NotInRoom.__name__, why, None)
                self.send("done", number)
                return
            user, supports_all_events, name, *_ = words
            if self.hosting.live_room(name) is None:
                self.send("elsewhere", occupant_id, number)
                return
            guest = self._guests[occupant_id] = Guest(
                self, key, occupant_id, user, supports_all_events
            )
            if self._mentioned is not None:
                self._mentioned.add(occupant_id)
        elif number <= guest.asked:  # it came before, over a link that was lost
            if number <= guest.done:
                if guest.refusal and number == guest.asked:
                    self.send(*guest.refusal)
                guest.answer(number)
            return
        guest.asked, guest.refusal = number, ()
        self._do(guest, verb, words)
        self.hosting.outbox.when_told(guest.answer, number)

    def _do(self, guest: Guest, verb: str, words: tuple[Any, ...]) -> None:
        registry = self.registry
        if verb == "place":
            move, keep, seen = words
            live_room = None if keep else registry.live_room_of.get(guest.occupant_id)
            if live_room is not None and live_room.room.moved > seen:
                # The owner has decided another move that the visitor's node hadn't seen.
                guest.receive(too_late(guest.occupant_id, live_room.room))
            else:
                registry.place(guest, move, keep)
        elif verb == "join":
            registry.join(guest, *words[2:])
        elif verb == "leave":
            self.drop(guest)
            guest.rejoins = words[0] != 2
            registry.leave(guest, words[0] is True or words[0] == 1)
        elif verb in ("forfeit", "offer", "answer", "pause", "say"):
            getattr(registry, verb)(guest, *words)

    def call_off(self, key: int, ending: Ending) -> None:
        """End the match of a room in which the node has occupants."""
        if key in self._channels:
            self.registry.call_off(self._channels[key].live_room.room.name, ending)

    def again(
        self, key: int, room_id: int | None, name: str, since: int | None, people: list[list[Any]]
    ) -> None:
        """Send what the node missed of a room; a new owner seats the node's occupants first."""
        if self._mentioned is not None:
            self._mentioned.update(one[0] for one in people)
        channel = self._channels.get(key)
        if channel is None and key in self.ended:
            channel = self.ended[key]
            channel.resume(since)
        elif channel is not None:
            for occupant_id, _, _, seat in people:
                if seat != -1 and occupant_id not in self._guests:
                    self.send("close", occupant_id)
            channel.resume(since)
        if channel is not None or since is None:
            self.send("synced", key)
            return
        live_room = self.hosting.live_room(name)
        room = None if live_room is None else live_room.room
        mine = None if room is None else self.hosting.outbox.id_of(room)
        if live_room is None or room is None or mine != room_id or since > room.number:
            self.send("gone", key)
            return
        for occupant_id, user, supports_all_events, seat in people:
            if seat == -1:  # not in the room yet: the request to join follows
                continue
            if not sit_down_again(room, occupant_id, user, seat):
                self.send("close", occupant_id)
                continue
            guest = Guest(self, key, occupant_id, user, supports_all_events)
            self._guests[occupant_id] = guest
            self.registry.seat(guest, live_room)
        channel = self._channels.get(key)
        if channel is not None:
            channel.newest, channel.resumed = room.number, False
            self.hosting.outbox.when_told(channel.resume, since)
        self.hosting.outbox.when_told(self.send, "synced", key)

    def all_said(self) -> None:
        """Remove the occupants who left while there was no link."""
        self.ended.clear()
        mentioned, self._mentioned = self._mentioned or (), None
        for occupant_id, guest in list(self._guests.items()):
            if occupant_id not in mentioned:
                self.drop(guest)
                self.registry.leave(guest)

    def disconnected(self) -> None:
        """Hold the seats of all players of a node that is dead or can't be reached."""
        self.link = self._mentioned = None
        self.all_said()
        self._channels.clear()

    # Channels

    def channel(self, guest: Guest, live_room: LiveRoom) -> Channel:
        """Return the channel of the room in which ``guest`` takes a seat."""
        channel = self._channels.get(guest.key)
        if channel is None:
            channel = self._channels[guest.key] = Channel(self, guest.key, live_room)
        channel.guests[guest.occupant_id] = guest
        channel.supports_all_events |= guest.supports_all_events
        return channel

    def drop(self, guest: Guest) -> None:
        """Forget a guest; the last guest of a room ends the channel."""
        self._guests.pop(guest.occupant_id, None)
        channel = self._channels.get(guest.key)
        if channel is None or channel.guests.pop(guest.occupant_id, None) is None:
            return
        if not channel.guests:
            del self._channels[guest.key]

    def forget(self, key: int) -> None:
        """Keep the channel of an ended room only to repeat its end."""
        channel = self._channels.pop(key, None)
        if channel is not None:
            self.ended[key] = channel
            if len(self.ended) > MOST_ENDED:  # a node of an older version never sends "heard"
                del self.ended[next(iter(self.ended))]
            for occupant_id in channel.guests:
                self._guests.pop(occupant_id, None)

    def heard_end(self, key: int) -> None:
        """Forget an ended room, because the node has its end."""
        self.ended.pop(key, None)


def too_late(occupant_id: OccupantId, room: Room) -> Refused:
    """Return the refusal of a move that was made for an earlier position."""
    stale = StaleMove("the position has changed")
    return Refused(occupant_id, "place", stale, room.position)


def sit_down_again(room: Room, occupant_id: OccupantId, user: str, seat: int | None) -> bool:
    """Seat an occupant again in a room that was taken over; return whether the seat is free."""
    if seat is None:
        room.viewers[occupant_id] = user
        return True
    if seat >= len(room.players):
        return False
    member = room.players[seat]
    if member.user != user or member.gone or member.away is None:
        return False
    room.players[seat] = member._replace(occupant=occupant_id, away=None)
    return True

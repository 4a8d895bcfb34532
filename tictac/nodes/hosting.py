"""The owner's side: occupants of other nodes in rooms of this one.

Each of them is a :class:`Proxy` in its room, and hears only what is for it alone. What happens in
the room is told once to a node, by a :class:`Channel`, which sits there, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tictac.errors import NotInRoom, StaleMove
from tictac.lobby.events import Ended, Ending, Event, Joined, Listed, OccupantId, Refused
from tictac.lobby.interfaces import Occupant
from tictac.lobby.keeping import KeepingRegistry
from tictac.lobby.record import dump_terms, fields_of
from tictac.lobby.room import Room
from tictac.lobby.table import Table
from tictac.nodes.link import Frame
from tictac.nodes.store import NodeId

Send = Callable[..., None]


class OwningRegistry(KeepingRegistry):
    """A registry some of whose occupants are elsewhere."""

    def table(self, name: str) -> Table | None:
        """The room of that name that is decided here."""
        return self._tables.get(name)

    def room_id(self, room: Room) -> int | None:
        """What the journal knows it by; None: a room of a door."""
        return self._ids.get(room)

    def let_in(self, occupant: Occupant, table: Table) -> None:
        """Let somebody hear what happens, of which nobody else is told."""
        table.seat(occupant)
        self._table_of[occupant.occupant_id] = table

    def let_out(self, occupant: Occupant) -> None:
        """Tell somebody nothing more, of which nobody else is told."""
        table = self._table_of.pop(occupant.occupant_id, None)
        if table is not None:
            table.unseat(occupant)

    def tell_in_turn(self, occupant: Occupant, event: Event) -> None:
        """Tell ``occupant`` when all is told that has been decided so far."""
        self._tell(occupant, event)

    def now(self) -> float:
        """The time of records."""
        return self._seconds()


class Proxy:
    """An occupant of another node (lobby.interfaces.Occupant); ``asked`` is its last request."""

    def __init__(
        self, visitors: Visitors, occupant_id: OccupantId, user: str | None, knows_all: bool
    ) -> None:
        self.occupant_id = occupant_id
        self.user = user
        self.knows_all = knows_all
        self.asked = 0
        self.refusal: Frame = []
        self.channel: Channel | None = None
        self._visitors = visitors
        self._waits = 0
        self._due: list[list[int]] = []  # requests, and after how many releases they are answered

    def receive(self, event: Event) -> None:
        """Pass on what is for this one alone, and let the channel hear the rest."""
        if self.channel is not None and type(event) is not Refused:
            self.channel.receive(event)
        elif type(event) is Refused:
            room = None if self.channel is None else self.channel.table.room
            position = event.position
            text = None if room is None or position is None else room.game.dump(position)
            why = event.refusal
            self.refusal = ["no", self.occupant_id, event.request, type(why).__name__, str(why)]
            self.refusal.append(text)
            self._visitors.send(*self.refusal)
            if event.request == "join":
                self._visitors.drop(self)

    def wait(self) -> None:
        """Something is decided, and not committed."""
        self._waits += 1

    def release(self) -> None:
        """It is, and told."""
        self._waits -= 1
        for due in self._due:
            due[1] -= 1
        while self._due and self._due[0][1] <= 0:
            self._visitors.send("done", self.occupant_id, self._due.pop(0)[0])

    def answer(self, number: int) -> None:
        """Say that a request is done as soon as what came of it is told."""
        if self._waits:
            self._due.append([number, self._waits])
        else:
            self._visitors.send("done", self.occupant_id, number)

    def answer_again(self, number: int) -> None:
        """The same, for a request that has come before, over a link that was lost."""
        if all(due[0] != number for due in self._due):
            if self.refusal and number == self.asked:
                self._visitors.send(*self.refusal)
            self._visitors.send("done", self.occupant_id, number)

    def close(self) -> None:
        """Let the other node close its connection."""
        self._visitors.send("close", self.occupant_id)


class Channel:
    """What happens in a room, for a node, which knows it as ``key`` (an Occupant).

    ``since`` is the number of the last event that the node knows; None: it knows nothing. What
    only those hear who know all may be sent later, before the next event.
    """

    user: str | None = None

    def __init__(self, visitors: Visitors, key: int, table: Table, since: int | None) -> None:
        self.occupant_id = f"{visitors.node_id}/{key}"
        self.table = table
        self.knows_all = False
        self.proxies: dict[OccupantId, Proxy] = {}
        self.heard = 0
        self.over = self.closed = False
        self._visitors = visitors
        self._key = key
        self._since = since
        self._stale = True

    def receive(self, event: Event) -> None:
        """Send it, and what the other node doesn't know yet."""
        if isinstance(event, Listed):  # all is told that was decided when this channel was made
            self.resume(self._since)
        elif isinstance(event, Refused) or self.closed:
            return
        elif event.number > self.heard:
            self.heard = event.number
            self.over = type(event) is Ended
            self._send()
            if self.over and self._visitors.linked:
                self._visitors.forget(self._key)

    def resume(self, since: int | None) -> None:
        """The link is there again, and the other node knows so much."""
        self._since, self._stale = since, True
        if self.heard:
            self._send()

    def know(self, proxy: Proxy) -> None:
        """Hear what happens on behalf of somebody."""
        self.proxies[proxy.occupant_id] = proxy
        proxy.channel = self
        if proxy.knows_all and not self.knows_all:
            self._visitors.registry.let_out(self)
            self.knows_all = self._stale = True
            self._visitors.registry.let_in(self, self.table)

    def wait(self) -> None:
        """It asks for nothing (lobby.interfaces.Occupant)."""

    def release(self) -> None:
        """It doesn't wait."""

    def close(self) -> None:
        """Its proxies are told."""

    def _send(self) -> None:
        visitors, room, key = self._visitors, self.table.room, self._key
        if not visitors.linked:
            return
        send, now = visitors.send, visitors.registry.now()
        if self._since is None:
            room_id, start = visitors.registry.room_id(room), room.game.dump(room.start)
            send("room", key, room_id, dump_terms(room.terms), start)
            self._since, self._stale = 0, True
        events = []
        for at, event in reversed(room.record):
            if isinstance(event, Refused) or event.number <= self._since:
                break
            if event.number <= self.heard:
                to = event.to if isinstance(event, Joined) else ""
                events.append(("ev", key, event.number, round(now - at, 3), fields_of(event), to))
        events.reverse()
        last = events.pop() if events else None
        for each in events:
            send(*each)
        if self._stale:
            self._stale = False
            clock = room.terms.clock
            times = clock and [clock.left, clock.running, now - clock.since]
            away = [member.away is not None for member in room.players]
            send("state", key, away, room.viewers, times)
        if last is not None:
            send(*last)
        self._since = self.heard


class Visitors:
    """All occupants of one other node in rooms of this one; ``linked``: there is a link to it."""

    def __init__(self, node_id: NodeId, registry: OwningRegistry, send: Send) -> None:
        self.node_id = node_id
        self.registry = registry
        self.linked = True
        self.lost_since = 0.0
        self._send = send
        self._channels: dict[int, Channel] = {}
        self._proxies: dict[OccupantId, tuple[int, Proxy]] = {}
        self._mentioned: set[OccupantId] = set()

    def send(self, *frame: Any) -> None:
        """Send a frame to the node, unless it can't be reached."""
        if self.linked:
            self._send(*frame)

    # What the node says

    def begin(self) -> None:
        """There is a link, over which nothing was said."""
        self.linked = True
        self._mentioned.clear()

    def ask(self, key: int, occupant_id: OccupantId, number: int, verb: str, *words: Any) -> None:
        """A request of one of its occupants."""
        _, proxy = self._proxies.get(occupant_id, (0, None))
        if proxy is not None and number <= proxy.asked:
            proxy.answer_again(number)
            return
        if verb == "join" and proxy is None:
            user, knows_all, name, *_ = words
            table = self.registry.table(name)
            if table is None:
                self.send("elsewhere", occupant_id, number)
                return
            proxy = self._come(key, occupant_id, user, knows_all, table)
        if proxy is None:
            why = "that needs a room"
            self.send("no", occupant_id, verb, NotInRoom.__name__, why, None)
            self.send("done", occupant_id, number)
            return
        proxy.asked, proxy.refusal = number, []
        self._do(proxy, key, verb, words)
        proxy.answer(number)

    def _do(self, proxy: Proxy, key: int, verb: str, words: tuple[Any, ...]) -> None:
        registry = self.registry
        match verb, words:
            case "place", (move, keep, seen):
                room = None if proxy.channel is None else proxy.channel.table.room
                if room is not None and not keep and room.moved > seen:
                    # Another move is decided, of which that node hadn't heard.
                    proxy.receive(too_late(proxy.occupant_id, room))
                else:
                    registry.place(proxy, move, keep)
            case "join", (_, _, name, mode, room_key):
                registry.join(proxy, name, mode, room_key)
            case "forfeit", ():
                registry.forfeit(proxy)
            case "offer", (what,):
                registry.offer(proxy, what)
            case "answer", (what, accept):
                registry.answer(proxy, what, accept)
            case "pause", (paused,):
                registry.pause(proxy, paused)
            case "say", (text,):
                registry.say(proxy, text)
            case "leave", (for_good,):
                self.drop(proxy)
                registry.leave(proxy, for_good)

    def call_off(self, key: int, ending: Ending) -> None:
        """End a match."""
        if key in self._channels:
            self.registry.call_off(self._channels[key].table.room.name, ending)

    def again(
        self, key: int, room_id: int | None, name: str, since: int | None, people: list[list[Any]]
    ) -> None:
        """The node has occupants in a room that was, or is now, this one's."""
        self._mentioned.update(one[0] for one in people)
        channel = self._channels.get(key)
        if channel is not None:
            channel.resume(since)
            self._close_strangers(people)
            if channel.over:
                self.forget(key)
        elif since is not None:
            table = self.registry.table(name)
            room = None if table is None else table.room
            mine = None if room is None else self.registry.room_id(room)
            if table is None or room is None or mine != room_id or since > room.number:
                self.send("gone", key)
                return
            for occupant_id, user, knows_all, seat in people:
                if seat == -1:  # it isn't in, and asks again
                    continue
                if not sit_down_again(room, occupant_id, user, seat):
                    self.send("close", occupant_id)
                    continue
                proxy = self._come(key, occupant_id, user, knows_all, table, since)
                self.registry.let_in(proxy, table)
            if key in self._channels:
                channel = self._channels[key]
                channel.heard = room.number
                self.registry.tell_in_turn(channel, Listed("", "VIEWER", ()))
        self.send("synced", key)

    def all_said(self) -> None:
        """The others of the node's occupants have left while there was no link."""
        mentioned, self._mentioned = self._mentioned, set()
        for occupant_id, (_, proxy) in list(self._proxies.items()):
            if occupant_id not in mentioned:
                self.drop(proxy)
                self.registry.leave(proxy)

    def gone(self) -> None:
        """The node is dead, or can't be reached: its players' seats are held."""
        self.linked = False
        self._mentioned.clear()
        self.all_said()
        self._channels.clear()

    # How it is done

    def _close_strangers(self, people: list[list[Any]]) -> None:
        for occupant_id, _, _, seat in people:
            if seat != -1 and occupant_id not in self._proxies:
                self.send("close", occupant_id)

    def _come(
        self,
        key: int,
        occupant_id: OccupantId,
        user: str | None,
        knows_all: bool,
        table: Table,
        since: int | None = None,
    ) -> Proxy:
        proxy = Proxy(self, occupant_id, user, knows_all)
        self._proxies[occupant_id] = key, proxy
        if key not in self._channels:
            channel = self._channels[key] = Channel(self, key, table, since)
            self.registry.let_in(channel, table)
        self._channels[key].know(proxy)
        return proxy

    def drop(self, proxy: Proxy) -> None:
        """One less; who is the last one of a room takes the channel along."""
        key, _ = self._proxies.pop(proxy.occupant_id, (0, None))
        channel = self._channels.get(key)
        if channel is not None:
            channel.proxies.pop(proxy.occupant_id, None)
            if not channel.proxies:
                channel.closed = True
                self.registry.let_out(channel)
                del self._channels[key]

    def forget(self, key: int) -> None:
        """The room is over, and the node knows it."""
        channel = self._channels.pop(key)
        channel.closed = True
        for occupant_id in channel.proxies:
            self._proxies.pop(occupant_id, None)


def too_late(occupant_id: OccupantId, room: Room) -> Refused:
    """What somebody hears whose move was for an earlier position."""
    stale = StaleMove("the position has changed")
    return Refused(occupant_id, "place", stale, room.position)


def sit_down_again(room: Room, occupant_id: OccupantId, user: str, seat: int | None) -> bool:
    """Let somebody sit where they sat in a room that another node had; whether that is free."""
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

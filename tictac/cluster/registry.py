"""All rooms of a cluster as one node sees them: the registry that keeps them in Redis.

It answers like the one in memory, only later: an occupant whose request is under way is
held, so that what it asks next is answered after that.
"""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.internet.task import deferLater

from tictac.cluster.channels import Channels
from tictac.cluster.creation import Creation
from tictac.cluster.desk import Desk
from tictac.cluster.held import Held
from tictac.cluster.leases import Leases, RedisTime
from tictac.cluster.link import Done, Link
from tictac.cluster.listings import Listings
from tictac.cluster.requests import Op
from tictac.cluster.table import Table
from tictac.cluster.tables import Tables
from tictac.cluster.visitors import Visitor
from tictac.cluster.walk import Walk
from tictac.errors import AlreadyInRoom, BadRoomName, NoSuchRoom, NotInRoom, Refusal
from tictac.games.tictactoe.rules import EMPTY
from tictac.lobby.events import Ended, Mode, OccupantId
from tictac.lobby.interfaces import Occupant, Watcher
from tictac.lobby.room import check_waits_in_few
from tictac.lobby.terms import USUAL_TERMS, check_room_name

STOPS_IN = 2.0
"""Seconds that what is under way gets at a stop."""


class RedisRegistry:
    """Rooms in Redis (registry.ServiceRegistry), and all that a node does for them.

    ``node`` is its id. ``lease`` is how long others wait for a sign of life,
    ``engine_timeout`` how long a request waits for Redis; both in seconds. For the rest see
    MemoryRegistry.
    """

    def __init__(
        self,
        clock: IReactorTime,
        node: str,
        link: Link,
        max_rooms: int,
        time: RedisTime,
        on_fault: Callable[[Occupant | Watcher], None],
        rejoin_timeout: float = 30,
        lease: float = 1,
        engine_timeout: float = 5,
        max_rooms_per_user: int = 0,
    ) -> None:
        self.id = node
        self.watchers: list[Watcher] = []
        self.max_rooms = max_rooms
        self._max_rooms_per_user = max_rooms_per_user
        self.rejoin_timeout = rejoin_timeout
        self.outlives = rejoin_timeout > 0
        self.engine_timeout = engine_timeout
        self.link = link
        link.user = self
        self.channels = Channels(link)
        self.tables = Tables(self, self.channels)
        link.published = self.tables.published
        self.held = Held()
        self._clock = clock
        self._time = time
        self._on_fault = on_fault
        self._desk = Desk(clock.seconds, engine_timeout, self._leave, on_fault)
        # Those of others that tables need (node.Node), without a call between.
        self.now = time.now
        self.tell = self._desk.tell
        self.answered = self._desk.answered
        self.refuse = self._desk.refuse
        self._creations: set[Creation] = set()
        self._listings = Listings(self)
        self._leases = Leases(self, clock, lease)
        self._walk: Walk | None = None
        self._first_walk: IDelayedCall | None = None
        self._last_id = 0
        self._last_mark = 0
        self._moves = 0  # made in rooms that this node has ended

    # Running

    def start(self) -> None:
        """Connect to Redis."""
        self.link.start()
        self._leases.start()

    async def stop(self) -> None:
        """Let what is under way be done, and the lease lapse.

        The seats of players who were here are held by then, as their connections are closed.
        """
        for _ in range(20):
            if self.tables.idle and self._desk.idle:
                break
            await deferLater(self._clock, STOPS_IN / 20, lambda: None)
        self._leases.stop()
        if self._first_walk is not None and self._first_walk.active():
            self._first_walk.cancel()
        await deferLater(self._clock, 0, lambda: None)
        self.link.stop()

    def ready(self) -> bool:
        """Whether Redis is there."""
        return self.link.up

    # Requests (registry.Registry)

    def new_occupant_id(self) -> OccupantId:
        """The id of this node, and a number."""
        self._last_id += 1
        return f"{self.id}:{self._last_id}"

    def list_rooms(self, occupant: Occupant, mode: Mode) -> None:
        """Tell ``occupant`` which rooms it could join."""
        self._desk.ask(occupant, self._listings.ask, mode)

    def create(self, occupant: Occupant, name: str) -> None:
        """Make a room and seat ``occupant`` as its first player."""
        self._desk.ask(occupant, self._create, name)

    def join(
        self,
        occupant: Occupant,
        name: str,
        mode: Mode,
        key: str | None = None,
        door: str | None = None,
    ) -> None:
        """Seat ``occupant`` in an existing room."""
        self._desk.ask(occupant, self._join, name, mode)

    def place(self, occupant: Occupant, move: str | None) -> None:
        """Play or keep a move; None stands for a move that couldn't be read."""
        self._desk.ask(occupant, self._place, move)

    def forfeit(self, occupant: Occupant) -> None:
        """Give the match up."""
        self._desk.ask(occupant, self._forfeit)

    def leave(self, occupant: Occupant) -> None:
        """Take ``occupant`` out of its room, or let its seat be held."""
        self._desk.leave(occupant)

    # How requests are done

    def _create(self, visitor: Visitor, name: str) -> None:
        try:
            _check_outside(visitor)
            check_room_name(name)
            if self._max_rooms_per_user:
                self._check_waits_in_few(visitor.occupant.user)
        except Refusal as refusal:
            self.refuse(visitor, "create", refusal)
            return
        creation = Creation(self, visitor, name, self._creations.discard)
        self._creations.add(creation)
        creation.start()

    def _check_waits_in_few(self, user: str | None) -> None:
        """Count only the rooms of this node, so that Redis needn't be asked."""
        copies = [table.copy for table in self.tables]
        rooms = [copy.room for copy in copies if copy is not None]
        making = sum(creation.user == user for creation in self._creations)
        check_waits_in_few(user, rooms, self._max_rooms_per_user, making)

    def _join(self, visitor: Visitor, name: str, mode: Mode) -> None:
        try:
            _check_outside(visitor)
            check_room_name(name)
        except BadRoomName:
            self.refuse(visitor, "join", NoSuchRoom(f"there is no room {name}"))
            return
        except Refusal as refusal:
            self.refuse(visitor, "join", refusal)
            return
        table = self.tables.get(name)
        if table is None:
            table = self.tables.open(name)
            table.look()
        table.submit(Op("join", visitor, visitor.id, mode))

    def _place(self, visitor: Visitor, move: str | None) -> None:
        table = visitor.table
        if table is None:
            self.refuse(visitor, "place", NotInRoom("a move needs a room"))
            return
        table.submit(Op("place", visitor, visitor.id, move))

    def _forfeit(self, visitor: Visitor) -> None:
        table = visitor.table
        if table is None:
            self.refuse(visitor, "forfeit", NotInRoom("there is no match to forfeit"))
            return
        table.submit(Op("forfeit", visitor, visitor.id))

    def _leave(self, visitor: Visitor) -> None:
        table = visitor.table
        if table is None:
            return
        table.unseat(visitor)
        if table.is_player(visitor):
            table.submit(Op("leave", None, visitor.id))
        else:
            table.leave_viewer(visitor)

    # What tables and creations ask (node.Node, creation.Maker)

    def new_mark(self) -> str:
        """The id of this node, and a number (creation.Maker)."""
        self._last_mark += 1
        return f"{self.id}.{self._last_mark}"

    def fault(self, visitor: Visitor) -> None:
        """An occupant has raised an exception, which is being handled (node.Node)."""
        self._on_fault(visitor.occupant)

    def redo(self, table: Table, op: Op) -> None:
        """Ask again, as the room isn't there any more (node.Node)."""
        visitor = op.visitor
        if visitor is None:
            return
        if op.request == "place":
            self._place(visitor, op.argument)
        elif op.request == "forfeit":
            self._forfeit(visitor)
        elif table.copy is not None:
            self._join(visitor, table.name, op.argument)
        else:
            self.refuse(visitor, "join", NoSuchRoom(f"there is no room {table.name}"))

    def forget(self, table: Table, gone: bool) -> None:
        """Nobody sits there any more, or the room is ``gone`` (node.Node)."""
        self.tables.forget(table)
        if gone:
            self.held.forget(table.name)

    def opened(self, name: str) -> None:
        """A room was made here (creation.Maker)."""
        for watcher in self.watchers:
            self._guard(watcher, watcher.room_opened, name, USUAL_TERMS)

    def closed(self, table: Table, ended: Ended) -> None:
        """A room ended, and it was this node that freed its name (node.Node)."""
        players = table.copy.room.players if table.copy is not None else []
        self._moves += len(ended.position) - ended.position.count(EMPTY)
        users = tuple([member.user for member in players])
        for watcher in self.watchers:
            self._guard(watcher, watcher.room_closed, table.name, users, ended)

    def seats_changed(self, table: Table) -> None:
        """See whose seats are held, and whether somebody's here was taken (node.Node)."""
        assert table.copy is not None
        room = table.copy.room
        self.held.note(room)
        seated = {member.occupant: member for member in room.players}
        for visitor in table.audience.everybody:
            member = seated.get(visitor.id)
            if member is not None:
                if member.away is not None:
                    table.submit(Op("unhold", None, visitor.id))
            elif visitor.id not in room.viewers:
                # Its user has come back to another node, while this one seemed dead.
                table.unseat(visitor)
                visitor.occupant.close()

    def ask_for_silent(self, nodes: set[str], tell: Callable[[set[str]], None]) -> None:
        """Find out which of these nodes give no sign of life (node.Node)."""
        self._leases.ask(nodes, tell)

    # What leases tell (leases.Watch)

    def learn_time(self, now: float) -> None:
        """It is ``now`` in Redis's time."""
        self._time.learn(now)

    def was_given_up(self) -> None:
        """Others may have held the seats of this node: read all of its rooms again."""
        for table in self.tables:
            table.check()

    def seen_dead(self, nodes: set[str]) -> None:
        """Clear up after them, unless that is being done."""
        if self._walk is None:
            self._begin_walk(nodes)

    def beat(self) -> None:
        """End matches to which nobody has come back; close connections that Redis fails."""
        self._give_up()
        self._desk.expire()

    def _give_up(self) -> None:
        for name in self.held.due(self.now(), self.rejoin_timeout):
            self.tables.any(name).give_up()

    def _begin_walk(self, nodes: set[str]) -> None:
        self._walk = Walk(self, nodes, self._walked)
        self._walk.start()

    def _walked(self) -> None:
        self._walk = None

    def _walk_first(self) -> None:
        """Find the seats of nodes that nobody knows, as after a stop of everything."""
        if self._walk is None and self.link.up:
            self._begin_walk(set())

    # How the link is (link.LinkUser)

    def first_command(self) -> tuple[bytes, Done]:
        """A sign of life, before anything else."""
        return self._leases.first_beat()

    def link_up(self) -> None:
        """Ask again for everything that is waited for."""
        self.channels.link_up()
        self._listings.resume()
        for creation in list(self._creations):
            creation.resume()
        self.tables.link_up()
        if self._first_walk is None:
            self._first_walk = self._clock.callLater(self._leases.seconds, self._walk_first)

    def link_down(self) -> None:
        """Nothing is answered until it is up again."""
        if self._walk is not None:
            self._walk.cancelled = True
            self._walk = None
        self.channels.link_down()
        self.tables.link_down()

    # What the service asks (registry.ServiceRegistry)

    def expire(self, move_timeout: float, wait_timeout: float) -> None:
        """End what has stood still, in rooms where somebody sits here."""
        now = self.now()
        for table in self.tables:
            copy = table.copy
            if copy is not None and table.idle:
                timeout = move_timeout if copy.begun else wait_timeout
                if timeout and now - copy.since >= timeout:
                    table.submit(Op("time is up", None, "", copy.room.number))
        self._give_up()

    def stop_holding(self) -> None:
        """Seats are held all the more: their players come back to other nodes."""

    def rooms(self) -> int:
        """How many rooms there are in which somebody sits here, or is to come back."""
        return len(self.tables.names() | self.held.names())

    def room(self, name: str) -> None:
        """A copy of a room may be older than the room."""

    def moves(self) -> int:
        """How many moves were made in rooms that this node has ended."""
        return self._moves

    def running(self, door: str | None = None) -> int:
        """How many matches have begun in which somebody sits here."""
        copies = [table.copy for table in self.tables]
        return sum(copy is not None and copy.begun for copy in copies)

    def seats_held(self) -> int:
        """How many seats are held, as far as is known here."""
        return self.held.seats()

    def _guard(self, watcher: Watcher, tell: Callable[..., None], *arguments: object) -> None:
        try:
            tell(*arguments)
        except Exception:
            self._on_fault(watcher)


def _check_outside(visitor: Visitor) -> None:
    if visitor.table is not None:
        raise AlreadyInRoom(f"{visitor.occupant.user} is in room {visitor.table.name}")

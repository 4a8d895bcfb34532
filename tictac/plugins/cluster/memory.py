"""The database of several nodes in memory, for tests."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import count
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from tictac.accounts.store import StoreAwayError
from tictac.errors import SetupError
from tictac.lobby.journal import Batch, KeptRoom
from tictac.lobby.record import RecordLine
from tictac.plugins.cluster.store import Node, NodeId, StoreListener


class MemoryDatabase:
    """The rooms and nodes of a cluster; leases last ``lease`` seconds by ``clock``."""

    def __init__(self, clock: IReactorTime, lease: float = 3.0) -> None:
        self.clock = clock
        self.lease = lease
        self.rooms: dict[int, tuple[NodeId, KeptRoom, list[RecordLine]]] = {}
        self.nodes: dict[NodeId, tuple[Node, float]] = {}
        self.ids = count(1)

    def is_alive(self, node_id: NodeId) -> bool:
        """Return whether the node's lease is still running."""
        return node_id in self.nodes and self.clock.seconds() < self.nodes[node_id][1]

    def named(self, name: str) -> int | None:
        """Return the id of the room of that name, or None."""
        return next((key for key, row in self.rooms.items() if row[1].opened.name == name), None)

    def hand_over(self, former: NodeId, owner: NodeId) -> list[KeptRoom]:
        """Give all rooms of one node to another, and forget the former node."""
        self.nodes.pop(former, None)
        taken = []
        for key, (whose, room, lines) in list(self.rooms.items()):
            if whose == former:
                self.rooms[key] = owner, room, lines
                taken.append(KeptRoom(key, room.opened, tuple(lines)))
        return taken


class MemoryStore:
    """A :class:`~tictac.plugins.cluster.store.NodeStore` of one node.

    It answers in the next turn. While it is ``away``, this node can't reach the database. Requests
    then wait up to ``timeout`` seconds (0 is no limit); commits wait without a limit.
    """

    def __init__(self, database: MemoryDatabase, timeout: float = 0) -> None:
        self.timeout = timeout
        self._database = database
        self._clock = database.clock
        self._away = False
        self._waiting: list[Callable[[], None]] = []
        self._node: Node | None = None
        self._watcher: StoreListener | None = None
        self._known: tuple[list[Node], set[NodeId]] | None = None
        self._renewal: IDelayedCall | None = None
        self._stopped = False

    @property
    def away(self) -> bool:
        """Whether this node can't reach the database."""
        return self._away

    @away.setter
    def away(self, away: bool) -> None:
        self._away = away
        waiting, self._waiting = self._waiting, []
        for request in waiting:
            self._soon(request)

    # journal.Journal

    def start(self) -> list[KeptRoom]:
        """Return no rooms; :meth:`join` gives them."""
        return []

    def new_id(self) -> int:
        """Return the next id, unique in the database."""
        return next(self._database.ids)

    def commit(self, batch: Batch, done: Callable[[Collection[int]], None]) -> None:
        """Commit a batch, unless the node has an heir."""
        self._soon(lambda: self._commit(batch, done))

    def ready(self) -> bool:
        """Return whether this node can reach the database."""
        return not self._away

    def stop(self) -> None:
        """Make no more requests; the lease runs on, as after kill -9."""
        self._stopped = True
        if self._renewal is not None and self._renewal.active():
            self._renewal.cancel()

    # store.NodeStore

    def join(self, node: Node, watcher: StoreListener) -> Deferred[list[KeptRoom]]:
        """Become a living node."""

        def join() -> list[KeptRoom]:
            database = self._database
            others = [each for each, _ in database.nodes.values()]
            same = [each.node_id for each in others if each.endpoint == node.endpoint]
            for each in others:
                if each.node_id == node.node_id or not database.is_alive(each.node_id):
                    continue
                if each.endpoint == node.endpoint:
                    raise SetupError(f"another node runs with --node {each.endpoint}")
                if (each.settings, each.secret) != (node.settings, node.secret):
                    raise SetupError(f"{each.endpoint} is set to {each.settings}, --node-secret")
            taken = [room for each in same for room in database.hand_over(each, node.node_id)]
            self._node, self._watcher, self._known = node, watcher, None
            self._renew(node)
            return taken

        return self._ask(join)

    def owner(self, name: str) -> Deferred[NodeId | None]:
        """Return the owner of a room, or None."""

        def owner() -> NodeId | None:
            room_id = self._database.named(name)
            return None if room_id is None else self._database.rooms[room_id][0]

        return self._ask(owner)

    def take_over(self, node_id: NodeId) -> Deferred[list[KeptRoom]]:
        """Become the owner of a dead node's rooms."""

        def take_over() -> list[KeptRoom]:
            if self._node is None or self._database.is_alive(node_id) or not self._is_holder():
                return []
            return self._database.hand_over(node_id, self._node.node_id)

        return self._ask(take_over)

    def set_aside(self, room_id: int) -> Deferred[None]:
        """Keep an unreadable room without an owner."""

        def set_aside() -> None:
            _, room, lines = self._database.rooms[room_id]
            opened = room.opened._replace(name=f"unreadable:{room_id}")
            self._database.rooms[room_id] = "", KeptRoom(room_id, opened, ()), lines

        return self._ask(set_aside)

    def leave(self) -> Deferred[None]:
        """End the lease at once."""

        def leave() -> None:
            node, self._node = self._node, None
            if node is not None and node.node_id in self._database.nodes:
                self._database.nodes[node.node_id] = node, self._clock.seconds()

        return self._ask(leave)

    # Requests and leases

    def _soon(self, request: Callable[[], None]) -> None:
        def run() -> None:
            if self._away:
                self._waiting.append(request)
            elif not self._stopped:
                request()

        self._clock.callLater(0, run)

    def _ask(self, request: Callable[[], Any]) -> Deferred[Any]:
        answer: Deferred[Any] = Deferred()

        def run() -> None:
            if answer.called:
                return
            if timeout is not None:
                timeout.cancel()
            try:
                found = request()
            except SetupError:
                answer.errback()
            else:
                answer.callback(found)

        timeout = None
        if self.timeout:
            timeout = self._clock.callLater(self.timeout, answer.errback, StoreAwayError("away"))
        self._soon(run)
        return answer

    def _commit(self, batch: Batch, done: Callable[[Collection[int]], None]) -> None:
        if self._node is None or not self._is_holder():
            return
        database, owner, refused = self._database, self._node.node_id, set[int]()
        closed = set(batch.closed)
        for room_id in closed & database.rooms.keys():
            if database.rooms[room_id][0] == owner:
                del database.rooms[room_id]
        for room_id, opened in batch.opened.items():
            if database.named(opened.name) is not None:
                refused.add(room_id)
            elif room_id not in closed:
                database.rooms[room_id] = owner, KeptRoom(room_id, opened, ()), []
        for room_id, number, at, text in batch.lines:
            if room_id not in closed and room_id not in refused:
                database.rooms[room_id][2].append(RecordLine(number, at, text))
        done(refused)

    def _is_holder(self) -> bool:
        """Return whether this node has no heir; report an heir to the listener once."""
        node, watcher = self._node, self._watcher
        if node is None or watcher is None:
            return False
        if node.node_id in self._database.nodes:
            return True
        self._node = self._watcher = None
        watcher.fenced()
        return False

    def _renew(self, node: Node) -> None:
        """Renew the lease four times in its duration, and look up the other nodes."""
        watcher, database = self._watcher, self._database
        if self._node is not node or watcher is None or (self._known and not self._is_holder()):
            return
        database.nodes[node.node_id] = node, self._clock.seconds() + database.lease
        self._renewal = self._clock.callLater(
            database.lease / 4, lambda: self._soon(lambda: self._renew(node))
        )
        living = [each for each, _ in database.nodes.values() if database.is_alive(each.node_id)]
        dead = {each for each in database.nodes if not database.is_alive(each)}
        if (living, dead) != self._known:
            self._known = living, dead
            watcher.nodes_changed(living, dead)

"""The life of a node: joining, leaving, losing its lease, and what links and the store report.

Invariant: a node commits only as the holder of its row in the database, and under an id that it
never uses again. When another node inherits the row, the former owner acknowledges nothing more,
and joins again under a new id.

1. `_become` gives the links the new id before the store writes the node's row. In the other order,
   a node that reads the row could dial, and get the former id as the greeting.
2. The outbox stays `shut` until `_on_joined`. Without that, it would commit before there is a row.
   The store can report dead nodes before `join` has fired, and `Takeover` asks for no rooms until
   it has the `node_id`; so `_on_joined` asks again for the rooms of the dead.
3. `_leave` waits for the outbox, halts, gives up the lease, and cuts the links last. A batch after
   the lease was given up would renew it, and the others would wait for a whole lease. They ask for
   the rooms when a link ends: before the lease has ended, they would get none.
4. `fenced` shuts the outbox, collects the occupants, forgets the rooms, and closes the connections
   last. In the other order, clients would leave rooms that another node owns by now.
5. `_bury` disconnects the dead node's guests, whose seats the rooms here then hold, and asks for
   the node's rooms. `OVERDUE` seconds later, rooms that no heir has announced leave the lists.
6. `link_up` begins with `Hosting.begin`, because `_do` drops frames of a link that isn't the
   visitors' own. It ends with "all said": the owner then removes the guests that no "again" has
   named, because their "leave" was lost with the former link.
7. `_do` sends gathered moves before it handles a frame of another kind. Otherwise an answer that
   follows a move would release its player before the player has the board.
8. `_telling` queues "over" before the outbox sends the match's end, so a player who reads the end
   on any node can open a room of that name.

    A           sleeps for longer than its lease
    B           finds the lease lapsed, becomes the heir of A, restores A's rooms
    A           wakes up, sends a batch: the database refuses it, because A has an heir
    A           fenced: forgets rooms, replicas and batches, closes connections, joins as C
    B, C        make a link; A's players reconnect to any node and rejoin their rooms at B

Source: cluster.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import count
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.protocol import Factory
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.accounts.store import StoreAwayError
from tictac.errors import SetupError
from tictac.lobby.journal import Batch, KeptRoom
from tictac.lobby.live_room import Delivery
from tictac.lobby.outbox import Journaled
from tictac.lobby.registry import Registry
from tictac.plugins.cluster.directory import Directory
from tictac.plugins.cluster.failover import Takeover
from tictac.plugins.cluster.forwarding import Visits
from tictac.plugins.cluster.link import Frame, NodeLink
from tictac.plugins.cluster.links import Connect, Links
from tictac.plugins.cluster.owner import Hosting
from tictac.plugins.cluster.store import Node, NodeId, NodeStore

_log = Logger()

JOIN_AGAIN = 1.0
"""Seconds between two attempts of a node to join, if the database doesn't answer."""

OVERDUE = 1.0
"""Seconds after a node's death until this node searches for rooms that no heir has announced."""


class LocalNode:
    """This node: the journal of its outbox, the handler of its links, the listener of its store.

    Other nodes reach the node at ``endpoint``; an empty one means that there are no others.
    ``settings`` must be equal in all nodes, and ``sealed`` is a hash of ``secret``. ``listen``
    opens the port for links that other nodes make. The node calls ``on_end`` when it can't serve.
    Requests wait up to ``patience`` seconds for the database or another node; 0 is no limit. The
    node cuts a link after ``silence`` seconds without a message. The other arguments are the
    registry's.
    """

    def __init__(
        self,
        store: NodeStore,
        clock: Any,
        connect: Connect,
        endpoint: str,
        secret: bytes,
        *arguments: Any,
        settings: str = "",
        sealed: str = "",
        patience: float = 0,
        silence: float = 2,
        listen: Callable[[Factory], Deferred[Any]] | None = None,
        on_end: Callable[[], object] = bool,
        **named: Any,
    ) -> None:
        later, numbers = clock.callLater, count(1)
        self.links = Links(clock, connect, secret, self, silence)
        self.registry = registry = Registry(
            *arguments, **named, outbox=partial(Journaled, self, later)
        )
        assert isinstance(registry.outbox, Journaled)
        self.outbox = outbox = registry.outbox
        self.directory = Directory(registry, outbox, self.links, later, numbers)
        self.visits = Visits(registry, self.links, numbers)
        self.hosting = Hosting(registry, outbox)
        self.takeover = Takeover(registry, store, self.links, self.directory, self.visits, later)
        registry.directory, registry.visits = self.directory, self.visits
        self.visits.finder, self.hosting.takes = self.takeover, self.takeover.take_one
        outbox.telling, outbox.sent = self._telling, self.links.send_now
        outbox.ending = self._leave
        registry.pass_on = self.links.send_all
        registry.id_prefix = self.node_id = self._new_id()
        outbox.shut = True
        self._later = later
        self._store = store
        self._endpoint = endpoint
        self._settings = settings
        self._sealed = sealed
        self._patience = patience
        self._listen = listen
        self._on_end = on_end
        self._port: Any = None
        self._stopped = False
        self._dead: Collection[NodeId] = ()
        self._beating: Any = None
        self._beat_every = silence / 4
        self._overdue_since = -1.0

    # journal.Journal, for the outbox

    def start(self) -> list[KeptRoom]:
        """Begin to join the cluster; the store gives the rooms later."""
        kept = self._store.start()
        if self._listen is not None:
            self._listen(self.links.factory).addCallbacks(self._listening, self._not_listening)
        self._become()
        self._beat()
        return kept

    def new_id(self) -> int:
        return self._store.new_id()

    def commit(self, batch: Batch, done: Callable[[Collection[int]], None]) -> None:
        self._store.commit(batch, done)

    def ready(self) -> bool:
        return not self.outbox.shut and self._store.ready()

    def _become(self) -> None:
        if self._stopped:
            return
        self.links.start(self.node_id)
        node = Node(self.node_id, self._endpoint, settings=self._settings, secret=self._sealed)
        self._store.join(node, self).addCallbacks(self._on_joined, self._on_not_joined)

    def _on_joined(self, rooms: list[KeptRoom]) -> None:
        self.outbox.shut, self.takeover.node_id = False, self.node_id
        _log.info("nodes: this is node {node}", node=self.node_id)
        self.takeover.take_over(rooms)
        for node_id in self._dead:
            self.takeover.ask_for_rooms(node_id)
        self.outbox.go_on()

    def _on_not_joined(self, failure: Failure) -> None:
        if failure.check(SetupError):
            self.give_up(failure.getErrorMessage())
            return
        if not failure.check(StoreAwayError):
            _log.failure("nodes: the database didn't answer", failure)
        self._later(JOIN_AGAIN, self._become)

    def _listening(self, port: Any) -> None:
        self._port = port

    def _not_listening(self, failure: Failure) -> None:
        self.give_up(f"others can't reach this one: {failure.getErrorMessage()}")

    def give_up(self, why: str) -> None:
        """Log why this node can't serve, and end the process."""
        _log.critical("nodes: {why}; this one stops", why=why)
        self._on_end()

    def stop(self) -> None:
        self._store.stop()

    def halt(self) -> None:
        """Commit nothing more, and take no rooms over."""
        self._stopped = self.outbox.shut = True
        self.takeover.node_id = ""
        self.takeover.taking.clear()
        if self._beating is not None:
            self._beating.cancel()
            self._beating = None

    async def _leave(self) -> None:
        """Commit what was decided, and let other nodes take the rooms over."""
        waited = 0.0
        while self.outbox.behind and (not self._patience or waited < self._patience):
            waited += 0.01
            pause: Deferred[None] = Deferred()
            self._later(0.01, pause.callback, None)
            await pause
        self.halt()
        try:
            await self._store.leave()
        except StoreAwayError:
            _log.warn("nodes: database unavailable: others take the rooms over after the lease")
        self.links.stop()  # the others then ask for the rooms
        self.directory.stop()
        if self._port is not None:
            await self._port.stopListening()

    # store.StoreListener

    def nodes_changed(self, living: Sequence[Node], dead: Collection[NodeId]) -> None:
        """Dial the living nodes, and ask for the rooms of the dead ones."""
        self.takeover.living, self._dead = {node.node_id for node in living}, dead
        known = {*self.hosting.visitors}
        known.update(entry.node_id for entry in self.directory.entries.values())
        known.update(r.node_id for r in self.visits.replicas.values() if r.node_id is not None)
        self.links.nodes_changed(living)
        for node_id in known.union(dead) - self.takeover.living - {self.node_id}:
            self._bury(node_id)

    def everything(self) -> Batch:
        """Return this node's rooms with their committed events."""
        batch = self.outbox.everything()
        for kept in self.takeover.taking.values():
            batch.opened[kept.room_id] = kept.opened
            batch.lines += [(kept.room_id, *each) for each in kept.lines]
        return batch

    def fenced(self) -> None:
        """Forget all rooms, which another node owns now, and join again under a new id."""
        if not self._endpoint:
            self.give_up("another process has the rooms of this one")
            return
        _log.error("nodes: the lease of this node has lapsed: its players were disconnected")
        self.outbox.shut, self.takeover.node_id = True, ""
        people = [*self.outbox.waiting(), *self.visits.reset()]
        self.outbox.reset()
        for live_room in list(self.registry.live_rooms.values()):
            if live_room.room.terms.door is None:
                people += self.registry.withdraw(live_room.room).occupants.values()
        for visitors in self.hosting.visitors.values():
            visitors.disconnected()
        self.hosting.visitors.clear()
        self.takeover.taking.clear()
        self.directory.reset()
        self.node_id = self._new_id()
        for occupant in dict.fromkeys(people):
            occupant.close()
        self._become()

    def _bury(self, node_id: NodeId) -> None:
        """Release everything that depends on a dead node, and ask for its rooms."""
        visitors = self.hosting.visitors.pop(node_id, None)
        if visitors is not None:
            visitors.disconnected()
        self.takeover.ask_for_rooms(node_id)
        for replica in self.visits.of(node_id):
            if replica.room is not None and replica.room_id is None:
                self.visits.close_all(replica, "the node of this door's room is dead")
        self._later(OVERDUE, self.takeover.look_for_lost, node_id)

    # links.Handler

    def link_up(self, link: NodeLink) -> None:
        """Announce the rooms here, and the occupants from here in rooms there."""
        self.hosting.begin(link)
        link.send("rooms", self.directory.all_here())
        for replica in self.visits.of(link.node_id):
            self.visits.found_owner(replica, link.node_id)
        link.send("all said")

    def link_lost(self, node_id: NodeId) -> None:
        """Hold requests until there is a link again; ask for the rooms in case the node is dead."""
        self.hosting.link_lost(node_id)
        self.visits.link_lost(node_id)
        self.takeover.ask_for_rooms(node_id)

    def frames_received(self, link: NodeLink, frames: list[Frame]) -> None:
        """Handle the frames of one message, and commit the results at once."""
        begun = self.outbox.begin()
        try:
            self._do(link, frames)
        finally:
            if begun:
                self.outbox.end()

    def _do(self, link: NodeLink, frames: list[Frame]) -> None:
        node_id = link.node_id
        visitors = self.hosting.visitors.get(node_id)
        told: list[Delivery] = []
        for frame in frames:
            if visitors is None or visitors.link is not link:
                break
            if frame[0] == "ev":
                self.visits.follow(node_id, told, *frame[1:])
                continue
            if told:
                self.registry.dispatcher.send(told)
                told = []
            if frame[0] == "ask":
                visitors.ask(*frame[1:])
            else:
                self._handle(node_id, *frame)
        self.registry.dispatcher.send(told)

    def _handle(self, node_id: NodeId, kind: str, *words: Any) -> None:
        visitors = self.hosting.visitors[node_id]
        match kind:
            case "is":
                self._heard_of(node_id, words)
            case "over":
                self.directory.heard_of_end(node_id, *words)
            case "again":
                visitors.again(*words)
            case "heard":
                visitors.heard_end(*words)
            case "all said":
                visitors.all_said()
            case "call off":
                visitors.call_off(*words)
            case "rooms":
                self._heard_of_all(node_id, *words)
            case _ if kind in self.registry.passed_on:
                self.registry.passed_on[kind](*words)
            case _:
                self.visits.handle(node_id, kind, *words)

    def _heard_of(self, node_id: NodeId, words: Sequence[Any]) -> None:
        room = self.directory.heard_of(node_id, *words)
        replica = self.visits.replicas.get(room.name)
        if replica is not None and replica.lost_since is not None:
            self.visits.found_owner(replica, node_id)

    def _heard_of_all(self, node_id: NodeId, rooms: list[list[Any]]) -> None:
        for words in rooms:
            self._heard_of(node_id, words)
        for name in self.directory.names(node_id) - {words[0] for words in rooms}:
            self.directory.heard_of_end(node_id, name)

    # Announcements and timeouts

    def _telling(self) -> None:
        self.hosting.told_at = self.registry.seconds()
        self.directory.tell_now()

    def _new_id(self) -> NodeId:
        return str(self.registry.rng.randrange(10**7, 10**8))

    def _beat(self) -> None:
        """Close the connections whose requests have waited longer than the timeout."""
        self._beating = self._later(self._beat_every, self._beat)
        patience, since = self._patience, self.outbox.since
        if not patience:
            return
        if since is not None and self.registry.seconds() - since >= patience:
            waiting = self.outbox.waiting()
            if since != self._overdue_since:
                self._overdue_since = since
                why = "nodes: the database does not answer: {count} players were disconnected"
                _log.error(why, count=len(waiting))
            for occupant in waiting:
                self.registry.put_off(occupant)
        self.visits.give_up(patience)
        self.hosting.give_up(patience)

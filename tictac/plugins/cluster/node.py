"""One lobby of several nodes: rooms have owners, and everybody sees all of them.

Source: scaling.md.
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
"""Seconds until a node that the database didn't answer tries again to become one."""

OVERDUE = 1.0
"""Seconds after which rooms of a dead node that nobody speaks of are looked for."""


class LocalNode:
    """This node: the journal of its ``registry``, the handler of its ``links``, and told by the
    ``store`` which others there are (journal.Journal, links.Handler, store.Watcher).

    ``endpoint`` is where the others reach it (empty: there are no others), ``settings`` are those
    that must be equal everywhere, ``sealed`` is a hash of ``secret``. ``listen`` makes a port for
    the links that others make; ``on_end`` is called when it can't serve. ``patience`` is how many
    seconds requests wait for the database, or another node (0: any number); ``silence`` after how
    many a link on which nothing is heard is cut. The other arguments are the registry's.
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
        registry.pass_on = partial(self.links.send_all, "agreed")
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

    # For the outbox (journal.Journal)

    def start(self) -> list[KeptRoom]:
        """Become a node; rooms come later."""
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
        """This node can't serve."""
        _log.critical("nodes: {why}; this one stops", why=why)
        self._on_end()

    def stop(self) -> None:
        self._store.stop()

    def halt(self) -> None:
        """Decide nothing more."""
        self._stopped = self.outbox.shut = True
        self.takeover.node_id = ""
        self.takeover.taking.clear()
        if self._beating is not None:
            self._beating.cancel()
            self._beating = None

    async def _leave(self) -> None:
        """Keep what there is to keep, and let others take the rooms over."""
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
            _log.warn("nodes: the database is away: others take the rooms over a lease later")
        self.links.stop()  # at which the others ask for the rooms
        self.directory.stop()
        if self._port is not None:
            await self._port.stopListening()

    # What the store says (store.Watcher)

    def nodes_changed(self, living: Sequence[Node], dead: Collection[NodeId]) -> None:
        """Look after the dead, and dial the others."""
        self.takeover.living, self._dead = {node.node_id for node in living}, dead
        known = {*self.hosting.visitors}
        known.update(entry.node_id for entry in self.directory.entries.values())
        known.update(r.node_id for r in self.visits.replicas.values() if r.node_id is not None)
        self.links.nodes_changed(living)
        for node_id in known.union(dead) - self.takeover.living - {self.node_id}:
            self._bury(node_id)

    def everything(self) -> Batch:
        """All rooms that are kept, as far as they are committed."""
        batch = self.outbox.everything()
        for kept in self.takeover.taking.values():
            batch.opened[kept.room_id] = kept.opened
            batch.lines += [(kept.room_id, *each) for each in kept.lines]
        return batch

    def fenced(self) -> None:
        """The rooms are others', and what wasn't committed is lost: begin anew."""
        if not self._endpoint:
            self.give_up("another process has this one's rooms")
            return
        _log.error("nodes: the lease has lapsed: this node's players have to come again")
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
        """A node is dead: one takes its rooms over."""
        visitors = self.hosting.visitors.pop(node_id, None)
        if visitors is not None:
            visitors.disconnected()
        self.takeover.ask_for_rooms(node_id)
        for replica in self.visits.of(node_id):
            if replica.room is not None and replica.room_id is None:
                self.visits.close_all(replica, "the node of this door's room is dead")
        self._later(OVERDUE, self.takeover.look_for_lost, node_id)

    # What comes over links (links.Handler)

    def link_up(self, link: NodeLink) -> None:
        """Say what there is here, and who is in rooms there."""
        self.hosting.begin(link)
        link.send("rooms", self.directory.all_here())
        for replica in self.visits.of(link.node_id):
            self.visits.found_owner(replica, link.node_id)
        link.send("all said")

    def link_lost(self, node_id: NodeId) -> None:
        """Wait for it to come back, or for the node to be dead."""
        self.hosting.link_lost(node_id)
        self.visits.link_lost(node_id)
        self.takeover.ask_for_rooms(node_id)

    def frames_received(self, link: NodeLink, frames: list[Frame]) -> None:
        """Do what another node says, and commit what came of it."""
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
            case "agreed" if self.registry.passed_on is not None:
                self.registry.passed_on(*words)
            case "call off":
                visitors.call_off(*words)
            case "rooms":
                self._heard_of_all(node_id, *words)
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

    # What is told, and what takes too long

    def _telling(self) -> None:
        self.hosting.told_at = self.registry.seconds()
        self.directory.tell_now()

    def _new_id(self) -> NodeId:
        return str(self.registry.rng.randrange(10**7, 10**8))

    def _beat(self) -> None:
        """Close the connections of those who have waited for too long."""
        self._beating = self._later(self._beat_every, self._beat)
        patience, since = self._patience, self.outbox.since
        if not patience:
            return
        if since is not None and self.registry.seconds() - since >= patience:
            waiting = self.outbox.waiting()
            if since != self._overdue_since:
                self._overdue_since = since
                why = "nodes: the database is away: {count} players have to come again"
                _log.error(why, count=len(waiting))
            for occupant in waiting:
                occupant.close()
        self.visits.give_up(patience)
        self.hosting.give_up(patience)

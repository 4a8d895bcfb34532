"""One lobby of several nodes: rooms have owners, and everybody sees all of them.

Source: scaling.md.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.accounts.store import StoreAwayError
from tictac.errors import SetupError
from tictac.lobby.events import OccupantId
from tictac.lobby.interfaces import Occupant
from tictac.lobby.journal import Batch, KeptRoom
from tictac.lobby.keeping import opened
from tictac.lobby.record import lines
from tictac.lobby.table import Told
from tictac.nodes.adopting import AdoptingRegistry
from tictac.nodes.directory import Directory
from tictac.nodes.hosting import Visitors
from tictac.nodes.link import Frame, Link
from tictac.nodes.links import Connect, Links
from tictac.nodes.store import Node, NodeId, NodeStore

_log = Logger()

JOIN_AGAIN = 1.0
"""Seconds until a node that the database didn't answer tries again to become one."""

OVERDUE = 1.0
"""Seconds after which rooms of a dead node that nobody speaks of are looked for."""


_NOW = object()
"""Of a commit that needs no turn of its own."""


class NodesRegistry(AdoptingRegistry):
    """The registry of a node. ``endpoint`` is where the others reach it (empty: there are no
    others), ``settings`` are those that must be equal everywhere, ``sealed`` a hash of ``secret``.

    ``patience`` is how many seconds requests wait for the database, or another node (0: any
    number); ``silence`` after how many a link on which nothing is heard is cut.
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
        **named: Any,
    ) -> None:
        super().__init__(store, clock.callLater, *arguments, **named)
        self.links = Links(clock, connect, secret, self, silence)
        self.node_id: NodeId = self._new_id()
        self._store = store
        self._endpoint = endpoint
        self._settings = settings
        self._sealed = sealed
        self._patience = patience
        self._id_prefix = self.node_id
        self._stopped = False
        self._dead: Collection[NodeId] = ()
        self._visitors: dict[NodeId, Visitors] = {}
        self._beating: Any = None
        self._beat_every = silence / 4
        self._overdue_since = -1.0
        self.pass_on = partial(self._send_all, "agreed")

    # Running

    def start(self) -> None:
        """Become a node."""
        super().start()
        self._become()
        self._beat()

    def _become(self) -> None:
        if self._stopped:
            return
        self.links.start(self.node_id)
        node = Node(self.node_id, self._endpoint, settings=self._settings, secret=self._sealed)
        self._store.join(node, self).addCallbacks(self._on_joined, self._on_not_joined)

    def _on_joined(self, rooms: list[KeptRoom]) -> None:
        self._joined = True
        _log.info("nodes: this is node {node}", node=self.node_id)
        self._take_over(rooms)
        for node_id in self._dead:
            self._ask_for_rooms(node_id)
        if self._held:
            self._commit()

    def _on_not_joined(self, failure: Failure) -> None:
        if failure.check(SetupError):
            self.give_up(failure.getErrorMessage())
            return
        if not failure.check(StoreAwayError):
            _log.failure("nodes: the database didn't answer", failure)
        self._later(JOIN_AGAIN, self._become)

    def give_up(self, why: str) -> None:
        """This node can't serve."""
        _log.critical("nodes: {why}; this one stops", why=why)

    async def stop(self) -> None:
        """Keep what there is to keep, and let others take the rooms over."""
        waited = 0.0
        while self._is_behind() and (not self._patience or waited < self._patience):
            waited += 0.01
            pause: Deferred[None] = Deferred()
            self._later(0.01, pause.callback, None)
            await pause
        self._stopped = True
        self._joined = False
        self._taking.clear()
        if self._beating is not None:
            self._beating.cancel()
        try:
            await self._store.leave()
        except StoreAwayError:
            _log.warn("nodes: the database is away: others take the rooms over a lease later")
        self.links.stop()  # at which the others ask for the rooms
        for call in (self._flush, self._telling):
            if call is not None:
                call.cancel()
        self._store.stop()

    def ready(self) -> bool:
        """Whether requests would be served now."""
        return self._joined and self._store.ready()

    def new_occupant_id(self) -> OccupantId:
        """A number that no node has given."""
        return self._id_prefix + super().new_occupant_id()

    # What the store says (store.Watcher)

    def nodes_changed(self, living: Sequence[Node], dead: Collection[NodeId]) -> None:
        """Look after the dead, and dial the others."""
        self._living, self._dead = {node.node_id for node in living}, dead
        known = {*self._visitors, *(entry.node_id for entry in self._directory.entries.values())}
        known.update(r.node_id for r in self._replicas.values() if r.node_id is not None)
        self.links.nodes_changed(living)
        for node_id in known.union(dead) - self._living - {self.node_id}:
            self._bury(node_id)

    def everything(self) -> Batch:
        """All rooms that are kept, as far as they are committed."""
        batch, rooms = Batch(), {key: room for room, key in self._ids.items()}
        first: dict[int, int] = {}  # the first event of a room that isn't committed
        for under_way in (self._in_flight, self._batch):
            for room_id, number, _, _ in under_way.lines:
                first.setdefault(room_id, number)
        for room_id, room in rooms.items():
            if room_id not in self._in_flight.opened and room_id not in self._batch.opened:
                batch.opened[room_id] = opened(room)
                last = first.get(room_id, room.number + 1)
                batch.lines += [(room_id, *each) for each in lines(room) if each.number < last]
        for kept in self._taking.values():
            batch.opened[kept.room_id] = kept.opened
            batch.lines += [(kept.room_id, *each) for each in kept.lines]
        return batch

    def fenced(self) -> None:
        """The rooms are others', and what wasn't committed is lost: begin anew."""
        if not self._endpoint:
            self.give_up("another process has this one's rooms")
            return
        _log.error("nodes: the lease has lapsed: this node's players have to come again")
        self._joined = False
        people = [*self._told_next, *self._waiting]
        people += [each.occupant for each in (*self._sittings.values(), *self._late.values())]
        # Let what is under way tell nobody.
        self._held, self._waiting, self._told_next = [], {}, {}
        self._committing_since = None
        self._batch = type(self._batch)()
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None
        for name, table in list(self._tables.items()):
            if table.room.terms.door is None:
                people += table.occupants.values()
                del self._tables[name]
                for occupant_id in table.occupants:
                    del self._table_of[occupant_id]
                self._forget(name)
        for visitors in self._visitors.values():
            visitors.gone()
        replicas = self._replicas, self._by_key, self._sittings, self._late, self._asked
        for each in (self._ids, self._changed, self._visitors, self._taking, *replicas):
            each.clear()
        self._directory = Directory()
        self.node_id = self._new_id()
        for occupant in dict.fromkeys(people):
            occupant.close()
        self._become()

    def _bury(self, node_id: NodeId) -> None:
        """A node is dead: one takes its rooms over."""
        visitors = self._visitors.pop(node_id, None)
        if visitors is not None:
            visitors.gone()
        self._ask_for_rooms(node_id)
        for replica in [r for r in self._replicas.values() if r.node_id == node_id]:
            if replica.room is not None and replica.room_id is None:
                self._close_all(replica, "the node of this door's room is dead")
        self._later(OVERDUE, self._look_for_lost, node_id)

    def _send_all(self, *frame: Any) -> None:
        self.links.send_all(*frame)

    def _link_to(self, node_id: NodeId | None) -> Link | None:
        return None if node_id is None else self.links.up.get(node_id)

    # What comes over links (links.Handler)

    def link_up(self, link: Link) -> None:
        """Say what there is here, and who is in rooms there."""
        node_id = link.node_id
        visitors = self._visitors.get(node_id)
        if visitors is None:
            visitors = self._visitors[node_id] = Visitors(node_id, self)
        visitors.begin(link)
        rooms = [table.room for table in self._tables.values()]
        link.send("rooms", [self._summary(room) for room in rooms if self._is_kept(room)])
        for replica in list(self._replicas.values()):
            if replica.node_id == node_id:
                self._found_owner(replica, node_id)
        link.send("all said")

    def link_lost(self, node_id: NodeId) -> None:
        """Wait for it to come back, or for the node to be dead."""
        now = self._seconds()
        if node_id in self._visitors:
            self._visitors[node_id].link = None
            self._visitors[node_id].lost_since = now
        for replica in self._replicas.values():
            if replica.node_id == node_id:
                replica.lost_since, replica.link, replica.syncing = now, None, False
        self._release_late(node_id)
        self._ask_for_rooms(node_id)

    def heard(self, link: Link, frames: list[Frame]) -> None:
        """Do what another node says, and commit what came of it."""
        if self._flush is not None or self._committing_since is not None:
            self._do(link, frames)
            return
        self._flush = _NOW
        try:
            self._do(link, frames)
        finally:
            self._flush = None
            if self._held:
                self._commit()

    def _do(self, link: Link, frames: list[Frame]) -> None:
        node_id = link.node_id
        visitors = self._visitors.get(node_id)
        told: list[Told] = []
        for frame in frames:
            if visitors is None or visitors.link is not link:
                break
            if frame[0] == "ev":
                self._follow(node_id, told, *frame[1:])
                continue
            if told:
                self._post.send(told)
                told = []
            if frame[0] == "ask":
                visitors.ask(*frame[1:])
            else:
                self._heed(node_id, *frame)
        self._post.send(told)

    def _heed(self, node_id: NodeId, kind: str, *words: Any) -> None:
        visitors = self._visitors[node_id]
        match kind:
            case "is":
                self._heard_of(node_id, *words)
            case "over":
                self._heard_of_end(node_id, *words)
            case "again":
                visitors.again(*words)
            case "all said":
                visitors.all_said()
            case "agreed" if self.passed_on is not None:
                self.passed_on(*words)
            case "call off":
                visitors.call_off(*words)
            case "rooms":
                self._heard_of_all(node_id, *words)
            case _:
                super()._heed(node_id, kind, *words)

    # What is committed

    def _tell_held(self, held: list[Told], waiting: dict[Occupant, None]) -> None:
        super()._tell_held(held, waiting)
        self.links.send_now()

    def _commit(self) -> None:
        if self._joined:
            super()._commit()
        else:
            self._flush = None

    def _new_id(self) -> NodeId:
        return str(self._dice.randrange(10**7, 10**8))

    # What takes too long

    def _beat(self) -> None:
        """Close the connections of those who have waited for too long."""
        self._beating = self._later(self._beat_every, self._beat)
        now, patience = self._seconds(), self._patience
        if not patience:
            return
        since = self._committing_since
        if since is not None and now - since >= patience:
            waiting = [*self._told_next, *self._waiting]
            if since != self._overdue_since:
                self._overdue_since = since
                why = "nodes: the database is away: {count} players have to come again"
                _log.error(why, count=len(waiting))
            for occupant in waiting:
                occupant.close()
        for replica in list(self._replicas.values()):
            if replica.lost_since is not None and now - replica.lost_since >= patience:
                self._close_all(replica, "its node can't be reached")
        for visitors in self._visitors.values():
            if visitors.link is None and now - visitors.lost_since >= patience:
                visitors.gone()

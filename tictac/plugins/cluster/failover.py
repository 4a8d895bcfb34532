"""Taking over the rooms of a dead node, with their occupants who are connected to this node.

Invariant: the new owner continues a room after its last committed event. An occupant here misses no
event and gets none twice, and each unanswered request is made once.

1. The database decides who takes over (`NodeStore.take_over`). All nodes ask, when a link ends and
   when a lease has lapsed; one of them gets the rooms. So asking too early or twice does no harm.
2. `take_over` puts all rooms into `taking`, and each turn of the reactor restores a few. If another
   node asks for one, this node restores that room first (`Hosting.takes`). Otherwise it would
   answer "gone", and occupants would be disconnected. `LocalNode.everything` includes the rooms in
   `taking`: otherwise a database that came back older would lose them.
3. If this node has another room of that name, `take_one` tries again later. The database is about
   to refuse the other room, or it belongs to a protocol and ends by itself.
4. `_adopt` brings the replica up to the restored room, before `Registry.go_on`. The occupants here
   get the events that the former owner committed but didn't send. An event can be the result of a
   request, which is then answered. Only then does the replica take the room's players and clock,
   and seat the occupants again. In the other order, occupants would miss these events.
5. If the replica knows more events than the database, or is a room of another id, its occupants are
   disconnected: they have seen a match that the database doesn't have.
6. `_repeat` makes the requests that are still unanswered, after their occupants have seats. A move
   for an earlier position is refused. `late` has the occupants who are still waiting: those who
   left meanwhile aren't in it.
7. `find` asks the list of rooms, then the database, and again after `AGAIN` seconds while the owner
   is dead or this node restores the room. `look_elsewhere` ends after `TRIES`.

    A               commits event 12 of "den" and dies before it sends the event
    B               the link is lost: take_over(A) gives no rooms, because the lease still runs
    B               the lease has lapsed: take_over(A) gives "den"
    B, take_one     restores the room up to event 12; alice's replica is at event 11
                    sends her event 12, her own move: her request 7 is answered
                    continues the room; refuses carl's move, which he made at event 11
    B to C          ["is", "den", ...]; C answers "again", and B sends what C has missed
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.accounts.store import StoreAwayError
from tictac.errors import BadRoomName, Refusal
from tictac.lobby.events import OccupantId, Refused
from tictac.lobby.journal import KeptRoom
from tictac.lobby.record import fields_of
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.lobby.terms import check_room_name
from tictac.plugins.cluster.directory import Directory
from tictac.plugins.cluster.forwarding import OVER, Visits
from tictac.plugins.cluster.links import Links
from tictac.plugins.cluster.owner import sit_down_again, too_late
from tictac.plugins.cluster.replica import Replica, Sitting
from tictac.plugins.cluster.store import NodeId, NodeStore

_log = Logger()

AGAIN = 0.1
"""Seconds between two attempts to find a room, or to restore it."""

TRIES = 20
"""Maximum number of searches for a room that its supposed owner doesn't know."""

SLICE = 0.001
"""Seconds of each turn of the reactor that restoring rooms can take."""


class Takeover:
    """Restores the rooms of dead nodes, and finds the owners of rooms (forwarding.Finder).

    ``node_id`` is this node's id, or empty before it has joined. ``living`` are all living nodes.
    """

    def __init__(
        self,
        registry: Registry,
        store: NodeStore,
        links: Links,
        directory: Directory,
        visits: Visits,
        later: Callable[..., Any],
    ) -> None:
        self.node_id: NodeId = ""
        self.living: set[NodeId] = set()
        self.taking: dict[str, KeptRoom] = {}  # owned, but not restored yet
        self._registry = registry
        self._store = store
        self._links = links
        self._directory = directory
        self._visits = visits
        self._later = later

    # Rooms that are taken over

    def take_over(self, rooms: list[KeptRoom]) -> None:
        """Begin to restore rooms that this node owns now."""
        if rooms:
            _log.info("nodes: {count} rooms are taken over", count=len(rooms))
            if not self.taking:
                self._later(0, self._take_some)
            self.taking.update((kept.opened.name, kept) for kept in rooms)

    def _take_some(self) -> None:
        """Restore a few rooms in each turn, so that other matches continue meanwhile."""
        until = self._registry.seconds() + SLICE
        try:
            for name in list(self.taking):
                self.take_one(name)
                if self._registry.seconds() >= until:
                    break
        finally:
            if self.taking:
                self._later(0, self._take_some)

    def take_one(self, name: str) -> None:
        """Restore the room of that name, if it waits for that."""
        kept = self.taking.pop(name, None)
        if kept is None:
            return
        if name in self._registry.live_rooms:
            # The database is about to refuse the other room, or it belongs to a protocol.
            self._later(AGAIN, self._take_over_late, kept, self.node_id)
            return
        try:
            room = self._registry.restored(kept)
        except ValueError:
            self._registry.on_lost(name)
            self._store.set_aside(kept.room_id).addErrback(_ignore_away)
            return
        replica = self._visits.replicas.get(name)
        sittings: list[Sitting] = []
        if replica is not None:
            try:
                room = self._adopt(replica, room, kept.room_id)
            except (ValueError, Refusal) as error:
                self._visits.close_all(replica, f"the database knows another match: {error}")
                replica.sittings.clear()
            sittings = list(replica.sittings.values())
        live_room = self._registry.go_on(room, kept.room_id)
        self._directory.tell_soon()
        for sitting in sittings:
            if sitting.joined and sitting.occupant.occupant_id in self._seats(room):
                self._registry.seat(sitting.occupant, live_room)
        if sittings:
            self._later(0, self._repeat, sittings)
        self._registry.announce(name, room.terms)

    def _take_over_late(self, kept: KeptRoom, node_id: NodeId) -> None:
        if self.node_id and self.node_id == node_id:
            self.take_over([kept])

    def _adopt(self, replica: Replica, room: Room, room_id: int) -> Room:
        """Bring a replica up to the restored room; return the room that goes on."""
        mine = replica.room
        if mine is None:
            self._visits.forget_replica(replica)
            return room
        if replica.room_id != room_id or mine.number > room.number:
            older = "the database has an older state than this node"
            self._visits.close_all(replica, OVER if replica.room_id != room_id else older)
            replica.sittings.clear()
            return room
        replica.syncing = True
        for at, event in room.record:
            if not isinstance(event, Refused) and event.number > mine.number:
                happened = replica.follow(event.number, at, fields_of(event), "")
                self._visits.happened(replica, happened, [])
        seats = {key: mine.seat_of(key) for key, each in replica.sittings.items() if each.joined}
        mine.terms, mine.clock = room.terms, room.clock
        mine.players, mine.viewers = room.players, {}
        for occupant_id, seat in seats.items():
            sitting = replica.sittings[occupant_id]
            if not sit_down_again(mine, occupant_id, sitting.user or "", seat):
                sitting.occupant.close()
        replica.syncing = False
        self._visits.forget_replica(replica)
        return mine

    def _repeat(self, sittings: Iterable[Sitting]) -> None:
        """Make requests here that the former owner hasn't answered."""
        for sitting in sittings:
            occupant = sitting.occupant
            present = self._visits.late.pop(occupant.occupant_id, None) is sitting
            for number, request in list(sitting.asked.items()):
                if present:
                    self._do_here(sitting, *request)
                self._visits.done((number,))

    def _do_here(self, sitting: Sitting, verb: str, *words: Any) -> None:
        occupant, room = sitting.occupant, sitting.replica.room
        if verb == "join":
            self._registry.join(occupant, sitting.replica.name, *words)
        elif verb != "place":
            getattr(self._registry, verb)(occupant, *words)
        elif room is not None and not words[1] and room.moved > words[2]:
            self._registry.outbox.answer(occupant, too_late(occupant.occupant_id, room))
        else:
            self._registry.place(occupant, *words[:2])

    def _seats(self, room: Room) -> set[OccupantId]:
        return {member.occupant for member in room.players} | room.viewers.keys()

    # Owners of rooms

    def ask_for_rooms(self, node_id: NodeId) -> None:
        """Take over the rooms of a node, if it is dead and has no heir yet."""
        if self.node_id:
            self._store.take_over(node_id).addCallbacks(self.take_over, _ignore_away)

    def look_for_lost(self, node_id: NodeId) -> None:
        """Drop a dead node's rooms from the lists, and search for those with occupants here."""
        for name in self._directory.names(node_id):
            if node_id not in self.living:
                self._directory.heard_of_end(node_id, name)
        for replica in self._visits.of(node_id):
            if node_id not in self.living:
                self.find(replica)

    def find(self, replica: Replica) -> None:
        """Find the owner of a room, in the lists or in the database."""
        name = replica.name
        known = self._directory.owner(name)
        if known is not None and self._links.to(known) is not None:
            self._visits.found_owner(replica, known)
            return
        try:
            check_room_name(name, convened=True)
        except BadRoomName:
            self._visits.no_such_room(replica)
            return
        found = self._store.owner(name)
        found.addCallbacks(lambda owner: self._on_owner(replica, owner), _ignore_away)

    def _on_owner(self, replica: Replica, owner: NodeId | None) -> None:
        if self._visits.replicas.get(replica.name) is not replica or replica.lost_since is None:
            return
        if owner is None:
            self._visits.no_such_room(replica)
        elif owner == self.node_id:
            if replica.name in self._registry.live_rooms:
                sittings = list(replica.sittings.values())
                self._visits.forget_replica(replica)
                self._repeat(sittings)
            else:  # the room has just ended, or this node is about to restore it
                self._later(AGAIN, self._find_again, replica)
        elif owner in self.living:
            self._visits.found_owner(replica, owner)
        else:
            self.ask_for_rooms(owner)
            self._later(AGAIN, self._find_again, replica)

    def look_elsewhere(self, replica: Replica) -> None:
        """Search again for a room that its supposed owner doesn't know."""
        if replica.node_id is not None and self._visits.knows(replica):
            self._directory.heard_of_end(replica.node_id, replica.name)
            replica.node_id, replica.link, replica.syncing, replica.known = None, None, False, False
            replica.lost_since = self._registry.seconds()
            replica.tries += 1
            if replica.tries > TRIES:
                self._visits.no_such_room(replica)
            else:
                self._later(AGAIN, self._find_again, replica)

    def _find_again(self, replica: Replica) -> None:
        if self._visits.replicas.get(replica.name) is replica and replica.lost_since is not None:
            self.find(replica)


def _ignore_away(failure: Failure) -> None:
    failure.trap(StoreAwayError)

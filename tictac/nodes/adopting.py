"""Rooms of a dead node that become this one's, with those who sat in them here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.accounts.store import StoreAwayError
from tictac.errors import BadRoomName
from tictac.lobby.events import OccupantId, Refused
from tictac.lobby.journal import KeptRoom
from tictac.lobby.record import fields_of
from tictac.lobby.room import Room
from tictac.lobby.table import Table
from tictac.lobby.terms import check_room_name
from tictac.nodes.directory import ListingRegistry
from tictac.nodes.hosting import sit_down_again, too_late
from tictac.nodes.replica import Replica, Sitting
from tictac.nodes.store import NodeId, NodeStore
from tictac.nodes.visiting import OVER

_log = Logger()

AGAIN = 0.1
"""Seconds until it is tried again to find a room, or to let it go on."""


TRIES = 20
"""How often a room is looked for of which its owner knows nothing."""

SLICE = 0.001
"""Seconds of a turn of the reactor in which rooms are restored."""


class AdoptingRegistry(ListingRegistry):
    """A registry that goes on with rooms which were others'. ``_joined``: it is a living node."""

    node_id: NodeId
    _store: NodeStore

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._joined = False
        self._living: set[NodeId] = set()
        self._taking: dict[str, KeptRoom] = {}  # this node's, but not restored yet

    def table(self, name: str) -> Table | None:
        """The room of that name that is decided here."""
        if name in self._taking:
            self._take_one(name)
        return super().table(name)

    def _take_over(self, rooms: list[KeptRoom]) -> None:
        if rooms:
            _log.info("nodes: {count} rooms are taken over", count=len(rooms))
            if not self._taking:
                self._later(0, self._take_some)
            self._taking.update((kept.opened.name, kept) for kept in rooms)

    def _take_some(self) -> None:
        """Restore rooms, a few in each turn: the moves of others go on meanwhile."""
        until = self._seconds() + SLICE
        for name in list(self._taking):
            self._take_one(name)
            if self._seconds() >= until:
                break
        if self._taking:
            self._later(0, self._take_some)

    def _take_one(self, name: str) -> None:
        kept = self._taking.pop(name, None)
        if kept is None:
            return
        if name in self._tables:
            # One that is about to be refused, as there is this one; or a room of a door.
            self._later(AGAIN, self._take_over_late, kept, self.node_id)
            return
        try:
            self._restore(kept)
        except ValueError:
            self._on_lost(name)
            self._store.set_aside(kept.room_id).addErrback(_ignore_away)

    def _take_over_late(self, kept: KeptRoom, node_id: NodeId) -> None:
        if self._joined and self.node_id == node_id:
            self._take_over([kept])

    def _go_on(self, room: Room, room_id: int) -> None:
        replica = self._replicas.get(room.name)
        sittings: list[Sitting] = []
        if replica is not None:
            room = self._adopt(replica, room, room_id)
            sittings = list(replica.sittings.values())
        super()._go_on(room, room_id)
        self._number(room)
        self._changed[room] = None
        self._tell_soon()
        table = self._tables[room.name]
        for sitting in sittings:
            if sitting.joined and sitting.occupant.occupant_id in self._seats(room):
                self.let_in(sitting.occupant, table)
        if sittings:
            self._later(0, self._repeat, sittings)

    def _adopt(self, replica: Replica, room: Room, room_id: int) -> Room:
        """Let a replica be the room that was taken over, as those here know it."""
        mine = replica.room
        if mine is None:
            self._forget_replica(replica)
            return room
        if replica.room_id != room_id or mine.number > room.number:
            older = "the database doesn't know it as it was told here"
            self._close_all(replica, OVER if replica.room_id != room_id else older)
            replica.sittings.clear()
            return room
        replica.syncing = True
        for at, event in room.record:
            if not isinstance(event, Refused) and event.number > mine.number:
                happened = replica.follow(event.number, at, fields_of(event), "")
                self._happened(replica, happened, [])
        seats = {key: mine.seat_of(key) for key, each in replica.sittings.items() if each.joined}
        mine.terms, mine.players, mine.viewers = room.terms, room.players, {}
        for occupant_id, seat in seats.items():
            sitting = replica.sittings[occupant_id]
            if not sit_down_again(mine, occupant_id, sitting.user or "", seat):
                sitting.occupant.close()
        replica.syncing = False
        self._forget_replica(replica)
        return mine

    def _repeat(self, sittings: Iterable[Sitting]) -> None:
        """Do here what was asked of an owner that is gone."""
        for sitting in sittings:
            occupant = sitting.occupant
            present = self._late.pop(occupant.occupant_id, None) is sitting
            for number, request in list(sitting.asked.items()):
                if present:
                    self._do_here(sitting, *request)
                self._done((number,))

    def _do_here(self, sitting: Sitting, verb: str, *words: Any) -> None:
        occupant, room = sitting.occupant, sitting.replica.room
        if verb == "join":
            self.join(occupant, sitting.replica.name, *words)
        elif verb != "place":
            getattr(self, verb)(occupant, *words)
        elif room is not None and not words[1] and room.moved > words[2]:
            self._tell(occupant, too_late(occupant.occupant_id, room))
        else:
            self.place(occupant, *words[:2])

    def _seats(self, room: Room) -> set[OccupantId]:
        return {member.occupant for member in room.players} | room.viewers.keys()

    # Whose a room is

    def _ask_for_rooms(self, node_id: NodeId) -> None:
        if self._joined:
            self._store.take_over(node_id).addCallbacks(self._take_over, _ignore_away)

    def _look_for_lost(self, node_id: NodeId) -> None:
        for name in self._directory.names(node_id):
            if node_id not in self._living:
                self._heard_of_end(node_id, name)
        for replica in [r for r in self._replicas.values() if r.node_id == node_id]:
            if node_id not in self._living:
                self._find_owner(replica)

    def _find_owner(self, replica: Replica) -> None:
        name = replica.name
        known = self._directory.owner(name)
        if known is not None and self._link_to(known) is not None:
            self._found_owner(replica, known)
            return
        try:
            check_room_name(name)
        except BadRoomName:
            self._no_such_room(replica)
            return
        found = self._store.owner(name)
        found.addCallbacks(lambda owner: self._on_owner(replica, owner), _ignore_away)

    def _on_owner(self, replica: Replica, owner: NodeId | None) -> None:
        if self._replicas.get(replica.name) is not replica or replica.lost_since is None:
            return
        if owner is None:
            self._no_such_room(replica)
        elif owner == self.node_id:
            if replica.name in self._tables:
                sittings = list(replica.sittings.values())
                self._forget_replica(replica)
                self._repeat(sittings)
            else:  # it was over a moment ago, or is about to be taken over
                self._later(AGAIN, self._find_again, replica)
        elif owner in self._living:
            self._found_owner(replica, owner)
        else:
            self._ask_for_rooms(owner)
            self._later(AGAIN, self._find_again, replica)

    def _look_elsewhere(self, replica: Replica) -> None:
        if replica.node_id is not None and self._by_key.get(replica.key) is replica:
            self._heard_of_end(replica.node_id, replica.name)
            replica.node_id, replica.link, replica.syncing, replica.known = None, None, False, False
            replica.lost_since = self._seconds()
            replica.tries += 1
            if replica.tries > TRIES:
                self._no_such_room(replica)
            else:
                self._later(AGAIN, self._find_again, replica)

    def _find_again(self, replica: Replica) -> None:
        if self._replicas.get(replica.name) is replica and replica.lost_since is not None:
            self._find_owner(replica)


def _ignore_away(failure: Failure) -> None:
    failure.trap(StoreAwayError)

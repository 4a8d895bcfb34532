"""The rooms of other nodes as far as lists show them, in the order in which they were made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tictac.lobby.events import Placed, Position, RoomEvent
from tictac.lobby.interfaces import Occupant
from tictac.lobby.record import dump_terms, load_terms
from tictac.lobby.room import Member, Room
from tictac.lobby.table import Table, Told
from tictac.lobby.terms import USUAL_TERMS, Terms
from tictac.nodes.store import NodeId
from tictac.nodes.visiting import VisitingRegistry


class Entry(NamedTuple):
    """A room of ``node_id``'s; ``made`` is when, and then the number of its first word here."""

    node_id: NodeId
    room: Room
    made: tuple[float, int]


class Directory:
    """What the other nodes have said of their rooms."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}

    def note(self, node_id: NodeId, words: list[Any], made: tuple[float, int]) -> Room:
        """Take over what a node has said (:func:`summary`); the room, of which not all is true."""
        name, number, running, players, viewers, terms_text = words
        terms = load_terms(terms_text)
        entry = self.entries.get(name)
        if entry is None or entry.node_id != node_id or entry.room.terms is not terms:
            made = made if entry is None else entry.made
            entry = self.entries[name] = Entry(node_id, Room(name, terms), made)
        room = entry.room
        room.number, room.running = number, running
        room.players = [Member("", user, 0.0 if away else None) for user, away in players]
        room.viewers = {str(viewer): "" for viewer in range(viewers)}
        return room

    def owner(self, name: str) -> NodeId | None:
        """Whose a room is, as far as that was said."""
        entry = self.entries.get(name)
        return None if entry is None else entry.node_id

    def drop(self, node_id: NodeId, name: str) -> bool:
        """A node's room is over; whether it was known."""
        if self.owner(name) != node_id:
            return False
        del self.entries[name]
        return True

    def names(self, node_id: NodeId) -> set[str]:
        """The rooms of a node."""
        return {name for name, entry in self.entries.items() if entry.node_id == node_id}


def summary(room: Room, now: float, sought: bool) -> list[Any]:
    """What other nodes have to know of a room, its age last."""
    players = [[member.user, member.away is not None] for member in room.players]
    made = room.record[0][0] if room.record else now
    return [
        room.name,
        room.number,
        room.running,
        players,
        len(room.viewers),
        dump_terms(room.terms),
        sought,
        round(now - made, 3),
    ]


class ListingRegistry(VisitingRegistry):
    """A registry that shows the rooms of other nodes, too, and tells them of its own."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._directory = Directory()
        self._made: dict[str, tuple[float, int]] = {}
        self._changed: dict[Room, None] = {}
        self._telling: Any = None

    def _send_all(self, *frame: Any) -> None:
        """Send a frame to every node to which there is a link."""
        raise NotImplementedError

    def room(self, name: str) -> Room | None:
        """The room of that name, or what lists show of one that is elsewhere."""
        room = super().room(name)
        if room is None and name in self._directory.entries:
            return self._directory.entries[name].room
        return room

    def opened(self, room: Room) -> float:
        """When that room was made, here or elsewhere."""
        entry = self._directory.entries.get(room.name)
        return super().opened(room) if entry is None or entry.room is not room else entry.made[0]

    def create(
        self,
        occupant: Occupant,
        name: str,
        terms: Terms = USUAL_TERMS,
        start: Position | None = None,
    ) -> None:
        """Make a room, which is this node's."""
        super().create(occupant, name, terms, start)
        table = self._tables.get(name)
        if table is not None:
            self._number(table.room)

    def _number(self, room: Room) -> None:
        made = room.record[0][0] if room.record else self._seconds()
        self._made.setdefault(room.name, (made, next(self._numbers)))

    def known_rooms(self) -> list[Room]:
        rooms = [(self._made.get(n, (0.0, 0)), t.room) for n, t in self._tables.items()]
        for name, entry in self._directory.entries.items():
            if name not in self._tables:
                rooms.append((entry.made, entry.room))
        rooms.sort(key=lambda each: each[0])
        return [room for _, room in rooms]

    def _count(self) -> int:
        return len(self._tables) + len(self._directory.entries)

    def _forget(self, name: str) -> None:
        self._made.pop(name, None)
        super()._forget(name)

    def _summary(self, room: Room) -> list[Any]:
        return summary(room, self._seconds(), room.name in self.sought)

    def _heard_of(self, node_id: NodeId, *words: Any) -> None:
        *said, sought, age = words
        made = self._seconds() - age, next(self._numbers)
        room = self._directory.note(node_id, said, made)
        if sought:
            self.sought.add(room.name)
        replica = self._replicas.get(room.name)
        if replica is not None and replica.lost_since is not None:
            self._found_owner(replica, node_id)
        if room.name not in self._tables and self.changed is not None:
            self.changed(room)

    def _heard_of_all(self, node_id: NodeId, rooms: list[list[Any]]) -> None:
        for words in rooms:
            self._heard_of(node_id, *words)
        for name in self._directory.names(node_id) - {words[0] for words in rooms}:
            self._heard_of_end(node_id, name)

    def _heard_of_end(self, node_id: NodeId, name: str) -> None:
        if self._directory.drop(node_id, name) and name not in self._tables:
            super()._forget(name)

    def _apply(self, table: Table, events: Sequence[RoomEvent]) -> None:
        super()._apply(table, events)
        for event in events:
            if type(event) is not Placed:
                self._changed[table.room] = None
                if table.room.terms.door is not None or not table.room.terms.kept:
                    self._tell_soon()  # no batch is committed

    def _tell_soon(self) -> None:
        if self._telling is None:
            self._telling = self._later(0, self._tell_nodes)

    def _tell_nodes(self) -> None:
        """Tell the others what has become of rooms of this node."""
        self._telling = None
        changed, self._changed = self._changed, {}
        for room in changed:
            table = self._tables.get(room.name)
            if not self._is_kept(room):
                self._changed[room] = None
            elif table is None:
                self._send_all("over", room.name)
            elif table.room is room:
                self._send_all("is", *self._summary(room))

    def _tell_held(self, held: list[Told], waiting: dict[Occupant, None]) -> None:
        if self._changed:
            self._tell_nodes()
        super()._tell_held(held, waiting)

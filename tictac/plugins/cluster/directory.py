"""The rooms of other nodes as lists show them, in the order of their creation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tictac.lobby.outbox import Journaled
from tictac.lobby.record import dump_terms, load_terms
from tictac.lobby.registry import Registry
from tictac.lobby.room import Member, Room
from tictac.plugins.cluster.links import Links
from tictac.plugins.cluster.store import NodeId


class Entry(NamedTuple):
    """A room of the node ``node_id``; ``made`` is when, and a number that breaks ties."""

    node_id: NodeId
    room: Room
    made: tuple[float, int]


class Directory:
    """The rooms that other nodes have announced, and the announcements of this node's rooms.

    An elsewhere.Directory.
    """

    def __init__(
        self,
        registry: Registry,
        outbox: Journaled,
        links: Links,
        later: Callable[..., Any],
        numbers: Iterator[int],
    ) -> None:
        self.entries: dict[str, Entry] = {}
        self._registry = registry
        self._outbox = outbox
        self._links = links
        self._later = later
        self._numbers = numbers
        self._made: dict[str, tuple[float, int]] = {}  # by the names of this node's rooms
        self._changed: dict[Room, None] = {}
        self._soon: Any = None

    # elsewhere.Directory, for the registry

    def room(self, name: str) -> Room | None:
        """Return a room elsewhere as lists show it."""
        entry = self.entries.get(name)
        return None if entry is None else entry.room

    def count(self) -> int:
        """Return the number of rooms elsewhere."""
        return len(self.entries)

    def with_others(self, rooms: list[Room]) -> list[Room]:
        """Return the rooms of this node and those elsewhere, oldest first."""
        here = {room.name for room in rooms}
        every = [(self._made.get(room.name, (0.0, 0)), room) for room in rooms]
        every += [(e.made, e.room) for name, e in self.entries.items() if name not in here]
        every.sort(key=lambda each: each[0])
        return [room for _, room in every]

    def made(self, room: Room) -> float | None:
        """Return when a room elsewhere was created; None for a room of this node."""
        entry = self.entries.get(room.name)
        return None if entry is None or entry.room is not room else entry.made[0]

    def opened_here(self, room: Room) -> None:
        """Note when a room of this node was created."""
        made = room.record[0][0] if room.record else self._registry.seconds()
        self._made.setdefault(room.name, (made, next(self._numbers)))

    def changed(self, room: Room) -> None:
        """Announce a changed room to the other nodes."""
        self._changed[room] = None
        if room.terms.door is not None or not room.terms.kept:
            self.tell_soon()  # no commit announces it

    def closed(self, name: str) -> None:
        """Forget when a room of this node was created."""
        self._made.pop(name, None)

    # To other nodes

    def all_here(self) -> list[list[Any]]:
        """Return the announcements of all rooms of this node."""
        rooms = [live_room.room for live_room in self._registry.live_rooms.values()]
        return [self._summary(room) for room in rooms if self._outbox.is_kept(room)]

    def tell_soon(self) -> None:
        """Announce changed rooms in the next turn."""
        if self._soon is None:
            self._soon = self._later(0, self._tell)

    def tell_now(self) -> None:
        """Announce changed rooms now."""
        if self._changed:
            self._tell()

    def reset(self) -> None:
        """Forget the rooms of other nodes, and all changes."""
        names = list(self.entries)
        for each in (self.entries, self._changed):
            each.clear()
        for name in names:
            self._registry.forget(name)

    def stop(self) -> None:
        """Announce no more."""
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None

    def _tell(self) -> None:
        self._soon = None
        changed, self._changed = self._changed, {}
        for room in changed:
            live_room = self._registry.live_rooms.get(room.name)
            if not self._outbox.is_kept(room):
                self._changed[room] = None
            elif live_room is None:
                self._links.send_all("over", room.name)
            elif live_room.room is room:
                self._links.send_all("is", *self._summary(room))

    def _summary(self, room: Room) -> list[Any]:
        return summary(room, self._registry.seconds(), room.name in self._registry.sought)

    # From other nodes

    def heard_of(self, node_id: NodeId, *words: Any) -> Room:
        """Note a node's announcement of a room; return the room."""
        *said, sought, age = words
        made = self._registry.seconds() - age, next(self._numbers)
        room = self.note(node_id, said, made)
        if sought:
            self._registry.sought.add(room.name)
        if room.name not in self._registry.live_rooms:
            self._registry.note(room)
        return room

    def heard_of_end(self, node_id: NodeId, name: str) -> None:
        """Forget a node's room that is over."""
        if self.owner(name) != node_id:
            return
        del self.entries[name]
        if name not in self._registry.live_rooms:
            self._registry.forget(name)

    def note(self, node_id: NodeId, words: list[Any], made: tuple[float, int]) -> Room:
        """Apply a node's :func:`summary`; return the room, of which only the summary is true."""
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
        """Return the owner of a room elsewhere, if a node has announced the room."""
        entry = self.entries.get(name)
        return None if entry is None else entry.node_id

    def names(self, node_id: NodeId) -> set[str]:
        """Return the names of a node's rooms."""
        return {name for name, entry in self.entries.items() if entry.node_id == node_id}


def summary(room: Room, now: float, sought: bool) -> list[Any]:
    """Return what other nodes need to know of a room, its age last."""
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

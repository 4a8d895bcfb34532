"""The rooms of other nodes as far as lists show them, in the order in which they were made."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from tictac.lobby.record import dump_terms, load_terms
from tictac.lobby.room import Member, Room
from tictac.lobby.terms import Terms
from tictac.nodes.store import NodeId


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
        terms = _terms(terms_text)
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


@lru_cache(1000)
def _terms(text: str) -> Terms:
    return load_terms(text)

"""A room, and who has to be told of what happens in it."""

from __future__ import annotations

from tictac.lobby.events import OccupantId
from tictac.lobby.interfaces import Occupant
from tictac.lobby.room import Room


class Table:
    """A room, the occupants behind its ids, and since when somebody is waited for.

    ``holds`` says that somebody has gone: only then may a seat be held.
    """

    __slots__ = ("clock", "everybody", "holds", "knowing", "occupants", "room", "since")

    def __init__(self, room: Room, since: float) -> None:
        self.room = room
        self.clock = room.terms.clock
        self.since = since
        self.holds = False
        self.occupants: dict[OccupantId, Occupant] = {}
        self.everybody: tuple[Occupant, ...] = ()
        self.knowing: tuple[Occupant, ...] = ()

    def seat(self, occupant: Occupant) -> None:
        """``occupant`` is told of what happens from now on."""
        self.occupants[occupant.occupant_id] = occupant
        self.everybody = (*self.everybody, occupant)
        if occupant.knows_all:
            self.knowing = (*self.knowing, occupant)

    def unseat(self, occupant: Occupant) -> None:
        """``occupant`` is told nothing more."""
        del self.occupants[occupant.occupant_id]
        self.everybody = tuple(self.occupants.values())
        self.knowing = tuple([each for each in self.everybody if each.knows_all])

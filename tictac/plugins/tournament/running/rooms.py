"""The matches of a tournament as rooms of the lobby.

The tournament seats its players in their order. Viewers may watch. The result of a match arrives
when its room closes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from typing import Protocol

from twisted.internet.defer import Deferred

from tictac.lobby.events import Ended, Position
from tictac.lobby.interfaces import Occupant
from tictac.lobby.registry import Registry
from tictac.lobby.terms import Terms

DOOR = "tournament"
"""The field ``door`` of these rooms, and the first word of their names."""


class WaitingPlayer(Protocol):
    """A player who has come, and waits for a seat."""

    def take_seat(self, room: str) -> Occupant:
        """Return the occupant for the seat in ``room``."""


class TournamentRooms:
    """The rooms of a tournament in ``registry`` (a lobby.interfaces.Watcher), with ``terms``.

    ``later`` calls a function after a number of seconds.
    """

    def __init__(self, registry: Registry, terms: Terms, later: Callable[..., object]) -> None:
        self.registry = registry
        self.terms = replace(terms, door=DOOR)
        self._later = later
        self._ends: dict[str, Deferred[Ended]] = {}
        registry.observers.append(self)

    def name_of(self, number: int) -> str:
        """Return a free name for the room of a match: its number, and more if that is taken."""
        names = (f"{DOOR} {number}" + (f"-{again}" if again else "") for again in count())
        return next(name for name in names if self.registry.room(name) is None)

    def seat(
        self, name: str, guests: Sequence[WaitingPlayer], start: Position, clock: bool = True
    ) -> Deferred[Ended]:
        """Begin a match in a new room, from ``start``, with the first guest in seat 0.

        Return a Deferred that fires with the end of the match.
        """
        ended: Deferred[Ended] = Deferred()
        self._ends[name] = ended
        terms = self.terms if clock else replace(self.terms, time=None, move_timeout=0)
        first, *others = (guest.take_seat(name) for guest in guests)
        self.registry.create(first, name, terms, start)
        for other in others:
            self.registry.join(other, name, "PLAYER", door=DOOR)
        return ended

    # lobby.interfaces.Watcher, for the rooms of every protocol

    def room_opened(self, name: str, terms: Terms) -> None:
        """Ignore the room: this class itself opens the ones that matter."""

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """Fire the Deferred of the match in the room, if it is one of the tournament."""
        waiting = self._ends.pop(name, None)
        if waiting is not None:
            # Later, so that the registry sends the end to the players first.
            self._later(0, waiting.callback, ended)

"""The matches of a tournament as rooms of the lobby: whoever has come is seated, in its order.

Others may watch. What comes of a match is told when its room closes.
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
"""The door of these rooms, and what their names begin with."""


class WaitingPlayer(Protocol):
    """Somebody who has come to play, and waits for a seat."""

    def take_seat(self, room: str) -> Occupant:
        """Who takes the seat in that room."""


class TournamentRooms:
    """Makes the rooms of ``registry`` (a lobby.interfaces.Watcher), on terms like ``terms``.

    ``later`` calls after so many seconds.
    """

    def __init__(self, registry: Registry, terms: Terms, later: Callable[..., object]) -> None:
        self.registry = registry
        self.terms = replace(terms, door=DOOR)
        self._later = later
        self._ends: dict[str, Deferred[Ended]] = {}
        registry.observers.append(self)

    def name_of(self, number: int) -> str:
        """What the room of that match is called: its number, and more if there is such a room."""
        names = (f"{DOOR} {number}" + (f"-{again}" if again else "") for again in count())
        return next(name for name in names if self.registry.room(name) is None)

    def seat(
        self, name: str, guests: Sequence[WaitingPlayer], start: Position, clock: bool = True
    ) -> Deferred[Ended]:
        """Let a match begin in a new room, from ``start``, the first guest in seat 0; fires with
        its end."""
        ended: Deferred[Ended] = Deferred()
        self._ends[name] = ended
        terms = self.terms if clock else replace(self.terms, time=None, move_timeout=0)
        first, *others = (guest.take_seat(name) for guest in guests)
        self.registry.create(first, name, terms, start)
        for other in others:
            self.registry.join(other, name, "PLAYER", door=DOOR)
        return ended

    # As a Watcher, told of the rooms of every door

    def room_opened(self, name: str, terms: Terms) -> None:
        """Those of this door are made here."""

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """Tell whoever waits for that."""
        waiting = self._ends.pop(name, None)
        if waiting is not None:
            # Not while the registry is at work: the players are told of the end first.
            self._later(0, waiting.callback, ended)

"""Rooms for those whom a door has chosen, and how their matches end.

A door without a list of rooms seats whoever comes: it makes a room when all are there.
"""

from __future__ import annotations

from collections import Counter
from itertools import count
from typing import Generic, TypeVar

from tictac.lobby.events import Ended
from tictac.lobby.interfaces import Occupant
from tictac.lobby.registry import Registry
from tictac.lobby.terms import Terms

P = TypeVar("P", bound=Occupant)


class DirectMatches(Generic[P]):
    """Makes the rooms of a door on the same ``terms``, and counts their ends (a Watcher).

    ``endings`` has a number for each word.
    """

    def __init__(self, registry: Registry, terms: Terms) -> None:
        self.registry = registry
        self.terms = terms
        self.endings: Counter[str] = Counter()
        self._numbers = count(1)
        self._matches: dict[str, tuple[Occupant, ...]] = {}
        self._leaving = ""
        registry.observers.append(self)

    def seat(self, *players: Occupant, terms: Terms | None = None) -> None:
        """Begin a match of these in a room of their own, on ``terms`` or the usual ones."""
        registry, door = self.registry, self.terms.door
        name = next(n for i in self._numbers if registry.room(n := f"{door} {i}") is None)
        self._matches[name] = players
        registry.create(players[0], name, terms or self.terms)
        for player in players[1:]:
            registry.join(player, name, "PLAYER", door=door)

    def leave(self, player: P, ending: str) -> None:
        """``player`` has gone, for good: nobody here has an account to come back by.

        In a match the other one has won, which is counted as ``ending``.
        """
        self._leaving = ending
        self.registry.leave(player, for_good=True)

    def expire(self) -> None:
        """End the matches in which nobody has moved for too long."""
        self.registry.expire(0, 0)

    def finish(self) -> None:
        """Begin no more matches that a stop would have to wait for."""

    def running(self) -> int:
        """How many matches have begun and aren't over."""
        return len(self._matches)

    def won(self, winner: Occupant) -> None:
        """Note who has won, before anybody is told."""

    # As a Watcher, told of the rooms of every door

    def room_opened(self, name: str, terms: Terms) -> None:
        """Those of this door are made here."""

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """Count the match, if it was one of these."""
        players = self._matches.pop(name, None)
        if players is None:
            return
        self.endings[self._leaving if ended.ending == "left" else ended.ending] += 1
        if ended.seat is not None:
            self.won(players[ended.seat])

"""Rooms for players whom a protocol has matched, and the ends of their matches.

A protocol without a list of rooms seats players as they connect. It makes a room when all players
of a match are present.
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
    """Makes the rooms of a protocol on the same ``terms``, and counts their ends (RoomObserver).

    ``endings`` has the number of matches for each ending.
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
        """Begin a match of these players in a new room, on ``terms`` or the usual ones."""
        registry, protocol = self.registry, self.terms.protocol
        name = next(n for i in self._numbers if registry.room(n := f"{protocol} {i}") is None)
        self._matches[name] = players
        registry.create(players[0], name, terms or self.terms)
        for player in players[1:]:
            registry.join(player, name, "PLAYER", seated_by=protocol)

    def leave(self, player: P, ending: str) -> None:
        """Take ``player`` out of their room for good: guests can't rejoin.

        The other player wins a running match, which is counted as ``ending``.
        """
        self._leaving = ending
        self.registry.leave(player, for_good=True)

    def expire(self) -> None:
        """End the matches in which a move is overdue."""
        self.registry.expire(0, 0)

    def finish(self) -> None:
        """Begin no more matches that a shutdown would have to wait for."""

    def running(self) -> int:
        """Return the number of running matches."""
        return len(self._matches)

    def won(self, winner: Occupant) -> None:
        """Note the winner of a match, before the players receive the result."""

    # RoomObserver, of the rooms of every protocol

    def room_opened(self, name: str, terms: Terms) -> None:
        """Do nothing: :meth:`seat` makes the rooms of this protocol."""

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """Count the match if it is one of these."""
        players = self._matches.pop(name, None)
        if players is None:
            return
        self.endings[self._leaving if ended.ending == "left" else ended.ending] += 1
        if ended.seat is not None:
            self.won(players[ended.seat])

"""Whoever connects next plays whoever waits: each pair gets a room of its own.

Source: session.md. It knows no connection and no clock; the rooms are the registry's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Protocol

from tictac.lobby.events import Ended
from tictac.lobby.interfaces import Occupant
from tictac.lobby.registry import MemoryRegistry
from tictac.lobby.room import USUAL_TERMS, Terms

DOOR = "session"


class Player(Occupant, Protocol):
    """Somebody who is connected, and told of a match as an Occupant.

    ``why`` is the code of what it was thrown out for, or empty.
    """

    why: str
    opponent: Player | None

    def has_gone(self) -> bool:
        """Whether its connection is lost, though nobody has said so yet."""

    def send(self) -> None:
        """Send what it was told."""


class Seating:
    """Makes the rooms of sessions in ``registry``, and counts how their matches end (a Watcher).

    ``move_timeout`` is the seconds for a move, 0: any.
    """

    def __init__(self, registry: MemoryRegistry, move_timeout: float) -> None:
        self.registry = registry
        self.move_timeout = move_timeout
        self.endings: Counter[str] = Counter()
        self._terms = replace(USUAL_TERMS, door=DOOR, move_timeout=move_timeout)
        self._numbers = count(1)
        self._waiting: Player | None = None
        self._matches: dict[str, tuple[Player, Player]] = {}
        registry.watchers.append(self)

    def enter(self, player: Player) -> bool:
        """Seat ``player`` in a match; False: it waits for an opponent."""
        first, self._waiting = self._waiting, None
        if first is None or first.has_gone():
            self._waiting = player
            return False
        name = next(name for name in self._names() if self.registry.room(name) is None)
        self._matches[name] = first, player
        first.opponent, player.opponent = player, first
        self.registry.create(first, name, self._terms)
        self.registry.join(player, name, "PLAYER", door=DOOR)
        return True

    def leave(self, player: Player) -> None:
        """``player`` has gone, for good: nobody here has an account to come back by."""
        if self._waiting is player:
            self._waiting = None
        self.registry.leave(player, for_good=True)

    def expire(self) -> None:
        """End the matches in which nobody has moved for too long."""
        self.registry.expire(0, 0)

    def running(self) -> int:
        """How many matches have begun and aren't over."""
        return len(self._matches)

    def _names(self) -> Iterator[str]:
        return (f"{DOOR} {number}" for number in self._numbers)

    # As a Watcher

    def room_opened(self, name: str, terms: Terms) -> None:
        """Those of sessions are made here."""

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """Count a match by the word for its end."""
        players = self._matches.pop(name, ())
        if players:
            thrown_out = ended.ending == "left" and any(player.why for player in players)
            self.endings["refused" if thrown_out else ended.ending] += 1

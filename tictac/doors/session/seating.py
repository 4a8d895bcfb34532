"""Whoever connects next plays whoever waits: each pair gets a room of its own.

Source: session.md. It knows no connection and no clock; the rooms are the registry's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from tictac.lobby.interfaces import Occupant
from tictac.lobby.registry import MemoryRegistry
from tictac.lobby.seating import Seating
from tictac.lobby.terms import USUAL_TERMS

DOOR = "session"


class Player(Occupant, Protocol):
    """Somebody who is connected, and told of a match as an Occupant."""

    opponent: Player | None

    def has_gone(self) -> bool:
        """Whether its connection is lost, though nobody has said so yet."""

    def send(self) -> None:
        """Send what it was told."""


class Pairs(Seating[Player]):
    """Seats each two who come one after the other. A move may take ``move_timeout``, 0: any."""

    def __init__(self, registry: MemoryRegistry, move_timeout: float) -> None:
        super().__init__(registry, replace(USUAL_TERMS, door=DOOR, move_timeout=move_timeout))
        self._waiting: Player | None = None

    def enter(self, player: Player) -> bool:
        """Seat ``player`` in a match; False: it waits for an opponent."""
        first, self._waiting = self._waiting, None
        if first is None or first.has_gone():
            self._waiting = player
            return False
        first.opponent, player.opponent = player, first
        self.seat(first, player)
        return True

    def leave(self, player: Player, ending: str) -> None:
        """``player`` has gone, perhaps while it waits."""
        if self._waiting is player:
            self._waiting = None
        super().leave(player, ending)

"""What happens at the tables of a game for two, as values, and what decides about it.

For protocols that seat whoever comes (nim.md, session.md); rooms have events of their own.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Protocol

from tictac.errors import Refusal

PlayerId = int

Ending = Literal["won", "drawn", "forfeited", "left", "timed out", "refused"]
"""How a match ended: the word that is counted."""


class Told(NamedTuple):
    """``to`` is told ``message``, a value of the game's wire.py."""

    to: PlayerId
    message: Any


class Closed(NamedTuple):
    """``to`` is out, for the reason of ``refusal`` if there is one. Nothing follows."""

    to: PlayerId
    refusal: Refusal | None = None


class Ended(NamedTuple):
    """A match is over."""

    ending: Ending


Event = Told | Closed | Ended


class Host(Protocol):
    """Decides who plays whom and what a request leads to. Knows no connection and no clock."""

    def enter(self, player: PlayerId) -> list[Event]:
        """A player, of a number that is new, has come."""

    def leave(self, player: PlayerId, ending: Ending) -> list[Event]:
        """A player has gone; one that is gone already is nothing."""

    def awaits(self, player: PlayerId) -> bool:
        """Whether the player is to move."""

    def running(self) -> int:
        """How many matches have begun and aren't over."""

"""A person who plays against the computer, and an engine that mustn't be asked."""

from __future__ import annotations

from typing import Any

from tests.lobby import told
from tictac.games.tictactoe.rules import Rules
from tictac.lobby.events import Ended, Event, Placed
from tictac.testing import server as testing

RULES = Rules()


class NoEngine:
    """There is no slow level to think at."""

    def think(self, *question: object) -> Any:
        raise AssertionError(f"nobody thinks about {question}")


class Guest(testing.Guest):
    """Somebody who plays against the house."""

    supports_all_events = False

    def has(self, kind: type[Event]) -> bool:
        """Return whether the last event is of this class."""
        return isinstance(self.events[-1], kind)

    def board(self) -> str:
        """Return the board of the last event."""
        boards = [event.position for event in self.events if isinstance(event, Placed | Ended)]
        return boards[-1] if boards else RULES.initial()

    def place(self, cell: int) -> None:
        self.registry.place(self, told.text_of(cell))

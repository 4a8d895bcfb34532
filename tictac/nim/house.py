"""Nim against the server's own player, which plays perfectly: a table for each who comes.

For those who don't want to wait for somebody (docs/web.md). The player begins each match, so
that there is mostly a way to win it.
"""

from __future__ import annotations

from random import Random

from tictac.accounts.names import COMPUTER
from tictac.errors import AlreadyPlaying
from tictac.games.nim.game import choose
from tictac.lobby.events import Event, Placed
from tictac.lobby.registry import MemoryRegistry
from tictac.lobby.terms import Terms
from tictac.nim.seating import NimSeating, Player


class HouseTables(NimSeating):
    """Each `play` begins a match against the house. Who has won may send another one."""

    def __init__(self, registry: MemoryRegistry, terms: Terms, dice: Random) -> None:
        super().__init__(registry, terms)
        self._dice = dice

    def play(self, player: Player) -> None:
        """`play`: the next match begins with the player's turn."""
        if player.room:
            raise AlreadyPlaying("a play in a match")
        player.takes_part = True
        if not self._finishing:
            self.seat(player, House(self.registry, self.terms, self._dice))


class House:
    """The house at one table: it answers each move at once."""

    knows_all = False

    def __init__(self, registry: MemoryRegistry, terms: Terms, dice: Random) -> None:
        self.occupant_id = registry.new_occupant_id()
        self.user: str | None = COMPUTER
        self._registry = registry
        self._terms = terms
        self._dice = dice

    def receive(self, event: Event) -> None:
        """Answer a move with a move (interfaces.Occupant)."""
        if isinstance(event, Placed) and event.turn == 1:
            game, best = self._terms.game, self._terms.kind.levels[-1]
            move = choose(game, event.position, best, lambda: False, self._dice)  # type: ignore[arg-type]
            self._registry.place(self, move)

    def wait(self) -> None:
        """The registry of the lobby never waits (interfaces.Occupant)."""

    def release(self) -> None:
        """See :meth:`wait`."""

    def close(self) -> None:
        """Leave the table."""
        self._registry.leave(self, for_good=True)

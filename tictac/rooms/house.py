"""The house player: takes the second seat where nobody else does.

It is told of new rooms by the registry, and sits in each as an occupant like any other.
Source: rooms.md, "The computer".
"""

from __future__ import annotations

from random import Random

from twisted.internet.interfaces import IDelayedCall, IReactorTime

from tictac.accounts.names import COMPUTER
from tictac.games.tictactoe import opponent
from tictac.games.tictactoe.rules import Board, O
from tictac.rooms.events import Ended, Event, Placed, Refused
from tictac.rooms.registry import Registry
from tictac.rooms.room import RULES

USER = COMPUTER
THINKS = 0.3
"""Seconds until it answers a move: a person sees their own move first."""


class HousePlayer:
    """Sends a computer player to rooms that have waited ``patience`` seconds for one.

    To those whose name begins with ``computer`` it goes at once; with a patience of None,
    to no others.
    """

    def __init__(
        self, registry: Registry, clock: IReactorTime, patience: float | None, dice: Random
    ) -> None:
        opponent.prepare(RULES)
        self._registry = registry
        self._clock = clock
        self._patience = patience
        self._dice = dice
        self._coming: dict[str, IDelayedCall] = {}

    def room_opened(self, name: str) -> None:
        """Go there in a while (registry.Watcher)."""
        delay = 0 if name.startswith(USER) else self._patience
        if delay is not None:
            # A room of that name may have closed on another node.
            self._stay(name)
            self._coming[name] = self._clock.callLater(delay, self._enter, name)

    def room_closed(self, name: str, users: tuple[str, ...], ended: Ended) -> None:
        """Don't go to the next room of that name before its time."""
        self._stay(name)

    def _stay(self, name: str) -> None:
        coming = self._coming.pop(name, None)
        if coming is not None:
            coming.cancel()

    def stop(self) -> None:
        """Go nowhere any more."""
        for coming in self._coming.values():
            coming.cancel()
        self._coming.clear()

    def _enter(self, name: str) -> None:
        # A refusal (somebody else was faster) needs no answer.
        del self._coming[name]
        player = ComputerOccupant(self._registry, self._clock, self._dice)
        self._registry.join(player, name, "PLAYER")


class ComputerOccupant:
    """The computer in one room. It joins second, so it plays O."""

    def __init__(self, registry: Registry, clock: IReactorTime, dice: Random) -> None:
        self.occupant_id = registry.new_occupant_id()
        self.user: str | None = USER
        self._registry = registry
        self._clock = clock
        self._dice = dice
        self._thinking: IDelayedCall | None = None

    def receive(self, event: Event) -> None:
        """Answer a move with a move (registry.Occupant)."""
        match event:
            case Placed(board=board) if RULES.to_move(board) == O:
                self._thinking = self._clock.callLater(THINKS, self._place, board)
            case Ended() | Refused(request="join"):
                self.close()

    def wait(self) -> None:
        """It asks nothing before it is answered anyway (registry.Occupant)."""

    def release(self) -> None:
        """It waits for an event, not for this."""

    def close(self) -> None:
        """Play no more, and leave nothing behind."""
        if self._thinking is not None:
            self._thinking.cancel()
            self._thinking = None
        self._registry.leave(self)

    def _place(self, board: Board) -> None:
        self._thinking = None
        row, column = divmod(opponent.choose(RULES, board, self._dice), RULES.cols)
        self._registry.place(self, (column, row))

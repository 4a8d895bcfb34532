"""When the computer moves: a moment after it is its turn."""

from __future__ import annotations

from collections.abc import Callable

from twisted.internet.interfaces import IDelayedCall, IReactorTime

from tictac.games.tictactoe import opponent
from tictac.games.tictactoe.rules import O, Rules
from tictac.mug.computer import is_to_move
from tictac.mug.room import Room

THINKS = 0.3
"""Seconds until it answers a move: a person sees their own move first."""


class House:
    """Calls ``move`` with a room in which the computer has thought for long enough."""

    def __init__(self, clock: IReactorTime, move: Callable[[Room], None]) -> None:
        self._clock = clock
        self._move = move
        self._thinking: dict[str, IDelayedCall] = {}

    def prepare(self) -> None:
        """Search the usual board, whoever begins, before anybody waits for it."""
        for rules in Rules(), Rules(first=O):
            opponent.prepare(rules)

    def look(self, room: Room) -> None:
        """Begin to think if the computer is waited for in that room."""
        if room.address not in self._thinking and is_to_move(room):
            call = self._clock.callLater(THINKS, self._thought, room)
            self._thinking[room.address] = call

    def stop(self) -> None:
        """Think no more."""
        for call in self._thinking.values():
            call.cancel()
        self._thinking.clear()

    def _thought(self, room: Room) -> None:
        del self._thinking[room.address]
        self._move(room)

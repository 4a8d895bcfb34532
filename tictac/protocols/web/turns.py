"""How many requests of HTTP a listener works off in a turn of the reactor."""

from __future__ import annotations

from collections import deque
from typing import Protocol

from twisted.internet.interfaces import IReactorTime

from tictac.net.chores import chores_of

MESSAGES_A_REQUEST = 16
"""Moves that take at least as long as a request of HTTP."""


class Waiting(Protocol):
    """A connection that waits for its turn."""

    def go_on(self) -> None:
        """Work off requests, for as long as the turn has any left."""


class Turns:
    """Shares each turn of the reactor out among the connections of one listener.

    ``budget`` messages are what a connection of messages may work off in a turn. Here all
    connections together have that: a browser opens many, and a request costs more.
    Those who wait are a chore: what accepting takes of a turn isn't there for them.
    ``left`` is how many requests the turn has left; who finds none joins ``waiting``.
    """

    def __init__(self, clock: IReactorTime, budget: int) -> None:
        self.left = self._requests = max(1, budget // MESSAGES_A_REQUEST)
        self.waiting: deque[Waiting] = deque()
        self._chores = chores_of(clock)

    def spend(self) -> None:
        """A request is worked off. There must be one left."""
        self.left -= 1
        if not self.left:
            self._chores.add(self._next)

    def _next(self) -> None:
        self.left = self._requests
        while self.waiting and self.left:
            self.waiting.popleft().go_on()

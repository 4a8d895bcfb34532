"""A limit of HTTP requests that a listener handles in a turn of the reactor."""

from __future__ import annotations

from collections import deque
from typing import Protocol

from twisted.internet.interfaces import IReactorTime

from tictac.net.chores import chores_of

MESSAGES_A_REQUEST = 16
"""The number of moves that take at least as long as an HTTP request."""


class Waiting(Protocol):
    """A connection that waits for its turn."""

    def go_on(self) -> None:
        """Handle requests while the turn has any left."""


class Turns:
    """Turns of the reactor, each shared by the connections of one listener.

    A connection of messages can handle ``budget`` messages in a turn. Here all connections share
    that budget: a browser opens many, and a request costs more. Waiting connections run as
    :mod:`tictac.net.chores`, which share a turn with accepting. ``left`` is the number of requests
    left in the turn; if there are none, a connection joins ``waiting``.
    """

    def __init__(self, clock: IReactorTime, budget: int) -> None:
        self.left = self._requests = max(1, budget // MESSAGES_A_REQUEST)
        self.waiting: deque[Waiting] = deque()
        self._clock = clock
        self._chores = chores_of(clock)

    def spend(self, rest: float = 0.0) -> None:
        """Count a handled request; at least one must be left. Begin a turn after a ``rest``.

        The rest is for everything else, after a request that takes much longer than others.
        """
        self.left -= 1
        if not self.left and rest:
            self._clock.callLater(rest, self._chores.add, self._next)
        elif not self.left:
            self._chores.add(self._next)

    def _next(self) -> None:
        self.left = self._requests
        while self.waiting and self.left:
            self.waiting.popleft().go_on()

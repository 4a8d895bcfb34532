"""How many requests of HTTP a listener works off: in a turn of the reactor, and of an address."""

from __future__ import annotations

from collections import deque
from typing import Protocol

from twisted.internet.interfaces import IReactorTime

from tictac.net.chores import chores_of
from tictac.net.limits import PeerRate

MESSAGES_A_REQUEST = 16
"""Moves that take at least as long as a request of HTTP."""

REQUESTS_A_WEBSOCKET = 8
"""What making a WebSocket of a connection counts as. It takes as long as some requests, all in one
piece, and a page makes one."""


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


class Pace:
    """Lets requests of an address that come faster than its ``rate`` wait, in their order.

    A browser opens many connections, and whoever is refused makes another: so those of an
    address count together, and none is refused.
    """

    def __init__(self, clock: IReactorTime, rate: PeerRate) -> None:
        self.spend = rate.spend
        self._early = rate.early
        self._clock = clock
        self._waiting: dict[str, deque[Waiting]] = {}

    def holds(self, peer: str, connection: Waiting) -> bool:
        """Whether the address has had its share; then the connection goes on when it may."""
        early = self._early(peer)
        if early <= 0:
            return False
        if peer not in self._waiting:
            self._waiting[peer] = deque()
            self._clock.callLater(early, self._next, peer)
        self._waiting[peer].append(connection)
        return True

    def _next(self, peer: str) -> None:
        line = self._waiting[peer]
        while line and self._early(peer) <= 0:
            line.popleft().go_on()
        if line:
            self._clock.callLater(max(0, self._early(peer)), self._next, peer)
        else:
            del self._waiting[peer]

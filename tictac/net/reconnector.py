"""A person's way to a server: one connection, and another when that was lost.

Source: docs/rooms.md, "Coming back".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from random import Random
from typing import Any, Generic, TypeVar

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.error import ConnectError, ConnectingCancelledError, ConnectionClosed
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from tictac.net.client import ClientConnection

C = TypeVar("C", bound=ClientConnection[Any])
T = TypeVar("T")

PATIENCE = 30.0
"""Seconds after which nobody tries to come back any longer."""

SHORTEST_PAUSE, LONGEST_PAUSE = 0.25, 4.0
"""Seconds, more or less, before the first try and before a late one; in between they double."""

CONNECT_TIMEOUT = 5.0
SEAT_PAUSE = 0.25
"""Seconds between two questions for a seat of which the server doesn't know yet that it is free."""

# An attempt that is cancelled because time is up fails with the third.
_IN_VAIN = (ConnectError, ConnectionClosed, ConnectingCancelledError, OSError, TimeoutError)


def coming_back(why: str | None = None) -> str:
    """What to say to somebody who comes back; ``why`` is why the connection was lost, if known."""
    what = why or "the connection to the server was lost"
    return f"{what[0].upper()}{what[1:]}. Coming back, for up to {PATIENCE:g} seconds..."


class NoWayBack(Exception):
    """The connection is lost, and there will be no other; ``str()`` says what happened."""

    def __init__(self, what: str = "lost the connection to the server") -> None:
        super().__init__(what)


class Reconnector(Generic[C]):
    """A person's ``client``, through which requests go; :meth:`reconnect` gives it a new one.

    ``connect`` makes one; None: there is no way back. ``rng`` keep those who were cut off
    together from coming back together.
    """

    def __init__(
        self, client: C, clock: IReactorTime, connect: Callable[[], Deferred[C]] | None, rng: Random
    ) -> None:
        self.client = client
        self._clock = clock
        self._connect = connect
        self._rng = rng
        self._tries = 0
        self._back_since = 0.0

    @property
    def leads_back(self) -> bool:
        """Whether :meth:`reconnect` is worth a try."""
        return self._connect is not None

    async def reconnect(self, take_up: Callable[[C, float], Coroutine[Deferred[Any], Any, T]]) -> T:
        """Connect again, and give what ``take_up`` makes of the new connection.

        That logs in and takes a place; it gets the time at which it is to give up, too. Raises
        :class:`NoWayBack` when all that has failed for ``PATIENCE`` seconds, and what else
        ``take_up`` raises.
        """
        clock = self._clock
        give_up = clock.seconds() + PATIENCE
        if clock.seconds() - self._back_since > PATIENCE:
            self._tries = 0
        while True:
            await self._sleep(min(self._pause(), give_up - clock.seconds()))
            left = give_up - clock.seconds()
            if left <= 0:
                raise NoWayBack
            trying = Deferred.fromCoroutine(self._try(take_up, give_up))
            with suppress(*_IN_VAIN):
                return await trying.addTimeout(left, clock)

    async def insist(
        self, ask: Callable[[], Awaitable[T]], in_vain: Callable[[T], bool], give_up: float
    ) -> T:
        """Ask for a seat until it is given, or refused for another reason, or time is up.

        The server may not know yet that the connection which had it is lost.
        """
        answer = await ask()
        while in_vain(answer) and self._clock.seconds() + SEAT_PAUSE < give_up:
            await self._sleep(SEAT_PAUSE)
            answer = await ask()
        return answer

    async def _sleep(self, seconds: float) -> None:
        await deferLater(self._clock, max(seconds, 0))

    def _pause(self) -> float:
        doubled = SHORTEST_PAUSE * 2.0 ** min(self._tries, 10)
        self._tries += 1
        return min(doubled, LONGEST_PAUSE) * (0.5 + self._rng.random())

    async def _try(
        self, take_up: Callable[[C, float], Coroutine[Deferred[Any], Any, T]], give_up: float
    ) -> T:
        assert self._connect is not None
        client = await self._connect().addTimeout(CONNECT_TIMEOUT, self._clock)
        try:
            outcome = await take_up(client, give_up)
        except BaseException:
            client.close()
            raise
        self.client = client
        self._back_since = self._clock.seconds()
        return outcome

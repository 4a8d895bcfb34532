"""The connection of a person to a server, and a new one when it is lost.

Source: docs/reference/rooms.md, "Coming back".
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from random import Random
from typing import Any, Generic, TypeVar

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.error import ConnectError, ConnectingCancelledError, ConnectionClosed
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from tictac.net.client_connection import ClientConnection
from tictac.reactor import Work

C = TypeVar("C", bound=ClientConnection[Any])
T = TypeVar("T")

PATIENCE = 30.0
"""Seconds after which the client stops its attempts to reconnect."""

SHORTEST_PAUSE, LONGEST_PAUSE = 0.25, 2.0
"""Average seconds before the first attempt and before late ones; in between they double."""

LAST_TRY = 0.5
"""Seconds before the end of ``PATIENCE`` at which the last attempt begins."""

CONNECT_TIMEOUT = 5.0
SEAT_PAUSE = 0.25
"""Seconds between two requests for a seat that the server hasn't noticed to be free."""

# A cancelled attempt fails with the third one.
_IN_VAIN = (ConnectError, ConnectionClosed, ConnectingCancelledError, OSError, TimeoutError)


def coming_back(why: str | None = None) -> str:
    """Return the line for a client that reconnects; ``why`` is why the connection was lost."""
    what = why or "the connection to the server was lost"
    return f"{what[0].upper()}{what[1:]}. Coming back, for up to {PATIENCE:g} seconds..."


class NoWayBack(Exception):
    """The connection is lost for good; ``str()`` describes the reason."""

    def __init__(self, what: str = "lost the connection to the server") -> None:
        super().__init__(what)


class Reconnector(Generic[C]):
    """The ``client`` of a person, which sends requests; :meth:`reconnect` replaces it.

    ``connect`` makes a client; None: reconnecting is impossible. ``rng`` spreads the attempts of
    clients that were disconnected together.
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
    def can_reconnect(self) -> bool:
        """Whether :meth:`reconnect` can succeed."""
        return self._connect is not None

    async def reconnect(self, take_up: Callable[[C, float], Work[T]]) -> T:
        """Connect again, and return the result of ``take_up`` for the new connection.

        ``take_up`` logs in and takes a seat. It also gets the time of giving up. Raises
        :class:`NoWayBack` after ``PATIENCE`` seconds without success, and other exceptions of
        ``take_up``.
        """
        clock = self._clock
        give_up = clock.seconds() + PATIENCE
        if clock.seconds() - self._back_since > PATIENCE:
            self._tries = 0
        while True:
            left = give_up - clock.seconds()
            pause = min(self._pause(), left - LAST_TRY)
            await self._sleep(pause if pause > 0 else left)
            left = give_up - clock.seconds()
            if left <= 0:
                raise NoWayBack
            trying = Deferred.fromCoroutine(self._try(take_up, give_up))
            with suppress(*_IN_VAIN):
                return await trying.addTimeout(left, clock)

    async def insist(
        self, ask: Callable[[], Awaitable[T]], in_vain: Callable[[T], bool], give_up: float
    ) -> T:
        """Request a seat until the server grants it, refuses it for another reason, or time is up.

        The server might not know yet that the previous connection in this seat is lost.
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

    async def _try(self, take_up: Callable[[C, float], Work[T]], give_up: float) -> T:
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

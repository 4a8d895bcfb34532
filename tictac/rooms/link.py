"""A person's way to a rooms server: one connection, and another when that was lost.

Source: docs/rooms.md, "Coming back".
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.error import ConnectError, ConnectionClosed
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from tictac.net.client import UnknownMessage
from tictac.rooms.client import RoomsClient
from tictac.rooms.wire import Ack, Answer, Join, Login, Request, format_answer

PATIENCE = 30.0
"""Seconds after which nobody tries to come back any longer."""

SHORTEST_PAUSE, LONGEST_PAUSE = 0.25, 4.0
"""Seconds, more or less, before the first try and before a late one; in between they double."""

CONNECT_TIMEOUT = 5.0
SEAT_PAUSE = 0.25
"""Seconds between two questions for a seat of which the server doesn't know yet that it is free."""

SEAT_TAKEN = 2
"""The status of JOIN for a room whose seats are taken."""

_IN_VAIN = (ConnectError, ConnectionClosed, OSError, TimeoutError)


class NoWayBack(Exception):
    """The connection is lost, and there will be no other; ``str()`` says what happened."""

    def __init__(self, what: str = "lost the connection to the server") -> None:
        super().__init__(what)


class Link:
    """What a person's requests go through; :meth:`come_back` gives it a new connection.

    ``connect`` makes one; None: there is no way back. ``dice`` keep those who were cut off
    together from coming back together.
    """

    def __init__(
        self,
        client: RoomsClient,
        clock: IReactorTime,
        connect: Callable[[], Deferred[RoomsClient]] | None,
        dice: Random,
    ) -> None:
        self._client = client
        self._clock = clock
        self._connect = connect
        self._dice = dice
        self._tries = 0
        self._back_since = 0.0

    def send(self, request: Request) -> None:
        """Send ``request``; what was sent into a lost connection is lost."""
        self._client.send(request)

    def next_answer(self) -> Deferred[Answer]:
        """As :meth:`~tictac.net.client.ClientConnection.next_answer`."""
        return self._client.next_answer()

    def close(self) -> None:
        """Close the connection there is; what was sent still leaves."""
        self._client.close()

    def seconds(self) -> float:
        """The time."""
        return self._clock.seconds()

    def connected_for(self) -> float:
        """Seconds since the connection was made."""
        return self._client.connected_for()

    def quiet_for(self) -> float:
        """Seconds since the server last said something."""
        return self._client.quiet_for()

    @property
    def leads_back(self) -> bool:
        """Whether :meth:`come_back` is worth a try."""
        return self._connect is not None

    async def come_back(self, login: Login, join: Join | None = None) -> Ack:
        """Connect again, log in, and take the place in a room (if ``join`` names one).

        The answer to the last request that was sent for that: LOGIN, if it was refused,
        or JOIN. Raises :class:`NoWayBack` when that has failed for ``PATIENCE`` seconds, and
        :class:`~tictac.net.client.UnknownMessage`.
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
            trying = Deferred.fromCoroutine(self._try(login, join, give_up))
            with suppress(*_IN_VAIN):
                return await trying.addTimeout(left, clock)

    async def _sleep(self, seconds: float) -> None:
        await deferLater(self._clock, max(seconds, 0))

    def _pause(self) -> float:
        doubled = SHORTEST_PAUSE * 2.0 ** min(self._tries, 10)
        self._tries += 1
        return min(doubled, LONGEST_PAUSE) * (0.5 + self._dice.random())

    async def _try(self, login: Login, join: Join | None, give_up: float) -> Ack:
        assert self._connect is not None
        client = await self._connect().addTimeout(CONNECT_TIMEOUT, self._clock)
        try:
            answer = await _ask(client, login)
            if answer.status == 0 and join is not None:
                answer = await self._take_seat(client, join, give_up)
        except BaseException:
            client.close()
            raise
        self._client = client
        self._back_since = self._clock.seconds()
        return answer

    async def _take_seat(self, client: RoomsClient, join: Join, give_up: float) -> Ack:
        answer = await _ask(client, join)
        while answer.status == SEAT_TAKEN and self._clock.seconds() + SEAT_PAUSE < give_up:
            await self._sleep(SEAT_PAUSE)
            answer = await _ask(client, join)
        return answer


async def _ask(client: RoomsClient, request: Login | Join) -> Ack:
    client.send(request)
    answer = await client.next_answer()
    if not isinstance(answer, Ack) or answer.verb != type(request).__name__.upper():
        raise UnknownMessage(format_answer(answer))
    return answer

"""The way to a rooms server, and back into a room of it.

Source: docs/rooms.md, "Coming back".
"""

from __future__ import annotations

from functools import partial

from tictac.doors.rooms.client import RoomsClient
from tictac.doors.rooms.wire import Ack, Answer, Join, Login, Request, format_answer
from tictac.net import link
from tictac.net.client import UnknownMessage

SEAT_TAKEN = 2
"""The status of JOIN for a room whose seats are taken."""


class Link(link.Link[RoomsClient, Answer]):
    """What a person's requests go through; :meth:`come_back` gives it a new connection."""

    def send(self, request: Request) -> None:
        """Send ``request``; what was sent into a lost connection is lost."""
        self.client.send(request)

    async def come_back(self, login: Login, join: Join | None = None) -> Ack:
        """Connect again, log in, and take the place in a room (if ``join`` names one).

        The answer to the last request that was sent for that: LOGIN, if it was refused,
        or JOIN. Raises as :meth:`~tictac.net.link.Link.reconnect`, and
        :class:`~tictac.net.client.UnknownMessage`.
        """

        async def take_up(client: RoomsClient, give_up: float) -> Ack:
            answer = await _ask(client, login)
            if answer.status or join is None:
                return answer
            return await self.insist(
                partial(_ask, client, join), lambda ack: ack.status == SEAT_TAKEN, give_up
            )

        return await self.reconnect(take_up)


async def _ask(client: RoomsClient, request: Login | Join) -> Ack:
    client.send(request)
    answer = await client.next_message()
    if not isinstance(answer, Ack) or answer.verb != type(request).__name__.upper():
        raise UnknownMessage(format_answer(answer))
    return answer

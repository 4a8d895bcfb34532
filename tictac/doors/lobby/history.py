"""Requests of the lobby protocol for matches that have ended. Source: lobby.md, "Requests"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from twisted.internet.defer import Deferred

from tictac.archive.asking import Reader, read_filter
from tictac.doors.lobby import wire
from tictac.errors import Refusal

T = TypeVar("T")


class Asker(Protocol):
    """A connection that may ask."""

    user: str | None

    @property
    def host(self) -> str:
        """Whose turn it takes."""

    def send(self, data: bytes) -> None:
        """Send lines."""

    def wait_for(
        self,
        verb: str,
        asked: Deferred[T],
        answer: Callable[[T], None],
        refuse: Callable[[Refusal], None],
    ) -> None:
        """Answer when ``asked`` is done; until then hand out no further request."""


def ask(asker: Asker, matches: Reader, request: wire.Request) -> None:
    """Answer ``matches`` or ``match``, now or once it is read. Raises a Refusal."""
    if request.do == "match":
        read = matches.match(asker.host, request["match"], asker.user)
        read.addCallback(lambda line: b'{"match":%b}' % line)
    else:
        wanted = read_filter(request.fields)._replace(viewer=asker.user)
        read = matches.page(asker.host, wanted, request["cursor"], request["limit"])
    asker.wait_for(
        request.do,
        read,
        lambda fields: asker.send(wire.answer_with(request.id, fields)),
        lambda refusal: asker.send(wire.error(request.id, refusal)),
    )

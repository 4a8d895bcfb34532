"""The additions of a plug-in to the lobby protocol: requests, acts of admins, news at a login."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol

from tictac.net.logins import LoginConnection
from tictac.protocols.lobby import wire


class Extension(Protocol):
    """A plug-in's part of the protocol, handed to lobby.Lobby.extend.

    ``requests`` and ``units`` are as in wire; requests of the same names as there have these fields
    instead. Strangers can make the requests in ``without_login``; ``acts`` are requests of admins.
    """

    requests: Mapping[str, Mapping[str, wire.Check]]
    units: Mapping[str, int]
    without_login: Collection[str]
    acts: Collection[str]

    def take(self, session: Any, request: wire.Request) -> None:
        """Handle a request of a Session. Raises a Refusal."""

    def logged_in(self, session: Any) -> Mapping[str, Any]:
        """Note the new user of a connection; return what to add to the answer of the login."""

    def gone(self, session: Any) -> None:
        """Note that a connection is lost, or has another user, or none."""

    async def act(
        self, asker: LoginConnection, fields: Mapping[str, Any], is_admin: bool
    ) -> dict[str, Any]:
        """Carry out an act. Raises a Refusal, NotAnAdmin if it isn't for this account."""

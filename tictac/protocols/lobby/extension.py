"""The additions of a plug-in to the lobby protocol: requests, news at a login."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from tictac.protocols.lobby import wire

S = TypeVar("S")
R = TypeVar("R", bound=wire.Request)

Handler = Callable[[Any, Any], Any]
"""Handles a request of a session.Session. Raises a Refusal."""

Handlers = dict[type[wire.Request], Handler]


def on(kind: type[R], handle: Callable[[S, R], object]) -> tuple[type[wire.Request], Handler]:
    """Return an entry of Handlers, for a function that takes requests of this type."""
    return kind, handle


class Extension(Protocol):
    """A plug-in's part of the protocol, handed to lobby.Lobby.extend.

    ``handlers`` has the plug-in's requests. A request replaces the one with the same name, if any.
    """

    handlers: Handlers

    def logged_in(self, session: Any) -> Mapping[str, Any]:
        """Note the new user of a connection; return what to add to the answer of the login."""

    def gone(self, session: Any) -> None:
        """Note that a connection is lost, or has another user, or none."""

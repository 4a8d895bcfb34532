"""The limits of the page for visitors without an account (``--visitors``).

A path below ``/api/`` needs an account, unless :func:`level_of` says otherwise. A browser proves
that its visitor has one by a pass: the answer to a login over the WebSocket has it, and the page
makes it a cookie. The pass of an account stays the same until the process ends. The server ends it
when it closes the connections of the account.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from secrets import token_urlsafe
from typing import Protocol
from urllib.parse import unquote

from twisted.web.server import Request

from tictac.errors import NoSuchRoom
from tictac.protocols.lobby.extension import Handlers
from tictac.protocols.lobby.json_view import Message
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.session import Session
from tictac.protocols.lobby.wire import ALL, INVITED, NONE

COOKIE = b"pass"


def level_of(path: Sequence[str]) -> int:
    """Return the least ``--visitors`` by which a visitor without an account can read a path.

    ``path`` has the parts of a path. Paths of plug-ins that aren't here need an account.
    """
    match path:
        case ["ws", *_] | ["robots.txt"] | [".well-known", "security.txt"]:
            return NONE  # a WebSocket has a check of its own
        case ["api", "games" | "notices" | "privacy", *_]:
            return NONE  # rules, and what the operator says
        case ["api", "openapi.json" | "asyncapi.json"]:
            return NONE
        case ["programs", "login" | "upload" | "state", *_] | ["runner", *_]:
            return NONE  # they have logins of their own
        case ["api", "rooms", _, _] | ["room", _, _, *_]:
            return NONE  # an invitation, by the key in its link
        case ["api", "rooms", _] | ["api", "matches", _] | ["api", "matches", _, "replay"]:
            return INVITED
        case ["api", "tournaments" | "series", _, *_] | ["embed", *_] | ["room", *_]:
            return INVITED
    return ALL


class AccountEvents(Protocol):
    """The function that a server calls with accounts whose connections must close."""

    ended: Callable[[str, str], object]


class Visitors:
    """The limits of requests; and the passes, as a part of the protocol (extension.Extension)."""

    def __init__(self, lobby: Lobby) -> None:
        self._lobby = lobby
        self._passes: dict[str, str] = {}
        self._users: dict[str, str] = {}  # by their passes
        self.handlers: Handlers = {}
        if lobby.visitors < ALL:
            lobby.extend(self)

    def watch(self, accounts: AccountEvents) -> None:
        """End the pass of an account with its connections, from now on."""
        ended = accounts.ended

        def end(user: str, why: str) -> None:
            self._users.pop(self._passes.pop(user, ""), None)
            ended(user, why)

        accounts.ended = end

    def may_see(self, request: Request) -> bool:
        """Return whether the answer to a request can show the content of its path."""
        visitors = self._lobby.visitors
        if visitors == ALL:
            return True
        path = request.path.decode("utf-8", "replace").split("/")[1:]
        if level_of([unquote(part) for part in path]) <= visitors:
            return True
        return self._has_account(request)

    def peek(self, request: Request, name: str, key: str | None) -> Message:
        """Return what an invitation to a room says. Raises NoSuchRoom.

        A link without a key can be guessed, so that it invites to nothing with ``none``.
        """
        about = self._lobby.peek(name, key)
        hides = self._lobby.visitors == NONE and not about["private"]
        if hides and not self._has_account(request):
            raise NoSuchRoom("there is no such room, or it has another key")
        return about

    def _has_account(self, request: Request) -> bool:
        return (request.getCookie(COOKIE) or b"").decode("iso-8859-1") in self._users

    # Extension

    def logged_in(self, session: Session) -> Mapping[str, str]:
        if session.connection.is_visitor or session.user is None:
            return {}
        given = self._passes.setdefault(session.user, token_urlsafe(18))
        self._users[given] = session.user
        return {"pass": given}

    def gone(self, session: Session) -> None:
        pass

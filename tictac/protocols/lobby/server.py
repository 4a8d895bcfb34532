"""The lobby protocol on Twisted: over WebSocket, or on a port shared with another protocol.

Source: lobby.md, "Connecting".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from tictac.errors import AccountRemoved, Banned, Kicked
from tictac.net.budget import KIB, SHARE, SIGN_OF_LIFE
from tictac.net.logins import LoginConnection, LoginFactory
from tictac.protocols.lobby import wire
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.session import MAX_MALFORMED, Session


class LobbyProtocol(LoginConnection):
    """A connection of the lobby protocol: each line is a message."""

    factory: LobbyFactory
    session: Session

    def opened(self) -> None:
        self.session = self.factory.session(self, self.factory.lobby)

    def lineReceived(self, line: bytes) -> None:
        self._sent = 0
        units = self.session.take(line) if line else SIGN_OF_LIFE
        self.pay(units + self._sent // KIB)

    def is_seated(self) -> bool:
        return self.session.seated

    def close_for(self, kind: str) -> None:
        self._send_reason(kind)
        super().close_for(kind)

    def drop_for(self, kind: str) -> None:
        self._send_reason(kind)
        super().drop_for(kind)

    def disconnected(self) -> None:
        super().disconnected()
        self.session.disconnected(self.for_good)

    def send_stopping(self, seconds: float) -> None:
        self.send_lines(wire.line({"event": "stopping", "seconds": seconds}))

    def _send_reason(self, kind: str) -> None:
        """Send the reason for closing, with the limit if there is one."""
        if not self.granted:
            return
        limits = self.factory.limits
        known = {
            "login-timeout": (limits.login_timeout, "no login for {:g} seconds"),
            "idle-timeout": (limits.idle_timeout, "nothing was heard for {:g} seconds"),
            "rate": (self.purse.rate / SHARE, "more than {:g} units per second for a minute"),
            "message-too-long": (self.framing.max_message, "a message has at most {} bytes"),
            "malformed": (MAX_MALFORMED, "{} messages weren't requests"),
            AccountRemoved.code: (None, "the account was removed"),
            Kicked.code: (None, "an admin closed the connection"),
            Banned.code: (None, "you are banned from this server"),
        }
        if kind in known:
            limit, why = known[kind]
            event: dict[str, Any] = {"event": "closing", "reason": kind}
            if limit is not None:
                event["limit"] = limit
            self.send_lines(wire.line({**event, "message": why.format(limit)}))


@dataclass(eq=False, kw_only=True)
class LobbyFactory(LoginFactory):
    """A factory of connections that share a ``lobby``; ``session`` makes the session of each."""

    connection: ClassVar[type[LoginConnection]] = LobbyProtocol
    lobby: Lobby
    session: Callable[[Any, Lobby], Session] = Session

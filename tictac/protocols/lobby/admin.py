"""Administration of a server: list connections and rooms, kick, ban, announce, drain.

Serves `tictac admin` and the web client. Source: accounts.md, "Administer a running server".
"""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from ipaddress import ip_address
from typing import Any

from msgspec.structs import asdict
from twisted.logger import Logger

from tictac.accounts.accounts import Accounts
from tictac.accounts.bans import Ban
from tictac.archive.match import utc_text
from tictac.errors import BadFilter, BadText, Banned, Kicked, NoSuchUser, NotAnAdmin, visible
from tictac.ip_networks import network_of
from tictac.lobby.registry import Registry
from tictac.names import is_given
from tictac.net.connection import ServerConnection
from tictac.net.logins import LoginConnection
from tictac.net.plugin import ProtocolService
from tictac.protocols.lobby import json_view, wire

_log = Logger()

Act = Callable[[LoginConnection, bool], Awaitable[dict[str, Any]]]
"""Carries out an act of a plug-in for a connection, which is an admin's or not."""

MOST = 1000
"""Maximum entries in a list of connections, rooms or bans."""


class Admin:
    """The acts of admins, with an audit line for each.

    ``parts`` returns the plug-ins of this process. ``day_time`` converts a time of the
    connections' clock to UTC. ``utc`` returns the time of day.
    """

    def __init__(
        self,
        accounts: Accounts,
        registry: Registry,
        parts: Callable[[], Sequence[ProtocolService]],
        day_time: Callable[[float], str],
        utc: Callable[[], float],
    ) -> None:
        self._accounts = accounts
        self._registry = registry
        self._parts = parts
        self._day_time = day_time
        self._utc = utc

    def start(self) -> None:
        """Enforce bans in every plug-in, and close connections that accounts report as ended."""
        self._accounts.ended = self._end_user
        self._accounts.banned = self._end_banned
        for part in self._parts():
            for factory in part.factories:
                limit = getattr(factory, "connection_limit", None)
                if limit is not None:
                    limit.is_banned = self._accounts.bans.has_address

    def _note(self, asker: LoginConnection, act: str) -> None:
        who = "the operator" if asker.is_operator else repr(asker.user)
        _log.info("admin: {who} at {address}: {act}", who=who, address=asker.host, act=act)

    async def key(self, asker: LoginConnection, name: str, key: str | None) -> str | None:
        """Return the key of a room if ``asker`` is an admin, otherwise ``key``."""
        room = self._registry.room(name)
        if room is None or not await self._is_admin(asker):
            return key
        self._note(asker, f"watch, room {name!r}")
        return room.terms.key

    async def _is_admin(self, asker: LoginConnection) -> bool:
        return asker.is_operator or await self._accounts.is_admin(asker.user or "")

    async def ask(
        self, asker: LoginConnection, request: wire.AdminRequest, other: Act | None = None
    ) -> dict[str, Any]:
        """Carry out the act of a request, ``other`` if it isn't one of these. Raises a Refusal."""
        act, given = request.act, {**asdict(request), "act": None, "id": None}
        is_admin = await self._is_admin(asker)
        if other is None and (not is_admin or (act == "drain" and not asker.is_operator)):
            raise NotAnAdmin("only admins can do this")
        words = [f"{name} {value!r}" for name, value in given.items() if value is not None]
        self._note(asker, ", ".join([act, *words]))
        if other is not None:
            return await other(asker, is_admin)
        match act:
            case "on":
                return _most("on", self._on())
            case "rooms":
                return _most("rooms", self._rooms())
            case "bans":
                return _most("bans", map(_ban_json, self._accounts.bans.active()))
            case "announce":
                return {"told": self._announce(request.text)}
            case "drain":
                signal.raise_signal(signal.SIGTERM)
                return {}
        return await self._act_on_somebody(act, request)

    async def _act_on_somebody(self, act: str, request: wire.AdminRequest) -> dict[str, Any]:
        user, address, seconds = request.user, request.address, request.seconds or 0
        if (user is None) is (address is None):
            raise BadFilter(f"{act} needs a user or an address")
        if not 0 <= seconds < 10**10:
            raise BadFilter("seconds are from 0, which is forever")
        if act == "kick":
            return {"ended": await self._kick(user, address)}
        ban = (
            Ban("user", user, 0)
            if user is not None
            else Ban("address", network_of(address or ""), 0)
        )
        if act == "ban":
            if address is not None:
                _check_ip(address)
            until = int(self._utc()) + seconds if seconds else 0
            await self._accounts.ban(ban._replace(until=until))
        elif not await self._accounts.unban(ban.kind, ban.name):
            raise NoSuchUser(f"'{visible(ban.name)}' isn't banned")
        return {}

    async def _kick(self, user: str | None, address: str | None) -> int:
        """Close an account's connections on every server, or those of an address or guest here.

        Return the number of them on this server.
        """
        theirs = [each for each in self._connections() if _is(each, user, address)]
        if user is not None and (not theirs or not is_given(user)):
            await self._accounts.kick(user)
        else:
            for connection in theirs:
                _end(connection, Kicked.code)
        return len(theirs)

    # Lists

    def _with_parts(self) -> list[tuple[ServerConnection, ProtocolService]]:
        """Return all connections, each with its part."""
        factories = [(factory, part) for part in self._parts() for factory in part.factories]
        every = [(each, part) for factory, part in factories for each in factory.connections]
        return [(each, part) for each, part in every if isinstance(each, ServerConnection)]

    def _connections(self) -> list[ServerConnection]:
        return [connection for connection, _ in self._with_parts()]

    def _on(self) -> Iterator[dict[str, Any]]:
        for connection, part in self._with_parts():
            is_json = getattr(connection, "session", None) is not None
            yield {
                "user": getattr(connection, "user", None),
                "address": connection.host,
                "door": connection.factory.protocol_name or ("lobby" if is_json else part.what),
                "since": self._day_time(connection.since),
            }

    def _rooms(self) -> Iterator[dict[str, Any]]:
        for room in self._registry.known_rooms():
            players = [member.user for member in room.players]
            yield {
                "room": room.name,
                "game": room.terms.game_type.name,
                "players": [*players, *[None] * (room.terms.seats - len(players))],
                "viewers": len(room.viewers),
                "begun": room.begun,
                "private": room.terms.key is not None,
                "door": room.terms.protocol,
                **json_view.computers(room),
            }

    # Acts

    def _announce(self, text: str | None) -> int:
        """Send a text to every connection of the lobby protocol; return their number."""
        if not text:
            raise BadText("an announcement has a text")
        text = wire.read_said(text)
        sessions = [getattr(each, "session", None) for each in self._connections()]
        receivers = [session for session in sessions if session is not None]
        for session in receivers:
            session.send(wire.line({"event": "announced", "text": text}))
        return len(receivers)

    def _end_user(self, user: str, why: str) -> None:
        for connection in self._connections():
            if _is(connection, user, None):
                _end(connection, why)

    def _end_banned(self) -> None:
        bans = self._accounts.bans
        for connection in self._connections():
            if bans.has_address(connection.host):
                _end(connection, Banned.code)


def _most(name: str, found: Iterable[dict[str, Any]]) -> dict[str, Any]:
    listed = list(found)
    return {name: listed[:MOST], "count": len(listed)}


def _ban_json(ban: Ban) -> dict[str, Any]:
    return {ban.kind: ban.name, "until": utc_text(ban.until) if ban.until else None}


def _is(connection: ServerConnection, user: str | None, address: str | None) -> bool:
    if user is not None:
        return getattr(connection, "user", None) == user
    return connection.network == network_of(address or "")


def _check_ip(address: str) -> None:
    """Raise BadFilter for the name that all clients of a Unix socket share, or for another text."""
    try:
        ip_address(address)
    except ValueError:
        raise BadFilter(f"{address!a:.60} isn't an IP address") from None


def _end(connection: Any, why: str) -> None:
    """Close a connection, and release its seats."""
    end = getattr(connection, "end_login", connection.close_for)
    end(why)

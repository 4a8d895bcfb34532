"""The options of the XMPP service.

Twisted's XMPP is large, so the service's modules are imported only when an option asks for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING

from tictac import options as read
from tictac.errors import SetupError
from tictac.net.settings import RoomsOptions, ServerOptions
from tictac.options import option
from tictac.runtime import Runtime, ServerPlugin

if TYPE_CHECKING:
    from tictac.plugins.xmpp.gateway import Gateway, Player
    from tictac.plugins.xmpp.server import MugServer, MugService
    from tictac.protocols.lobby.json_view import Message
    from tictac.protocols.lobby.lobby import Lobby


@dataclass(frozen=True)
class XmppOptions:
    """XMPP."""

    xmpp_server: str = option("tcp:127.0.0.1:5347", "Endpoint of the XMPP server.")
    xmpp_secret_file: str | None = option(None, "File with the secret of the component.")
    xmpp_max_rooms: int = option(1000, "Maximum rooms at a time.")
    xmpp_rooms_per_user: int = option(10, "Maximum rooms of one owner.")
    xmpp_max_occupants: int = option(50, "Maximum occupants of a room.")
    xmpp_pace: float = option(1.0, "Seconds between two messages of a room to a chat client.")
    xmpp_page: int = option(100, "Maximum rooms in a list or search.")
    xmpp_chat_timeout: float = option(86400.0, "Seconds until a silent chat leaves.")
    xmpp_link_days: int = option(
        365, "Days until an unused link of an account ends; 0: never.", read.count
    )
    xmpp_retry_max: float = option(300.0, "Maximum seconds between attempts to connect.")


def _make(domains: Sequence[str], runtime: Runtime) -> MugService:
    from tictac.plugins.xmpp.addresses import parse
    from tictac.plugins.xmpp.gateway import Gateway, XmppSettings
    from tictac.plugins.xmpp.server import MugService

    if len(set(domains)) != 1:
        raise SetupError("there can be one --xmpp-component")
    try:
        address = parse(domains[0])
        if str(address) != address.domain:
            raise ValueError("it must be a domain alone")
    except ValueError as error:
        raise SetupError(f"{domains[0]} isn't a name for a component: {error}") from None
    options, rooms_options = runtime.settings[XmppOptions], runtime.settings[RoomsOptions]
    server = runtime.settings[ServerOptions]
    settings = XmppSettings(
        domain=address.domain,
        server=options.xmpp_server,
        secret=_secret(options.xmpp_secret_file),
        max_rooms=options.xmpp_max_rooms,
        rooms_per_user=options.xmpp_rooms_per_user,
        max_occupants=options.xmpp_max_occupants,
        max_events=rooms_options.max_room_events,
        budget=server.budget,
        budget_burst=server.budget_burst,
        pace=options.xmpp_pace,
        page=options.xmpp_page,
        chat_timeout=options.xmpp_chat_timeout,
        longest_delay=options.xmpp_retry_max,
        link_days=options.xmpp_link_days,
        lobby=rooms_options.lobby,
    )
    registry = runtime.registry
    lobby = runtime.lobby  # its part expires the rooms, and stops the engines
    gateway = Gateway(registry, runtime.reactor, SystemRandom(), runtime.engines, settings)
    gateway.visitors = lobby.visitors
    try:
        service = MugService(gateway, runtime.store("saved rooms"), runtime.accounts)
    except (ValueError, TypeError, LookupError) as error:
        raise SetupError(f"--xmpp-server {settings.server}: {error}") from None
    join_lobby(service.server, gateway, runtime.lobby)
    return service


def join_lobby(server: MugServer, gateway: Gateway, lobby: Lobby) -> None:
    """Let accounts of the lobby protocol link addresses, and move between both."""
    from tictac.plugins.days.mine import MyGames
    from tictac.plugins.privacy.desk import Desk
    from tictac.plugins.xmpp.link_desk import LinkDesk

    def note_player(room: str, user: str, player: Player) -> None:
        lobby.seated[room, user] = player

    async def games(user: str) -> list[Message]:
        found = [each for each in lobby.extensions if isinstance(each, MyGames)]
        return [game for each in found for game in await each.games_of(user)]

    gateway.make_way, gateway.note_player = lobby.make_way, note_player
    server.own.games = games

    def privacy() -> Desk | None:
        return next((each for each in lobby.extensions if isinstance(each, Desk)), None)

    def has_muted(account: str, user: str) -> bool:
        found = privacy()
        return found is not None and found.has_muted(account, user)

    server.own.privacy, gateway.mutes = privacy, has_muted
    server.own.seats = lobby.registry.seats.of
    desk = LinkDesk(server.linking, server.rooms.link)
    lobby.extend(desk)
    lobby.parts["xmpp"] = desk.api


def _secret(path: str | None) -> str:
    if path is None:
        raise SetupError("--xmpp-component needs --xmpp-secret-file")
    try:
        secret = Path(path).read_text("utf-8").strip()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it isn't text"
        raise SetupError(f"{path} can't be read: {reason}") from None
    if not secret:
        raise SetupError(f"{path} is empty")
    return secret


PLUGIN = ServerPlugin(
    port="xmpp-component",
    port_help="Domain of the component, such as games.example.",
    make=_make,
    options=XmppOptions,
    listens=False,
)

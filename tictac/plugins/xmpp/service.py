"""The options of the XMPP service.

Twisted's XMPP is large, so the service's modules are imported only when an option asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from tictac.errors import SetupError
from tictac.net.plugin import ServerPlugin, Shared
from tictac.options import option

if TYPE_CHECKING:
    from tictac.plugins.xmpp.server import MugService


@dataclass(frozen=True)
class XmppOptions:
    """XMPP."""

    xmpp_server: str = option("tcp:127.0.0.1:5347", "Endpoint of the XMPP server.")
    xmpp_secret_file: str | None = option(None, "File with the secret of the component.")
    xmpp_max_rooms: int = option(1000, "Maximum rooms at a time over XMPP.")
    xmpp_rooms_per_user: int = option(10, "Maximum rooms of one owner over XMPP.")
    xmpp_max_occupants: int = option(50, "Maximum occupants of a room over XMPP.")
    xmpp_chat_timeout: float = option(86400.0, "Seconds until a silent chat leaves.")
    xmpp_retry_max: float = option(300.0, "Maximum seconds between attempts to connect.")


def _make(options: Mapping[str, Any], domains: Sequence[str], shared: Shared) -> MugService:
    from tictac.plugins.xmpp.addresses import parse
    from tictac.plugins.xmpp.gateway import Gateway, XmppSettings
    from tictac.plugins.xmpp.server import MugService

    if len(set(domains)) != 1:
        raise SetupError("there can be one --xmpp-component")
    try:
        address = parse(domains[0])
        if str(address) != address.domain:
            raise ValueError("it has more than a domain")
    except ValueError as error:
        raise SetupError(f"{domains[0]} isn't a name for a component: {error}") from None
    settings = XmppSettings(
        domain=address.domain,
        server=options["xmpp-server"],
        secret=_secret(options["xmpp-secret-file"]),
        max_rooms=options["xmpp-max-rooms"],
        rooms_per_user=options["xmpp-rooms-per-user"],
        max_occupants=options["xmpp-max-occupants"],
        max_events=options["max-room-events"],
        budget=options["budget"],
        budget_burst=options["budget-burst"],
        chat_timeout=options["xmpp-chat-timeout"],
        longest_delay=options["xmpp-retry-max"],
        move_timeout=options["move-timeout"],
        wait_timeout=options["wait-timeout"],
        lobby=options["lobby"],
    )
    lobby = shared.lobby()
    # The rooms server expires rooms and has the engines, also if it has no port.
    rooms = shared.part("port")
    gateway = Gateway(lobby, shared.reactor, SystemRandom(), rooms, settings)
    try:
        return MugService(gateway, shared.store("saved rooms"), rooms.registry is not lobby)
    except (ValueError, TypeError, LookupError) as error:
        raise SetupError(f"--xmpp-server {settings.server}: {error}") from None


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

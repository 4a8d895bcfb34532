"""The plug-in of the web client: its options and its service.

The packages that the plug-in needs in addition to Twisted come with the extra ``web``. They are
imported only with ``--web``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tictac.errors import SetupError
from tictac.net.connection import ConnectionFactory, Limits
from tictac.net.plugin import (
    ProtocolService,
    ServerPlugin,
    Shared,
    connection_limits,
    sweep_interval,
)
from tictac.net.running_time import running_time
from tictac.options import option, repeatable
from tictac.protocols.rooms.service import RoomsService
from tictac.protocols.web.origins import read_host, read_origin

if TYPE_CHECKING:
    from twisted.web.resource import Resource

    from tictac.protocols.web.pages import Pages
    from tictac.protocols.web.site import Site
    from tictac.protocols.web.sockets import SocketFactory


@dataclass(frozen=True, slots=True)
class WebSettings:
    """The settings of the web client; times in seconds, 0 for no limit.

    ``origins`` are other origins whose pages can connect, ``hosts`` the names of this server (none:
    any). ``timeout`` is for a request, ``ping`` the silence after which the server pings a
    WebSocket. ``texts`` is a file with the texts. ``turn_budget`` is that of
    :class:`~tictac.net.framing.Framing`.
    """

    ports: Sequence[str]
    limits: Limits
    origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    timeout: float = 20
    ping: float = 30
    texts: str = ""
    turn_budget: int = 16
    eager: bool = True


class WebService(ProtocolService):
    """The web client, whose WebSockets lead to ``rooms``, which closes them."""

    def __init__(self, reactor: Any, settings: WebSettings, rooms: RoomsService) -> None:
        # Imported here, because only --web needs the extra: see the head of the file.
        from tictac.protocols.web.assets import build

        self.sockets: list[SocketFactory] = []
        self._pages: list[Pages] = []
        self._lobby = rooms.lobby
        self._files, rooms.lobby.games = build(settings.texts)
        self._settings = settings
        self._entrances: dict[bytes, Callable[[], ConnectionFactory]] = {
            b"/ws": rooms.new_lobby_entrance,
            b"/ws/rooms": rooms.new_entrance,
        }
        self._clock = reactor
        sweep = sweep_interval(settings.ping)
        super().__init__(reactor, "web", settings.ports, self._make_site, sweep, settings.eager)

    def _make_site(self, proxied: bool) -> Site:
        from tictac.protocols.web.api import Api
        from tictac.protocols.web.pages import Pages
        from tictac.protocols.web.site import Site
        from tictac.protocols.web.sockets import SocketFactory, SocketResource

        settings = self._settings
        sockets = {
            path: SocketFactory(entrance(), settings.origins, self._clock)
            for path, entrance in self._entrances.items()
        }
        self.sockets += sockets.values()
        others: dict[bytes, Resource] = {
            path: SocketResource(factory) for path, factory in sockets.items()
        }
        others[b"/api/"] = Api(self._lobby)
        pages = Pages(self._files, others, settings.hosts, self._lobby.peek)
        self._pages.append(pages)
        return Site(
            pages,
            self._clock,
            running_time.seconds,
            settings.limits,
            settings.timeout,
            settings.turn_budget,
            proxied,
        )

    def add(self, path: bytes, resource: Resource) -> None:
        """Serve another resource at ``path``."""
        for pages in self._pages:
            pages.others[path] = resource

    def expire(self) -> None:
        super().expire()
        if self._settings.ping:
            for factory in self.sockets:
                factory.look(self._settings.ping)


# The options


@dataclass(frozen=True)
class WebOptions:
    """The page."""

    web_timeout: float = option(20.0, "Seconds for a complete HTTP request.")
    web_ping: float = option(30.0, "Seconds of silence before a ping.")
    web_texts: str = option("", "File with the page's texts in another language.")
    web_origin: tuple[str, ...] = repeatable(
        "Origin whose pages can open a WebSocket. Repeatable.", read_origin
    )
    web_host: tuple[str, ...] = repeatable(
        "Name of the server, which refuses others. Repeatable.", read_host
    )


def make_settings(options: Mapping[str, Any], ports: Sequence[str]) -> WebSettings:
    """Return the settings of the web client from the options."""
    return WebSettings(
        ports=ports,
        limits=connection_limits(options, 0, 0),
        origins=tuple(options["web-origin"]),
        hosts=tuple(options["web-host"]),
        timeout=options["web-timeout"],
        ping=options["web-ping"],
        texts=options["web-texts"],
        turn_budget=options["turn-budget"],
        eager=not options["no-eager-send"],
    )


def _make(options: Mapping[str, Any], ports: Sequence[str], shared: Shared) -> WebService:
    try:
        import autobahn  # noqa: F401
    except ImportError:
        raise SetupError(
            "--web needs packages that aren't installed: pip install '.[web]'"
        ) from None
    return WebService(shared.reactor, make_settings(options, ports), shared.part("port"))


PLUGIN = ServerPlugin(
    port="web",
    port_help="Offer the web page on this port, or endpoint string. Repeatable.",
    make=_make,
    options=WebOptions,
)

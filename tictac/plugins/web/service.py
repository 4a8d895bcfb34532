"""The plug-in of the web client: its options and its service.

The packages that the plug-in needs in addition to Twisted come with the extra ``web``. They are
imported only with ``--web``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger

from tictac.errors import Refusal, SetupError
from tictac.net.connection import ConnectionFactory
from tictac.net.plugin import ProtocolService, connection_limits, sweep_interval
from tictac.net.running_time import running_time
from tictac.net.settings import RoomsOptions
from tictac.options import option, positive, repeatable
from tictac.plugins.web.origins import read_host, read_origin
from tictac.protocols.lobby.server import LobbyFactory
from tictac.protocols.rooms.service import framing_of, new_factory
from tictac.runtime import Runtime, ServerPlugin

if TYPE_CHECKING:
    from twisted.web.resource import Resource

    from tictac.plugins.web.assets import File
    from tictac.plugins.web.figures import Figures
    from tictac.plugins.web.pages import Pages
    from tictac.plugins.web.site import Site
    from tictac.plugins.web.websocket import SocketFactory


_log = Logger()

RENEW_EVERY = 3600.0
"""Seconds for which the page keeps what the archive says of the games (figures.py)."""


@dataclass(frozen=True)
class WebOptions:
    """The page."""

    web_timeout: float = option(20.0, "Seconds for a complete HTTP request.")
    web_ping: float = option(30.0, "Seconds of silence before a ping.")
    web_texts: str = option("", "File with the page's texts in another language.")
    web_origin: tuple[str, ...] = repeatable(
        "Origin whose pages can connect and read /api/. Repeatable.", read_origin
    )
    web_host: tuple[str, ...] = repeatable(
        "Name of the server, which refuses others. Repeatable.", read_host
    )
    web_frames: tuple[str, ...] = repeatable(
        "Origin whose pages can show matches in frames. Repeatable.", read_origin
    )
    web_matches: int = option(50, "Matches of a file that /import shows at most.", positive)
    web_index: bool = option(False, "Let search engines list the page.")


@dataclass(frozen=True)
class OtherOptions:
    """Options of other plug-ins that the page needs."""

    public_url: str = ""


class WebService(ProtocolService):
    """The web client, whose WebSockets lead to the lobby of ``runtime``, which closes them."""

    def __init__(self, ports: Sequence[str], runtime: Runtime) -> None:
        # Imported here, because only --web needs the extra: see the head of the file.
        from tictac.plugins.web.assets import build
        from tictac.plugins.web.errands import Errands
        from tictac.plugins.web.files import Imports, Pictures, read_formats
        from tictac.plugins.web.visitors import Visitors

        self.sockets: list[SocketFactory] = []
        self._pages: list[Pages] = []
        self._sites: list[Site] = []
        self._runtime, self._lobby = runtime, runtime.lobby
        self._errands = Errands(runtime.reactor)
        self._pictures = Pictures(self._lobby.matches, self._errands)
        self._options = options = runtime.settings[WebOptions]
        self._imports = Imports(self._errands, options.web_matches)
        self._lobby.parts["formats"] = partial(read_formats, bool(options.web_frames))
        self.visitors = Visitors(self._lobby)
        files, self._lobby.games = build(options.web_texts)
        self._files = {language: dict(some) for language, some in files.items()}
        self._clock = reactor = runtime.reactor
        self._figures: Figures = {}
        self._renew_at = 0.0
        self._renewing: Deferred[object] | None = None
        sweep = sweep_interval(options.web_ping)
        super().__init__(reactor, "web", ports, self._make_site, sweep, runtime.eager)

    def begin(self) -> None:
        from tictac.plugins.web.first_sight import complete_all, served_by

        self._show(complete_all(self._files, served_by(self._lobby, {})))
        self.visitors.watch(self._runtime.accounts)

    def _show(self, pages: Mapping[str, File]) -> None:
        for language, page in pages.items():
            self._files[language][b"/"] = page

    async def _renew_figures(self) -> None:
        """Put what the archive says of the games into the page."""
        from tictac.plugins.web.assets import pack_anew
        from tictac.plugins.web.figures import read_figures
        from tictac.plugins.web.first_sight import complete_all, served_by

        try:
            figures = await read_figures(self._lobby.matches, time.time())
        except Refusal:  # there is no archive, or it is unavailable
            return
        if figures == self._figures:
            return
        served, reactor = served_by(self._lobby, figures), self._runtime.reactor
        # To compress the pages takes a quarter of a second.
        self._show(
            await deferToThreadPool(
                reactor, reactor.getThreadPool(), complete_all, self._files, served, pack_anew
            )
        )
        self._figures = figures

    def _new_entrances(self) -> dict[bytes, ConnectionFactory]:
        """Return a factory for each path of WebSockets, each of whose messages is a line."""
        runtime, service = self._runtime, self._runtime.serve_lobby()
        framing = replace(framing_of(runtime.settings[RoomsOptions]), mode="line")
        lobby = LobbyFactory(
            self._clock, running_time.seconds, framing, service.limits,
            accounts=service.accounts, lobby=service.lobby,
        )  # fmt: skip
        rooms = new_factory(runtime, framing)
        lobby.protocol_name = rooms.protocol_name = "page"
        service.factories += [lobby, rooms]
        return {b"/ws": lobby, b"/ws/rooms": rooms}

    def _make_site(self, proxied: bool) -> Site:
        from tictac.plugins.web.api import Api
        from tictac.plugins.web.pages import Pages, Text
        from tictac.plugins.web.site import Site
        from tictac.plugins.web.websocket import SocketFactory, SocketResource

        options, settings = self._options, self._runtime.settings
        sockets = {
            path: SocketFactory(entrance, options.web_origin, self._clock)
            for path, entrance in self._new_entrances().items()
        }
        self.sockets += sockets.values()
        others: dict[bytes, Resource] = {
            path: SocketResource(factory) for path, factory in sockets.items()
        }
        rule = "Allow" if options.web_index else "Disallow"
        others[b"/robots.txt"] = Text(lambda: f"User-agent: *\n{rule}: /")
        others[b"/api/"] = Api(self._lobby, self.visitors)
        others |= dict.fromkeys([b"/match/*.gif", b"/match/*.png"], self._pictures)
        if options.web_frames:
            from tictac.plugins.web.embed import Embedded

            others[b"/embed/"] = Embedded(self._lobby.matches, options.web_frames)
        url = settings[OtherOptions].public_url
        hosts, origins = options.web_host, options.web_origin
        pages = Pages(self._files, others, hosts, self.visitors, origins, url)
        pages.posts[b"/import"] = self._imports
        self._pages.append(pages)
        site = Site(
            pages,
            self._clock,
            running_time.seconds,
            connection_limits(settings, 0, 0),
            options.web_timeout,
            settings[RoomsOptions].turn_budget,
            proxied,
        )
        site.indexed = options.web_index
        self._sites.append(site)
        return site

    async def end(self) -> None:
        self._errands.stop()
        if self._renewing is not None:
            self._renewing.cancel()
        await super().end()

    def add(
        self, path: bytes, resource: Resource, longest: Callable[[bytes], int] | None = None
    ) -> None:
        """Serve another resource at ``path``; ``longest`` is a function of ``Site.bodies``."""
        for pages in self._pages:
            pages.others[path] = resource
        if longest is not None:
            for site in self._sites:
                site.bodies.append(longest)

    def add_post(self, folder: bytes, resource: Resource) -> None:
        """Serve a resource that gets each POST below a path, such as ``/notice/``."""
        for pages in self._pages:
            pages.posts[folder] = resource

    def expire(self) -> None:
        super().expire()
        if self._renewing is None and self._clock.seconds() >= self._renew_at:
            self._renew_at = self._clock.seconds() + RENEW_EVERY
            self._renewing = Deferred.fromCoroutine(self._renew_figures())
            self._renewing.addErrback(lambda failure: failure.trap(CancelledError))
            self._renewing.addErrback(
                lambda failure: _log.failure("cannot read how often games are played", failure)
            )
            self._renewing.addBoth(self._renewed)
        if self._options.web_ping:
            for factory in self.sockets:
                factory.look(self._options.web_ping)

    def _renewed(self, _: object) -> None:
        self._renewing = None


def _make(ports: Sequence[str], runtime: Runtime) -> WebService:
    try:
        import autobahn  # noqa: F401
    except ImportError:
        raise SetupError(
            "--web needs packages that aren't installed: pip install '.[web]'"
        ) from None
    return WebService(ports, runtime)


PLUGIN = ServerPlugin(
    port="web",
    port_help="Offer the web page on this port, or endpoint string. Repeatable.",
    make=_make,
    options=WebOptions,
)

"""The HTTP side: a site within limits, whose every answer has the headers that keep it safe."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

from twisted.internet.protocol import connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel
from twisted.web.resource import IResource
from twisted.web.server import Request
from twisted.web.server import Site as TwistedSite

from tictac.logs import LIMITED
from tictac.net.connection import LAST_WORDS, Limits
from tictac.net.limits import ConnectionLimit, FirstOnly, peer_name

_log = Logger(observer=LIMITED)

HEADERS = {
    b"server": b"tictac",
    b"content-security-policy": (
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        b"connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
        b"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
"""What every answer says: nothing from elsewhere, no inline code, no frames, no guessing."""


class BodilessRequest(Request):
    """A request that may have no body: nothing here wants one."""

    channel: Channel

    def gotLength(self, length: int | None) -> None:
        # Twisted would make a file for a long one.
        self.content = BytesIO()

    def handleContentChunk(self, data: bytes) -> None:
        self.channel.drop_for("request-body")


class Channel(HTTPChannel):
    """One connection of HTTP/1.1, counted from its beginning until it is a WebSocket or gone."""

    site: Site
    transport: Any  # of TCP, TLS or a proxy's: what of ITCPTransport they have
    since = 0.0
    closing = False
    _counted_as = ""

    @property
    def host(self) -> str:
        """Whom it is counted against, and what log lines name."""
        return peer_name(self.transport.getPeer())

    def connectionMade(self) -> None:
        super().connectionMade()
        self.site.connections.add(self)
        self._counted_as = self.host
        reason = self.site.connection_limit.enter(self._counted_as)
        if reason is not None:
            self._counted_as = ""
            self.drop_for(reason)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self.leave()
        super().connectionLost(reason)

    def leave(self) -> None:
        """It isn't one of HTTP any longer."""
        self.site.connections.discard(self)
        if self._counted_as:
            self.site.connection_limit.leave(self._counted_as)
            self._counted_as = ""

    def timeoutConnection(self) -> None:
        self.drop()

    def close(self) -> None:
        """Send what is written, and close."""
        self.closing = True
        self.since = self.site.seconds()
        self.transport.loseConnection()

    def drop(self) -> None:
        """Close at once."""
        self.transport.abortConnection()

    def drop_for(self, kind: str) -> None:
        """Note a refusal and close at once."""
        self.site.refusals.note(kind, self.host)
        self.drop()


class Site(TwistedSite):
    """A listener of HTTP (net.part.PartFactory).

    ``timeout`` is how many seconds a connection may be silent between or in requests.
    """

    protocol: Any = Channel
    noisy = False

    def __init__(
        self,
        resource: IResource,
        reactor: Any,
        seconds: Callable[[], float],
        limits: Limits,
        timeout: float,
        proxied: bool = False,
    ) -> None:
        super().__init__(resource, BodilessRequest, timeout=timeout or None, reactor=reactor)
        self.seconds = seconds
        self.connections: set[Channel] = set()
        # Behind a proxy nobody knows yet whose a connection is: only the total counts.
        of_one_peer = 0 if proxied else limits.max_connections_per_peer
        self.connection_limit = ConnectionLimit(limits.max_connections, of_one_peer)
        self.refusals = FirstOnly(self._log_refusal)
        self.displayTracebacks = False
        self.observe: Callable[[float], None] | None = None
        """Of net.part.PartFactory; what a page costs isn't measured."""

    def getResourceFor(self, request: Request) -> IResource:
        for name, value in HEADERS.items():
            request.setHeader(name, value)
        resource: IResource = super().getResourceFor(request)
        return resource

    def log(self, request: Any) -> None:
        """Log no line for a request."""

    def expire(self) -> None:
        """Cut those that don't take their end; silence is seen to by the channel."""
        now = self.seconds()
        for channel in list(self.connections):
            if channel.closing and now - channel.since >= LAST_WORDS:
                channel.drop()

    def _log_refusal(self, kind: str, peer: str) -> None:
        _log.info("{peer} was refused: {kind}", peer=peer, kind=kind)

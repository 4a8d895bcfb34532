"""HTTP: a site with limits, which adds security headers to every answer.

Twisted handles all requests that a connection sends, without a limit, and continues when the
client doesn't read the answers. Here a request counts against the budget of its address
(:mod:`tictac.net.budget`), as messages do, and against the turn
(:mod:`tictac.plugins.web.turns`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any, cast

from twisted.internet.interfaces import IReactorTime
from twisted.internet.protocol import connectionDone
from twisted.logger import Logger
from twisted.protocols.basic import LineReceiver
from twisted.python.failure import Failure
from twisted.web.http import NO_CONTENT, NOT_MODIFIED, SERVICE_UNAVAILABLE, HTTPChannel
from twisted.web.resource import IResource, Resource
from twisted.web.server import NOT_DONE_YET, Request
from twisted.web.server import Site as TwistedSite

from tictac.logs import LIMITED
from tictac.net.budget import CONNECTION, KIB, PAGE, SIGN_OF_LIFE, Place, Purse, budget_of
from tictac.net.connection import LAST_WORDS, Limits
from tictac.net.framing import INPUT
from tictac.net.limits import OPEN_FILES, UNKNOWN, ConnectionLimit, FirstOnly, peer_name
from tictac.plugins.web.pages import send_text
from tictac.plugins.web.turns import Turns

_log = Logger(observer=LIMITED)

REFUSED = 8
"""Maximum connections per address beyond the limit, while the server sends them the refusal; all
addresses together can have four times as many."""

MAX_TARGET, MAX_QUERY = 8_000, 2_048
"""Maximum bytes of a request's target (RFC 9110, 4.1) and of its query; more is answered 414."""

MAX_ARGUMENTS = MAX_PARTS = 20
"""Maximum arguments of a query, and parts of a path; more is answered 414, too."""

MAX_HEADERS, MAX_HEAD = 50, 16_384
"""Maximum lines of headers, and their bytes; more is answered 431."""

IN_A_PAGE = KIB, 16
"""The bytes and lines of headers that ``PAGE`` units pay for.

After that, each line costs a unit, and so does each :data:`~tictac.net.framing.INPUT` of them. The
same of the first line costs two.
"""

MAX_BODY = 300
"""Maximum bytes of the body of a POST: enough for that of RFC 8058, which links in mails get."""

LARGE_BODIES = {b"/import": 64 << 10}
"""The longest bodies of other paths."""

UPGRADE_REST = 0.001
"""Seconds without HTTP after a request that opens a WebSocket, which takes almost as long."""

REFUSALS = {400: "bad-request", 414: "uri-too-long", 431: "headers-too-large"}
"""The error codes of requests that are refused before they are parsed, by status."""

_HOST = re.compile(rb"(\[[0-9a-f:.]+\]|[a-z0-9._~!$&'()*+,;=%-]*)(:[0-9]*)?", re.IGNORECASE)
"""A Host header (RFC 9110, 7.2)."""

HEADERS = {
    b"server": b"tictac",
    b"content-security-policy": (
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        b"font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
        b"require-trusted-types-for 'script'; trusted-types worker"
    ),
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    b"x-robots-tag": b"noindex",
}
"""Headers of every answer: no foreign content, no inline code, no frames, no type guessing, and no
entry in a search engine."""


class BodilessRequest(Request):
    """A request without a body, except for a short POST (``MAX_BODY``, ``LARGE_BODIES``)."""

    channel: Channel
    content: BytesIO
    _is_short = False

    def gotLength(self, length: int | None) -> None:
        # Twisted would make a file for a long body.
        self.content = BytesIO()
        path = self.channel._path
        most = LARGE_BODIES.get(path, MAX_BODY)
        for longest in self.channel.site.bodies:
            most = max(most, longest(path))
        self._is_short = length is not None and length <= most

    def handleContentChunk(self, data: bytes) -> None:
        if not self._is_short or self.channel._command != b"POST":
            self.channel.drop_for("request-body")
        else:
            self.content.write(data)

    def render(self, resource: IResource) -> None:
        # Not super(), which logs a line for each HEAD whose resource has a body.
        body = resource.render(self)
        if body is not NOT_DONE_YET:
            self.answer(body)

    def answer(self, body: bytes) -> None:
        """Send the body, and finish; do nothing for a client that has disconnected meanwhile."""
        if self._disconnected:
            return
        if self.code not in (NOT_MODIFIED, NO_CONTENT):
            self.setHeader(b"content-length", str(len(body)).encode())
        body = b"" if self.method == b"HEAD" else body
        self.channel.pay(len(body) // KIB)
        self.write(body)
        self.finish()


class Channel(HTTPChannel):
    """One connection of HTTP/1.1, counted until it is lost.

    A WebSocket keeps the place of its connection. ``refusal`` is why the connection got no place:
    every answer then has this reason, and the server closes the connection soon. ``paused`` (of
    LineReceiver): received data waits for a turn, or until the client reads the answers.
    """

    totalHeadersSize = MAX_TARGET + MAX_HEAD  # only a second check, which answers 400
    site: Site
    factory: Site
    transport: Any  # TCP, TLS or a proxy's: the part of ITCPTransport that they share
    since = 0.0
    closing = False
    refusal = ""
    _below: Any = None  # the transport, also after a WebSocket took over
    _counted_as = ""
    _in_line = False
    _granted = False  # by the purse: waits only for a turn
    _choked = False
    _heard = _refused = False
    _lines = _size = _paid = 0  # all lines, the headers' bytes, and their units, of a request
    purse: Purse
    used = 0  # units of the budget (budget.Waiting)
    _place: Place | None = None

    @property
    def host(self) -> str:
        """The address that the connection counts against, as in log lines."""
        return peer_name(self._below.getPeer())

    def connectionMade(self) -> None:
        super().connectionMade()
        self._below = self.transport
        self.site.connections.add(self)
        # Behind a proxy the client's address isn't known yet: only the total counts.
        self._count(UNKNOWN if self.site.proxied else self.host)

    def _count(self, peer: str) -> bool:
        """Take a place among the peer's connections, or one for refused connections, or close."""
        site = self.site
        self.purse = site.budget.purse(self.host)
        self.used = self.purse.used
        self.refusal, self.closing = site.connection_limit.enter(peer) or "", False
        if self.refusal:
            site.refusals.note(self.refusal, self.host)
            self.end_by_sweep()
            if site.refused_limit.enter(peer) is not None:
                self._counted_as = ""
                self.drop()
                return False
        self._counted_as = peer
        return True

    def _uncount(self) -> None:
        if self._counted_as:
            limit = self.site.refused_limit if self.refusal else self.site.connection_limit
            limit.leave(self._counted_as)
            self._counted_as = ""

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self.leave()
        super().connectionLost(reason)

    def hand_over(self) -> Callable[[], None]:
        """Hand the connection over to a WebSocket; return what releases its place.

        Nothing else of the channel is needed then: with its request it takes as much memory as the
        WebSocket.
        """
        self.site.connections.discard(self)
        self.requests.clear()  # or they would keep each other until the next collection of garbage
        peer, self._counted_as = self._counted_as, ""
        return partial(self.site.connection_limit.leave, peer)

    def leave(self) -> None:
        """Release the place of a lost connection."""
        self.site.connections.discard(self)
        if self._place is not None:
            self.purse.forget(self._place)
        self._uncount()

    # Requests

    def pay(self, units: int) -> None:
        """Pay for work that was done."""
        self.purse.spend(units, self)

    def dataReceived(self, data: bytes) -> None:
        if self._counted_as == UNKNOWN:
            self._uncount()
            if not self._count(self.host):
                return
        if not (self.requests or self._buffer):
            self.resetTimeout()  # a request begins
        if not self._heard:
            self._heard = True
            self.pay(CONNECTION)
        # Twisted buffers bytes that arrive during a request, and parses them first afterwards:
        # before what waits here.
        busy = self._handlingRequest
        if self.paused or not busy:
            self._wait()
        # Not super(), which gives a request more time for each byte.
        LineReceiver.dataReceived(self, data)
        if data and (busy or self._buffer or self._lines):
            self.pay(SIGN_OF_LIFE)  # a read that ended no request
        if busy:
            self._dataBuffer[:] = [b"".join(self._dataBuffer)]  # or Twisted counts piece by piece

    def lineReceived(self, line: bytes) -> None:
        # A request is paid before it is parsed, or refused.
        self._lines += 1
        if self._lines == 1 and not line:
            self._lines = 0  # an empty line can precede a request (RFC 9112, 2.2)
            self.pay(SIGN_OF_LIFE)
        elif self._lines == 1:
            self.pay(PAGE + len(line) // INPUT)
            if _has_long_target(line):
                self._refuse(414)
                return
            self.pay(len(line) // INPUT)  # once more, because it is decoded
        elif line:
            self._size += len(line)
            if self._lines > MAX_HEADERS + 1 or self._size > MAX_HEAD:
                self._refuse(431)
                return
            size, headers = IN_A_PAGE
            due = max(0, self._lines - 1 - headers) + max(0, self._size - size) // INPUT
            if due > self._paid:
                self.pay(due - self._paid)
                self._paid = due
        super().lineReceived(line)

    def lineLengthExceeded(self, line: bytes) -> None:
        self.pay(len(line) // INPUT)
        self._refuse(431 if self._lines else 414)

    def allHeadersReceived(self) -> None:
        super().allHeadersReceived()
        hosts = self.requests[-1].requestHeaders.getRawHeaders(b"host") or []
        is_old = not hosts and self._version == b"HTTP/1.0"
        if not (is_old or (len(hosts) == 1 and _HOST.fullmatch(hosts[0]))):
            self._refuse(400)  # RFC 9112, 3.2

    def allContentReceived(self) -> None:
        if self._refused:
            return
        self._lines = self._size = self._paid = 0
        upgrades = self.requests[-1].requestHeaders.hasHeader(b"upgrade")
        self.site.turns.spend(UPGRADE_REST if upgrades else 0.0)
        super().allContentReceived()
        if self.transport is not None:  # a WebSocket has it then
            self._wait()

    def _wait(self) -> None:
        """Pause the handling of requests, if there is a reason."""
        if not self.paused:
            self._queue()
            if not (self._in_line or self._choked):
                return
            self.paused = True
        # Also if paused already: Twisted resumes after an answer, or when the answers are sent.
        self._networkProducer.pauseProducing()

    def _queue(self) -> None:
        """Wait for the budget, otherwise for a turn, which needs no second grant of the budget."""
        turns = self.site.turns
        if not self._granted:
            self._place = self.purse.keeps(self)
        self._granted = self._place is None and not turns.left
        if self._granted:
            turns.waiting.append(self)
        self._in_line = self._granted or self._place is not None

    def go_on(self) -> None:
        """Continue at the connection's turn (turns.Waiting, budget.Waiting)."""
        self._in_line, self._place = False, None
        self._work_off()

    def _work_off(self) -> None:
        if self._in_line or self._choked or self not in self.site.connections:
            return
        self.paused = False
        self._networkProducer.resumeProducing()
        try:
            self.dataReceived(b"")
        except Exception:
            # No caller closes the connection here, as the reactor does for a read.
            _log.failure("{protocol} failed on a message", protocol=self)
            self.drop()

    def pauseProducing(self) -> None:
        # Called by the transport: the client doesn't read its answers.
        self._choked = True
        super().pauseProducing()

    def resumeProducing(self) -> None:
        self._choked = False
        super().resumeProducing()
        if self.paused:
            self._work_off()

    # The end

    def _refuse(self, status: int) -> None:
        """Answer the request that is being read with an error, and close."""
        self._refused = True
        why = REFUSALS[status]
        self.site.refusals.note(why, self.host)
        fields = {**HEADERS, b"connection": b"close", b"content-length": b"%d" % (len(why) + 1)}
        head = [b"HTTP/1.1 %d %b" % (status, why.encode())]
        head += [b"%b: %b" % field for field in fields.items()]
        self.transport.write(b"\r\n".join([*head, b"", why.encode() + b"\n"]))
        self.close()

    def timeoutConnection(self) -> None:
        self.drop()

    def close(self) -> None:
        """Send the written data, then close."""
        self.end_by_sweep()
        self._below.loseConnection()

    def end_by_sweep(self) -> None:
        """Mark the connection as closing; if it doesn't close, :meth:`Site.expire` drops it."""
        self.closing = True
        self.since = self.site.seconds()

    def drop(self) -> None:
        """Close at once."""
        self._below.abortConnection()

    def drop_for(self, kind: str) -> None:
        """Note a refusal and close at once."""
        self.site.refusals.note(kind, self.host)
        self.drop()


def _has_long_target(line: bytes) -> bool:
    """Return whether the first line of a request has more of a target than is parsed."""
    target = line.partition(b" ")[2].rpartition(b" ")[0]
    path, _, query = target.partition(b"?")
    return (
        len(target) > MAX_TARGET
        or len(query) > MAX_QUERY
        or query.count(b"&") + query.count(b";") >= MAX_ARGUMENTS
        or path.count(b"/") > MAX_PARTS
    )


class _Refusal(Resource):
    """The answer to a connection without a place."""

    isLeaf = True

    def __init__(self, why: str) -> None:
        super().__init__()
        self._why = why

    def render(self, request: Request) -> bytes:
        return send_text(request, SERVICE_UNAVAILABLE, f"Not now: {self._why}.")


class Site(TwistedSite):
    """A listener of HTTP (net.plugin.PartFactory).

    ``timeout`` is the maximum time between two requests, and for a request to arrive, in seconds.
    ``turn_budget`` is that of :class:`~tictac.net.framing.Framing`.
    """

    protocol: Any = Channel
    noisy = False

    def __init__(
        self,
        resource: IResource,
        reactor: IReactorTime,
        seconds: Callable[[], float],
        limits: Limits,
        timeout: float,
        turn_budget: int,
        proxied: bool = False,
    ) -> None:
        super().__init__(resource, BodilessRequest, timeout=timeout or None, reactor=reactor)
        self.seconds = seconds
        self.turns = Turns(reactor, turn_budget)
        budget, burst, trusted = limits.budget, limits.budget_burst, limits.trusted_net
        self.budget = budget_of(reactor, seconds, budget, burst, trusted)
        self.connections: set[Channel] = set()
        self.limits = limits
        self.connection_limit = ConnectionLimit(
            limits.max_connections, limits.max_connections_per_peer, OPEN_FILES
        )
        self.refused_limit = ConnectionLimit(4 * REFUSED, REFUSED, OPEN_FILES)
        self.proxied = proxied
        self.refusals = FirstOnly()
        self.displayTracebacks = False
        self.bodies: list[Callable[[bytes], int]] = []
        """Functions that return the longest body of a POST to a path; 0: the usual length."""
        self.indexed = False
        """Whether search engines can list the pages."""
        self.observe: Callable[[float], None] | None = None
        """Required by net.plugin.PartFactory; the cost of pages isn't measured."""

    def getResourceFor(self, request: Request) -> IResource:
        for name, value in HEADERS.items():
            request.setHeader(name, value)
        if self.indexed:
            request.responseHeaders.removeHeader(b"x-robots-tag")
        channel = cast(Channel, request.channel)
        if channel.refusal and request.getHeader(b"upgrade") is None:
            return _Refusal(channel.refusal)
        resource: IResource = super().getResourceFor(request)
        return resource

    def log(self, request: object) -> None:
        """Log no line for a request."""

    def expire(self) -> None:
        """Drop connections that don't close in time; the channel itself times out silence."""
        now = self.seconds()
        for channel in list(self.connections):
            if channel.closing and now - channel.since >= LAST_WORDS:
                channel.drop()

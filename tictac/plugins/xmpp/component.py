"""The link to an XMPP server, as an external component of it (XEP-0114).

If the secret is wrong, Twisted's own manager of components tries again every second, forever. Here
the delay grows until the server has accepted the component.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any

from twisted.application.service import Service
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import clientFromString
from twisted.internet.interfaces import IDelayedCall, IReactorTime, ITCPTransport
from twisted.internet.protocol import Factory
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.words.protocols.jabber.component import ConnectComponentAuthenticator
from twisted.words.protocols.jabber.error import StreamError
from twisted.words.protocols.jabber.xmlstream import (
    STREAM_AUTHD_EVENT,
    STREAM_CONNECTED_EVENT,
    STREAM_END_EVENT,
    STREAM_ERROR_EVENT,
    Authenticator,
    XmlStream,
)
from twisted.words.xish.domish import Element

from tictac.plugins.xmpp.gateway import XmppSettings

_log = Logger()

FIRST_DELAY = 1.0
GROWTH = 2.0
PATIENCE = 30.0
"""Maximum seconds until the server accepts the component."""

GOODBYE = 1.0
"""Maximum seconds until the server closes the stream, when this service stops."""

GRACE = 10.0
"""Maximum seconds to send the rest, after the server has ended the stream."""

PIECE = 1024
"""Bytes of XML that are parsed in a turn of the reactor."""

MOST_WAITING = 10_000
"""Maximum texts that wait for a link; beyond it, the oldest is dropped and counted."""

WHY = {
    "not-authorized": "it refuses our secret",
    "host-unknown": "it has no such component",
    "conflict": "another component has that name",
}


class PatientStream(XmlStream):
    """A stream that parses a piece in a turn of the reactor: 64 KiB of XML take 100 ms.

    Meanwhile it reads nothing.
    """

    transport: Any
    stream: Any

    def __init__(self, authenticator: Authenticator, reactor: IReactorTime) -> None:
        super().__init__(authenticator)
        self._reactor = reactor
        self._rest = b""

    def dataReceived(self, data: bytes) -> None:
        if self._rest:
            self._rest += data
        elif len(data) <= PIECE:
            super().dataReceived(data)
        else:
            self._rest = data
            self.transport.pauseProducing()
            self._reactor.callLater(0, self._parse)

    def _parse(self) -> None:
        piece, self._rest = self._rest[:PIECE], self._rest[PIECE:]
        if self.stream is None:  # the connection is lost
            return
        super().dataReceived(piece)
        if self._rest:
            self._reactor.callLater(0, self._parse)
        elif not getattr(self.transport, "producerPaused", False):  # or it resumes itself
            self.transport.resumeProducing()


class ComponentConnection(Service):
    """The link to the XMPP server, made again whenever it is lost.

    ``receive`` gets each stanza as a domish element. The connection calls ``lost`` when a link that
    was up ends. Texts sent without a link wait for the next one.
    """

    def __init__(
        self,
        reactor: IReactorTime,
        settings: XmppSettings,
        receive: Callable[[Element], None],
        lost: Callable[[], None],
    ) -> None:
        self._reactor = reactor
        self._settings = settings
        self._names = {"server": settings.server, "domain": settings.domain}
        self._endpoint = clientFromString(reactor, settings.server)
        self._receive = receive
        self._lost = lost
        self._rng = Random()
        self._delay = FIRST_DELAY
        self._waiting: deque[str] = deque()
        self._given_up = 0
        self._stream: Any = None
        self._connecting: Deferred[PatientStream] = Deferred()
        self._timer: IDelayedCall | None = None  # until the next attempt, or a timeout
        self._ended: Deferred[None] = Deferred()
        self._why = ""
        self.is_up = False

    # Starting and stopping

    def startService(self) -> None:
        super().startService()
        self._connect()

    def stopService(self) -> Deferred[None]:
        super().stopService()
        self._wait(None)
        self._connecting.cancel()
        if self._stream is None:
            self._ended.callback(None)
            return self._ended
        if self.is_up:
            self._stream.sendFooter()
        self._close()
        return self._ended

    def _wait(self, seconds: float | None, then: Callable[[], object] = lambda: None) -> None:
        """Call a function after some seconds in place of the former one; None: call nothing."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None if seconds is None else self._reactor.callLater(seconds, then)

    # Sending

    def send(self, text: str) -> None:
        """Send the text of stanzas, now or as soon as there is a link."""
        if self.is_up:
            self._stream.send(text)
            return
        if len(self._waiting) >= MOST_WAITING:
            self._waiting.popleft()
            self._given_up += 1
        self._waiting.append(text)

    # Connecting

    def _connect(self) -> None:
        self._why = ""
        factory = Factory.forProtocol(self._new_stream)
        factory.noisy = False
        self._connecting = self._endpoint.connect(factory).addErrback(self._not_connected)

    def _not_connected(self, failure: Failure) -> None:
        self._why = failure.getErrorMessage()
        self._try_again()

    def _try_again(self) -> None:
        if not self.running:
            return
        delay = self._delay * self._rng.uniform(0.8, 1.2)
        self._delay = min(self._delay * GROWTH, self._settings.longest_delay)
        _log.warn(
            "xmpp: no link to {server} as {domain}: {why}; next attempt in {delay} s",
            why=self._why or "it closed the connection",
            delay=round(delay, 1),
            **self._names,
        )
        self._wait(delay, self._connect)

    def _new_stream(self) -> PatientStream:
        """Return a stream that this connection observes."""
        secret = self._settings.secret
        authenticator = ConnectComponentAuthenticator(self._settings.domain, secret)
        stream = self._stream = PatientStream(authenticator, self._reactor)
        stream.addObserver(STREAM_CONNECTED_EVENT, self._read_at_once)
        stream.addObserver(STREAM_AUTHD_EVENT, self._up)
        stream.addObserver(STREAM_ERROR_EVENT, self._failed)
        stream.addObserver(STREAM_END_EVENT, self._end)
        self._wait(PATIENCE, self._give_up)
        return stream

    def _read_at_once(self, stream: PatientStream) -> None:
        parser = stream.stream.parser
        # Expat 2.6 holds back a tag that came in pieces until much more text comes, which might be
        # never. That protects against hostile peers with ever longer tags, but this peer is the
        # operator's own server. Source: Python's documentation of xmlparser.
        if hasattr(parser, "SetReparseDeferralEnabled"):
            parser.SetReparseDeferralEnabled(False)

    def _up(self, stream: PatientStream) -> None:
        self._wait(None)
        self._delay = FIRST_DELAY
        self.is_up = True
        if ITCPTransport.providedBy(stream.transport):
            # The system then notices some day if the server vanished without closing.
            stream.transport.setTcpKeepAlive(True)
        # While the server doesn't read, this service doesn't read either, so no answers pile up.
        stream.transport.registerProducer(stream.transport, True)
        stream.stream.DocumentEndEvent = self._close
        stream.addObserver("/*", self._element)
        _log.info("xmpp: linked to {server} as {domain}", **self._names)
        if self._given_up:
            _log.warn("{count} answers lost without a link to the server", count=self._given_up)
            self._given_up = 0
        if self._waiting:
            stream.send("".join(self._waiting))
            self._waiting.clear()

    def _element(self, tree: Element) -> None:
        if tree.name in ("presence", "message", "iq"):
            self._receive(tree)

    def _failed(self, failure: Failure) -> None:
        error = failure.value
        condition = error.condition if isinstance(error, StreamError) else ""
        self._why = WHY.get(condition, condition or "what it sent can't be read")
        if isinstance(error, StreamError) and error.text:
            self._why += f" ({error.text!r:.200})"
        self._close()

    def _close(self) -> None:
        """Close the connection when everything is sent, or after a grace period."""
        transport = self._stream.transport
        # Twisted would resume the producer instead of closing the connection.
        transport.unregisterProducer()
        transport.loseConnection()
        self._wait(GRACE if self.running else GOODBYE, transport.abortConnection)
        self._down()

    def _down(self) -> None:
        """Note that there is no link; texts wait for the next one."""
        was_up, self.is_up = self.is_up, False
        if was_up:
            self._lost()

    def _give_up(self) -> None:
        self._why = "it doesn't answer"
        self._stream.transport.abortConnection()

    def _end(self, reason: Failure) -> None:
        self._wait(None)
        self._stream = None
        if not self.running:
            self._ended.callback(None)
        self._down()
        self._try_again()

"""A user's connection to an XMPP server: found by SRV records, with TLS, by Twisted's XMPP.

Source: RFC 6120. The password never goes out without TLS.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from twisted.internet.defer import Deferred, fail
from twisted.internet.error import ConnectionClosed, DNSLookupError
from twisted.internet.interfaces import IConnector, IOpenSSLClientConnectionCreator
from twisted.internet.protocol import ClientFactory
from twisted.python.failure import Failure
from twisted.words.protocols.jabber.client import XMPPAuthenticator
from twisted.words.protocols.jabber.error import StreamError
from twisted.words.protocols.jabber.jid import JID
from twisted.words.protocols.jabber.sasl import SASLAuthError, SASLNoAcceptableMechanism
from twisted.words.protocols.jabber.xmlstream import (
    INIT_FAILED_EVENT,
    STREAM_AUTHD_EVENT,
    STREAM_END_EVENT,
    STREAM_ERROR_EVENT,
    FeatureNotAdvertized,
    TLSError,
    XmlStream,
)
from twisted.words.xish.domish import Element

from tictac.net.client_connection import tls_fault
from tictac.plugins.xmpp import xml
from tictac.plugins.xmpp.xml import INFO, PING, STANZAS, tag
from tictac.reactor import Reactor

PORT = 5222
GOODBYE = 2.0
PATIENCE = 30.0
"""Maximum seconds until the server has let the user in."""


class NoLink(Exception):
    """There is no connection, or no longer; ``str()`` says why, as a sentence without a period."""


class Link(ClientFactory):
    """A user's connection; ``receive`` gets each stanza.

    Its answer to disco#info has ``features``, and disco#info itself.
    """

    noisy = False

    def __init__(
        self,
        jid: JID,
        password: str,
        tls: IOpenSSLClientConnectionCreator,
        receive: Callable[[Element], None],
        features: Iterable[str],
    ) -> None:
        self._jid = jid
        self._password = password
        self._tls = tls
        self._receive = receive
        self._features = sorted({INFO, *features})
        self._stream: XmlStream | None = None
        self._why = ""
        self._attempts = 0
        self._ready: Deferred[str] = Deferred()
        self._over = False
        self._waiting: Deferred[None] = Deferred()

    def connect(self, reactor: Reactor, host: str = "", port: int = PORT) -> Deferred[str]:
        """Connect to ``host``, or to the server that the user's domain names.

        Return the user's full address. The Deferred fails with :class:`NoLink`.
        """
        if host:
            reactor.connectTCP(host, port, self)
        else:
            # Imported late: it reads the machine's resolver.
            from twisted.names.srvconnect import SRVConnector

            domain = self._jid.host
            SRVConnector(reactor, "xmpp-client", domain, self, defaultPort=PORT).connect()
        return self._ready.addTimeout(PATIENCE, reactor, self._timed_out)

    def _timed_out(self, result: object, seconds: float) -> str:
        self._hang_up()
        raise NoLink(f"the server of {self._jid.host} didn't let you in for {seconds:g} seconds")

    def send(self, text: str) -> None:
        """Send the text of a stanza."""
        if self._stream is not None:
            self._stream.send(text)

    def end(self) -> Deferred[None]:
        """Return a Deferred that fails with :class:`NoLink` when the connection is lost."""
        self._waiting = fail(NoLink(self._why)) if self._over else Deferred()
        return self._waiting

    async def close(self, reactor: Reactor) -> None:
        """End the stream; return when the server has ended it, too, or after a moment."""
        if self._stream is not None:
            self._stream.sendFooter()
            with suppress(NoLink):
                await self.end().addTimeout(GOODBYE, reactor, lambda result, seconds: None)
            self._hang_up()

    def _hang_up(self) -> None:
        transport = None if self._stream is None else self._stream.transport
        if transport is not None:
            transport.loseConnection()

    # What Twisted calls

    def buildProtocol(self, addr: object) -> XmlStream:
        stream = XmlStream(XMPPAuthenticator(self._jid, self._password, self._tls))
        stream.addObserver(STREAM_AUTHD_EVENT, self._authenticated)
        stream.addObserver(INIT_FAILED_EVENT, self._failed)
        stream.addObserver(STREAM_ERROR_EVENT, self._failed)
        stream.addObserver(STREAM_END_EVENT, self._ended)
        self._stream = stream
        return stream

    def clientConnectionFailed(self, connector: IConnector, reason: Failure) -> None:
        """Try the next server of the domain, if there is one."""
        self._attempts += 1
        if self._attempts < len(getattr(connector, "orderedServers", None) or ()):
            connector.connect()
        elif reason.check(DNSLookupError):
            self._end(f"there is no server of {self._jid.host}")
        else:
            self._end(f"the server of {self._jid.host} can't be reached: {reason.value}")

    def _authenticated(self, stream: XmlStream) -> None:
        for name in ("presence", "message", "iq"):
            stream.addObserver(f"/{name}", self._heard)
        stream.send("<presence/>")  # for invitations, which come to the user's bare address
        if not self._ready.called:
            self._ready.callback(self._jid.full())

    def _heard(self, stanza: Element) -> None:
        if stanza.name == "iq" and stanza.getAttribute("type") in ("get", "set"):
            self.send(self._answer(stanza))
        else:
            self._receive(stanza)

    def _failed(self, failure: Failure) -> None:
        error = failure.value
        if isinstance(error, SASLAuthError):
            self._why = "the server refuses your address or password"
        elif isinstance(error, FeatureNotAdvertized | TLSError):
            self._why = "the server has no TLS, which would protect your password"
        elif isinstance(error, SASLNoAcceptableMechanism):
            self._why = "the server wants another kind of login than a password in TLS"
        elif isinstance(error, StreamError):
            self._why = f"the server ends the stream: {error.condition}"
        else:
            self._why = f"the server doesn't let you in: {error!r:.100}"
        self._hang_up()

    def _ended(self, reason: Failure) -> None:
        fault = "" if reason.value is None else tls_fault(reason.value)
        usual = "the server has closed the connection"
        self._end(self._why or fault or (usual if reason.check(ConnectionClosed) else str(reason)))

    def _end(self, why: str) -> None:
        self._stream, self._over, self._why = None, True, why
        for waiting in (self._ready, self._waiting):
            if not waiting.called:
                waiting.errback(NoLink(why))
                return

    def _answer(self, asked: Element) -> str:
        """Return the answer to a question of the server or of a stranger."""
        to = {"to": asked.getAttribute("from"), "id": asked.getAttribute("id")}
        if xml.first(asked, PING, "ping") is not None:
            return tag("iq", {**to, "type": "result"})
        if xml.first(asked, INFO, "query") is not None and asked.getAttribute("type") == "get":
            identity = tag("identity", {"category": "client", "type": "console"})
            features = (tag("feature", {"var": each}) for each in self._features)
            query = tag("query", {"xmlns": INFO}, identity, *features)
            return tag("iq", {**to, "type": "result"}, query)
        condition = tag("service-unavailable", {"xmlns": STANZAS})
        return tag("iq", {**to, "type": "error"}, tag("error", {"type": "cancel"}, condition))

"""Posts to addresses that users give, without ever reaching the server's own network.

A user can name a host that points inside, such as a router's page, or a cloud's metadata. So:

1. The URL has https, a host, no user, and no port other than 443. `check_url` refuses all else.
2. A name is resolved once for each attempt. `PublicResolver` passes on only addresses of the public
   Internet, and those of the nets that the operator allows. The endpoint connects to these very
   addresses, so that a second answer of the DNS changes nothing. An IP address in the URL goes the
   same way.
3. A redirect is a failure. Agent follows none.
4. At most MOST bytes of an answer are read, in LONGEST seconds. A connection that sends more than
   twice as many is closed, because Agent keeps any number of headers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import cast
from urllib.parse import SplitResult, urlsplit

from twisted.internet import address as endpoint_address
from twisted.internet.defer import Deferred, succeed
from twisted.internet.endpoints import HostnameEndpoint, wrapClientTLS
from twisted.internet.interfaces import (
    IAddress,
    IConsumer,
    IHostnameResolver,
    IHostResolution,
    IProtocol,
    IProtocolFactory,
    IReactorPluggableNameResolver,
    IReactorTCP,
    IReactorTime,
    IResolutionReceiver,
    IStreamClientEndpoint,
)
from twisted.internet.protocol import ClientFactory, Protocol, connectionDone
from twisted.internet.ssl import Certificate, optionsForClientTLS
from twisted.protocols.policies import ProtocolWrapper, WrappingFactory
from twisted.python.failure import Failure
from twisted.web.client import URI, Agent
from twisted.web.http_headers import Headers
from twisted.web.iweb import IAgentEndpointFactory, IBodyProducer
from zope.interface import implementer

from tictac.plugins.notices.notifier import GoneError
from tictac.plugins.notices.refusals import BadAddress
from tictac.reactor import Reactor

MOST = 65_536
"""Maximum bytes of an answer, which only a failure is described with."""

TIMEOUT, LONGEST = 20, 30
"""Seconds for connecting, and for a whole post."""

LONGEST_URL = 800

Nets = Collection[IPv4Network | IPv6Network]

_TCP = endpoint_address.IPv4Address, endpoint_address.IPv6Address

_UNICAST = IPv6Network("2000::/3")

_NOT_PUBLIC: Nets = [
    ip_network(net)
    for net in ("192.0.0.0/24", "192.88.99.0/24", "2002::/16", "2001::/32", "3fff::/20")
]
"""Nets that some versions of Python call global. Two contain addresses of IPv4: 6to4, and Teredo;
those of NAT64 aren't in _UNICAST. The last one is for documents (RFC 9637)."""


def is_public(text: str, allowed: Nets = ()) -> bool:
    """Return whether an IP address is one of the public Internet, or of an allowed net."""
    address: IPv4Address | IPv6Address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if any(address.version == net.version and address in net for net in allowed):
        return True
    if any(address.version == net.version and address in net for net in _NOT_PUBLIC):
        return False
    if address.version == 6 and address not in _UNICAST:
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def check_url(url: str, allowed: Nets = ()) -> SplitResult:
    """Return the parts of a URL to which the server can post. Raises BadAddress."""
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname or ""
    except ValueError:
        raise BadAddress("that isn't an address like https://example.org/hook") from None
    is_plain = url.isascii() and url.isprintable() and len(url) <= LONGEST_URL
    is_plain = is_plain and not set(' "') & set(url)
    if parts.scheme != "https" or not host or not is_plain:
        raise BadAddress("an address begins with https:// and has a host")
    if parts.username is not None or parts.fragment or "\\" in url:
        raise BadAddress("an address must have no user and no fragment")
    try:
        literal = ip_address(host)
    except ValueError:
        literal = None
    is_inside = literal is not None and any(
        literal.version == net.version and literal in net for net in allowed
    )
    if port not in (None, 443) and not (is_inside or (literal is None and allowed)):
        raise BadAddress("an address has no port other than 443")
    if literal is not None and not is_public(host, allowed):
        raise BadAddress(f"{host} isn't an address of the public Internet")
    return parts


@implementer(IResolutionReceiver)
class _PublicOnly:
    """Passes on the addresses that the server can connect to."""

    def __init__(self, receiver: IResolutionReceiver, allowed: Nets) -> None:
        self._receiver, self._allowed = receiver, allowed

    def resolutionBegan(self, resolutionInProgress: IHostResolution) -> None:  # noqa: N803
        self._receiver.resolutionBegan(resolutionInProgress)

    def addressResolved(self, address: IAddress) -> None:
        if isinstance(address, _TCP) and is_public(address.host, self._allowed):
            self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:
        self._receiver.resolutionComplete()


@implementer(IHostnameResolver)
class PublicResolver:
    """A resolver that finds nothing but addresses of the public Internet, and of allowed nets."""

    def __init__(self, resolver: IHostnameResolver, allowed: Nets) -> None:
        self._resolver, self._allowed = resolver, allowed

    def resolveHostName(
        self,
        resolutionReceiver: IResolutionReceiver,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[IAddress]] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> IHostResolution:
        receiver = _PublicOnly(resolutionReceiver, self._allowed)
        return self._resolver.resolveHostName(
            receiver, hostName, portNumber, addressTypes, transportSemantics
        )


@implementer(IReactorPluggableNameResolver, IReactorTCP, IReactorTime)
class _Outside:
    """The part of a reactor that an endpoint needs, with another resolver."""

    def __init__(self, reactor: Reactor, allowed: Nets) -> None:
        self._reactor, self.nameResolver = (
            reactor,
            PublicResolver(cast(IReactorPluggableNameResolver, reactor).nameResolver, allowed),
        )

    def __getattr__(self, name: str) -> object:
        return getattr(self._reactor, name)


class _Limited(ProtocolWrapper):
    """Closes a connection that sends too much, also in headers."""

    _received = 0

    def dataReceived(self, data: bytes) -> None:
        self._received += len(data)
        if self._received > 2 * MOST:
            self.abortConnection()
        else:
            super().dataReceived(data)


@implementer(IStreamClientEndpoint)
class _LimitedEndpoint:
    """An endpoint whose connections are _Limited."""

    def __init__(self, endpoint: IStreamClientEndpoint) -> None:
        self._endpoint = endpoint

    def connect(self, protocolFactory: IProtocolFactory) -> Deferred[IProtocol]:  # noqa: N803
        limiting = WrappingFactory(cast(ClientFactory, protocolFactory))
        limiting.noisy, limiting.protocol = False, _Limited

        def wrapped(limited: IProtocol) -> IProtocol:
            return cast(_Limited, limited).wrappedProtocol

        return self._endpoint.connect(limiting).addCallback(wrapped)


@implementer(IAgentEndpointFactory)
class PublicEndpoints:
    """Makes endpoints to the public Internet, with TLS. ``trust_root`` is for tests."""

    def __init__(
        self, reactor: Reactor, allowed: Nets = (), trust_root: Certificate | None = None
    ) -> None:
        self._reactor, self._trust_root = _Outside(reactor, allowed), trust_root

    def endpointForURI(self, uri: URI) -> IStreamClientEndpoint:
        if uri.scheme != b"https":
            raise ValueError("only https")
        host = uri.host.decode("ascii")
        options = optionsForClientTLS(host, trustRoot=self._trust_root)
        endpoint = HostnameEndpoint(self._reactor, host, uri.port, TIMEOUT)
        return _LimitedEndpoint(wrapClientTLS(options, endpoint))


@implementer(IBodyProducer)
class _Body:
    """A short body, which is sent at once."""

    def __init__(self, body: bytes) -> None:
        self._body, self.length = body, len(body)

    def startProducing(self, consumer: IConsumer) -> Deferred[None]:
        consumer.write(self._body)
        return succeed(None)

    def pauseProducing(self) -> None:
        pass

    def resumeProducing(self) -> None:
        pass

    def stopProducing(self) -> None:
        pass


class _Rest(Protocol):
    """Receives the body of an answer; ``done`` gets its beginning at its end."""

    def __init__(self, done: Deferred[bytes]) -> None:
        self._done, self._data = done, b""

    def dataReceived(self, data: bytes) -> None:
        self._data += data
        if len(self._data) > MOST:
            self.transport.loseConnection()  # type: ignore[union-attr]

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        if not self._done.called:
            self._done.callback(self._data[:MOST])


class Poster:
    """Posts by HTTPS to addresses that users give."""

    def __init__(
        self, reactor: Reactor, allowed: Nets = (), trust_root: Certificate | None = None
    ) -> None:
        endpoints = PublicEndpoints(reactor, allowed, trust_root)
        self._agent, self._reactor = Agent.usingEndpointFactory(reactor, endpoints), reactor
        self.allowed = allowed

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> None:
        """Post. Raises GoneError if the address has ended, or another exception."""
        posting = Deferred.fromCoroutine(self._post(url, headers, body))
        await posting.addTimeout(LONGEST, self._reactor)

    async def _post(self, url: str, headers: Mapping[str, str], body: bytes) -> None:
        check_url(url, self.allowed)  # the nets that are allowed can have changed
        given = Headers({name: [value] for name, value in headers.items()})
        given.addRawHeader("User-Agent", "tictac")
        response = await self._agent.request(b"POST", url.encode("ascii"), given, _Body(body))
        done = Deferred[bytes](lambda _: response._transport.abortConnection())
        response.deliverBody(_Rest(done))
        answer = (await done)[:100].decode("utf-8", "replace")
        why = f"{response.code} {''.join(c if c.isprintable() else ' ' for c in answer)}".strip()
        if response.code in (404, 410):
            raise GoneError(why)
        if not 200 <= response.code < 300:
            raise OSError(why)

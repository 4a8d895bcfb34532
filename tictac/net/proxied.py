"""Connections through a proxy, whose first bytes name the peer (PROXY protocol, 1 and 2).

Twisted's parser reads the header, and this module checks what the parser takes for granted. The
server refuses a wrong header like any other wrong message.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Any

from twisted.internet.interfaces import IHalfCloseableProtocol
from twisted.protocols.haproxy._exceptions import InvalidProxyHeader
from twisted.protocols.haproxy._info import ProxyInfo
from twisted.protocols.haproxy._v1parser import V1Parser
from twisted.protocols.haproxy._v2parser import V2Parser
from twisted.protocols.haproxy._wrapper import HAProxyProtocolWrapper, HAProxyWrappingFactory
from zope.interface import implementer

PREFIX = "haproxy:"
"""The prefix of the description of such a port."""

V2_LENGTH = 16
"""Bytes of a binary header before the addresses (PROXY protocol, 2.2)."""

V2_LONGEST = 4096
"""Maximum bytes behind them, of which proxies need a few hundred."""


@implementer(IHalfCloseableProtocol)
class ProxiedProtocol(HAProxyProtocolWrapper):
    """Removes the header, and passes on the bytes after it, and the end of the input."""

    wrappedProtocol: Any

    _begun = b""

    def dataReceived(self, data: bytes) -> None:
        if self._proxyInfo is None:
            try:
                data = self._after_header(data)
            except (InvalidProxyHeader, ValueError, LookupError):
                self.wrappedProtocol.drop_for("bad-proxy-header")
                return
        if data:
            self.wrappedProtocol.dataReceived(data)

    def _after_header(self, data: bytes) -> bytes:
        """Return the bytes of ``data`` behind the header. Raises ValueError or a parser's error."""
        if self._parser is None:
            self._begun = data = self._begun + data
            self._parser = _parser_for(data)
            if self._parser is None:
                return b""
        info, rest = self._parser.feed(data)
        if info is None:
            return b""
        host = getattr(info.source, "host", None)
        # A zone follows a % and can be any text.
        if host is not None and ("%" in host or not ip_address(host)):
            raise ValueError("no address")
        self._proxyInfo = info
        return rest or b""

    def readConnectionLost(self) -> None:
        half_closeable = IHalfCloseableProtocol(self.wrappedProtocol, None)
        if half_closeable is None:
            self.loseConnection()
        else:
            half_closeable.readConnectionLost()

    def writeConnectionLost(self) -> None:
        """Do nothing: no protocol here ends its output alone (IHalfCloseableProtocol)."""


class _V1Parser(V1Parser):
    @classmethod
    def parse(cls, line: bytes) -> ProxyInfo:
        # Twisted wants addresses, which the header can leave out here (PROXY protocol, 2.1).
        return super().parse(line + b" " if line == b"PROXY UNKNOWN" else line)


def _parser_for(begun: bytes) -> V1Parser | V2Parser | None:
    """Return the parser of a header with this beginning; None if more bytes are needed.

    Raises ValueError if there is no header.
    """
    if begun.startswith(V1Parser.PROXYSTR):
        return _V1Parser()
    if begun.startswith(V2Parser.PREFIX):
        if int.from_bytes(begun[14:V2_LENGTH], "big") > V2_LONGEST:
            raise ValueError("too long")
        return V2Parser() if len(begun) >= V2_LENGTH else None
    if V2Parser.PREFIX.startswith(begun) or V1Parser.PROXYSTR.startswith(begun):
        return None
    raise ValueError("no header")


class ProxiedFactory(HAProxyWrappingFactory):
    """Puts a :class:`ProxiedProtocol` before each connection of another factory."""

    protocol = ProxiedProtocol  # type: ignore[assignment]

"""Addresses of servers as users type them, and connecting: by TCP, TLS, or a local socket."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.endpoints import UNIXClientEndpoint, connectProtocol
from twisted.internet.error import ConnectionClosed
from twisted.internet.interfaces import IReactorTime

from tictac.net.client_connection import Tls, UnknownMessage, tls_fault
from tictac.plugins.client.connection import LobbyClient, connect

TLS, PLAIN, HERE = "tls://", "tcp://", "unix:"

PORT, TLS_PORT = 5000, 5443
"""The usual ports of a server."""


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The address of a server; ``ca`` is a file of the certificate to trust, or None."""

    host: str
    port: int
    tls: bool = False
    ca: str | None = None

    def __str__(self) -> str:
        if self.host.startswith(HERE):
            return "here"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{TLS if self.tls else ''}{host}:{self.port}"


def read_address(text: str, ca: str | None = None) -> ServerAddress:
    """Return the server of a typed ``HOST PORT``, ``HOST:PORT`` or ``tls://HOST:PORT``.

    Without a port it is the usual one. Raises ValueError with a sentence.
    """
    tls = text.startswith(TLS)
    address = text.removeprefix(TLS).removeprefix(PLAIN).strip().rstrip("/")
    if not has_port(address):
        address += f" {TLS_PORT if tls else PORT}"
    host, _, port = address.rpartition(" " if " " in address else ":")
    host = host.strip().removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise ValueError(f"{text!r:.60} isn't like localhost 5000, or tls://play.example:5443")
    if ca is not None and not tls:
        raise ValueError("--ca is for tls://")
    return ServerAddress(host, int(port), tls, ca)


def has_port(address: str) -> bool:
    """Return whether ``HOST``, ``HOST PORT`` or ``HOST:PORT`` has a port; ``::1`` has none."""
    return " " in address or address.count(":") == 1 or "]:" in address


def connector_to(
    reactor: IReactorTime, address: ServerAddress
) -> Callable[[], Deferred[LobbyClient]]:
    """Return a function that connects to a server.

    Raises ValueError if TLS isn't installed, or the certificate can't be read.
    """
    if address.host.startswith(HERE):
        endpoint = UNIXClientEndpoint(reactor, address.host.removeprefix(HERE))
        return lambda: connectProtocol(endpoint, LobbyClient(reactor))
    return partial(connect, reactor, address.host, address.port, trust(address))


def trust(address: ServerAddress) -> Tls:
    """Return the TLS options for ``net.client.connect``; None without TLS.

    Raises as :func:`connector_to`.
    """
    if not address.tls:
        return None
    try:
        from twisted.internet.ssl import Certificate, optionsForClientTLS, trustRootFromCertificates
    except ImportError:
        raise ValueError("TLS needs a package that isn't installed: pip install '.[tls]'") from None
    if address.ca is None:
        return optionsForClientTLS(address.host)
    try:
        root = Certificate.loadPEM(Path(address.ca).read_bytes())
    except Exception as error:  # OSError, or one of OpenSSL's
        why = error.strerror if isinstance(error, OSError) else "it isn't a certificate"
        raise ValueError(f"{address.ca} can't be read: {why}") from None
    return optionsForClientTLS(address.host, trustRootFromCertificates([root]))


def why_not(address: ServerAddress, error: BaseException) -> str:
    """Return why the server can't be used, as a sentence without its period."""
    if isinstance(error, UnknownMessage) and error.message.startswith(b"HTTP/"):
        page = f"http{'s' * address.tls}://{str(address).removeprefix(TLS)}/"
        return f"{address} is the port of a page: open {page} in a browser, or name the other port"
    if isinstance(error, UnknownMessage | TimeoutError):
        return (
            f"{address} doesn't speak the lobby protocol; for the rooms protocol: {_rooms(address)}"
        )
    if why := tls_fault(error):
        return why
    if isinstance(error, ConnectionClosed):
        rooms = f"For the rooms protocol: {_rooms(address)}"
        other = f": does it speak TLS? Try {TLS}{address}" if not address.tls else ""
        return f"{address} closed the connection without an answer{other}. {rooms}"
    return f"there is no server at {address.host} port {address.port}"


def _rooms(address: ServerAddress) -> str:
    """Return the command for a server of the rooms protocol."""
    return f"tictac rooms {address if address.tls else f'{address.host} {address.port}'}"

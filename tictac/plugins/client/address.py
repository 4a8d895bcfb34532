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

from tictac.net.client import Tls, UnknownMessage, tls_fault
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


def read_place(text: str, ca: str | None = None) -> ServerAddress:
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


def way_to(reactor: IReactorTime, place: ServerAddress) -> Callable[[], Deferred[LobbyClient]]:
    """Return a function that connects to a server.

    Raises ValueError if TLS isn't installed, or the certificate can't be read.
    """
    if place.host.startswith(HERE):
        endpoint = UNIXClientEndpoint(reactor, place.host.removeprefix(HERE))
        return lambda: connectProtocol(endpoint, LobbyClient(reactor))
    return partial(connect, reactor, place.host, place.port, trust(place))


def trust(place: ServerAddress) -> Tls:
    """Return the TLS options for ``net.client.connect``; None without TLS.

    Raises as :func:`way_to`.
    """
    if not place.tls:
        return None
    try:
        from twisted.internet.ssl import Certificate, optionsForClientTLS, trustRootFromCertificates
    except ImportError:
        raise ValueError("TLS needs a package that isn't installed: pip install '.[tls]'") from None
    if place.ca is None:
        return optionsForClientTLS(place.host)
    try:
        root = Certificate.loadPEM(Path(place.ca).read_bytes())
    except Exception as error:  # OSError, or one of OpenSSL's
        why = error.strerror if isinstance(error, OSError) else "it is no certificate"
        raise ValueError(f"{place.ca} can't be read: {why}") from None
    return optionsForClientTLS(place.host, trustRootFromCertificates([root]))


def why_not(place: ServerAddress, error: BaseException) -> str:
    """Return why the server can't be used, as a sentence without its period."""
    if isinstance(error, UnknownMessage) and error.message.startswith(b"HTTP/"):
        page = f"http{'s' * place.tls}://{str(place).removeprefix(TLS)}/"
        return f"{place} is the port of a page: open {page} in a browser, or name the other port"
    if isinstance(error, UnknownMessage | TimeoutError):
        return f"{place} doesn't speak the lobby protocol; for the rooms protocol: {_rooms(place)}"
    if why := tls_fault(error):
        return why
    if isinstance(error, ConnectionClosed):
        rooms = f"For the rooms protocol: {_rooms(place)}"
        other = f": does it speak TLS? Try {TLS}{place}" if not place.tls else ""
        return f"{place} closed the connection without an answer{other}. {rooms}"
    return f"there is no server at {place.host} port {place.port}"


def _rooms(place: ServerAddress) -> str:
    """Return the command for a server of the rooms protocol."""
    return f"tictac rooms {place if place.tls else f'{place.host} {place.port}'}"

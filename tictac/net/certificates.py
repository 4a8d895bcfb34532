"""TLS ports whose certificate can be read again while they listen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twisted.internet.endpoints import serverFromString
from twisted.internet.interfaces import IListeningPort, IOpenSSLServerConnectionCreator
from twisted.internet.protocol import Factory
from zope.interface import implementer


@implementer(IOpenSSLServerConnectionCreator)
class Certificate:
    """What each new connection of a port takes its key and certificate from."""

    def __init__(self, current: Any) -> None:
        self.current = current

    def serverConnectionForTLS(self, tlsProtocol: object) -> Any:  # noqa: N803
        """OpenSSL's side of one connection."""
        # Only ports of TLS need the extra `tls`.
        from OpenSSL.SSL import Connection

        return Connection(self.current.getContext(), None)


class TLSReactor:
    """A reactor, but that ``listen_tls`` is called instead of its ``listenSSL``.

    An endpoint reads the files of a certificate when it is made, and hands it over here.
    """

    def __init__(self, reactor: Any, listen_tls: Callable[..., IListeningPort | None]) -> None:
        self._reactor = reactor
        self.listenSSL = listen_tls

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reactor, name)


def read_again(reactor: Any, description: str) -> Any:
    """The certificate of a TLS endpoint, as its files are now. Raises what reading them raises."""
    found: list[Any] = []

    def listen_tls(port: int, factory: Any, contextFactory: Any, **how: object) -> None:  # noqa: N803
        found.append(contextFactory)

    serverFromString(TLSReactor(reactor, listen_tls), description).listen(Factory())
    found[0].getContext()
    return found[0]

"""Listening on endpoint strings, with one line in the log for each address."""

from __future__ import annotations

import re
from collections.abc import Callable
from errno import EADDRINUSE
from typing import TYPE_CHECKING, Any

from twisted.application.service import Service
from twisted.internet import tcp
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import quoteStringArgument, serverFromString
from twisted.internet.error import CannotListenError
from twisted.internet.interfaces import IListeningPort, IProtocolFactory, IReactorSSL
from twisted.internet.protocol import Factory
from twisted.internet.selectreactor import SelectReactor
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.errors import SetupError
from tictac.logs import LIMITED
from tictac.net.chores import Chores, chores_of
from tictac.net.eager_tcp import READ_AT_A_TIME, send_eagerly
from tictac.net.limits import PeerRate
from tictac.net.proxied import PREFIX, ProxiedFactory
from tictac.net.tls import Certificate, TLSReactor, files_in, require_regular
from tictac.reactor import Reactor

if TYPE_CHECKING:
    from twisted.internet.ssl import CertificateOptions

_log = Logger()

BACKLOG = 4096
"""Connections that can wait to be accepted; with Twisted's 50, a burst waits for a second."""


def endpoint_description(text: str, backlog: int = BACKLOG, address: str = "") -> str:
    """Return ``text``, a port number or an endpoint string, as an endpoint string.

    A TCP or TLS endpoint without a backlog gets ``backlog``, and without an interface ``address``,
    if that isn't empty. Raises ValueError for a port number out of range.
    """
    if text.isdecimal():
        if int(text) > 65535:
            raise ValueError(f"{text} is not a port number")
        text = f"tcp:{int(text)}"
    if re.match(r"(haproxy:)?(tcp6?|ssl):", text):
        if address and ":interface=" not in text:
            text += f":interface={quoteStringArgument(address)}"
        if ":backlog=" not in text:
            text += f":backlog={backlog}"
    return text


class _Trial(Factory):
    noisy = False

    def logPrefix(self) -> str:
        """Return the beginning of Twisted's log line about listening."""
        return "trial of the port"


class _Binding(SelectReactor):
    """Binds TCP ports without listening, because clients that connect would be disconnected."""

    def listenTCP(
        self, port: int, factory: Factory, backlog: int = BACKLOG, interface: str = ""
    ) -> tcp.Port:
        trial = tcp.Port(port, factory, backlog, interface, self)
        with trial.createInternetSocket() as found:
            try:
                found.bind((interface, port))
            except OSError as error:
                raise CannotListenError(interface, port, error) from None
        return trial


def check_endpoint(description: str, option: str = "", may_be_taken: bool = False) -> None:
    """Open the endpoint once and close it, so that faults are known before twistd forks.

    Raises :class:`~tictac.errors.SetupError` with one line, which names ``option`` if the port is
    taken, unless it ``may_be_taken``. A descriptor from systemd is listening already, and a trial
    would close it.
    """
    if description.startswith("systemd:"):
        return
    reactor = _Binding()
    outcome: list[IListeningPort | Failure] = []
    below = description.removeprefix(PREFIX)
    try:
        require_regular(files_in(below).values())
        serverFromString(reactor, below).listen(_Trial()).addBoth(outcome.append)
    except ImportError as error:
        why = "TLS needs packages that aren't installed: pip install '.[tls]'"
        raise SetupError(f"cannot listen on {description}: {why}") from error
    except Exception as error:
        raise SetupError(f"cannot listen on {description}: {error}") from error
    port = outcome[0]
    if isinstance(port, Failure):
        fault = port.value
        # For a Unix socket that another process has locked, it is a text instead of an error.
        cause = fault.socketError if isinstance(fault, CannotListenError) else None
        taken = cause is not None and getattr(cause, "errno", EADDRINUSE) == EADDRINUSE
        if taken and may_be_taken:
            return
        hint = f"; --{option} names another port" if taken and option else ""
        raise SetupError(_why(description, fault) + hint)
    port.stopListening()
    reactor.runUntilCurrent()
    reactor.disconnectAll()
    reactor.removeAll()


def _why(description: str, error: BaseException | None) -> str:
    if isinstance(error, CannotListenError):
        reason = getattr(error.socketError, "strerror", None) or error.socketError
        return f"cannot listen on {description}: {reason}"
    return f"cannot listen on {description}: {error}"


class Listener(Service):
    """Listens on one endpoint while it runs.

    Unlike twisted.application.internet.StreamServerEndpointService, it can stop listening before it
    stops, and it passes a failure on to its caller.
    """

    def __init__(
        self,
        reactor: Reactor,
        description: str,
        factory: IProtocolFactory,
        what: str,
        eager: bool = True,
        read_at_a_time: int = READ_AT_A_TIME,
    ) -> None:
        self.description = description
        self.factory = factory
        self.port: IListeningPort | None = None
        self._reactor = reactor
        self._what = what
        self._eager = eager
        self._read_at_a_time = read_at_a_time
        self._below = description.removeprefix(PREFIX)
        self._certificate: Certificate | None = None

    def privilegedStartService(self) -> None:
        super().privilegedStartService()
        failures: list[Failure] = []
        endpoint = serverFromString(TLSReactor(self._reactor, self._listen_tls), self._below)
        proxied = self._below != self.description
        factory = ProxiedFactory(self.factory) if proxied else self.factory
        endpoint.listen(factory).addCallbacks(self._listening, failures.append)
        if failures:
            raise SetupError(_why(self.description, failures[0].value))

    def startService(self) -> None:
        super().startService()
        if self.port is None:
            self.privilegedStartService()

    def address(self) -> str:
        """Return the address as a person types it."""
        assert self.port is not None
        return _spell(self.port.getHost())

    def url(self) -> str:
        """Return the address for a browser on this machine; at a socket as :meth:`address`."""
        assert self.port is not None
        where: Any = self.port.getHost()
        if not hasattr(where, "port"):
            return self.address()
        scheme = "https" if "ssl:" in self.description else "http"
        host = "localhost" if where.host in ("0.0.0.0", "::") else where.host
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{where.port}/"

    def stop_listening(self) -> Deferred[None] | None:
        """Accept no more connections; open ones stay."""
        port, self.port = self.port, None
        return None if port is None else port.stopListening()

    def stopService(self) -> Deferred[None] | None:
        super().stopService()
        return self.stop_listening()

    def reload(self) -> None:
        """Read the certificate again for new connections. If that fails, the old one stays."""
        if self._certificate is None:
            return
        try:
            self._certificate.read_again()
        except Exception as error:
            _log.error(
                "the certificate of {port} can't be read: {why}", port=self._below, why=error
            )
        else:
            _log.info("the certificate of {port} was reloaded", port=self._below)

    def look_again(self) -> None:
        """Read the certificate again if its files have changed."""
        if self._certificate is not None and self._certificate.has_changed():
            self.reload()

    def _listen_tls(
        self,
        port: int,
        factory: IProtocolFactory,
        contextFactory: CertificateOptions,  # noqa: N803
        **how: object,
    ) -> IListeningPort:
        # Only TLS ports need the extra `tls`.
        from tictac.net.handshakes import shake_in_turn

        self._certificate = Certificate(self._reactor, self._below, contextFactory)
        # Twisted takes any that makes OpenSSL's connections, but declares less.
        listen: Callable[..., IListeningPort] = IReactorSSL(self._reactor).listenSSL
        listening = listen(port, factory, self._certificate, **how)
        shake_in_turn(listening, self._reactor)
        return listening

    def _listening(self, port: IListeningPort) -> None:
        self.port = port
        accept_in_turn(port, chores_of(self._reactor))
        self._keep_the_rate(port)
        if self._eager:
            send_eagerly(port, self._reactor, self._read_at_a_time)
        _log.info("{what}: listening on {address}", what=self._what, address=self.address())

    def _keep_the_rate(self, port: object) -> None:
        """Refuse clients that connect too often, before anything is made for the connection."""
        factory: Any = self.factory
        limits = getattr(factory, "limits", None)
        outermost = getattr(port, "factory", None)  # the factory of TLS, if there is one
        # All connections of a proxy have its address.
        if limits is None or outermost is None or self._below != self.description:
            return
        rate = PeerRate(limits.connect_rate, limits.max_connections_per_peer, factory.seconds)
        build = outermost.buildProtocol

        def build_protocol(address: object) -> object:
            host = getattr(address, "host", None)
            if host is None or rate.allows(host):
                return build(address)
            factory.refusals.note("too-many-connects", host)
            return None

        outermost.buildProtocol = build_protocol


def accept_in_turn(port: Any, chores: Chores) -> None:
    """Let ``port`` accept one connection at a time, after the chores before it.

    Twisted accepts more than a hundred in a turn, and all other connections wait for that.
    """
    read = getattr(port, "doRead", None)
    if read is None:
        return

    def accept() -> None:
        if port.connected and not port.disconnecting:
            port.numberAccepts = 1
            read()
            port.startReading()

    def do_read() -> None:
        port.stopReading()
        chores.add(accept)

    port.doRead = do_read
    # Without free descriptors, Twisted logs each connection that it can't accept (a private name).
    port._logger = Logger(namespace=port._logger.namespace, observer=LIMITED)


def _spell(address: Any) -> str:
    if hasattr(address, "port"):
        return f"{address.host} port {address.port}"
    name = getattr(address, "name", address)
    return name.decode(errors="replace") if isinstance(name, bytes) else str(name)

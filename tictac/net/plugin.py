"""A server among those of this process: its options, its listeners, its connections.

The ``service.py`` of each protocol has a ``PLUGIN`` (tictac.runtime.ServerPlugin), and a
:class:`ProtocolService` or a class built on it. CONTRIBUTING.md describes the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

from twisted.application.service import Service
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory
from twisted.internet.task import LoopingCall, deferLater
from twisted.logger import Logger
from twisted.protocols.policies import ProtocolWrapper, WrappingFactory

from tictac.errors import Refusal
from tictac.lobby.direct_matches import DirectMatches
from tictac.lobby.interfaces import Occupant
from tictac.logs import LIMITED
from tictac.net.budget import Budget
from tictac.net.connection import Limits
from tictac.net.eager_tcp import READ_AT_A_TIME
from tictac.net.limits import OPEN_FILES, ConnectionLimit, FirstOnly, peer_name
from tictac.net.listening import Listener
from tictac.net.settings import AccountOptions, ServerOptions
from tictac.options import Settings

_log = Logger(observer=LIMITED)

GOODBYE = 1.0
"""Seconds in which connections can read the last messages before they are cut."""


class Served(Protocol):
    """The server that waits for its turn."""

    def stands_by(self) -> None:
        """Note that another process is active."""

    def begin(self) -> bool:
        """Start all parts that wait for the rooms. Return whether they have started."""

    def pause(self) -> None:
        """Close the ports of these parts: another process might serve by now."""

    def go_on(self) -> None:
        """Open the ports again: this process still serves."""

    def lost(self, why: str) -> None:
        """End the process with a status that lets its supervisor start it again."""


class Turn(Protocol):
    """Lets one of several processes with the same rooms serve, while the others wait."""

    def wait(self, server: Served) -> None:
        """Wait until this process serves, and pass ``server`` its duties."""

    def why_not(self) -> str:
        """Return why this process doesn't serve now; empty: it does."""

    async def stop(self) -> None:
        """Wait no longer. The outbox lets go of the turn that this process has."""


class Contestant(Protocol):
    """The seat of a tournament's player, for the connections of its program at a port of its own.

    The program gets this ``seat`` under this ``name``, whatever name and room it asks for.
    ``limits`` are the limits of its connections.
    """

    name: str
    seat: int
    limits: Limits

    def session(self, connection: Any, lobby: Any) -> Any:
        """Make the session of a connection that speaks the lobby protocol (protocols.lobby)."""

    def come(self, occupant: Occupant) -> None:
        """Let a connection wait for the seat; close it if another one has it."""

    def refused(self, refusal: Refusal) -> None:
        """Note a refused request; an illegal move loses the match."""

    def lost(self, occupant: Occupant) -> None:
        """Note that a connection is lost for good."""


class PartFactory(Protocol):
    """The factory of a port, as a part uses it; it is also a Twisted factory."""

    budget: Budget
    refusals: FirstOnly
    observe: Callable[[float], None] | None

    @property
    def connections(self) -> Collection[Any]:
        """The open connections. ``close()`` sends the written bytes first, ``drop()`` doesn't."""

    def expire(self) -> None:
        """Close the connections that have timed out."""


class PlainConnection(ProtocolWrapper):
    """A connection of a :class:`PlainFactory`, in front of another protocol."""

    peer: str

    def close(self) -> None:
        """Send the written bytes, then close."""
        self.loseConnection()

    def drop(self) -> None:
        """Close at once."""
        self.abortConnection()


class PlainFactory(WrappingFactory):
    """Serves any Twisted ``factory`` at a port, within limits for its connections (PartFactory).

    Use it for protocols that need nothing of :class:`~tictac.net.connection.ServerConnection`.
    """

    noisy = False
    protocol = PlainConnection
    observe: Callable[[float], None] | None = None

    def __init__(self, factory: Factory, limits: Limits) -> None:
        super().__init__(factory)
        self.refusals = FirstOnly()
        self._limit = ConnectionLimit(
            limits.max_connections, limits.max_connections_per_peer, OPEN_FILES
        )

    @property
    def connections(self) -> Collection[Any]:
        """The open connections."""
        return list(self.protocols)

    def expire(self) -> None:
        """Leave silent connections alone: the protocol knows how long it can take."""

    def buildProtocol(self, addr: IAddress | None) -> ProtocolWrapper | None:  # type: ignore[override]
        peer = peer_name(addr)
        if (reason := self._limit.enter(peer)) is not None:
            self.refusals.note(reason, peer)
            return None
        connection = super().buildProtocol(addr)
        assert isinstance(connection, PlainConnection)
        connection.peer = peer
        return connection

    def unregisterProtocol(self, p: ProtocolWrapper) -> None:
        super().unregisterProtocol(p)
        assert isinstance(p, PlainConnection)
        self._limit.leave(p.peer)


def connection_limits(settings: Settings, login_timeout: float, idle_timeout: float) -> Limits:
    """Return the limits from the options that every part has, and from two of its own."""
    options, trusted = settings[ServerOptions], settings[AccountOptions].trusted_net
    return Limits(
        login_timeout, idle_timeout, options.max_connections, options.max_connections_per_peer,
        options.max_half_closed, options.connect_rate, options.budget, options.budget_burst,
        trusted, options.max_unsent, options.keepalive,
    )  # fmt: skip


def sweep_interval(*timeouts: float) -> float:
    """Return the seconds between two checks for timeouts: a tenth of the shortest one."""
    return min(max(min((t for t in timeouts if t), default=50.0) / 10, 0.05), 5.0)


class ProtocolService(Service):
    """Listens on ports, checks for timeouts, and closes all connections at the end.

    A part that ``waits`` starts when it is the turn of this process (Turn).

    ``what`` is its name in log lines. ``sweep`` is the seconds between two calls of :meth:`expire`.
    The others are those of :meth:`listen`. A part can add more ``factories`` for other connections.
    """

    waits = True

    def __init__(
        self,
        reactor: Any,
        what: str,
        ports: Sequence[str],
        make_factory: Callable[[bool], Any],
        sweep: float,
        eager: bool = True,
        read_at_a_time: int = READ_AT_A_TIME,
    ) -> None:
        self.what = what
        self.factories: list[PartFactory] = []
        self.listeners: list[Listener] = []
        self._reactor = reactor
        self._every = sweep
        self._sweep = LoopingCall(self._sweep_once)
        self._sweep.clock = reactor
        self.listen(ports, make_factory, eager, read_at_a_time)

    def listen(
        self, ports: Sequence[str], make_factory: Callable[[bool], Any], eager: bool, most: int
    ) -> None:
        """Add ports, which open when the part starts; ``most`` bytes are read at a time.

        ``make_factory`` makes the PartFactory of a port; its argument is whether a proxy names the
        peers.
        """
        for port in ports:
            factory = make_factory(port.startswith("haproxy:"))
            self.factories.append(factory)
            self.listeners.append(Listener(self._reactor, port, factory, self.what, eager, most))

    # Hooks for a part

    def begin(self) -> None:
        """Start the services that connections need, before the first connection."""

    async def end(self) -> None:
        """Stop the services that connections need, after the last connection."""

    def expire(self) -> None:
        """End everything that has timed out."""
        for factory in self.factories:
            factory.expire()

    def matches_running(self) -> int:
        """Return the number of matches that a shutdown waits for."""
        return 0

    def figures(self) -> Mapping[str, tuple[str, float]]:
        """Return further metrics: for each name, its description and its present value."""
        return {}

    def pause(self) -> None:
        """Accept no connections until :meth:`go_on`."""
        for listener in self.listeners:
            listener.stop_listening()

    def go_on(self) -> None:
        """Accept connections again. Raises SetupError."""
        for listener in self.listeners:
            listener.startService()

    def listening(self) -> bool:
        """Return whether every port accepts connections."""
        return all(listener.port is not None for listener in self.listeners)

    def serving(self) -> bool:
        """Return whether players can be served now, with everything that the part depends on."""
        return self.listening()

    # Starting

    def privilegedStartService(self) -> None:
        super().privilegedStartService()
        for listener in self.listeners:
            listener.privilegedStartService()

    def startService(self) -> None:
        super().startService()
        self.begin()
        for listener in self.listeners:
            listener.startService()
        self._sweep.start(self._every, now=False)

    def _sweep_once(self) -> None:
        for listener in self.listeners:
            listener.look_again()
        try:
            self.expire()
        except Exception:
            _log.failure("cannot check for timeouts")

    def reload(self) -> None:
        """Read certificates again."""
        for listener in self.listeners:
            listener.reload()

    # Stopping

    def stop_listening(self) -> None:
        """Accept no more connections; open ones stay."""
        for listener in self.listeners:
            listener.stop_listening()

    def stopService(self) -> Deferred[None]:
        super().stopService()
        stopping: Deferred[None] = Deferred.fromCoroutine(self._stop())
        return stopping

    async def _stop(self) -> None:
        if self._sweep.running:
            self._sweep.stop()
        await DeferredList([d for listener in self.listeners if (d := listener.stopService())])
        await self._close_connections()
        await self.end()

    async def _close_connections(self) -> None:
        """Close every connection; abort it if the peer doesn't read the end."""
        for connection in self._connections():
            connection.close()
        for _ in range(20):
            if not self._connections():
                return
            await deferLater(self._reactor, GOODBYE / 20, lambda: None)
        for connection in self._connections():
            connection.drop()

    def _connections(self) -> list[Any]:
        return [c for factory in self.factories for c in factory.connections]

    def refusals(self) -> dict[str, int]:
        """Return the number of refusals by kind."""
        return dict(sum((factory.refusals.counts for factory in self.factories), Counter()))


class MatchmakingService(ProtocolService):
    """A part whose ``seating`` makes the rooms of connected players."""

    def __init__(
        self,
        reactor: Any,
        what: str,
        ports: Sequence[str],
        seating: DirectMatches[Any],
        make_factory: Callable[[bool], Any],
        sweep: float,
        eager: bool = True,
    ) -> None:
        self.seating = seating
        super().__init__(reactor, what, ports, make_factory, sweep, eager)

    def stop_listening(self) -> None:
        super().stop_listening()
        self.seating.finish()

    def expire(self) -> None:
        super().expire()
        self.seating.expire()

    def matches_running(self) -> int:
        return self.seating.running()

    async def end(self) -> None:
        _log.info(
            "{what}: matches: {matches}; refusals: {refusals}",
            what=self.what,
            matches=dict(self.seating.endings),
            refusals=self.refusals(),
        )

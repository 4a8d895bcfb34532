"""One server among those of this process: its options, its listeners, its connections.

A game that is served has a :class:`ServerPlugin` called ``PLUGIN`` in its ``service.py``, and a
:class:`ProtocolService` or a class built on it. docs/adding-a-game.md tells what else belongs to
one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

from twisted.application.service import Service
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory
from twisted.internet.task import LoopingCall, deferLater
from twisted.logger import Logger
from twisted.protocols.policies import ProtocolWrapper, WrappingFactory

from tictac.accounts.accounts import Accounts
from tictac.accounts.store import Store
from tictac.errors import Refusal
from tictac.lobby.direct_matches import DirectMatches
from tictac.lobby.interfaces import Occupant
from tictac.lobby.registry import Registry
from tictac.lobby.terms import Terms
from tictac.logs import LIMITED
from tictac.net.budget import Budget
from tictac.net.connection import Limits
from tictac.net.eager import READ_AT_A_TIME
from tictac.net.limits import OPEN_FILES, ConnectionLimit, FirstOnly, peer_name
from tictac.net.listening import Listener

_log = Logger(observer=LIMITED)

GOODBYE = 1.0
"""Seconds that connections have to take what is written to them before they are cut."""

Parameter = tuple[str, str | None, object, str, Callable[[str], object] | None]
"""An option with a value, as ``usage.Options.optParameters`` has them: the long name, a
letter, the default, what it means, and what reads its text (raising ValueError)."""

Flag = tuple[str, str | None, str]
"""An option without a value: the long name, a letter, what it means."""


ListOption = tuple[str, str, Callable[[str], object]]
"""An option that may be repeated, and whose value is a list: the long name, what it means,
and what reads one text (raising ValueError)."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What the parts of one process have in common.

    ``accounts`` opens them. ``store`` makes another store of their database, with a thread of its
    own, in which a part asks for tables of its own; it is told what is kept there, as log lines
    call it. Both raise :class:`~tictac.errors.SetupError` when the database can't be used.
    ``lobby`` gives the registry of rooms, of every door; ``archive`` their matches that have ended,
    and what came of them; None with ``--no-archive``. Who starts the lobby starts the archive.
    ``part`` gives the part with that port option, which is made without a port if nobody
    asked for one: a part that offers another way to it builds on it so. ``parts`` are all
    that there are, once the whole has started.
    """

    reactor: Any
    accounts: Callable[[], Accounts]
    store: Callable[[str], Store]
    part: Callable[[str], Any]
    parts: Callable[[], Sequence[ProtocolService]]
    lobby: Callable[[], Registry]
    archive: Callable[[], Store | None]


class Contestant(Protocol):
    """A player of a tournament to the connections of its program, which has a port of its own.

    The program gets this ``seat`` under this ``name``, whatever name and room it asks for;
    ``limits`` are those of its connections.
    """

    name: str
    seat: int
    limits: Limits

    def session(self, connection: Any, lobby: Any) -> Any:
        """Make the session of a connection that speaks the lobby protocol (doors.lobby)."""

    def come(self, occupant: Occupant) -> None:
        """Let a connection wait for the seat; it is closed if another one has come."""

    def refused(self, refusal: Refusal) -> None:
        """Note a refused request: a move that can't be made loses the match."""

    def lost(self, occupant: Occupant) -> None:
        """Note that a connection is gone for good."""


@dataclass(frozen=True, slots=True)
class ServerPlugin:
    """What `twistd tictac` must know of a part.

    ``port`` names the option that says where it listens, which may be repeated;
    ``port_letter`` and ``port_help`` describe it. ``make`` gets the values of all options
    by their long names, the endpoint strings (none when only another part asked for this
    one), and what is shared; it may raise :class:`~tictac.errors.SetupError`, and mustn't
    open anything yet.

    ``seats`` makes the factory (PartFactory) of a port by which one program plays in a tournament,
    of the Contestant, the reactor, and the lobby (doors.lobby.lobby.Lobby). ``hosts`` tells whether
    the protocol has words for a match on such terms.

    A part that doesn't listen (``listens`` is false) is switched on by the option named by
    ``port`` all the same; its values are then the part's own business.
    """

    port: str
    port_help: str
    make: Callable[[Mapping[str, Any], Sequence[str], Shared], ProtocolService]
    parameters: Sequence[Parameter] = ()
    flags: Sequence[Flag] = ()
    port_letter: str | None = None
    lists: Sequence[ListOption] = ()
    listens: bool = True
    seats: Callable[[Contestant, Any, Any], Any] | None = None
    hosts: Callable[[Terms], bool] = lambda terms: True


@dataclass(frozen=True, slots=True)
class LobbyPlugin:
    """What can keep the rooms otherwise than a Registry of this process alone, if asked to.

    ``make`` gets the reactor, the values of all options, what gives the database (Shared), what
    is called with the name of a room that can't be read, and what every Registry is made with.
    It returns None if the options don't ask for it, and may raise SetupError.
    """

    make: Callable[..., Registry | None]
    parameters: Sequence[Parameter] = ()


class PartFactory(Protocol):
    """What a part asks of the factory of a port, which is a Twisted factory besides."""

    budget: Budget
    refusals: FirstOnly
    observe: Callable[[float], None] | None

    @property
    def connections(self) -> Collection[Any]:
        """Those that are open. ``close()`` sends what is written first, ``drop()`` doesn't."""

    def expire(self) -> None:
        """Close those that have been silent for too long."""


class PlainConnection(ProtocolWrapper):
    """A connection of a :class:`PlainFactory`, in front of a stranger's protocol."""

    peer: str

    def close(self) -> None:
        """Send what is written, then close."""
        self.loseConnection()

    def drop(self) -> None:
        """Close at once."""
        self.abortConnection()


class PlainFactory(WrappingFactory):
    """Serves any Twisted ``factory`` at a port, within limits for its connections (PartFactory).

    It is for protocols that need nothing of :class:`~tictac.net.connection.ServerConnection`.
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
        """Leave silent connections alone: the protocol knows how long it may take."""

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


def connection_limits(
    options: Mapping[str, Any], login_timeout: float, idle_timeout: float
) -> Limits:
    """The limits that every part takes from the same options, and two of its own."""
    _, _, *shared = fields(Limits)
    values = {field.name: options[field.name.replace("_", "-")] for field in shared}
    values["trusted_net"] = tuple(values["trusted_net"])
    return Limits(login_timeout, idle_timeout, **values)


def sweep_interval(*timeouts: float) -> float:
    """Seconds between two looks for what has timed out: a tenth of the shortest limit."""
    return min(max(min((t for t in timeouts if t), default=50.0) / 10, 0.05), 5.0)


class ProtocolService(Service):
    """Listens on ``ports``, sweeps what has timed out, says goodbye at the end.

    ``what`` is its name in log lines. ``make_factory`` makes the factory of a port; it is
    told whether a proxy names the peers, and gives a PartFactory. A part may add more to
    ``factories`` whose connections come another way. ``sweep`` is how often :meth:`expire`
    is called.
    """

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
        for port in ports:
            factory = make_factory(port.startswith("haproxy:"))
            self.factories.append(factory)
            self.listeners.append(Listener(reactor, port, factory, what, eager, read_at_a_time))
        self._reactor = reactor
        self._every = sweep
        self._sweep = LoopingCall(self._sweep_once)
        self._sweep.clock = reactor

    # For a part to say

    def begin(self) -> None:
        """Start what the connections need; called before the first one."""

    async def end(self) -> None:
        """Stop it; called when all connections are closed."""

    def expire(self) -> None:
        """End what has stood still for too long."""
        for factory in self.factories:
            factory.expire()

    def matches_running(self) -> int:
        """How many matches are worth waiting for at a stop."""
        return 0

    def listening(self) -> bool:
        """Whether it takes connections at every port."""
        return all(listener.port is not None for listener in self.listeners)

    def serving(self) -> bool:
        """Whether players can be served now: it listens, and has what it depends on."""
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
            _log.failure("looking for what has timed out failed")

    def reload(self) -> None:
        """Read again what may have changed outside: certificates."""
        for listener in self.listeners:
            listener.reload()

    # Stopping

    def stop_listening(self) -> None:
        """Take no more connections; those that are there go on."""
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
        await self._say_goodbye()
        await self.end()

    async def _say_goodbye(self) -> None:
        """Close every connection, and cut those that don't take it."""
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
        """How many of each kind there were."""
        return dict(sum((factory.refusals.counts for factory in self.factories), Counter()))


class MatchmakingService(ProtocolService):
    """A part whose ``seating`` makes the rooms of whoever comes."""

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

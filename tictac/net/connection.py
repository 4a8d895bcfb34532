"""What every server of messages does with a connection: count it, limit it, close it.

A protocol builds on :class:`ServerConnection`, its factory on :class:`ConnectionFactory`.
Nothing here sets a timer for a connection: the time of each message is noted, and
:meth:`ConnectionFactory.expire` sweeps now and then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from twisted.internet.interfaces import IAddress, IReactorTime, ITCPTransport
from twisted.internet.protocol import ServerFactory
from twisted.python.failure import Failure

from tictac.fair_queue import Network, place_of
from tictac.net.budget import CONNECTION, Paying, budget_of
from tictac.net.framing import Framing, MessageReceiver, Peer
from tictac.net.hangups import HangUps
from tictac.net.keepalive import watch_path
from tictac.net.limits import OPEN_FILES, UNKNOWN, ConnectionLimit, FirstOnly, peer_name
from tictac.net.sending import Outlet

_BARE = Peer.BARE  # looking a member up in its enumeration costs as much as a call


LAST_WORDS = 5.0
"""Seconds that a peer has to take what was sent before its connection was closed."""


HALF_CLOSED_SHARE = 4
"""How many times what one address may hold half-closed all addresses together may."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one listener grants; times in seconds, sizes in bytes, 0 for no limit."""

    login_timeout: float = 60
    idle_timeout: float = 3600
    max_connections: int = 10_000
    max_connections_per_peer: int = 600
    max_half_closed: int = 8
    connect_rate: float = 200
    budget: float = 8_000
    budget_burst: float = 80_000
    trusted_net: tuple[Network, ...] = ()
    max_unsent: int = 262_144
    keepalive: float = 60


class ServerConnection(MessageReceiver, Paying):
    """The server's end of a connection, within the limits of its factory.

    ``since`` and ``last_message`` are the times of its beginning (or, when it is closing, of
    that) and of its last message, by ``factory.seconds``. ``outlet`` is there unless the
    connection was refused.
    """

    factory: ConnectionFactory
    outlet: Outlet
    granted = False
    since = 0.0
    admission: str | None = None
    """What was said before it began of a place for it, which it holds already: why it gets none,
    or nothing. None: it takes one itself."""

    why = ""
    """Why the server closes it, as the code of a refusal; empty until then."""

    _counted_as = ""
    _half_closed_as = ""
    _stop_watching: Callable[[], None] | None = None

    # Hooks for a protocol

    def opened(self) -> None:
        """The connection is granted."""

    def disconnected(self) -> None:
        """A connection that was granted is lost."""

    def refused(self, kind: str) -> None:
        """A connection that was granted is being closed for a refusal of ``kind``."""

    def timed_out(self, now: float) -> str | None:
        """Why the connection is to be closed at ``now``, as the code of a refusal."""
        return "idle-timeout" if self.silent_for(now) else None

    def silent_for(self, now: float) -> bool:
        """Whether nothing has been heard for longer than the idle limit."""
        return 0 < self.factory.limits.idle_timeout <= now - self.last_message

    # The connection

    @property
    def host(self) -> str:
        """Whom failures are counted against; behind a proxy known only after its header."""
        return peer_name(self.transport.getPeer())

    @property
    def place(self) -> str:
        """Whose turn it takes among others: of IPv6 all addresses of one customer are one."""
        return place_of(self.host)

    def connectionMade(self) -> None:
        super().connectionMade()
        factory = self.factory
        if not self._count():
            return
        if ITCPTransport.providedBy(self.transport):
            self.transport.setTcpNoDelay(True)
            watch_path(self.transport, factory.limits.keepalive)
        self.since = self.last_message = factory.seconds()
        self.have_purse(self.host)
        unsent = factory.limits.max_unsent
        self.outlet = Outlet(self.transport, self.clock, unsent, self._too_slow, self._choke)
        factory.connections.add(self)
        self.granted = True
        self.opened()

    def first_heard(self) -> None:
        if self._counted_as == UNKNOWN:
            self.factory.connection_limit.leave(UNKNOWN)
            if not self._count():
                return
            self.have_purse(self.host)
        if self.admission is None:
            self.purse.spend(CONNECTION, self)

    def connectionLost(self, reason: Failure | None = None) -> None:  # type: ignore[override]
        super().connectionLost(reason)
        self.__dict__.pop("dataReceived", None)  # of buildProtocol: a cycle
        if not self.granted:
            return
        factory = self.factory
        factory.connections.discard(self)
        if self._counted_as:
            factory.connection_limit.leave(self._counted_as)
        if self._half_closed_as:
            factory.half_closed_limit.leave(self._half_closed_as)
        self._watch_no_longer()
        self.disconnected()

    def _count(self) -> bool:
        """Take a place among the connections of this peer, or close.

        Behind a proxy nobody knows yet whose the connection is: only the total counts.
        """
        if self.admission is not None:
            self.why = self.admission
            if self.why:
                self.close()
            return not self.why
        self._counted_as = UNKNOWN if self.factory.proxied and not self._heard else self.host
        reason = self.factory.connection_limit.enter(self._counted_as)
        if reason is not None:
            self._counted_as = ""
            self.close_for(reason)
        return reason is None

    def must_wait(self) -> bool:
        return self.waits_for_budget()

    def rest(self) -> None:
        """Wait now if the next message would: of a protocol that takes all that came at once."""
        if self.closing:
            return
        if self._holds:
            self._pause()
        else:
            self.must_wait()

    # A peer that has ended its input

    def hold_for_answer(self) -> None:
        """Hold, as for a check that takes long, and notice meanwhile if the peer hangs up."""
        self.hold()
        self._stop_watching = self.factory.hang_ups.watch(self.transport, self._hung_up)

    def release_answered(self) -> None:
        """Undo :meth:`hold_for_answer`."""
        self._watch_no_longer()
        self.release()

    def readConnectionLost(self) -> None:
        super().readConnectionLost()
        if not self.closing:
            self._count_half_closed()

    def is_half_closed(self) -> bool:
        """Whether the peer has ended its input: it may wait for an answer, or be gone."""
        return bool(self._half_closed_as)

    def _watch_no_longer(self) -> None:
        stop, self._stop_watching = self._stop_watching, None
        if stop is not None:
            stop()

    def _hung_up(self, broken: bool) -> None:
        self._stop_watching = None
        if broken:
            self.drop()
        else:
            self._count_half_closed()

    def _count_half_closed(self) -> None:
        """Let it wait for its answers, unless many of its address do: it may well be gone."""
        if self._half_closed_as:
            return
        reason = self.factory.half_closed_limit.enter(self.host)
        if reason is None:
            self._half_closed_as = self.host
        else:
            self.drop_for("too-many-half-closed")

    # The end

    def close(self) -> None:
        if self.granted:
            self.outlet.close()
            self.since = self.factory.seconds()
        super().close()

    def note(self, kind: str) -> None:
        """Count a refusal."""
        self.factory.refusals.note(kind, self.host)

    def close_for(self, kind: str) -> None:
        """Note a refusal and close; what is written still leaves."""
        self.why = kind
        self.note(kind)
        self.close()
        if self.granted:
            self.refused(kind)

    def _stop(self) -> None:
        super()._stop()
        self.wait_no_longer()
        if self.granted:
            self.outlet.stop()

    def drop_for(self, kind: str) -> None:
        """Note a refusal and close at once."""
        self.why = kind
        self.note(kind)
        self.drop()
        self.refused(kind)

    def expire(self, now: float) -> None:
        """Close the connection if it has been silent for too long."""
        if self.closing:
            if now - self.since >= LAST_WORDS:
                self.drop()
            return
        reason = self.timed_out(now)
        if reason is not None:
            self.close_for(reason)

    def lineLengthExceeded(self, line: bytes) -> None:
        self.drop_for("message-too-long")

    def _too_slow(self) -> None:
        self.drop_for("too-much-unsent")

    def _choke(self, choked: bool) -> None:
        """Do nothing more for a peer that doesn't take what it has asked for."""
        if choked:
            self.wait()
        else:
            self.release()

    # Saying something

    def lines_settled(self) -> None:
        # What waits for its gap was said before what follows now without one.
        if self.granted:
            self.outlet.flush()

    def say(self, lines: bytes) -> None:
        """Send lines, each of which is a message of its own to a bare peer."""
        if not self.granted or self.closing:
            return
        if self.peer is _BARE:
            for message in lines.split(b"\n")[:-1]:
                self.outlet.write_paced(message, self.framing.gap)
        else:
            self.outlet.write(lines)


@dataclass(eq=False)
class ConnectionFactory(ServerFactory):
    """What the connections of one listener share, each of which is a ``connection``.

    ``clock`` runs the timers of the framing; ``seconds`` is a monotonic clock, by which
    silence is measured. ``proxied``: the first bytes name the peer (PROXY protocol).
    """

    noisy = False
    connection: ClassVar[type[ServerConnection]] = ServerConnection

    clock: IReactorTime
    seconds: Callable[[], float]
    framing: Framing = MessageReceiver.framing
    limits: Limits = Limits()
    proxied: bool = False
    door: str = ""
    """How people come, if that isn't the name of the part."""

    def __post_init__(self) -> None:
        limits = self.limits
        self.connections: set[ServerConnection] = set()
        self.connection_limit = ConnectionLimit(
            limits.max_connections, limits.max_connections_per_peer, OPEN_FILES
        )
        half_closed = limits.max_half_closed
        self.half_closed_limit = ConnectionLimit(HALF_CLOSED_SHARE * half_closed, half_closed)
        self.hang_ups = HangUps(self.clock)
        budget, burst, trusted = limits.budget, limits.budget_burst, limits.trusted_net
        self.budget = budget_of(self.clock, self.seconds, budget, burst, trusted)
        self.refusals = FirstOnly()
        self.observe: Callable[[float], None] | None = None
        """Told how many seconds each read took to work off; None, and nothing is measured."""

    def buildProtocol(self, addr: IAddress | None) -> ServerConnection:  # type: ignore[override]
        connection = self.connection()
        connection.factory = self
        connection.clock = self.clock
        connection.framing = self.framing
        if self.observe is not None:
            timed = _timed(connection.dataReceived, self.seconds, self.observe)
            connection.dataReceived = timed  # type: ignore[assignment,method-assign]
        return connection

    def expire(self) -> None:
        """Close the connections that have been silent for too long."""
        now = self.seconds()
        for connection in list(self.connections):
            connection.expire(now)


def _timed(
    received: Callable[[bytes], None],
    seconds: Callable[[], float],
    observe: Callable[[float], None],
) -> Callable[[bytes], None]:
    def received_timed(data: bytes) -> None:
        began = seconds()
        try:
            received(data)
        finally:
            observe(seconds() - began)

    return received_timed

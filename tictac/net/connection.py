"""The server's side of every connection: count it, limit it, close it.

A protocol builds on :class:`ServerConnection`, its factory on :class:`ConnectionFactory`. No
connection has a timer: the server notes the time of each message, and
:meth:`ConnectionFactory.expire` checks all of them now and then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from twisted.internet.interfaces import IAddress, IReactorTime, ITCPTransport
from twisted.internet.protocol import ServerFactory
from twisted.protocols.policies import ProtocolWrapper
from twisted.python.failure import Failure

from tictac.ip_networks import Network
from tictac.net.budget import CONNECTION, Paying, budget_of
from tictac.net.framing import Framing, MessageReceiver, Peer
from tictac.net.hangups import HangUps
from tictac.net.keepalive import watch_path
from tictac.net.limits import OPEN_FILES, UNKNOWN, ConnectionLimit, FirstOnly, peer_name
from tictac.net.sending import Outlet

_BARE = Peer.BARE  # looking up a member of an enumeration costs as much as a call

LAST_WORDS = 5.0
"""Seconds in which a peer can read the last messages before the server drops its connection."""

HALF_CLOSED_SHARE = 4
"""The maximum of half-closed connections of all addresses, as a multiple of that per address."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one listener; times in seconds, sizes in bytes, 0 for no limit."""

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

    ``since`` is the time of its beginning, or of its closing once it closes. ``last_message`` is
    the time of its last message. Both are times of ``factory.seconds``. A refused connection has no
    ``outlet``.
    """

    factory: ConnectionFactory
    outlet: Outlet
    granted = False
    since = 0.0
    admission: str | None = None
    """Why the connection, which holds its place already, is refused; empty if it isn't.

    None: the connection has no place yet and takes one itself.
    """

    is_guest = True
    """Whether the user has no account, as in protocols without accounts (Payer)."""

    why = ""
    """The error code for which the server closes the connection; empty until then."""

    _counted_as = ""
    _half_closed_as = ""
    _stop_watching: Callable[[], None] | None = None

    # Hooks for a protocol

    def opened(self) -> None:
        """Begin to serve the connection, which is within the limits."""

    def disconnected(self) -> None:
        """Clean up after an accepted connection, which is lost."""

    def refused(self, kind: str) -> None:
        """Note that an accepted connection is closed for the error code ``kind``."""

    def send_stopping(self, seconds: float) -> None:
        """Send that the server stops within ``seconds``, if the protocol can express it."""

    def timed_out(self, now: float) -> str | None:
        """Return the error code for which the connection is to be closed at ``now``, or None."""
        return "idle-timeout" if self.silent_for(now) else None

    def silent_for(self, now: float) -> bool:
        """Return whether the last message is older than the idle limit."""
        return 0 < self.factory.limits.idle_timeout <= now - self.last_message

    # The connection

    @property
    def host(self) -> str:
        """The peer's address, for log lines and trusted networks; limits count :attr:`network`.

        Behind a proxy, it is known only after the proxy's header.
        """
        return peer_name(self.transport.getPeer())

    @property
    def network(self) -> str:
        """What counts as one address in all limits: an IPv6 customer's addresses are one."""
        network: str = self.purse.network
        return network

    @property
    def times(self) -> int:
        """How many times the usual limits the address has."""
        times: int = self.purse.times
        return times

    @property
    def payer(self) -> ServerConnection:
        """The connection itself, as an occupant of a room (lobby.interfaces.Payer)."""
        return self

    def connectionMade(self) -> None:
        super().connectionMade()
        factory = self.factory
        if not self._count():
            return
        if ITCPTransport.providedBy(self.transport):
            self.transport.setTcpNoDelay(True)
            watch_path(self.transport, factory.limits.keepalive)
        self.since = self.last_message = factory.seconds()
        self._open()

    def _open(self) -> None:
        factory = self.factory
        self.have_purse(self.factory.budget, self.host)
        unsent = factory.limits.max_unsent
        self.outlet = Outlet(self.transport, self.clock, unsent, self._too_slow, self._choke)
        factory.connections.add(self)
        self.granted = True
        self.opened()

    def hand_over(self, kind: type[ServerConnection], framing: Framing, data: bytes) -> None:
        """Leave the connection, and its first bytes ``data``, to another kind of connection.

        For :meth:`first_heard`: nothing has been sent yet. The new connection has the place, the
        age, and the transport of this one. The transport knows only the new one from then on.
        """
        transport, heir = self.transport, self.factory.make(kind, framing)
        self.outlet.close()
        self._stop()
        self.__dict__.pop("dataReceived", None)
        self.factory.connections.discard(self)
        self.granted = False  # its place goes to the other
        heir.since, heir.last_message = self.since, self.last_message
        heir.admission, heir._counted_as = self.admission, self._counted_as
        heir.transport, heir.connected = transport, True
        if isinstance(transport, ProtocolWrapper):
            transport.wrappedProtocol = heir
        else:
            transport.protocol = heir
        MessageReceiver.connectionMade(heir)
        heir._open()
        kind.dataReceived(heir, data)  # not the method that measures: this read is measured already

    def first_heard(self, data: bytes) -> None:
        if self._counted_as == UNKNOWN:
            self.factory.connection_limit.leave(UNKNOWN)
            if not self._count():
                return
            self.have_purse(self.factory.budget, self.host)
        if self.admission is None:
            self.purse.spend(CONNECTION, self)

    def connectionLost(self, reason: Failure | None = None) -> None:  # type: ignore[override]
        super().connectionLost(reason)
        self.__dict__.pop("dataReceived", None)  # of the factory; else a cycle
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

        Behind a proxy, the peer isn't known yet, so only the total counts.
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

    def pay_for_input(self, units: int) -> None:
        if self.granted and not self.closing:
            heard = self.last_message
            self.pay(units)
            self.last_message = heard  # bytes aren't a message yet

    def rest(self) -> None:
        """Hold now if the next message would have to wait, for protocols that take whole reads."""
        if self.closing:
            return
        if self._holds:
            self._pause()
        else:
            self.must_wait()

    # A peer that has ended its input

    def hold_for_answer(self) -> None:
        """Hold as for a slow check, and notice meanwhile if the peer hangs up."""
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
        """Return whether the peer has ended its input, whether it waits for an answer or not."""
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
        """Let the peer wait for its answers, unless its address has many such connections."""
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
        """Count a refusal, send the written bytes, and close."""
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
        """Count a refusal and close at once."""
        self.why = kind
        self.note(kind)
        self.drop()
        self.refused(kind)

    def expire(self, now: float) -> None:
        """Close the connection if it has timed out."""
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
        """Handle no more requests while the peer doesn't read its answers."""
        if choked:
            self.wait()
        else:
            self.release()

    # Sending

    def lines_settled(self) -> None:
        # Messages that wait for a gap come before messages that need none.
        if self.granted:
            self.outlet.flush()

    def send_lines(self, lines: bytes, gap: float | None = None) -> None:
        """Send lines; a bare peer gets each of them as a message of its own, and then a gap."""
        if not self.granted or self.closing:
            return
        if self.peer is _BARE:
            for message in lines.split(b"\n")[:-1]:
                self.outlet.write_paced(message, self.framing.gap if gap is None else gap)
        else:
            self.outlet.write(lines)


@dataclass(eq=False)
class ConnectionFactory(ServerFactory):
    """The state that the connections of one listener share; ``connection`` is their class.

    ``clock`` runs the timers of the framing, and ``seconds`` is a monotonic clock for timeouts.
    ``proxied``: the first bytes name the peer (PROXY protocol).
    """

    noisy = False
    connection: ClassVar[type[ServerConnection]] = ServerConnection

    clock: IReactorTime
    seconds: Callable[[], float]
    framing: Framing = MessageReceiver.framing
    limits: Limits = Limits()
    proxied: bool = False
    protocol_name: str = ""
    """The name of the protocol for admins, if that isn't the name of the part."""

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
        """Called with the seconds that each read took to handle; None: nothing is measured."""

    def buildProtocol(self, addr: IAddress | None) -> ServerConnection:  # type: ignore[override]
        return self.make(self.connection, self.framing)

    def make(self, kind: type[ServerConnection], framing: Framing) -> ServerConnection:
        """Make a connection of this factory."""
        connection = kind()
        connection.factory = self
        connection.clock = self.clock
        connection.framing = framing
        if self.observe is not None:
            timed = _timed(connection.dataReceived, self.seconds, self.observe)
            connection.dataReceived = timed  # type: ignore[assignment,method-assign]
        return connection

    def expire(self) -> None:
        """Close the connections that have timed out."""
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

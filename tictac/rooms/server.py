"""The rooms protocol on Twisted: a connection is an occupant that speaks in messages.

Source: rooms.md. On the path of a move there is no Deferred, no log line and no timer:
the time of each message is noted, and :meth:`RoomsFactory.expire` sweeps now and then.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IAddress, IReactorTime, ITCPTransport
from twisted.internet.protocol import ServerFactory
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.accounts.accounts import Accounts
from tictac.errors import (
    BadPassword,
    BadUserName,
    NoSuchUser,
    Refusal,
    UserExists,
    WrongPassword,
)
from tictac.net.framing import Framing, MessageReceiver, Peer
from tictac.net.limits import ConnectionLimit, FirstOnly, peer_name
from tictac.net.sending import Outlet
from tictac.rooms import wire
from tictac.rooms.events import Ended, Event, Joined, Placed, Refused
from tictac.rooms.registry import Registry
from tictac.rooms.translation import Encoded, Encoder, encode

_log = Logger()

_LOGIN_STATUS: dict[type[Refusal], int] = {NoSuchUser: 1, WrongPassword: 2}
_REGISTER_STATUS: dict[type[Refusal], int] = {UserExists: 1, BadUserName: 2, BadPassword: 2}
_BARE = Peer.BARE  # looking a member up in its enumeration costs as much as a call
# The status of a request with the wrong number or kind of fields.
_FORMAT_STATUS = {"LOGIN": 3, "REGISTER": 2, "ROOMLIST": 1, "CREATE": 4, "JOIN": 3}


@dataclass(frozen=True, slots=True)
class Limits:
    """What one listener grants; times in seconds, sizes in bytes, 0 for no limit."""

    login_timeout: float = 60
    idle_timeout: float = 3600
    max_connections: int = 10_000
    max_connections_per_peer: int = 100
    rate: float = 200
    burst: float = 400
    max_unsent: int = 262_144


class RoomsProtocol(MessageReceiver):
    """One connection of the rooms protocol, on the server's side."""

    factory: RoomsFactory
    user: str | None = None
    seated = False
    occupant_id = ""

    _outlet: Outlet | None = None
    _checking: Deferred[None] | None = None

    # The connection

    @property
    def host(self) -> str:
        """Whom failures are counted against; behind a proxy known only after its header."""
        return peer_name(self.transport.getPeer())

    def connectionMade(self) -> None:
        super().connectionMade()
        factory = self.factory
        if not self._count():
            return
        if ITCPTransport.providedBy(self.transport):
            self.transport.setTcpNoDelay(True)
        self.occupant_id = factory.registry.new_occupant_id()
        self.since = self.heard = factory.seconds()
        self._tokens = factory.burst
        self._outlet = Outlet(self.transport, self.clock, factory.limits.max_unsent, self._too_slow)
        factory.connections.add(self)

    def _count(self) -> bool:
        """Take a place among the connections of this peer, or close."""
        self._counted_as = self.host
        reason = self.factory.connection_limit.enter(self._counted_as)
        if reason is not None:
            self._counted_as = ""
            self._close_for(reason)
        return reason is None

    def first_heard(self) -> None:
        if self.host != self._counted_as:
            self.factory.connection_limit.leave(self._counted_as)
            self._count()

    def connectionLost(self, reason: Failure | None = None) -> None:  # type: ignore[override]
        super().connectionLost(reason)
        if self._outlet is None:
            return
        self.factory.connections.discard(self)
        if self._counted_as:
            self.factory.connection_limit.leave(self._counted_as)
        if self._checking is not None:
            self._checking.cancel()
        self.factory.registry.leave(self)

    def close(self) -> None:
        if self._outlet is not None:
            self._outlet.close()
        super().close()

    def lineLengthExceeded(self, line: bytes) -> None:
        self._give_up("message-too-long")

    def expire(self, now: float) -> None:
        """Close the connection if it has been silent for too long."""
        limits = self.factory.limits
        if self.closing:
            self.drop()  # it has had its time to take what was still to be sent
        elif self._checking is not None or self.seated:
            pass
        elif self.user is None and 0 < limits.login_timeout <= now - self.since:
            self._close_for("login-timeout")
        elif 0 < limits.idle_timeout <= now - self.heard:
            self._close_for("idle-timeout")

    def _close_for(self, kind: str) -> None:
        self.factory.refusals.note(kind, self.host)
        self.close()

    def _too_slow(self) -> None:
        self._give_up("too-much-unsent")

    def _give_up(self, kind: str) -> None:
        self.factory.refusals.note(kind, self.host)
        self.drop()

    # Requests

    def is_complete(self, tail: bytes) -> bool:
        return wire.is_request(tail)

    def lines_settled(self) -> None:
        # What waits for its gap was said before what follows now without one.
        if self._outlet is not None:
            self._outlet.flush()

    def lineReceived(self, line: bytes) -> None:
        factory = self.factory
        now = factory.seconds()
        # A token bucket: what a message takes comes back with time.
        tokens = self._tokens + (now - self.heard) * factory.rate
        self._tokens = tokens = (tokens if tokens < factory.burst else factory.burst) - 1
        self.heard = now
        if tokens < 0:
            self._give_up("rate")
            return
        request = wire.COMMON.get(line)
        if self.seated and type(request) is wire.Place:
            # What comes nine times a match goes the short way.
            factory.registry.place(self, request.move)
            return
        if not line:
            return
        request = request or wire.parse_request(line)
        if self.user is None and wire.needs_login(request):
            factory.refusals.note("not-logged-in", self.host)
            self._answer(wire.BadAuth())
            return
        self._HANDLERS[type(request)](self, request)

    def _room_list(self, request: wire.RoomList) -> None:
        self.factory.registry.list_rooms(self, request.mode)

    def _create(self, request: wire.Create) -> None:
        self.factory.registry.create(self, request.room)

    def _join(self, request: wire.Join) -> None:
        self.factory.registry.join(self, request.room, request.mode)

    def _place(self, request: wire.Place) -> None:
        self.factory.registry.place(self, request.move)

    def _forfeit(self, request: wire.Forfeit) -> None:
        self.factory.registry.forfeit(self)

    def _malformed(self, request: wire.Malformed) -> None:
        if request.verb == "PLACE":
            self.factory.registry.place(self, None)
        elif request.verb != "FORFEIT":
            self.factory.refusals.note("malformed", self.host)
            self._answer(wire.Ack(request.verb, _FORMAT_STATUS[request.verb]))

    def _unknown(self, request: wire.Unknown) -> None:
        if not self.factory.refusals.is_first("unknown-verb", self.host):
            return
        # Only the verb: what follows may be a password behind a mistyped one.
        verb = request.message.partition(b":")[0][:20]
        _log.debug("{user} sent the unknown verb {verb!r}", user=self.user, verb=verb)

    # Accounts

    def _login(self, request: wire.Login) -> None:
        if self.seated:
            self._answer(wire.Ack("LOGIN", _FORMAT_STATUS["LOGIN"]))
            return

        def logged_in(_: None) -> None:
            self.user = request.user
            _log.info("{user} logged in from {peer}", user=self.user, peer=self.host)

        checking = self.factory.accounts.login(request.user, request.password, self.host)
        self._check("LOGIN", _LOGIN_STATUS, checking.addCallback(logged_in))

    def _register(self, request: wire.Register) -> None:
        def registered(_: None) -> None:
            _log.info("{user} registered from {peer}", user=request.user, peer=self.host)

        checking = self.factory.accounts.register(request.user, request.password)
        self._check("REGISTER", _REGISTER_STATUS, checking.addCallback(registered))

    def _check(
        self, verb: str, statuses: dict[type[Refusal], int], checking: Deferred[None]
    ) -> None:
        """Answer when ``checking`` is done; until then nothing else is read."""
        started = self.factory.seconds()

        def refused(failure: Failure) -> int:
            kind = cast(type[Refusal], failure.trap(*statuses))
            self.factory.refusals.note(kind.code, self.host)
            return statuses[kind]

        def done(status: int | None) -> None:
            self._checking = None
            self.heard = self.factory.seconds()
            self.since += self.heard - started
            if not self.closing:
                self._answer(wire.Ack(verb, status or 0))

        self.hold()
        self._checking = checking
        answered: Deferred[Any] = checking.addErrback(refused).addCallback(done)
        answered.addErrback(self._check_failed, verb).addBoth(lambda _: self.release())

    def _check_failed(self, failure: Failure, verb: str) -> None:
        self._checking = None
        if not failure.check(CancelledError):
            # Nothing was promised yet: a closed connection says so, an answer would lie.
            _log.failure("{verb} of {peer} failed", failure, verb=verb, peer=self.host)
            self.close()

    # Answers

    def receive(self, event: Event) -> None:
        """Tell the peer what happened (registry.Occupant)."""
        if type(event) is not Placed:
            self._note(event)
        encoder = self.factory.encoder
        encoded = encoder.encoded if event is encoder.event else encoder.encode(event)
        if self.peer is _BARE or self.closing or self._outlet is None:
            self._send(encoded)
        else:
            self._outlet.write(encoded.lines)

    def _note(self, event: Event) -> None:
        if type(event) is Joined:
            self.seated = True
        elif type(event) is Ended:
            self.seated = False
            self.heard = self.factory.seconds()
        elif type(event) is Refused:
            self.factory.refusals.note(event.refusal.code, self.host)

    def _answer(self, answer: wire.Answer) -> None:
        self._send(encode((answer,)))

    def _send(self, encoded: Encoded) -> None:
        if self._outlet is None or self.closing:
            return
        if self.peer is _BARE:
            for message in encoded.messages:
                self._outlet.write_paced(message, self.framing.gap)
        else:
            self._outlet.write(encoded.lines)

    _HANDLERS: ClassVar[dict[type, Callable[[RoomsProtocol, Any], None]]] = {
        wire.Place: _place,
        wire.Create: _create,
        wire.Join: _join,
        wire.RoomList: _room_list,
        wire.Forfeit: _forfeit,
        wire.Login: _login,
        wire.Register: _register,
        wire.Malformed: _malformed,
        wire.Unknown: _unknown,
    }


class RoomsFactory(ServerFactory):
    """What the connections of one listener share: rooms, accounts, limits.

    ``registry`` and ``accounts`` may serve several listeners. ``clock`` runs the timers
    of the framing; ``seconds`` is a monotonic clock, by which silence is measured.
    """

    noisy = False

    def __init__(
        self,
        registry: Registry,
        accounts: Accounts,
        clock: IReactorTime,
        seconds: Callable[[], float],
        framing: Framing | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.registry = registry
        self.accounts = accounts
        self.clock = clock
        self.seconds = seconds
        self.framing = framing or Framing()
        self.limits = limits or Limits()
        self.connections: set[RoomsProtocol] = set()
        self.connection_limit = ConnectionLimit(
            self.limits.max_connections, self.limits.max_connections_per_peer
        )
        self.rate = self.limits.rate
        self.burst = self.limits.burst if self.rate and self.limits.burst else float("inf")
        self.refusals = FirstOnly(self._log_refusal)
        self.encoder = Encoder()

    def buildProtocol(self, addr: IAddress | None) -> RoomsProtocol:  # type: ignore[override]
        connection = RoomsProtocol()
        connection.factory = self
        connection.clock = self.clock
        connection.framing = self.framing
        return connection

    def expire(self) -> None:
        """Close the connections that have been silent for too long."""
        now = self.seconds()
        for connection in list(self.connections):
            connection.expire(now)

    def _log_refusal(self, kind: str, peer: str) -> None:
        _log.info("{peer} was refused: {kind}", peer=peer, kind=kind)

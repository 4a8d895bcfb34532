"""The rooms protocol on Twisted: a connection is an occupant that speaks in messages.

Source: rooms.md. On the path of a move there is no Deferred, no log line and no timer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, cast

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.accounts.accounts import Accounts
from tictac.accounts.store import StoreAwayError
from tictac.errors import (
    BadPassword,
    BadUserName,
    NoSuchUser,
    Refusal,
    UserExists,
    WrongPassword,
)
from tictac.lobby.events import Ended, Event, Joined, Placed, Refused
from tictac.lobby.interfaces import Registry
from tictac.logs import LIMITED
from tictac.net.connection import ConnectionFactory, Limits, ServerConnection
from tictac.net.framing import Framing, Peer
from tictac.rooms import wire
from tictac.rooms.translation import Encoder, encode

_log = Logger(observer=LIMITED)

_LOGIN_STATUS: dict[type[Refusal], int] = {NoSuchUser: 1, WrongPassword: 2}
_REGISTER_STATUS: dict[type[Refusal], int] = {UserExists: 1, BadUserName: 2, BadPassword: 2}
_BARE = Peer.BARE  # looking a member up in its enumeration costs as much as a call
# The status of a request with the wrong number or kind of fields.
_FORMAT_STATUS = {"LOGIN": 3, "REGISTER": 2, "ROOMLIST": 1, "CREATE": 4, "JOIN": 3}


class RoomsProtocol(ServerConnection):
    """One connection of the rooms protocol, on the server's side."""

    factory: RoomsFactory
    user: str | None = None
    seated = False
    occupant_id = ""
    knows_all = False

    _checking: Deferred[None] | None = None

    # The connection

    def opened(self) -> None:
        self.occupant_id = self.factory.registry.new_occupant_id()

    def gone(self) -> None:
        if self._checking is not None:
            self._checking.cancel()
        self.factory.registry.leave(self)

    def timed_out(self, now: float) -> str | None:
        if self._checking is not None or self.seated:
            return None
        if self.user is None and 0 < self.factory.limits.login_timeout <= now - self.since:
            return "login-timeout"
        return super().timed_out(now)

    # Requests

    def is_complete(self, tail: bytes) -> bool:
        return wire.is_request(tail)

    def dataReceived(self, data: bytes) -> None:
        # What comes nine times a match, mostly whole and alone, goes the short way.
        move = wire.MOVES.get(data)
        if move is None or not self._idle or not self.seated:
            super().dataReceived(data)
        elif self.pay():
            self.factory.registry.place(self, move)

    def lineReceived(self, line: bytes) -> None:
        if not self.pay() or not line:
            return
        request = wire.parse_request(line)
        if self.user is None and wire.needs_login(request):
            self.factory.refusals.note("not-logged-in", self.host)
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
        self.factory.registry.place(self, request.text())

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
        # Nothing of what it says: it may be a password, typed into the wrong place.
        size = len(request.message)
        _log.debug("{peer} sent {size} bytes that are no request", peer=self.host, size=size)

    # Accounts

    def _login(self, request: wire.Login) -> None:
        if self.seated:
            self._answer(wire.Ack("LOGIN", _FORMAT_STATUS["LOGIN"]))
            return

        def logged_in(_: None) -> None:
            self.user = request.user
            _log.info("{user!r} logged in from {peer}", user=self.user, peer=self.host)

        checking = self.factory.accounts.login(request.user, request.password, self.host)
        self._check("LOGIN", _LOGIN_STATUS, checking.addCallback(logged_in))

    def _register(self, request: wire.Register) -> None:
        def registered(_: None) -> None:
            _log.info("{user!r} registered from {peer}", user=request.user, peer=self.host)

        checking = self.factory.accounts.register(request.user, request.password, self.host)
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

        self.hold_for_answer()
        self._checking = checking
        answered: Deferred[Any] = checking.addErrback(refused).addCallback(done)
        answered.addErrback(self._check_failed, verb).addBoth(lambda _: self.release_answered())

    def _check_failed(self, failure: Failure, verb: str) -> None:
        self._checking = None
        if failure.check(CancelledError):
            return
        if not failure.check(StoreAwayError):  # of which there is a line already
            _log.failure("{verb} of {peer} failed", failure, verb=verb, peer=self.host)
        # Nothing was promised yet: a closed connection says so, an answer would lie.
        self.close()

    # Answers

    def receive(self, event: Event) -> None:
        """Tell the peer what happened (registry.Occupant)."""
        if type(event) is not Placed:
            self._note(event)
        encoder = self.factory.encoder
        if event is not encoder.event:
            encoder.encode(event)
        if self.peer is _BARE:
            self.say(encoder.messages, encoder.lines)
        else:
            write = self.outlet.write
            write(encoder.lines)

    def _note(self, event: Event) -> None:
        if type(event) is Joined:
            self.seated = True
        elif type(event) is Ended:
            self.seated = False
            self.heard = self.factory.seconds()
        elif type(event) is Refused:
            self.factory.refusals.note(event.refusal.code, self.host)

    def _answer(self, answer: wire.Answer) -> None:
        self.say(*encode((answer,)))

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


class RoomsFactory(ConnectionFactory):
    """What the connections of one listener share: rooms, accounts, limits.

    ``registry`` and ``accounts`` may serve several listeners; for the rest see
    :class:`~tictac.net.connection.ConnectionFactory`.
    """

    def __init__(
        self,
        registry: Registry,
        accounts: Accounts,
        clock: IReactorTime,
        seconds: Callable[[], float],
        framing: Framing | None = None,
        limits: Limits | None = None,
        proxied: bool = False,
    ) -> None:
        super().__init__(clock, seconds, framing, limits, proxied)
        self.registry = registry
        self.accounts = accounts
        self.encoder = Encoder()

    def new_connection(self) -> RoomsProtocol:
        return RoomsProtocol()

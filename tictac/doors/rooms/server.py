"""The rooms protocol on Twisted: a connection is an occupant that speaks in messages.

Source: rooms.md. On the path of a move there is no Deferred, no log line and no timer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from tictac.accounts.accounts import Accounts
from tictac.doors.lobby.lobby import Lobby
from tictac.doors.lobby.server import JsonConnection, JsonFactory
from tictac.doors.rooms import wire
from tictac.doors.rooms.translation import encode, encode_event
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
from tictac.net.connection import Limits
from tictac.net.framing import Framing, Peer

_log = Logger(observer=LIMITED)

_NO_REFUSAL = type(None)
_LOGIN_STATUS: dict[type, int] = {_NO_REFUSAL: 0, NoSuchUser: 1, WrongPassword: 2}
_REGISTER_STATUS: dict[type, int] = {
    _NO_REFUSAL: 0,
    UserExists: 1,
    BadUserName: 2,
    BadPassword: 2,
}
_BARE = Peer.BARE  # looking a member up in its enumeration costs as much as a call
# The status of a request with the wrong number or kind of fields.
_FORMAT_STATUS = {"LOGIN": 3, "REGISTER": 2, "ROOMLIST": 1, "CREATE": 4, "JOIN": 3}


class RoomsProtocol(JsonConnection):
    """One connection of the rooms protocol, on the server's side.

    One whose first byte is ``{`` speaks the lobby protocol instead, for good.
    """

    factory: RoomsFactory
    seated = False
    occupant_id = ""
    knows_all = False

    # The connection

    def opened(self) -> None:
        self.occupant_id = self.factory.registry.new_occupant_id()

    def gone(self) -> None:
        super().gone()
        self.factory.registry.leave(self)

    def is_seated(self) -> bool:
        return self.seated or super().is_seated()

    # Requests

    def is_complete(self, tail: bytes) -> bool:
        return wire.is_request(tail)

    def dataReceived(self, data: bytes) -> None:
        # What comes nine times a match, mostly whole and alone, goes the short way.
        move = wire.MOVES.get(data)
        if move is None or not self._idle or not self.seated:
            if not self._heard and data[:1] == b"{" and self.framing.mode != "bare":
                self.framing = self.factory.line_framing
                self.peer = Peer.LINE
                self.speak_json()
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

        def answer(refusal: Refusal | None) -> None:
            self._answer(wire.Ack("LOGIN", _LOGIN_STATUS[type(refusal)]))

        self.log_in(request.user, request.password, answer)

    def _register(self, request: wire.Register) -> None:
        def answer(refusal: Refusal | None) -> None:
            self._answer(wire.Ack("REGISTER", _REGISTER_STATUS[type(refusal)]))

        self.register(request.user, request.password, answer)

    # Answers

    def receive(self, event: Event) -> None:
        """Tell the peer what happened (registry.Occupant)."""
        if type(event) is not Placed:
            self._note(event)
        factory = self.factory
        if event is not factory.event:
            factory.event, factory.lines = event, encode_event(event)
        if self.peer is _BARE:
            self.say(factory.lines)
        else:
            write = self.outlet.write  # in two steps, which is quicker for what isn't a method
            write(factory.lines)

    def _note(self, event: Event) -> None:
        if type(event) is Joined:
            self.seated = True
        elif type(event) is Ended:
            self.seated = False
            self.heard = self.factory.seconds()
        elif type(event) is Refused:
            self.factory.refusals.note(event.refusal.code, self.host)

    def _answer(self, answer: wire.Answer) -> None:
        self.say(encode(answer))

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


class RoomsFactory(JsonFactory):
    """What the connections of one listener share: rooms, accounts, limits.

    ``registry`` may serve several listeners; for the rest see
    :class:`~tictac.doors.lobby.server.JsonFactory`.
    """

    def __init__(
        self,
        registry: Registry,
        accounts: Accounts,
        clock: IReactorTime,
        seconds: Callable[[], float],
        lobby: Lobby,
        framing: Framing | None = None,
        limits: Limits | None = None,
        proxied: bool = False,
    ) -> None:
        super().__init__(accounts, clock, seconds, lobby, framing, limits, proxied)
        self.registry = registry
        # What was told last: events are made into lines once for all who get them in a row.
        self.event: Event | None = None
        self.lines = b""
        self.line_framing = replace(self.framing, mode="line")

    def new_connection(self) -> RoomsProtocol:
        return RoomsProtocol()

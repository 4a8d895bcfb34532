"""The rooms protocol on Twisted: a connection is an occupant that speaks in messages.

Source: rooms.md. The path of a move has no Deferred, no log line, and no timer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from twisted.logger import Logger

from tictac import errors
from tictac.lobby.events import Began, Ended, Event, Joined, Listed, Placed, Refused
from tictac.lobby.registry import Registry
from tictac.logs import LIMITED
from tictac.net.budget import KIB, LUMP, MOVE
from tictac.net.framing import Peer
from tictac.net.logins import AnswerCallback, LoginConnection
from tictac.protocols.lobby.server import LobbyFactory, LobbyProtocol
from tictac.protocols.lobby.wire import ALL
from tictac.protocols.rooms import wire
from tictac.protocols.rooms.translation import LINES, encode

_log = Logger(observer=LIMITED)

_move_in = wire.MOVES.get
_NO_REFUSAL = type(None)
_LOGIN_STATUS: dict[type, int] = {
    _NO_REFUSAL: 0,
    errors.NoSuchUser: 1,
    errors.WrongPassword: 2,
    errors.Banned: 3,
}
_PRIVATE_LOGIN_STATUS = {**_LOGIN_STATUS, errors.NoSuchUser: 2}
"""With ``--visitors none`` or ``invited``: a stranger doesn't learn which names have accounts."""
_REGISTER_STATUS: dict[type, int] = {
    _NO_REFUSAL: 0,
    errors.UserExists: 1,
    errors.BadUserName: 2,
    errors.BadPassword: 2,
    errors.RegistrationClosed: 2,
    errors.DiskFull: 2,
    errors.TooMuchStored: 2,
    errors.BadCode: 2,
}
_BARE = Peer.BARE  # looking up a member of an enumeration costs as much as a call
# The status of a request with the wrong number or kind of fields.
_FORMAT_STATUS = {"LOGIN": 3, "REGISTER": 2, "ROOMLIST": 1, "CREATE": 4, "JOIN": 3}

_UNITS: dict[type, int] = {wire.Place: MOVE, wire.Forfeit: 8, wire.Join: 10, wire.Create: 12}
"""Units for a request, without those for its answer."""


class RoomsProtocol(LoginConnection):
    """The server's side of a connection of the rooms protocol."""

    factory: RoomsFactory
    seated = False
    occupant_id = ""
    supports_all_events = False
    whole_events = True

    @property
    def rejoins(self) -> bool:
        """Whether the seat is held when the connection is lost: only if the operator says so."""
        return self.factory.rejoins

    # The connection

    def opened(self) -> None:
        self.occupant_id = self.factory.registry.new_occupant_id()

    def first_heard(self, data: bytes) -> None:
        if data[:1] == b"{" and self.framing.mode != "bare":
            self.hand_over(self.factory.lobby_connection, self.factory.line_framing, data)
        else:
            super().first_heard(data)

    def disconnected(self) -> None:
        super().disconnected()
        self.factory.registry.leave(self, self.for_good)

    def is_seated(self) -> bool:
        return self.seated

    def close_if_answered(self) -> None:
        if self.finished and self.seated and not (self.rejoins or self.closing):
            registry = self.factory.registry
            live = registry.live_room_of.get(self.occupant_id)  # None: its end is being saved
            if live and live.room.running and live.room.seat_of(self.occupant_id) is not None:
                registry.forfeit(self)  # so that the peer gets the end of the match, too
        super().close_if_answered()

    # Requests

    def is_complete(self, tail: bytes) -> bool:
        return wire.is_request(tail)

    def dataReceived(self, data: bytes) -> None:
        # A match has nine moves, which mostly come whole and alone: they take a short cut.
        move = _move_in(data)
        if move is None or self.owed >= LUMP or not (self.idle and self.seated) or self.purse.shut:
            super().dataReceived(data)
        else:
            # ``last_message`` stays: an occupant of a room never counts as idle.
            self.owed += MOVE
            self.factory.registry.place(self, move)

    def lineReceived(self, line: bytes) -> None:
        request = wire.parse_request(line)
        owed, self.owed = self.owed, 0
        self.pay(owed + _UNITS.get(type(request), 4))
        if self.peer is _BARE:
            self.outlet.hurry(self.framing.gap)
        if not line:
            return
        if self.user is None and wire.needs_login(request):
            self.factory.refusals.note("not-logged-in", self.host)
            self.answer(wire.BadAuth())
            return
        self.obey(request)

    def obey(self, request: wire.AnyRequest) -> None:
        """Carry out a request."""
        registry = self.factory.registry
        match request:
            case wire.Create(room):
                registry.create(self, room)
            case wire.Join(room, mode):
                registry.join(self, room, mode)
            case wire.Place():
                registry.place(self, request.text())
            case wire.RoomList(mode):
                registry.list_rooms(self, mode)
            case wire.Forfeit():
                registry.forfeit(self)
            case wire.Register(user, password):
                self.register(user, password, self._checked("REGISTER", _REGISTER_STATUS))
            case wire.Login() if self.seated:
                self.answer(wire.Ack("LOGIN", _FORMAT_STATUS["LOGIN"]))
            case wire.Login(user, password):
                is_open = self.factory.lobby.visitors == ALL
                statuses = _LOGIN_STATUS if is_open else _PRIVATE_LOGIN_STATUS
                self.log_in(user, password, self._checked("LOGIN", statuses))
            case wire.Malformed("PLACE"):
                registry.place(self, None)
            case wire.Malformed(verb) if verb in _FORMAT_STATUS:
                self.factory.refusals.note("malformed", self.host)
                self.answer(wire.Ack(verb, _FORMAT_STATUS[verb]))
            case wire.Unknown(message) if self.factory.refusals.is_first("unknown-verb", self.host):
                # Don't log the message: it might be a password.
                _log.debug(
                    "{peer} sent {size} bytes that aren't a request",
                    peer=self.host,
                    size=len(message),
                )

    def _checked(self, verb: str, statuses: dict[type, int]) -> AnswerCallback:
        return lambda refusal: self.answer(wire.Ack(verb, statuses[type(refusal)]))

    # Answers

    def receive(self, event: Event) -> None:
        """Send an event to the peer (lobby.interfaces.Occupant)."""
        kind = type(event)
        if kind is not Placed and kind is not Began:
            self._note(event)
        factory = self.factory
        if event is not factory.event:
            factory.event, factory.lines = event, LINES[kind](event)
        if self.peer is _BARE:
            # After these, some clients take a while to come to the read for the next message.
            enters = kind is Joined or kind is Began
            self.send_lines(factory.lines, self.framing.entry_gap if enters else None)
        else:
            write = self.outlet.write  # two steps are faster for what isn't a method
            write(factory.lines)

    def _note(self, event: Event) -> None:
        if type(event) is Joined:
            self.seated = True
        elif type(event) is Ended:
            self.seated = False
            self.last_message = self.factory.seconds()
        elif type(event) is Refused:
            self.note(event.refusal.code)
        elif type(event) is Listed:
            self.pay(sum(map(len, event.rooms)) // KIB)

    def answer(self, answer: wire.Answer) -> None:
        """Send an answer."""
        self.send_lines(encode(answer))


@dataclass(eq=False, kw_only=True)
class RoomsFactory(LobbyFactory):
    """The state that the connections of one listener share; listeners can share ``registry``.

    A connection whose first byte is ``{`` speaks the lobby protocol, for good; with the framing
    ``bare``, none does.
    """

    connection = RoomsProtocol
    lobby_connection: ClassVar[type[LobbyProtocol]] = LobbyProtocol
    registry: Registry
    rejoins: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        # The last event: its lines are made once for all who receive it in a row.
        self.event: Event | None = None
        self.lines = b""
        self.line_framing = replace(self.framing, mode="line")

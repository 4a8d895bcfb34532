"""What a connection of the lobby protocol does with requests. Source: lobby.md, "Requests"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Protocol

from tictac import __version__
from tictac.accounts.names import is_given
from tictac.doors.lobby import wire
from tictac.doors.lobby.lobby import Lobby
from tictac.doors.lobby.sitter import Sitter
from tictac.errors import (
    AlreadyInRoom,
    BadOption,
    GuestsRefused,
    InTooManyRooms,
    Malformed,
    NotInRoom,
    NotLoggedIn,
    Refusal,
    StaleMove,
)
from tictac.game import Kind
from tictac.games.all import GAMES
from tictac.games.all import kind as kind_of
from tictac.lobby.events import Mode
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms, terms_for

PROTOCOL = 1
"""The version of the protocol."""

MAX_MALFORMED = 20
"""Messages that are no request, after which a connection is closed."""


class Connection(Protocol):
    """What a session asks of the connection that it is for."""

    user: str | None

    def send(self, data: bytes) -> None:
        """Send lines."""

    def note(self, kind: str) -> None:
        """Count a refusal."""

    def log_in(self, user: str, password: bytes, answer: Callable[[Refusal | None], None]) -> None:
        """Become ``user`` if that is the password."""

    def log_out(self) -> None:
        """Be nobody again."""

    def register(
        self, user: str, password: bytes, answer: Callable[[Refusal | None], None]
    ) -> None:
        """Make an account."""

    def wait(self) -> None:
        """Hand out no further request."""

    def release(self) -> None:
        """Undo one wait."""

    def close(self) -> None:
        """Close it."""

    def close_for(self, kind: str) -> None:
        """Note a refusal and close it."""


class Session:
    """One connection: who it is, and the rooms that it is in."""

    def __init__(self, connection: Connection, lobby: Lobby) -> None:
        self._connection = connection
        self._lobby = lobby
        self._sitters: dict[str, Sitter] = {}
        self._malformed = 0

    @property
    def seated(self) -> bool:
        """Whether it is in a room."""
        return bool(self._sitters)

    def take(self, line: bytes) -> None:
        """Do what a line asks for, or answer why not."""
        try:
            request = wire.parse_request(line)
        except wire.BadRequest as refusal:
            self._malformed += 1
            self.send(wire.error(refusal.id, refusal))
            if self._malformed >= MAX_MALFORMED:
                self._connection.close_for(Malformed.code)
            else:
                self._connection.note(refusal.code)
            return
        try:
            if self._connection.user is None and request.do not in wire.WITHOUT_LOGIN:
                raise NotLoggedIn("log in first")
            self._HANDLERS[request.do](self, request)
        except Refusal as refusal:
            sitter = self._sitters.get(request.fields.get("room") or "")
            self.refuse(request.id, refusal, None if sitter is None else sitter.at)

    def gone(self) -> None:
        """The connection is lost: seats may be held."""
        self._lobby.unfollow(self)
        self._leave_all()

    # For sitters, and for the lobby

    def send(self, data: bytes) -> None:
        """Send lines (sitter.Chair)."""
        self._connection.send(data)

    def refuse(self, request_id: wire.Scalar, refusal: Refusal, at: int | None = None) -> None:
        """Answer a request with an error (sitter.Chair)."""
        self._connection.note(refusal.code)
        self.send(wire.error(request_id, refusal, at))

    def over(self, sitter: Sitter) -> None:
        """Forget one that is out of its room (sitter.Chair)."""
        if self._sitters.get(sitter.name) is sitter:
            del self._sitters[sitter.name]

    def wait(self) -> None:
        """(sitter.Chair)"""
        self._connection.wait()

    def release(self) -> None:
        """(sitter.Chair)"""
        self._connection.release()

    def close(self) -> None:
        """(sitter.Chair)"""
        self._connection.close()

    # Who it is

    def _hello(self, request: wire.Request) -> None:
        fields = {"server": "tictac", "version": __version__, "protocol": PROTOCOL}
        self._answer(request, **fields, guests=self._lobby.guests)

    def _login(self, request: wire.Request) -> None:
        self._check_outside()
        self._check_account(request, self._connection.log_in)

    def _register(self, request: wire.Request) -> None:
        self._check_account(request, self._connection.register)

    def _check_account(self, request: wire.Request, check: Callable[..., None]) -> None:
        def answer(refusal: Refusal | None) -> None:
            if refusal is None:
                self._answer(request, user=request["user"])
            else:
                self.send(wire.error(request.id, refusal))

        check(request["user"], request["password"].encode(), answer)

    def _logout(self, request: wire.Request) -> None:
        self._leave_all()
        self._connection.log_out()
        self._answer(request)

    def _guest(self, request: wire.Request) -> None:
        self._check_outside()
        self._connection.user = self._lobby.guest_name()
        self._answer(request, user=self._connection.user, guest=True)

    def _check_outside(self) -> None:
        if self._sitters:
            raise AlreadyInRoom(f"leave room {next(iter(self._sitters))} first")

    def _check_may_meet(self, room: Room | None = None) -> None:
        """Raise GuestsRefused for a guest who may not meet people, unless alone in ``room``."""
        user = self._connection.user
        if self._lobby.guests or user is None or not is_given(user):
            return
        if room is None or not room.is_alone(user):
            raise GuestsRefused("without an account you play the computer, and watch: log in first")

    # What there is

    def _games(self, request: wire.Request) -> None:
        self._answer(request, games=list(map(_describe, GAMES.values())))

    def _list(self, request: wire.Request) -> None:
        self.send(wire.answer_rooms(request.id, self._lobby.rooms()))
        if request["follow"] is False:
            self._lobby.unfollow(self)
        else:
            self._lobby.follow(self)

    def _ping(self, request: wire.Request) -> None:
        self._answer(request)

    # Rooms

    def _open(self, request: wire.Request) -> None:
        key = self._lobby.key() if request["private"] else None
        terms = _read_terms(
            request,
            seats=request["seats"],
            computers=request["computers"],
            key=key,
            computer=request["computer"],
        )
        if terms.computers < terms.seats - 1:
            self._check_may_meet()
        name = request["room"]
        if name is None:
            name = self._lobby.room_name()
        sitter = self._come(request, name)
        self._lobby.registry.create(sitter, name, terms)

    def _seek(self, request: wire.Request) -> None:
        self._check_may_meet()
        terms = _read_terms(request)
        name = self._lobby.find(terms, self._connection.user)
        if name is not None:
            self._lobby.registry.join(self._come(request, name), name, "PLAYER")
            return
        name = self._lobby.room_name()
        sitter = self._come(request, name)
        self._lobby.registry.create(sitter, name, terms)
        if self._lobby.registry.room(name) is not None:
            self._lobby.seek(name)

    def _join(self, request: wire.Request) -> None:
        self._check_may_meet(self._lobby.registry.room(request["room"]))
        # Who comes back may do so for longer than others may come.
        self._enter(request, "PLAYER", 2)

    def _watch(self, request: wire.Request) -> None:
        self._enter(request, "VIEWER", 1)

    def _enter(self, request: wire.Request, mode: Mode, times: int) -> None:
        name = request["room"]
        room = self._lobby.registry.room(name)
        if room is not None:
            self._lobby.check_takes_more(room, times)
        sitter = self._come(request, name, request["since"])
        self._lobby.registry.join(sitter, name, mode, request["key"])

    def _come(self, request: wire.Request, name: str, since: int | None = None) -> Sitter:
        """Somebody to sit in room ``name``, who answers the request."""
        if name in self._sitters:
            raise AlreadyInRoom(f"you are in room {name} already")
        most = self._lobby.max_rooms
        if most and len(self._sitters) >= most:
            raise InTooManyRooms(f"you are in {most} rooms already")
        sitter = Sitter(self, self._lobby, name, self._connection.user, since)
        sitter.expect(request.do, request.id)
        self._sitters[name] = sitter
        return sitter

    def _leave(self, request: wire.Request) -> None:
        sitter = self._sitter(request)
        self.over(sitter)
        self._lobby.registry.leave(sitter, bool(request["for_good"]))
        self._answer(request)

    def _leave_all(self) -> None:
        sitters, self._sitters = self._sitters, {}
        for sitter in sitters.values():
            self._lobby.registry.leave(sitter)

    # In a room

    def _move(self, request: wire.Request) -> None:
        sitter = self._sitter(request)
        room, at = sitter.room, request["at"]
        if at is not None and room is not None and at < room.moved:
            raise StaleMove(f"the position has changed since event {at}")
        sitter.expect("move", request.id)
        self._lobby.registry.place(sitter, request["move"], keep=False)
        if room is not None:
            self._lobby.end_if_endless(room)

    def _resign(self, request: wire.Request) -> None:
        sitter = self._player(request)
        sitter.expect("resign", request.id)
        self._lobby.registry.forfeit(sitter)

    def _offer(self, request: wire.Request) -> None:
        self._talk(request, "offer").offer_draw(self._sitter(request))

    def _accept(self, request: wire.Request) -> None:
        self._talk(request, "offer").answer_draw(self._sitter(request), True)

    def _decline(self, request: wire.Request) -> None:
        self._talk(request, "offer").answer_draw(self._sitter(request), False)

    def _say(self, request: wire.Request) -> None:
        self._check_may_meet(self._sitter(request).room)
        self._talk(request, "say").say(self._sitter(request), request["text"])

    def _talk(self, request: wire.Request, expected: str) -> Any:
        """The registry, to ask for something that may be asked for often."""
        sitter = self._sitter(request)
        if sitter.room is not None:
            self._lobby.check_takes_more(sitter.room)
        sitter.expect(expected, request.id)
        return self._lobby.registry

    def _sitter(self, request: wire.Request) -> Sitter:
        sitter = self._sitters.get(request["room"])
        if sitter is None:
            raise NotInRoom(f"you aren't in room {request['room']}")
        return sitter

    def _player(self, request: wire.Request) -> Sitter:
        sitter = self._sitter(request)
        if sitter.seat is None:
            raise NotInRoom(f"you only watch in room {sitter.name}")
        return sitter

    def _answer(self, request: wire.Request, **fields: Any) -> None:
        self.send(wire.answer(request.id, **fields))

    _HANDLERS: ClassVar[dict[str, Callable[[Session, wire.Request], None]]] = {
        "hello": _hello,
        "register": _register,
        "login": _login,
        "logout": _logout,
        "guest": _guest,
        "games": _games,
        "lobby": _list,
        "open": _open,
        "seek": _seek,
        "join": _join,
        "watch": _watch,
        "move": _move,
        "resign": _resign,
        "offer": _offer,
        "accept": _accept,
        "decline": _decline,
        "say": _say,
        "leave": _leave,
        "ping": _ping,
    }


def _read_terms(request: wire.Request, computer: str | None = None, **others: Any) -> Terms:
    """What a request wants a room for. Raises NoSuchGame or BadOption."""
    kind = kind_of(request["game"])
    if computer is not None and computer not in kind.levels:
        levels = ", ".join(kind.levels)
        raise BadOption(f"computer is one of {levels or 'none'}, not {computer!r:.40}")
    clock = wire.read_clock(request["clock"])
    return terms_for(kind, request["options"] or {}, clock=clock, computer=computer, **others)


def _describe(kind: Kind) -> dict[str, Any]:
    """A game, for those who choose one."""
    options = [
        {
            "name": option.name,
            "help": option.help,
            "kind": option.kind,
            "default": option.default,
            "lowest": option.lowest,
            "highest": option.highest,
            "choices": list(option.choices),
        }
        for option in kind.options
    ]
    fields = {"name": kind.name, "title": kind.title, "goal": kind.goal}
    return {**fields, "seats": list(kind.seats), "levels": list(kind.levels), "options": options}

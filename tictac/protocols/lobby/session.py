"""How a connection of the lobby protocol handles requests. Source: lobby.md, "Requests"."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any, ClassVar, Protocol

from twisted.internet.defer import Deferred

from tictac import __version__
from tictac.accounts.tokens import Token
from tictac.archive.match import utc_text
from tictac.errors import (
    AlreadyInRoom,
    BadOption,
    GuestsRefused,
    InTooManyRooms,
    Malformed,
    NoSuchUser,
    NotAnAdmin,
    NotInRoom,
    NotLoggedIn,
    NotOffered,
    Refusal,
    StaleMove,
    WrongPassword,
)
from tictac.games.all import game_type_of
from tictac.lobby.events import Ended, Mode
from tictac.lobby.room import Room
from tictac.lobby.terms import Terms
from tictac.names import composed, is_given, password_bytes
from tictac.net.logins import LoginConnection
from tictac.protocols.lobby import history, json_view, wire
from tictac.protocols.lobby.admin import Act
from tictac.protocols.lobby.extension import Handlers, on
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.rematch import Rematch
from tictac.protocols.lobby.room_session import RoomSession

PROTOCOL = 1
"""The version of the protocol."""

MAX_ENDED = 20
"""Maximum finished matches of a connection whose ends later errors describe."""

MAX_MALFORMED = 20
"""Malformed messages after which the server closes a connection."""


class Role(Protocol):
    """The special rights of one connection. Its session passes each request to the role first."""

    def take(self, session: Session, request: wire.Request) -> bool:
        """Handle a request, or return False to leave it to the session. Raises Refusal."""

    def refused(self, refusal: Refusal) -> None:
        """Note that the session refused a request."""

    def disconnected(self) -> bool:
        """Note that the connection is lost; return whether to release its seats at once."""


class Session:
    """One connection: its user and its rooms. ``role`` gets each request first."""

    def __init__(self, connection: LoginConnection, lobby: Lobby, role: Role | None = None) -> None:
        self._role = role
        self.connection = connection
        self.send = connection.send
        self._lobby = lobby
        self._room_sessions: dict[str, RoomSession] = {}
        self._over: dict[str, tuple[RoomSession, Rematch]] = {}
        self._ended: dict[str, Ended] = {}
        self._malformed = 0
        self._draws: Collection[str] | None = None
        self.takes: Collection[str] = ()
        self.muted: Collection[str] = ()
        self._admin_user: str | None = ""
        self._guest_name: str | None = None

    @property
    def seated(self) -> bool:
        """Whether the connection is in a room."""
        return bool(self._room_sessions)

    def take(self, line: bytes) -> int:
        """Handle the request in a line, or answer with an error; return its cost in units."""
        try:
            request = wire.parse_request(line, self._lobby.requests)
        except wire.BadRequest as refusal:
            self._malformed += 1
            self.send(wire.error(refusal.id, refusal))
            if self._malformed >= MAX_MALFORMED:
                self.connection.close_for(Malformed.code)
            else:
                self.connection.note(refusal.code)
            return refusal.units
        try:
            if self.connection.user is None and request.needs_login:
                raise NotLoggedIn("log in first")
            if request.visitors > self._lobby.visitors and self.connection.is_visitor:
                raise NotLoggedIn("this server shows that only after a login with an account")
            if self._role is None or not self._role.take(self, request):
                kind = type(request)
                handle = self._HANDLERS.get(kind) or self._lobby.handlers[kind]
                handle(self, request)
        except Refusal as refusal:
            room_session = self._room_sessions.get(getattr(request, "room", None) or "")
            self.refuse(request.id, refusal, None if room_session is None else room_session.at)
        return request.units

    def disconnected(self, for_good: bool = False) -> None:
        """Leave all rooms after the connection is lost; hold its seats unless ``for_good``."""
        if self._role is not None:
            for_good |= self._role.disconnected()
        self._lobby.unfollow(self.send)
        self._leave_all(for_good)
        self._go()

    # For its role and extensions

    @property
    def user(self) -> str | None:
        """The name of the user; None before a login."""
        return self.connection.user

    @property
    def plays(self) -> bool:
        """Whether the connection has a seat in a room, as more than a viewer."""
        return any(room_session.seat is not None for room_session in self._room_sessions.values())

    def be(self, user: str, request: wire.Request, **fields: Any) -> None:
        """Log ``user`` in on the connection, and answer the request with ``fields``, too."""
        self.connection.user = user
        self._answer(request, user=user, **fields)

    def become(self, user: str, request: wire.Request, role: Role) -> None:
        """Log ``user`` in with a role, and answer the request as a login. Raises AlreadyInRoom."""
        self._check_outside()
        self.connection.user, self._role = user, role
        self._answer(request, user=user, **self._come())

    def administer(self, request: wire.AdminRequest, act: Act | None = None) -> None:
        """Carry out an act of an admin: ``act``, or one of this server. Raises NotAnAdmin."""
        admin, user = self._lobby.admin, self.connection.user
        if admin is None:
            raise NotAnAdmin("this server has no admins")

        def answer(fields: dict[str, Any]) -> None:
            self._admin_user = user
            self._answer(request, **fields)

        asked = Deferred.fromCoroutine(admin.ask(self.connection, request, act))
        self.connection.wait_for("ADMIN", asked, answer, partial(self._fail, request))

    def seat(self, request: wire.Request, name: str, since: int | None = None) -> RoomSession:
        """Make a room session for the room ``name``, which answers the request.

        Raises AlreadyInRoom or InTooManyRooms.
        """
        if name in self._room_sessions:
            raise AlreadyInRoom(f"you are in room {name} already")
        if not self.can_sit(name):
            raise InTooManyRooms(f"you are in {len(self._room_sessions)} rooms already")
        if not isinstance(request, wire.Watch) or self._lobby.registry.has_room(name):
            self._go_from(name)  # Another room has the name now.
            self._ended.pop(name, None)
        room_session = RoomSession(self, self._lobby, name, self.connection.user, since)
        room_session.expect(request.do, request.id)
        self._room_sessions[name] = room_session
        return room_session

    # For room sessions and the lobby

    def refuse(self, request_id: wire.Scalar, refusal: Refusal, at: int | None = None) -> None:
        """Answer a request with an error (room_session.SessionHandle)."""
        self.connection.note(refusal.code)
        self.send(wire.error(request_id, refusal, at))
        if self._role is not None:
            self._role.refused(refusal)

    def over(self, room_session: RoomSession) -> None:
        """Remove a room session that left its room (room_session.SessionHandle)."""
        if self._room_sessions.get(room_session.name) is room_session:
            del self._room_sessions[room_session.name]
            if room_session.ended is not None:
                self._ended[room_session.name] = room_session.ended
                if len(self._ended) > MAX_ENDED:
                    del self._ended[next(iter(self._ended))]
            if room_session.rematch is not None:
                self._over[room_session.name] = room_session, room_session.rematch

    def can_sit(self, name: str) -> bool:
        here = self._room_sessions
        return name not in here and not 0 < self._lobby.max_rooms <= len(here)

    def sit(self, name: str) -> RoomSession:
        self._ended.pop(name, None)
        room_session = self._room_sessions[name] = RoomSession(
            self, self._lobby, name, self.connection.user
        )
        return room_session

    def forget(self, room_session: RoomSession) -> None:
        self._over.pop(room_session.name, None)

    def needs_picture(self, game: str) -> bool:
        return self._draws is not None and game not in self._draws

    # Users

    def _hello(self, request: wire.Hello) -> None:
        self._draws = request.draws
        self.takes = request.takes or ()
        fields: dict[str, Any] = {"server": "tictac", "version": __version__, "protocol": PROTOCOL}
        fields |= {"guests": self._lobby.guests, "registration": self.connection.registration}
        if self._lobby.visitors < wire.ALL:
            fields["visitors"] = wire.VISITORS[self._lobby.visitors]
        if self.connection.min_password > 1:
            fields["min_password"] = self.connection.min_password
        if self._lobby.parts:
            fields["parts"] = sorted(self._lobby.parts)
        self._answer(request, **fields)

    def _login(self, request: wire.Login) -> None:
        self._check_outside()
        user, checked = composed(request.user), partial(self._checked, request)
        if request.token is not None:
            self.connection.log_in_by_token(user, request.token, checked)
        else:
            password = password_bytes(request.password or "")
            self.connection.log_in(user, password, checked, bool(request.remember))

    def _register(self, request: wire.Register) -> None:
        user, password = composed(request.user), password_bytes(request.password)
        checked, remember = partial(self._checked, request), bool(request.remember)
        self.connection.register(user, password, checked, remember, request.code)

    def _password(self, request: wire.Password) -> None:
        if is_given(self.connection.user or ""):
            raise NotLoggedIn("a guest has no password")
        old, new = password_bytes(request.old), password_bytes(request.password)
        checked, remember = partial(self._checked, request), bool(request.remember)
        self.connection.change_password(old, new, checked, remember)

    def _logout(self, request: wire.Logout) -> None:
        self._leave_all(not self._lobby.held, by_request=True)
        self._go()
        self.connection.log_out(bool(request.everywhere), partial(self._checked, request))

    def _checked(self, request: wire.Request, outcome: Refusal | Token | None) -> None:
        """Answer one of these requests, whose check is over (net.logins.AnswerCallback)."""
        if isinstance(outcome, Refusal):
            if request.do == "login" and isinstance(outcome, NoSuchUser | WrongPassword):
                # One answer for both: a stranger doesn't learn which names have accounts.
                outcome = WrongPassword("the name or the password is wrong")
            self._fail(request, outcome)
            return
        fields: json_view.Message = {}
        match request:
            case wire.Login(user=user):
                fields = {"user": composed(user), **self._come()}
            case wire.Register(user=user):
                # A new account isn't a login: the connection has the user that it had, or none.
                fields = {"user": composed(user)}
            case wire.Password():
                fields = {"user": self.connection.user}
        if outcome is not None:
            fields |= {"token": outcome.text, "expires": utc_text(outcome.expires)}
        self._answer(request, **fields)

    def _come(self) -> dict[str, Any]:
        """Inform extensions of the new user; return what they have to say, and the user's seats."""
        self._go()
        fields = dict(self._lobby.held_seats.of(self.connection.user or ""))
        for extension in self._lobby.extensions if self.user is not None else ():
            fields |= extension.logged_in(self)
        return fields

    def _go(self) -> None:
        guest, self._guest_name = self._guest_name, None
        if guest is not None:
            self._lobby.guest_list.go(guest)
        for extension in self._lobby.extensions:
            extension.gone(self)

    def _guest(self, request: wire.Guest) -> None:
        self._check_outside()
        user, token = self._lobby.guest_list.come(request.token)
        self.connection.user = user
        fields = self._come()  # leaves the former name
        self._guest_name = user
        self._answer(request, user=user, guest=True, token=token, **fields)

    def _check_outside(self) -> None:
        if self._room_sessions:
            raise AlreadyInRoom(f"leave room {next(iter(self._room_sessions))} first")
        self._leave_all(False)

    def _check_may_meet(self, room: Room | None = None) -> None:
        """Raise GuestsRefused for a guest who can't play people, unless alone in ``room``."""
        user = self.connection.user
        if self._lobby.guests or user is None or not is_given(user):
            return
        if room is None or not room.is_alone(user):
            raise GuestsRefused(
                "a guest can watch, or play a computer in a room without a name, as in"
                " open tictactoe club: log in first"
            )

    def _check_may_be_rated(self, terms: Terms) -> None:
        user = self.connection.user
        if terms.rated and user is not None and is_given(user):
            raise GuestsRefused("a rated match is between accounts: log in first")

    # Lists

    def _games(self, request: wire.Games) -> None:
        self.send(wire.answer_with(request.id, json_view.games_json(self._lobby.games)))

    def _rules(self, request: wire.Rules) -> None:
        game_type = game_type_of(request.game)
        text_view = game_type.text_view(game_type.values(request.options or {}))
        self._answer(request, rules=[game_type.goal, *text_view.rules])

    def _list(self, request: wire.Lobby) -> None:
        self.send(wire.answer_with(request.id, self._lobby.rooms()))
        if request.follow is False:
            self._lobby.unfollow(self.send)
        else:
            self._lobby.follow(self.send)

    def _history(self, request: history.ArchiveRequest) -> None:
        read = history.read(self._lobby, self.connection, request)
        answer = partial(wire.answer_with, request.id)
        self.connection.wait_for(
            request.do, read, lambda fields: self.send(answer(fields)), partial(self._fail, request)
        )

    def _ping(self, request: wire.Ping) -> None:
        self._answer(request)

    # Rooms

    def _open(self, request: wire.Open) -> None:
        key = self._lobby.key() if request.private else None
        terms = wire.read_terms(
            request,
            seats=request.seats,
            computers=request.computers,
            key=key,
            computer=request.computer,
            computers_first=request.seat or 0,
        )
        if terms.rated and terms.computer is not None:
            raise BadOption("a rated match is between accounts: the computer has none")
        if terms.rated and key is not None:
            raise BadOption("a rated match isn't private, because ratings show it")
        self._check_may_be_rated(terms)
        if terms.computers < terms.seats - 1:
            self._check_may_meet()
        name = request.room
        if name is None:
            name = self._lobby.room_name()
        self._lobby.registry.create(self.seat(request, name), name, terms)

    def _seek(self, request: wire.Seek) -> None:
        self._check_may_meet()
        terms = wire.read_terms(request, seats=request.seats)
        self._check_may_be_rated(terms)
        name = self._lobby.find(terms, self.connection.user)
        if name is not None:
            self._lobby.registry.join(self.seat(request, name), name, "PLAYER")
            return
        name = self._lobby.room_name()
        room_session = self.seat(request, name)
        self._lobby.registry.create(room_session, name, terms)
        if self._lobby.registry.has_room(name):
            self._lobby.registry.sought.add(name)

    def _join(self, request: wire.Join) -> None:
        room = self._lobby.registry.room(request.room)
        self._check_may_meet(room)
        if room is not None:
            self._check_may_be_rated(room.terms)
            if request.take and self.can_sit(room.name):
                self._lobby.check_takes_more(room, 2)  # before the other connection leaves
                self._lobby.make_way(room, self.connection.user or "")
        # A join can be a rejoin, so its limit of events is twice that of a watch.
        self._enter(request, "PLAYER", 2, request.key)

    def _watch(self, request: wire.Watch) -> None:
        admin, user = self._lobby.admin, self.connection.user
        enter = partial(self._enter, request, "VIEWER", 1)
        if admin is None or not (self.connection.is_operator or self._admin_user == user):
            enter(request.key)
            return

        def come(key: str | None) -> None:
            try:
                enter(key)
            except Refusal as refusal:
                self.refuse(request.id, refusal)

        asked = Deferred.fromCoroutine(admin.key(self.connection, request.room, request.key))
        self.connection.wait_for("WATCH", asked, come, partial(self.refuse, request.id))

    def _enter(self, request: wire.Watch, mode: Mode, times: int, key: str | None) -> None:
        name = request.room
        room = self._lobby.registry.room(name)
        if room is not None:
            self._lobby.check_takes_more(room, times)
        room_session = self.seat(request, name, request.since)
        self._lobby.registry.join(room_session, name, mode, key)

    def _leave(self, request: wire.Leave) -> None:
        if not self._go_from(request.room):
            room_session = self._room_session(request)
            self.over(room_session)
            # The player left by request, so no seat is held, except in a match over days.
            for_good = bool(request.for_good) or not self._holds(room_session)
            self._lobby.registry.leave(room_session, for_good)
        self._answer(request)

    def _go_from(self, name: str) -> bool:
        """Leave the rematch of the match in that room; return whether a rematch was possible."""
        over = self._over.pop(name, None)
        if over is not None:
            party, rematch = over
            rematch.go(party)
        return over is not None

    def _holds(self, room_session: RoomSession) -> bool:
        """Return whether the seat of a player who leaves is held."""
        room = room_session.room
        return bool(self._lobby.held) or (room is not None and room.terms.lasting)

    def _leave_all(self, for_good: bool, by_request: bool = False) -> None:
        room_sessions, self._room_sessions = self._room_sessions, {}
        for room_session in room_sessions.values():
            stays = by_request and self._holds(room_session)
            self._lobby.registry.leave(room_session, for_good and not stays)
        over, self._over = self._over, {}
        for party, rematch in over.values():
            rematch.go(party)

    # In a room

    def _move(self, request: wire.Move) -> None:
        room_session = self._room_session(request)
        room, at = room_session.room, request.at
        if at is not None and room is not None and at < room.moved:
            raise StaleMove(f"the position has changed since event {at}")
        room_session.expect("move", request.id)
        self._lobby.registry.place(room_session, request.move, keep=False)
        if room is not None:
            self._lobby.end_if_endless(room)

    def _resign(self, request: wire.Resign) -> None:
        room_session = self._player(request)
        room_session.expect("resign", request.id)
        self._lobby.registry.forfeit(room_session)

    def _offer(self, request: wire.Offer) -> None:
        what = request.what or "draw"
        if what == "rematch":
            party, rematch = self._rematch(request)
            rematch.offer(party, partial(self._answer, request))
        else:
            if (what == "days") is (request.days is None):
                raise BadOption('an offer of "days" has "days", and no other one')
            self._talk(request).offer(self._room_session(request), what, request.days or 0)

    def _answer_offer(self, request: wire.AgreeRequest) -> None:
        what, accept = request.what, request.do == "accept"
        over = self._over.get(request.room)
        if what == "rematch" or (what is None and over is not None and over[1].was_offered):
            party, rematch = self._rematch(request)
            rematch.answer(party, accept, partial(self._answer, request))
        else:
            self._talk(request).answer(self._room_session(request), what, accept)

    def _rematch(self, request: wire.AgreeRequest) -> tuple[RoomSession, Rematch]:
        if (over := self._over.get(request.room)) is not None:
            return over
        sitting = self._room_sessions.get(request.room)
        if sitting is not None and sitting.room is not None and sitting.room.terms.score:
            raise NotOffered("the rematch has begun")
        raise NotOffered("a rematch can be agreed on for a while after the end of a match")

    def _say(self, request: wire.Say) -> None:
        over = self._over.get(request.room)
        self._check_may_meet(over[1].room if over else self._room_session(request).room)
        text = wire.read_said(request.text)
        if over is not None:
            over[1].say(over[0], self.connection.user or "", text, partial(self._answer, request))
            return
        self._talk(request).say(self._room_session(request), text)

    def _talk(self, request: wire.RoomRequest) -> Any:
        """Return the registry, for a request that the room's maximum of events limits."""
        room_session = self._room_session(request)
        if room_session.room is not None:
            self._lobby.check_takes_more(room_session.room)
        room_session.expect(request.do, request.id)
        return self._lobby.registry

    def _room_session(self, request: wire.RoomRequest) -> RoomSession:
        name = request.room
        room_session = self._room_sessions.get(name)
        if room_session is None:
            ended = self._ended.get(name)
            raise NotInRoom(
                json_view.why_over(name, ended) if ended else f"you aren't in room {name}"
            )
        return room_session

    def _player(self, request: wire.RoomRequest) -> RoomSession:
        room_session = self._room_session(request)
        if room_session.seat is None:
            raise NotInRoom(f"you only watch in room {room_session.name}")
        return room_session

    def _answer(self, request: wire.Request, **fields: Any) -> None:
        self.send(wire.answer(request.id, **fields))

    def _fail(self, request: wire.Request, refusal: Refusal) -> None:
        self.send(wire.error(request.id, refusal))

    _HANDLERS: ClassVar[Handlers] = dict((
        on(wire.Hello, _hello), on(wire.Register, _register), on(wire.Login, _login),
        on(wire.Logout, _logout), on(wire.Password, _password), on(wire.Guest, _guest),
        on(wire.Games, _games), on(wire.Rules, _rules), on(wire.Lobby, _list),
        on(wire.Open, _open), on(wire.Seek, _seek), on(wire.Join, _join), on(wire.Watch, _watch),
        on(wire.Move, _move), on(wire.Resign, _resign), on(wire.Offer, _offer),
        on(wire.Accept, _answer_offer), on(wire.Decline, _answer_offer), on(wire.Say, _say),
        on(wire.Matches, _history), on(wire.Match, _history), on(wire.Replay, _history),
        on(wire.Ratings, _history), on(wire.Judge, _history), on(wire.Admin, administer),
        on(wire.Leave, _leave), on(wire.Ping, _ping),
    ))  # fmt: skip

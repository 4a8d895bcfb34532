"""One connection of the lobby protocol in one room: an occupant that sends the room's events."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol

from tictac.errors import NotInRoom, Refusal
from tictac.lobby.events import (
    Ended,
    Event,
    Happened,
    Joined,
    Listed,
    Offered,
    Placed,
    Refused,
    Retimed,
    Said,
    Undone,
)
from tictac.lobby.room import Room
from tictac.net.logins import LoginConnection
from tictac.protocols.lobby import json_view, wire
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.rematch import Rematch


class SessionHandle(Protocol):
    """The session of a connection, as its room sessions use it."""

    connection: LoginConnection

    def refuse(self, request_id: wire.Scalar, refusal: Refusal, at: int | None = None) -> None:
        """Answer a request with an error."""

    def over(self, room_session: RoomSession) -> None:
        """Remove a room session that left its room, or never entered the room."""

    @property
    def takes(self) -> Collection[str]:
        """The kinds of events that the client takes without a request."""

    @property
    def muted(self) -> Collection[str]:
        """The users whose chat the user doesn't get."""

    def can_sit(self, name: str) -> bool:
        """Return whether the connection can enter that room, too."""

    def needs_picture(self, game: str) -> bool:
        """Return whether the client can't draw that game itself."""

    def sit(self, name: str) -> RoomSession:
        """Return a room session for another room, without a request."""

    def forget(self, room_session: RoomSession) -> None:
        """Note that no match can follow the one of that room session."""


class RoomSession:
    """An occupant of the room ``name`` for ``user`` (lobby.interfaces.Occupant).

    The room session is a rematch.RematchParty after the match. It answers the request passed to
    ``expect`` when the outcome comes as an event. ``room`` is None until the room is entered.
    ``ended`` says how the match ended.
    """

    supports_all_events = True
    whole_events = True

    def __init__(
        self,
        session: SessionHandle,
        lobby: Lobby,
        name: str,
        user: str | None,
        since: int | None = None,
    ) -> None:
        self.payer = session.connection
        self.occupant_id = lobby.registry.new_occupant_id()
        self.user = user
        self.token_hash = lobby.guest_list.hash_of(user)
        self.name = name
        self.room: Room | None = None
        self.seat: int | None = None
        self.rematch: Rematch | None = None
        self.ended: Ended | None = None
        self.wait, self.release = session.connection.wait, session.connection.release
        self.close, self.send = session.connection.close, session.connection.send
        self.can_sit, self.sit = session.can_sit, session.sit
        self._session = session
        self._lobby = lobby
        self._since = since
        self._asked: tuple[str, wire.Scalar] | None = None
        self._last_sent = 0

    @property
    def takes(self) -> Collection[str]:
        """The kinds of events that the client takes without a request."""
        return self._session.takes

    @property
    def muted(self) -> Collection[str]:
        """The users whose chat the user doesn't get."""
        return self._session.muted

    @property
    def at(self) -> int | None:
        """The number of the room's last event."""
        return None if self.room is None else self.room.number

    def expect(self, request: str, request_id: wire.Scalar) -> None:
        """Answer that request when its outcome arrives."""
        self._asked = request, request_id

    # Occupant

    def receive(self, event: Event) -> None:
        """Send an event to the connection (lobby.interfaces.Occupant)."""
        if isinstance(event, Refused):
            self._refused(event.refusal)
        elif isinstance(event, Joined) and event.to == self.occupant_id:
            self._enter(event)
        elif not isinstance(event, Listed):
            self._happened(event)

    def make_way(self, room: Room) -> None:
        if self.room is not room or self.seat is None:
            return
        self._session.over(self)
        self._lobby.registry.leave(self)
        self.send(wire.line({"event": "replaced", "room": self.name}))

    def forget(self) -> None:
        self._session.forget(self)

    # Handling of events

    def _enter(self, joined: Joined) -> None:
        """Answer the request, then send the whole room or the missed events."""
        self.seat = joined.seat
        if joined.seat is not None and self.user is not None:
            self._lobby.seated[self.name, self.user] = self
        room = self.room = self._lobby.registry.room(self.name)
        if self._asked is not None:
            (asked, request_id), self._asked = self._asked, None
            key = room.terms.key if room is not None and asked == "open" else None
            fields = {"room": self.name} if key is None else {"room": self.name, "key": key}
            self.send(wire.answer(request_id, **fields))
        if room is None:  # The room closed already; an event follows.
            return
        missed = self._lobby.missed(room, self._since)
        self._last_sent = room.number
        if missed is None:
            drawn, muted = self._draws(room), self._session.muted
            self.send(self._lobby.line_of_room(room, self.seat, drawn, muted))
        else:
            for event in missed:
                if isinstance(event, Said) and event.user in self._session.muted:
                    continue
                self.send(self._lobby.line_of(event, room, self.seat, self._draws(room)))

    def _happened(self, event: Happened) -> None:
        # Both lines in one piece: each way through the connection costs as much as a line.
        lines = b"" if self._asked is None else self._answer(event)
        room, muted = self.room, self._session.muted
        if event.number > self._last_sent:
            self._last_sent = event.number
            if muted and type(event) is Said and event.user in muted:
                room = None
            if room is not None:
                lines += self._lobby.line_of(event, room, self.seat, self._draws(room))
        if lines:
            self.send(lines)
        if type(event) is Placed:
            if event.seat == self.seat and room is not None and room.players[event.seat].gone:
                self.seat = None
        elif type(event) is Ended:
            self.ended = event
            if room is not None:
                self.rematch = self._lobby.over(self, room, event)
            self._session.over(self)

    def _refused(self, refusal: Refusal) -> None:
        if self._asked is not None:
            (_, request_id), self._asked = self._asked, None
            self._session.refuse(request_id, refusal, self.at)
        if self.room is None:
            self._session.over(self)

    def _answer(self, event: Happened) -> bytes:
        """Return the answer to the waiting request if ``event`` is its outcome."""
        assert self._asked is not None
        request, request_id = self._asked
        match event:
            case Placed(seat=self.seat) if request == "move" or request == "resign":
                done = True
            case Offered(seat=self.seat, state="offered") | Undone() | Retimed():
                done = request == "offer" or request == "accept"
            case Offered(seat=self.seat):
                done = request == "decline"
            case Said(user=self.user):
                done = request == "say"
            case Ended():
                if not self._ended_by(request, event):
                    self._refused(NotInRoom(json_view.why_over(self.name, event)))
                    return b""
                done = True
            case _:
                done = False
        if not done:
            return b""
        self._asked = None
        return wire.answer(request_id, **({"at": event.number} if request == "move" else {}))

    def _ended_by(self, request: str, ended: Ended) -> bool:
        """Return whether the request ended the match; otherwise the end overtook it."""
        room = self.room
        if request == "move":
            return ended.move is not None and (room is None or room.turn == self.seat)
        if request == "resign":
            gone = room is not None and self.seat is not None and room.players[self.seat].gone
            lost = ended.ending == "forfeited" and ended.seat != self.seat
            return gone or lost or ended.ending == "closed"
        return ended.ending == "agreed" and (request == "offer" or request == "accept")

    def _draws(self, room: Room) -> bool:
        return self._session.needs_picture(room.terms.game_type.name)

"""Your games in the lobby protocol: the request ``mine``, its events, and the numbers at a login.

Source: days.md, "Your games".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import ClassVar

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from tictac.lobby.events import Ended, Placed, Said
from tictac.lobby.room import Room
from tictac.plugins.days.matches import DayMatch, DayMatches
from tictac.protocols.lobby import json_view, wire
from tictac.protocols.lobby.extension import on
from tictac.protocols.lobby.lobby import Lobby
from tictac.protocols.lobby.session import Session


class Mine(wire.Request):
    """List the rooms in which you have a seat, and follow them unless follow is false."""

    units: ClassVar = 12
    visitors: ClassVar = wire.INVITED
    follow: bool | None = None


class MyGames:
    """The matches of each user (extension.Extension, matches.DaysObserver)."""

    def __init__(self, lobby: Lobby, days: DayMatches, clock: IReactorTime) -> None:
        self._lobby, self._registry, self._days = lobby, lobby.registry, days
        self._clock = clock
        self._followers: dict[str, dict[Session, None]] = {}
        self._shown: dict[str, Collection[str]] = {}  # rooms of followers that don't last, users
        self._due: dict[str, None] = {}
        self.handlers = dict((on(Mine, self._list),))
        self._days.observers.append(self)
        self._changed, self._closed = self._registry.changed, self._registry.room_closed
        self._registry.changed, self._registry.room_closed = self._note, self._note_end

    # Extension

    def logged_in(self, session: Session) -> Mapping[str, object]:
        """Return the number of the user's games, and of those in which it is the user's turn."""
        user = session.user or ""
        games = len(self._rooms_of(user))
        return {"mine": {"games": games, "turns": self._days.turns_of(user)}} if games else {}

    def gone(self, session: Session) -> None:
        for user in [user for user, of in self._followers.items() if session in of]:
            del self._followers[user][session]
            if not self._followers[user]:
                del self._followers[user]

    # Requests

    def _list(self, session: Session, request: Mine) -> None:
        user = session.user or ""
        self.gone(session)
        if request.follow is not False:
            self._followers.setdefault(user, {})[session] = None

        def answer(games: list[json_view.Message]) -> None:
            session.send(wire.answer(request.id, mine=games))

        asked = Deferred.fromCoroutine(self.games_of(user))
        session.connection.wait_for("MINE", asked, answer, lambda refusal: None)

    async def games_of(self, user: str) -> list[json_view.Message]:
        """Return the games of a user, as this protocol shows them."""
        games = []
        for name in self._rooms_of(user):
            if name in self._registry.sleepers:  # all its moves are made again
                await deferLater(self._clock, 0)
            room = self._registry.room(name)
            if room is not None and room.has_seat(user) and room.terms.protocol is None:
                games.append(self._entry(room, user))
                if not room.terms.lasting:
                    self._shown[name] = [member.user for member in room.players]
        return games

    def _rooms_of(self, user: str) -> list[str]:
        return [*self._registry.seats.of(user), *self._registry.sleepers.of(user)]

    # DaysObserver

    def changed(self, match: DayMatch) -> None:
        self._send_entry(match.room, match.players)

    def late(self, match: DayMatch) -> None:
        pass

    def over(self, match: DayMatch, ended: Ended) -> None:
        self._shown.pop(match.room, None)
        seats = len(match.players)
        end: json_view.Message = {
            "how": ended.ending, "winner": ended.seat, "result": json_view.points(ended, seats)
        }  # fmt: skip
        if ended.match:
            end["match"] = ended.match
        self._send(match.players, {"room": match.room, "gone": True, **end})

    # Rooms that don't last, without their moves

    def _note(self, room: Room) -> None:
        if self._changed is not None:
            self._changed(room)
        if self._followers and not (room.terms.lasting and room.begun):
            users = [member.user for member in room.players if not member.gone]
            if any(user in self._followers for user in users):
                self._shown[room.name] = users
                self._call_soon(room.name)

    def _note_end(self, name: str) -> None:
        if self._closed is not None:
            self._closed(name)
        if name in self._shown:
            self._call_soon(name)

    def _call_soon(self, name: str) -> None:
        if not self._due:
            self._clock.callLater(0, self._days.when_sent, self._send_due)
        self._due[name] = None

    def _send_due(self) -> None:
        due, self._due = self._due, {}
        for name in due:
            users = self._shown.get(name, ())
            if self._registry.has_room(name):
                self._send_entry(name, users)
            elif self._shown.pop(name, None) is not None:
                self._send(users, {"room": name, "gone": True})

    # Events

    def _send_entry(self, name: str, users: Collection[str]) -> None:
        for user in set(users).intersection(self._followers):
            room = self._registry.room(name)
            if room is not None and room.has_seat(user):
                self._send([user], self._entry(room, user))

    def _send(self, users: Collection[str], entry: json_view.Message) -> None:
        for user in set(users).intersection(self._followers):
            line = wire.line({"event": "mine", **entry})
            for session in list(self._followers[user]):
                session.send(line)

    # Entries

    def _entry(self, room: Room, user: str) -> json_view.Message:
        seat = next(s for s, m in enumerate(room.players) if m.user == user and not m.gone)
        terms, now = room.terms, self._registry.seconds()
        turn = room.turn if room.begun else None
        clocks = None if room.clock is None else room.clock.remaining(now)
        entry: json_view.Message = {
            "room": room.name,
            "game": terms.game_type.name,
            "title": terms.game_type.title,
            "options": dict(terms.values),
            "clock": terms.time and terms.time.fields(),
            "players": json_view.filled(room, [member.user for member in room.players]),
            "here": [m.user for m in room.players if m.away is None and not m.gone],
            "seat": seat,
            "begun": room.begun,
            "turn": turn,
            "left": None if clocks is None or turn is None else round(clocks[turn], 1),
            "n": room.number,
            "moves": room.moves,
            "last": self._last_move(room, seat),
            "position": room.game.view(room.position, seat),
            "unread": unread(room, seat),
            "offer": json_view.offered(room),
        }
        if not terms.lasting:  # no computer plays over days
            entry |= json_view.computers(room)
        if terms.play is not None:
            entry["tournament"] = terms.play.tournament
        if terms.rated:
            entry["rated"] = True
        if terms.key is not None:
            entry["private"] = True
        return entry

    def _last_move(self, room: Room, seat: int) -> json_view.Message | None:
        for at, event in reversed(room.record):
            if type(event) is Placed:
                move = room.game.seen(event.position, event.move, seat)
                return {"seat": event.seat, "move": move, "at": self._lobby.day_time(at)}
        return None


def unread(room: Room, seat: int) -> int:
    """Return the number of texts that others said since the player left the room."""
    user, away = room.players[seat].user, room.players[seat].away
    if away is None:
        return 0
    said = [event for at, event in room.record if at > away and type(event) is Said]
    return sum(event.user != user for event in said)

"""The facts for a user after a login: seats to return to, and matches that ended meanwhile.

Source: people.md, "Your seats".
"""

from __future__ import annotations

from collections.abc import Callable

from tictac.lobby.events import Ended, Event, Placed, Position
from tictac.lobby.live_room import Listener
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.protocols.lobby import json_view

KEPT, KEPT_DAYS = 300.0, 14 * 86_400.0
"""Seconds for which the end of a match is kept for a disconnected player; of one over days."""

MOST_ENDED, MOST_USERS = 5, 1000
"""Maximum ends for a user, and maximum users with such ends; the oldest are dropped."""


class HeldSeats:
    """The seats of users in rooms of ``registry``, which holds them for ``held`` seconds."""

    def __init__(self, registry: Registry, seconds: Callable[[], float], held: float) -> None:
        self._registry, self._seconds, self._held = registry, seconds, held
        self._ended: dict[str, list[tuple[float, json_view.Message]]] = {}
        registry.absent = self._absent

    def of(self, user: str) -> json_view.Message:
        """Return the field ``seats`` of the answer to a login; nothing if there are none."""
        held = [seat for name in self._registry.seats.of(user) for seat in self._in(name, user)]
        ended = self._recent(user)
        seats = ({"held": held} if held else {}) | ({"ended": ended} if ended else {})
        return {"seats": seats} if seats else {}

    def has_ended(self, user: str) -> bool:
        """Return whether there is an end that ``user`` must know."""
        return bool(self._recent(user))

    def _in(self, name: str, user: str) -> list[json_view.Message]:
        """Return the seat of a user in a room, first one that is held."""
        room = self._registry.room(name)
        if room is None or room.awaited or room.terms.protocol is not None or room.terms.lasting:
            return []  # a tournament reports seats that wait; no seat over days is held for seconds
        here, now = name in self._registry.live_rooms, self._seconds()
        seats = []
        for seat, member in enumerate(room.players):
            if member.user == user and not member.gone:
                left = None
                if member.away is not None:
                    left = round(max(0.0, self._held - (now - member.away if here else 0.0)), 1)
                game = room.terms.game_type.name
                seats.append(
                    {"room": name, "game": game, "seat": seat, "seconds": left}
                    | json_view.seat(room, seat)
                )
        return sorted(seats, key=lambda each: each["seconds"] is None)[:1]

    # Ends

    def _absent(self, user: str, room: Room) -> Listener:
        """Return the receiver of a match's end for an absent user (Registry.absent)."""

        def take(event: Event) -> None:
            if type(event) is Ended:
                self._note(user, room, json_view.end(event, room), event.position)
            elif type(event) is Placed:  # the others continue
                lost = {"how": "left", "winner": None, "result": None, "disconnected": True}
                self._note(user, room, lost, room.position)

        return Listener(user, take)

    def _note(self, user: str, room: Room, end: json_view.Message, last: Position) -> None:
        seat = next(seat for seat, member in enumerate(room.players) if member.user == user)
        entry: json_view.Message = {
            "room": room.name, "game": room.terms.game_type.name, "seat": seat,
            **json_view.seat(room, seat), "turn": None, "position": room.game.view(last, seat),
        }  # fmt: skip
        if play := room.terms.play:
            entry |= {"tournament": play.tournament, "round": play.round}
        if clocks := json_view.clocks(room, self._seconds()):
            entry["clocks"] = clocks
        entries = self._ended.pop(user, [])
        entries = [e for e in entries if e[1]["room"] != room.name or e[1]["result"] is not None]
        entries.append((self._seconds() + (KEPT_DAYS if room.terms.lasting else KEPT), entry | end))
        self._ended[user] = entries[-MOST_ENDED:]
        if len(self._ended) > MOST_USERS:
            del self._ended[next(iter(self._ended))]

    def _recent(self, user: str) -> list[json_view.Message]:
        recent = [each for until, each in self._ended.get(user, ()) if until > self._seconds()]
        if not recent:
            self._ended.pop(user, None)
        return recent

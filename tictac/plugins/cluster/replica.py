"""A room of another node's as this one knows it, and who of this node is in it."""

from __future__ import annotations

from typing import Any

from tictac.lobby.events import (
    Began,
    Ended,
    Joined,
    Left,
    OccupantId,
    Offered,
    Paused,
    Placed,
    RoomEvent,
    Said,
    Undone,
)
from tictac.lobby.interfaces import Occupant
from tictac.lobby.live_room import LiveRoom
from tictac.lobby.record import redo
from tictac.lobby.room import Member, Room
from tictac.plugins.cluster.link import NodeLink
from tictac.plugins.cluster.store import NodeId

_FOR_ALL_KNOWING = (Left, Offered, Paused, Said)


class Sitting:
    """An occupant of this node, in a room of another or on the way into it.

    ``asked`` are the requests under way, by their numbers: a verb and its words.
    """

    __slots__ = ("asked", "joined", "occupant", "replica", "user")

    def __init__(self, occupant: Occupant, replica: Replica) -> None:
        self.occupant = occupant
        self.user = occupant.user
        self.replica = replica
        self.joined = False
        self.asked: dict[int, tuple[Any, ...]] = {}

    def answered(self, number: int) -> None:
        """That request isn't under way any more."""
        if self.asked.pop(number, None) is not None:
            self.occupant.release()

    def meet(self, event: RoomEvent) -> None:
        """Answer the first request if ``event`` is what came of it."""
        room = self.replica.room
        if not self.asked or not self.joined or room is None:
            return
        number, (verb, *words) = next(iter(self.asked.items()))
        seat = room.seat_of(self.occupant.occupant_id)
        match event:
            case Placed(seat=mine):
                met = verb in ("place", "forfeit") and mine == seat
            case Offered(seat=mine, state=state):
                met = mine == seat and verb == ("offer" if state == "offered" else "answer")
            case Undone(seat=other):
                met = verb == "answer" and other != seat
            case Paused(user=who):
                met = who == self.user and verb == "pause"
            case Said(user=who, text=text):
                met = who == self.user and verb == "say" and words == [text]
            case _:
                met = False
        if met:
            self.answered(number)


class Replica:
    """A room of ``node_id``'s (None: it isn't known whose), which knows this one by ``key``.

    There is no ``live_room`` before somebody has come in. ``link`` is the way to the owner, when it
    has said all that was missed; ``lost_since`` is when the way there was lost. ``syncing``: not
    all is said yet. ``known``: the owner has heard of it. ``tries`` say how often it was sought in
    vain. ``number`` is that of the last event, ``moved`` that of the last one that changed the
    position.
    """

    def __init__(self, key: int, name: str, node_id: NodeId | None, now: float) -> None:
        self.key = key
        self.name = name
        self.node_id = node_id
        self.room_id: int | None = None
        self.live_room: LiveRoom | None = None
        self.sittings: dict[OccupantId, Sitting] = {}
        self.link: NodeLink | None = None
        self.lost_since: float | None = now
        self.syncing = False
        self.known = False
        self.tries = self.number = self.moved = 0

    @property
    def room(self) -> Room | None:
        """The room, as far as it is known."""
        return None if self.live_room is None else self.live_room.room

    def again(self) -> list[Any]:
        """What the owner has to know when there is a way to it again."""
        room, people = self.room, []
        for occupant_id, sitting in self.sittings.items():
            seat: int | None = -1
            if room is not None and sitting.joined:
                seat = room.seat_of(occupant_id)
            people.append([occupant_id, sitting.user, sitting.occupant.supports_all_events, seat])
        return [self.key, self.room_id, self.name, None if room is None else self.number, people]

    def follow(self, number: int, at: float, fields: list[Any], to: OccupantId) -> RoomEvent:
        """Let the room be as after an event; the event. Of an end ``to`` is the id of what is kept
        of the match. Raises ValueError."""
        live_room = self.live_room
        if live_room is None or number != self.number + 1:
            raise ValueError(f"after event {self.number} of {self.name} comes {number}")
        self.number = number
        room = live_room.room
        if fields[0] == "ended":
            _, ending, seat, move, cut = fields
            event: RoomEvent = _end(room, number, ending, seat, move, cut, to)
            if live_room.clock is not None:
                live_room.clock.pause(True, at)
        else:
            seats = len(room.players)
            event = redo(room, number, at, fields)
            if type(event) in (Placed, Began, Undone):
                self.moved = number
            elif type(event) is Joined:
                event = _join(room, event, to, event.seat is None or event.seat < seats)
            elif type(event) is Left:
                _leave(live_room, event, at)
        room.record.append((at, event))
        live_room.since = at
        return event

    def audience(self, event: RoomEvent) -> tuple[Occupant, ...]:
        """Who is told of it; who comes in by it is from now on."""
        live_room = self.live_room
        assert live_room is not None
        if type(event) is not Joined:
            return live_room.knowing if type(event) in _FOR_ALL_KNOWING else live_room.everybody
        sitting, others = self.sittings.get(event.to), live_room.knowing
        if sitting is None or sitting.joined:
            return tuple([each for each in others if each.occupant_id != event.to])
        sitting.joined = True
        live_room.seat(sitting.occupant)
        return (sitting.occupant, *others)

    def set_state(self, away: list[bool], viewers: dict[str, str], clock: Any, now: float) -> None:
        """Take over what isn't in the record."""
        room = self.room
        if room is None:
            return
        for seat, (member, gone) in enumerate(zip(room.players, away, strict=False)):
            room.players[seat] = member._replace(away=now if gone else None)
        room.viewers = dict(viewers)
        if clock is not None and room.clock is not None and room.begun:
            left, running, used = clock
            stands = running is None
            room.clock.left, room.clock.since = left, now if stands else now - used
            room.clock.stopped = now if stands else None


def _end(
    room: Room, number: int, ending: Any, seat: int | None, move: str | None, cut: bool, match: str
) -> Ended:
    if move is not None:
        room.position = room.game.play(room.position, move, None).position
        room.moves += 1
    room.number = number
    winner = None if seat is None else room.players[seat].user
    return Ended(number, None, room.position, ending, winner, seat, move, cut, match)


def _join(room: Room, joined: Joined, to: OccupantId, late: bool) -> Joined:
    joined = joined._replace(to=to)
    if joined.seat is None:
        room.viewers[to or f"event {joined.number}"] = joined.user
    else:
        room.players[joined.seat] = Member(to, joined.user)
    return room.late(joined) if late else joined


def _leave(live_room: LiveRoom, left: Left, at: float) -> None:
    room = live_room.room
    if left.seat is not None:
        room.players[left.seat] = room.players[left.seat]._replace(away=at)
        return
    for occupant_id, user in room.viewers.items():
        if user == left.user and occupant_id not in live_room.occupants:
            del room.viewers[occupant_id]
            return

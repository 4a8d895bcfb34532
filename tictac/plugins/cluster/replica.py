"""A room of another node as this node knows it, and the occupants from here.

The order in which a replica follows its owner is described in ``forwarding.py``.
"""

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
    """An occupant of this node who is in a room of another node, or is joining one.

    ``asked`` has the unanswered requests by their numbers: a verb and its words.
    """

    __slots__ = ("asked", "joined", "occupant", "replica", "user")

    def __init__(self, occupant: Occupant, replica: Replica) -> None:
        self.occupant = occupant
        self.user = occupant.user
        self.replica = replica
        self.joined = False
        self.asked: dict[int, tuple[Any, ...]] = {}

    def answered(self, number: int) -> None:
        """Forget a request, and release the occupant."""
        if self.asked.pop(number, None) is not None:
            self.occupant.release()

    def meet(self, event: RoomEvent) -> None:
        """Take the first request for answered if ``event`` is its result."""
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
    """A room that the node ``node_id`` owns, and knows as ``key``; None: the owner isn't known yet.

    There is no ``live_room`` until an occupant has joined. ``link`` leads to the owner once the
    owner has sent all that was missed; ``lost_since`` is when the link was lost. While ``syncing``,
    missed events can still come. ``known`` is whether the owner has got a request for this replica.
    ``tries`` counts failed searches for the owner. ``number`` is that of the last event, ``moved``
    that of the last event that changed the position.
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
        """The room, or None before an occupant has joined."""
        return None if self.live_room is None else self.live_room.room

    def again(self) -> list[Any]:
        """Return the words of "again": what this node knows of the room, and the occupants here."""
        room, people = self.room, []
        for occupant_id, sitting in self.sittings.items():
            seat: int | None = -1
            if room is not None and sitting.joined:
                seat = room.seat_of(occupant_id)
            people.append([occupant_id, sitting.user, sitting.occupant.supports_all_events, seat])
        return [self.key, self.room_id, self.name, None if room is None else self.number, people]

    def follow(self, number: int, at: float, fields: list[Any], to: OccupantId) -> RoomEvent:
        """Apply an event to the room, and return the event.

        ``to`` is the id of an occupant who joined, or of the archived match that ended.

        Raises:
            ValueError: The event isn't the next one, or isn't possible.
        """
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
        """Return the receivers of an event, and seat the occupant who joins by it."""
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
        """Apply the state that isn't in the record: absent players, viewers, and clocks."""
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

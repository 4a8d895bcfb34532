"""The visitor's side: occupants of this node in rooms of others."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Any

from twisted.logger import Logger

from tictac import errors
from tictac.errors import AlreadyInRoom, NoSuchRoom, Refusal
from tictac.lobby.events import (
    Agreement,
    Ended,
    Ending,
    Mode,
    OccupantId,
    Placed,
    Refused,
    RoomEvent,
)
from tictac.lobby.interfaces import Occupant
from tictac.lobby.record import load_terms
from tictac.lobby.room import Room
from tictac.lobby.table import Table, Told
from tictac.logs import LIMITED
from tictac.nodes.hosting import OwningRegistry
from tictac.nodes.link import Link
from tictac.nodes.replica import Replica, Sitting
from tictac.nodes.store import NodeId

_log = Logger(observer=LIMITED)

OVER = "it is over, and how isn't known"
"""Why somebody has to come again who sat in a room that an owner ended as it died."""


class VisitingRegistry(OwningRegistry):
    """A registry whose occupants may be in rooms that other nodes decide.

    Their requests are sent there, and they ask for nothing more until they are answered.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._replicas: dict[str, Replica] = {}
        self._by_key: dict[int, Replica] = {}
        self._sittings: dict[OccupantId, Sitting] = {}
        self._late: dict[OccupantId, Sitting] = {}  # whose room is over, but not all is answered
        self._asked: dict[int, Sitting] = {}
        self._numbers = count(1)

    # What belongs to the node

    def _link_to(self, node_id: NodeId | None) -> Link | None:
        """The link to it, if there is one."""
        raise NotImplementedError

    def _find_owner(self, replica: Replica) -> None:
        """Find out whose a room is, now or later."""
        raise NotImplementedError

    def _look_elsewhere(self, replica: Replica) -> None:
        """It isn't where it was thought to be, or not yet."""
        raise NotImplementedError

    # Requests

    def join(
        self,
        occupant: Occupant,
        name: str,
        mode: Mode,
        key: str | None = None,
        door: str | None = None,
    ) -> None:
        """Seat ``occupant`` in an existing room, wherever it is."""
        in_one = occupant.occupant_id in self._table_of
        if in_one or door is not None or name in self._tables:
            super().join(occupant, name, mode, key, door)
            return
        try:
            self._check_outside(occupant)
        except Refusal as refusal:
            self._refuse(occupant, "join", refusal)
            return
        replica = self._replicas.get(name)
        if replica is None:
            replica = Replica(next(self._numbers), name, None, self._seconds())
            self._replicas[name] = self._by_key[replica.key] = replica
        sitting = Sitting(occupant, replica)
        self._sittings[occupant.occupant_id] = replica.sittings[occupant.occupant_id] = sitting
        self._request(sitting, "join", mode, key)
        if replica.node_id is None and len(replica.sittings) == 1:
            self._find_owner(replica)

    def place(self, occupant: Occupant, move: str | None, keep: bool = True) -> None:
        """Play or keep a move."""
        sitting = self._sittings.get(occupant.occupant_id)
        if sitting is None:
            super().place(occupant, move, keep)
            return
        occupant.wait()
        replica, number = sitting.replica, next(self._numbers)
        seen = replica.moved
        sitting.asked[number] = "place", move, keep, seen
        self._asked[number] = sitting
        if replica.link is not None:
            ask = "ask", replica.key, occupant.occupant_id, number, "place", move, keep, seen
            replica.link.send(*ask)

    def forfeit(self, occupant: Occupant) -> None:
        """Give the match up."""
        if not self._is_asked(occupant, "forfeit"):
            super().forfeit(occupant)

    def offer(self, occupant: Occupant, what: Agreement) -> None:
        """Propose something to the other player."""
        if not self._is_asked(occupant, "offer", what):
            super().offer(occupant, what)

    def answer(self, occupant: Occupant, what: Agreement | None, accept: bool) -> None:
        """Accept what is proposed, decline it, or withdraw it."""
        if not self._is_asked(occupant, "answer", what, accept):
            super().answer(occupant, what, accept)

    def pause(self, occupant: Occupant, paused: bool) -> None:
        """Interrupt the match, or let it go on."""
        if not self._is_asked(occupant, "pause", paused):
            super().pause(occupant, paused)

    def say(self, occupant: Occupant, text: str) -> None:
        """Say something in the room."""
        if not self._is_asked(occupant, "say", text):
            super().say(occupant, text)

    def call_off(self, name: str, ending: Ending = "drawn") -> None:
        """End the match in the room of that name."""
        replica = self._replicas.get(name)
        if replica is None or replica.node_id is None:
            super().call_off(name, ending)
        else:
            link = self._link_to(replica.node_id)
            if link is not None:
                link.send("call off", replica.key, ending)

    def leave(self, occupant: Occupant, for_good: bool = False) -> None:
        """Take ``occupant`` out of its room, wherever that is."""
        super().leave(occupant, for_good)
        late = self._late.pop(occupant.occupant_id, None)
        sitting = self._sittings.pop(occupant.occupant_id, None)
        for asked in () if (either := sitting or late) is None else either.asked:
            self._asked.pop(asked, None)
        if sitting is None:
            return
        replica, number = sitting.replica, next(self._numbers)
        if replica.link is not None:
            replica.link.send("ask", replica.key, occupant.occupant_id, number, "leave", for_good)
        self._stand_up(sitting)

    def room(self, name: str) -> Room | None:
        """The room of that name, to be looked at."""
        replica = self._replicas.get(name)
        room = super().room(name)
        return replica.room if room is None and replica is not None else room

    def _check_outside(self, occupant: Occupant) -> None:
        sitting = self._sittings.get(occupant.occupant_id)
        if sitting is not None:
            raise AlreadyInRoom(f"{occupant.user} is in room {sitting.replica.name}")
        super()._check_outside(occupant)

    # To the owner

    def _is_asked(self, occupant: Occupant, verb: str, *words: Any) -> bool:
        """Ask the owner of somebody's room for something, if that is another node."""
        sitting = self._sittings.get(occupant.occupant_id)
        if sitting is not None:
            self._request(sitting, verb, *words)
        return sitting is not None

    def _request(self, sitting: Sitting, *request: Any) -> None:
        sitting.occupant.wait()
        number = next(self._numbers)
        sitting.asked[number] = request
        self._asked[number] = sitting
        if sitting.replica.link is not None:
            self._say(sitting, number, request)

    def _say(self, sitting: Sitting, number: int, request: tuple[Any, ...]) -> None:
        replica, occupant = sitting.replica, sitting.occupant
        assert replica.link is not None
        replica.known = True
        if request[0] == "join":
            request = ("join", sitting.user, occupant.knows_all, replica.name, *request[1:])
        replica.link.send("ask", replica.key, occupant.occupant_id, number, *request)

    def _found_owner(self, replica: Replica, node_id: NodeId) -> None:
        """The room is that node's: say what this one knows, and ask."""
        replica.node_id = node_id
        link = self._link_to(node_id)
        if link is None:
            if replica.lost_since is None:
                replica.lost_since = self._seconds()
            return
        replica.lost_since = None
        if not replica.known:
            self._synced(replica)
            return
        replica.syncing = True
        link.send("again", *replica.again())

    def _synced(self, replica: Replica) -> None:
        """The owner has said all that was missed."""
        replica.syncing = False
        replica.link = self._link_to(replica.node_id)
        if replica.link is not None:
            for sitting in list(replica.sittings.values()):
                for number, request in sitting.asked.items():
                    self._say(sitting, number, request)

    # From the owner

    def _done(self, numbers: Iterable[int]) -> None:
        """Requests are answered."""
        for number in numbers:
            sitting = self._asked.pop(number, None)
            if sitting is not None:
                sitting.answered(number)
                if not sitting.asked:
                    self._late.pop(sitting.occupant.occupant_id, None)

    def _follow(
        self,
        node_id: NodeId,
        told: list[Told],
        key: int,
        number: int,
        age: int,
        fields: list[Any],
        to: OccupantId,
    ) -> None:
        """Note what happened in a room; whom to tell of it."""
        replica = self._by_key.get(key)
        if replica is None or replica.node_id != node_id or number <= replica.number:
            return
        try:
            event = replica.follow(number, self._seconds() - age / 1000, fields, to)
        except (ValueError, Refusal) as error:
            self._close_all(replica, f"its owner says what can't be: {error}")
            return
        if type(event) is Placed and not replica.syncing:
            assert replica.table is not None
            told.append((replica.table.everybody, event))
        else:
            self._happened(replica, event, told)

    def _heed(self, node_id: NodeId, kind: str, *words: Any) -> None:
        """Do what another node says. Raises ValueError, TypeError, KeyError."""
        if kind == "done":
            self._done(words)
        elif kind in ("no", "close", "elsewhere"):
            occupant_id, *rest = words
            sitting = self._late.get(occupant_id) or self._sittings.get(occupant_id)
            if sitting is None or sitting.replica.node_id != node_id:
                return
            if kind == "no":
                self._refused(sitting, *rest)
            elif kind == "elsewhere" and sitting.replica.room is None:
                self._look_elsewhere(sitting.replica)
            elif kind == "elsewhere":  # it is over, of which comes word
                self._refused(sitting, "join", NoSuchRoom.__name__, "it is over", None)
                self._done(rest)
            else:
                sitting.occupant.close()
        elif kind in ("room", "state", "synced", "gone"):
            key, *rest = words
            replica = self._by_key.get(key)
            if replica is None or replica.node_id != node_id:
                return
            if kind == "room":
                self._made_known(replica, *rest)
            elif kind == "state":
                away, viewers, clock = rest
                replica.set_state(away, viewers, clock, self._seconds())
            elif kind == "synced":
                self._synced(replica)
            else:
                self._close_all(replica, "its owner doesn't know it any more")

    def _made_known(
        self, replica: Replica, room_id: int | None, terms_text: str, start: str
    ) -> None:
        try:
            terms = load_terms(terms_text)
            room = Room(replica.name, terms, self._dice, terms.game.load(start))
        except (ValueError, Refusal) as error:
            self._close_all(replica, f"its owner says what can't be: {error}")
        else:
            replica.room_id, replica.table = room_id, Table(room, self._seconds())
            replica.number = 0

    def _happened(self, replica: Replica, event: RoomEvent, told: list[Told]) -> None:
        audience = replica.audience(event)
        if type(event) is Ended:
            self._forget_replica(replica)
        told.append((audience, event))
        if replica.syncing:
            self._post.send(told)
            told.clear()
            self._meet(replica, event)

    def _meet(self, replica: Replica, event: RoomEvent) -> None:
        """A request may have been done whose answer was lost with the link or the owner."""
        if type(event) is Ended and replica.node_id is not None:
            self._release_late(replica.node_id)
        for sitting in replica.sittings.values():
            sitting.meet(event)

    def _refused(
        self, sitting: Sitting, verb: str, kind: str, why: str, position: str | None
    ) -> None:
        found = getattr(errors, kind, None)
        refusal = found(why) if isinstance(found, type) and issubclass(found, Refusal) else None
        occupant, room = sitting.occupant, sitting.replica.room
        where = None if room is None or position is None else room.game.load(position)
        event = Refused(occupant.occupant_id, verb, refusal or Refusal(why), where)
        if verb == "join" and not sitting.joined:
            self._sittings.pop(occupant.occupant_id, None)
            self._stand_up(sitting)
            self._late[occupant.occupant_id] = sitting
        self._tell(occupant, event)

    # Rooms that are over, or lost

    def _stand_up(self, sitting: Sitting) -> None:
        replica, occupant = sitting.replica, sitting.occupant
        del replica.sittings[occupant.occupant_id]
        if sitting.joined and replica.table is not None:
            replica.table.unseat(occupant)
        if not replica.sittings:
            self._forget_replica(replica)

    def _forget_replica(self, replica: Replica) -> None:
        """Its occupants are out; what they have asked for may still be answered."""
        self._by_key.pop(replica.key, None)
        if self._replicas.get(replica.name) is replica:
            del self._replicas[replica.name]
        for occupant_id, sitting in replica.sittings.items():
            self._sittings.pop(occupant_id, None)
            if sitting.asked:
                self._late[occupant_id] = sitting

    def _release_late(self, node_id: NodeId) -> None:
        """Nothing more comes from that node."""
        for occupant_id, sitting in list(self._late.items()):
            if sitting.replica.node_id == node_id:
                del self._late[occupant_id]
                self._done(list(sitting.asked))

    def _close_all(self, replica: Replica, why: str) -> None:
        """Its occupants have to come again."""
        self._forget_replica(replica)
        sittings = replica.sittings.values()
        if any(sitting.joined for sitting in sittings):
            _log.warn(
                "nodes: {count} occupants of room {room!r} have to come again: {why}",
                count=len(sittings),
                room=replica.name,
                why=why,
            )
        for sitting in list(sittings):
            self._late.pop(sitting.occupant.occupant_id, None)
            sitting.occupant.close()

    def _no_such_room(self, replica: Replica) -> None:
        """There is none, as those hear who wanted to come in."""
        if any(sitting.joined for sitting in replica.sittings.values()):
            self._close_all(replica, OVER)
            return
        self._forget_replica(replica)
        for sitting in replica.sittings.values():
            occupant = sitting.occupant
            self._late.pop(occupant.occupant_id, None)
            self._refuse(occupant, "join", NoSuchRoom(f"there is no room {replica.name}"))
            self._done(list(sitting.asked))

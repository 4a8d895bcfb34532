"""The visitor's side: occupants of this node in rooms of others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from twisted.logger import Logger

from tictac import errors
from tictac.errors import NoSuchRoom, Refusal
from tictac.lobby.events import Ended, Ending, Mode, OccupantId, Placed, Refused, RoomEvent
from tictac.lobby.interfaces import Occupant, rejoins_of
from tictac.lobby.live_room import Delivery, LiveRoom
from tictac.lobby.record import load_terms
from tictac.lobby.registry import Registry
from tictac.lobby.room import Room
from tictac.logs import LIMITED
from tictac.plugins.cluster.links import Links
from tictac.plugins.cluster.replica import Replica, Sitting
from tictac.plugins.cluster.store import NodeId

_log = Logger(observer=LIMITED)

OVER = "it is over, and how isn't known"
"""Why somebody has to come again who sat in a room that an owner ended as it died."""


class Finder(Protocol):
    """Finds out whose a room is."""

    def find(self, replica: Replica) -> None:
        """Find out whose it is, now or later."""

    def look_elsewhere(self, replica: Replica) -> None:
        """It isn't where it was thought to be, or not yet."""


class Visits:
    """Who of this node's occupants sits in rooms that other nodes decide (elsewhere.Visits).

    Their requests are sent there, and they ask for nothing more until they are answered.
    """

    def __init__(self, registry: Registry, links: Links, numbers: Iterator[int]) -> None:
        self.finder: Finder
        self.replicas: dict[str, Replica] = {}
        self.sittings: dict[OccupantId, Sitting] = {}
        self.late: dict[OccupantId, Sitting] = {}  # whose room is over, but not all is answered
        self._registry = registry
        self._links = links
        self._numbers = numbers
        self._by_key: dict[int, Replica] = {}
        self._asked: dict[int, Sitting] = {}

    # Requests

    def take(self, occupant: Occupant, verb: str, *words: Any) -> bool:
        """Ask the owner of somebody's room for something, if that is another node."""
        sitting = self.sittings.get(occupant.occupant_id)
        if sitting is None:
            return False
        if verb == "place":
            words = *words, sitting.replica.moved
        self._request(sitting, verb, *words)
        return True

    def join(self, occupant: Occupant, name: str, mode: Mode, key: str | None) -> bool:
        """Go into a room that isn't here."""
        replica = self.replicas.get(name)
        if replica is None:
            replica = Replica(next(self._numbers), name, None, self._registry.seconds())
            self.replicas[name] = self._by_key[replica.key] = replica
        sitting = Sitting(occupant, replica)
        self.sittings[occupant.occupant_id] = replica.sittings[occupant.occupant_id] = sitting
        self._request(sitting, "join", mode, key)
        if replica.node_id is None and len(replica.sittings) == 1:
            self.finder.find(replica)
        return True

    def call_off(self, name: str, ending: Ending) -> None:
        """Have a match ended whose room isn't here."""
        replica = self.replicas.get(name)
        link = None if replica is None else self._links.to(replica.node_id)
        if replica is not None and link is not None:
            link.send("call off", replica.key, ending)

    def leave(self, occupant: Occupant, for_good: bool) -> None:
        """It is gone: forget what it has asked for, and tell the owner."""
        late = self.late.pop(occupant.occupant_id, None)
        sitting = self.sittings.pop(occupant.occupant_id, None)
        for asked in () if (either := sitting or late) is None else either.asked:
            self._asked.pop(asked, None)
        if sitting is None:
            return
        replica, number = sitting.replica, next(self._numbers)
        if replica.link is not None:
            # 2 is lost without a way back; nodes of the version before read it as for good.
            how = int(for_good) or 2 * (not rejoins_of(occupant))
            replica.link.send("ask", replica.key, occupant.occupant_id, number, "leave", how)
        self._stand_up(sitting)

    def room_of(self, occupant: Occupant) -> str | None:
        """The room elsewhere in which it sits."""
        sitting = self.sittings.get(occupant.occupant_id)
        return None if sitting is None else sitting.replica.name

    def room(self, name: str) -> Room | None:
        """A room elsewhere in which somebody sits, as far as it is known here."""
        replica = self.replicas.get(name)
        return None if replica is None else replica.room

    # What becomes of links and nodes

    def knows(self, replica: Replica) -> bool:
        """Whether somebody sits in it, or wants to."""
        return self._by_key.get(replica.key) is replica

    def of(self, node_id: NodeId) -> list[Replica]:
        """The rooms of that node in which somebody sits."""
        return [replica for replica in self.replicas.values() if replica.node_id == node_id]

    def link_lost(self, node_id: NodeId) -> None:
        """Wait for it to come back."""
        now = self._registry.seconds()
        for replica in self.of(node_id):
            replica.lost_since, replica.link, replica.syncing = now, None, False
        self._release_late(node_id)

    def give_up(self, patience: float) -> None:
        """Let those come again whose room wasn't reached for so long."""
        now = self._registry.seconds()
        for replica in list(self.replicas.values()):
            if replica.lost_since is not None and now - replica.lost_since >= patience:
                self.close_all(replica, "its node can't be reached")

    def reset(self) -> list[Occupant]:
        """Forget everybody; who that was."""
        people = [each.occupant for each in (*self.sittings.values(), *self.late.values())]
        for each in (self.replicas, self._by_key, self.sittings, self.late, self._asked):
            each.clear()
        return people

    # To the owner

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
            request = (
                "join",
                sitting.user,
                occupant.supports_all_events,
                replica.name,
                *request[1:],
            )
        replica.link.send("ask", replica.key, occupant.occupant_id, number, *request)

    def found_owner(self, replica: Replica, node_id: NodeId) -> None:
        """The room is that node's: say what this one knows, and ask."""
        replica.node_id = node_id
        link = self._links.to(node_id)
        if link is None:
            if replica.lost_since is None:
                replica.lost_since = self._registry.seconds()
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
        replica.link = self._links.to(replica.node_id)
        if replica.link is not None:
            for sitting in list(replica.sittings.values()):
                for number, request in sitting.asked.items():
                    self._say(sitting, number, request)

    # From the owner

    def done(self, numbers: Iterable[int]) -> None:
        """Requests are answered."""
        for number in numbers:
            sitting = self._asked.pop(number, None)
            if sitting is not None:
                sitting.answered(number)
                if not sitting.asked:
                    self.late.pop(sitting.occupant.occupant_id, None)

    def follow(
        self,
        node_id: NodeId,
        told: list[Delivery],
        key: int,
        number: int,
        age: int,
        fields: list[Any],
        to: OccupantId,
    ) -> None:
        """Note what happened in a room; whom to tell of it."""
        replica = self._by_key.get(key)
        if replica is None or replica.node_id != node_id or number <= replica.number:
            link = self._links.to(node_id)
            if replica is None and fields[0] == "ended" and link is not None:
                link.send("heard", key)  # nobody is left here whom it would be told
            return
        try:
            event = replica.follow(number, self._registry.seconds() - age / 1000, fields, to)
        except (ValueError, Refusal) as error:
            self.close_all(replica, f"its owner says what can't be: {error}")
            return
        if type(event) is Placed and not replica.syncing:
            assert replica.live_room is not None
            told.append((replica.live_room.everybody, event))
        else:
            self.happened(replica, event, told)

    def handle(self, node_id: NodeId, kind: str, *words: Any) -> None:
        """Do what another node says. Raises ValueError, TypeError, KeyError."""
        if kind == "done":
            self.done(words)
        elif kind in ("no", "close", "elsewhere"):
            occupant_id, *rest = words
            sitting = self.late.get(occupant_id) or self.sittings.get(occupant_id)
            if sitting is None or sitting.replica.node_id != node_id:
                return
            if kind == "no":
                self._refused(sitting, *rest)
            elif kind == "elsewhere" and sitting.replica.room is None:
                self.finder.look_elsewhere(sitting.replica)
            elif kind == "elsewhere":  # it is over, of which comes word
                self._refused(sitting, "join", NoSuchRoom.__name__, "it is over", None)
                self.done(rest)
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
                replica.set_state(away, viewers, clock, self._registry.seconds())
            elif kind == "synced":
                self._synced(replica)
            else:
                self.close_all(replica, "its owner doesn't know it any more")

    def _made_known(
        self, replica: Replica, room_id: int | None, terms_text: str, start: str
    ) -> None:
        try:
            terms = load_terms(terms_text)
            room = Room(replica.name, terms, self._registry.rng, terms.game.load(start))
        except (ValueError, Refusal) as error:
            self.close_all(replica, f"its owner says what can't be: {error}")
        else:
            replica.room_id, replica.live_room = room_id, LiveRoom(room, self._registry.seconds())
            replica.number = 0

    def happened(self, replica: Replica, event: RoomEvent, told: list[Delivery]) -> None:
        audience = replica.audience(event)
        if type(event) is Ended:
            self.forget_replica(replica)
            link = self._links.to(replica.node_id)
            if link is not None:
                link.send("heard", replica.key)
        told.append((audience, event))
        if replica.syncing:
            self._registry.dispatcher.send(told)
            told.clear()
            self.meet(replica, event)

    def meet(self, replica: Replica, event: RoomEvent) -> None:
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
            self.sittings.pop(occupant.occupant_id, None)
            self._stand_up(sitting)
            self.late[occupant.occupant_id] = sitting
        self._registry.dispatcher.send([((occupant,), event)])  # in the owner's order

    # Rooms that are over, or lost

    def _stand_up(self, sitting: Sitting) -> None:
        replica, occupant = sitting.replica, sitting.occupant
        del replica.sittings[occupant.occupant_id]
        if sitting.joined and replica.live_room is not None:
            replica.live_room.unseat(occupant)
        if not replica.sittings:
            self.forget_replica(replica)

    def forget_replica(self, replica: Replica) -> None:
        """Its occupants are out; what they have asked for may still be answered."""
        self._by_key.pop(replica.key, None)
        if self.replicas.get(replica.name) is replica:
            del self.replicas[replica.name]
        for occupant_id, sitting in replica.sittings.items():
            self.sittings.pop(occupant_id, None)
            if sitting.asked:
                self.late[occupant_id] = sitting

    def _release_late(self, node_id: NodeId) -> None:
        """Nothing more comes from that node."""
        for occupant_id, sitting in list(self.late.items()):
            if sitting.replica.node_id == node_id:
                del self.late[occupant_id]
                self.done(list(sitting.asked))

    def close_all(self, replica: Replica, why: str) -> None:
        """Its occupants have to come again."""
        self.forget_replica(replica)
        sittings = replica.sittings.values()
        if any(sitting.joined for sitting in sittings):
            _log.warn(
                "nodes: {count} occupants of room {room!r} have to come again: {why}",
                count=len(sittings),
                room=replica.name,
                why=why,
            )
        for sitting in list(sittings):
            self.late.pop(sitting.occupant.occupant_id, None)
            sitting.occupant.close()

    def no_such_room(self, replica: Replica) -> None:
        """There is none, as those hear who wanted to come in."""
        if any(sitting.joined for sitting in replica.sittings.values()):
            self.close_all(replica, OVER)
            return
        self.forget_replica(replica)
        for sitting in replica.sittings.values():
            occupant = sitting.occupant
            self.late.pop(occupant.occupant_id, None)
            why = NoSuchRoom(f"there is no room {replica.name}")
            self._registry.outbox.answer(occupant, Refused(occupant.occupant_id, "join", why))
            self.done(list(sitting.asked))

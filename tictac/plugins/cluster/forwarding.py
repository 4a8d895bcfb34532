"""The visitor's side: occupants of this node in rooms of others.

Invariant: an occupant here gets the events of a room in the owner's order, each once, and asks for
nothing more until its request is answered. Each request is answered once, or the connection closes.

1. `_request` lets the occupant wait and notes the request before it is sent. Without the wait, the
   client's next request could be for a board that the client hasn't seen.
2. After a lost link, `found_owner` sends "again", and the replica has no link until the owner has
   sent "synced". Missed events come first, because they can be the result of a request that was
   under way. A new owner doesn't know the numbers of requests. If a request were repeated first,
   the new owner could do it twice, or refuse a move that was made. New requests wait, too, so none
   overtakes a repeated one.
3. While `syncing`, `happened` sends each event to the occupants, then `meet` takes a request for
   answered whose result it was. In the other order, a released client would ask too early.
4. `Replica.follow` takes only the next event. `follow` skips events that are known already, and
   disconnects the occupants after a gap, because the positions would differ from the owner's.
5. `done` releases occupants. The link sends "done" after the events of its turn.
6. Refusals go to the dispatcher at once, in the order of the link. If they waited for a commit of
   this node, the owner's next board could overtake them.
7. At a match's end, the replica is forgotten before the event is sent, so an occupant can join the
   next room at once. Unanswered requests are `late`: "done" still releases their occupants, and so
   does the end of the link. "heard" lets the owner forget the end.

    alice places     alice waits; ["ask", 4, alice, 7, "place", ...]
    link lost        bob's request 8 is noted, but not sent
    new link         ["again", 4, 17, "den", 11, ...]: the room up to event 11
    "ev" 12          alice's move: sent to all, and then request 7 is answered
    "synced"         request 8 is sent
"""

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
"""Why occupants must reconnect whose room ended when its owner died."""


class Finder(Protocol):
    """Finds the owners of rooms."""

    def find(self, replica: Replica) -> None:
        """Find the owner of a room, now or later."""

    def look_elsewhere(self, replica: Replica) -> None:
        """Find the owner of a room that its supposed owner doesn't have, or not yet."""


class Visits:
    """The occupants of this node in rooms that other nodes own (elsewhere.Visits).

    Their requests go to the owners.
    """

    def __init__(self, registry: Registry, links: Links, numbers: Iterator[int]) -> None:
        self.finder: Finder
        self.replicas: dict[str, Replica] = {}
        self.sittings: dict[OccupantId, Sitting] = {}
        self.late: dict[OccupantId, Sitting] = {}  # their rooms ended, with unanswered requests
        self._registry = registry
        self._links = links
        self._numbers = numbers
        self._by_key: dict[int, Replica] = {}
        self._asked: dict[int, Sitting] = {}

    # Requests

    def take(self, occupant: Occupant, verb: str, *words: Any) -> bool:
        """Pass a request on if ``occupant`` is in a room elsewhere; return whether that is so."""
        sitting = self.sittings.get(occupant.occupant_id)
        if sitting is None:
            return False
        if verb == "place":
            words = *words, sitting.replica.moved
        self._request(sitting, verb, *words)
        return True

    def join(self, occupant: Occupant, name: str, mode: Mode, key: str | None) -> bool:
        """Ask to join a room that isn't here; return True."""
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
        """Have the owner end the match of a room that isn't here."""
        replica = self.replicas.get(name)
        link = None if replica is None else self._links.to(replica.node_id)
        if replica is not None and link is not None:
            link.send("call off", replica.key, ending)

    def leave(self, occupant: Occupant, for_good: bool) -> None:
        """Forget the requests of an occupant who has left, and notify the owner."""
        late = self.late.pop(occupant.occupant_id, None)
        sitting = self.sittings.pop(occupant.occupant_id, None)
        for asked in () if (either := sitting or late) is None else either.asked:
            self._asked.pop(asked, None)
        if sitting is None:
            return
        replica, number = sitting.replica, next(self._numbers)
        if replica.link is not None:
            # 2: disconnected, and can't rejoin. Nodes of the version before take it for True.
            how = int(for_good) or 2 * (not rejoins_of(occupant))
            replica.link.send("ask", replica.key, occupant.occupant_id, number, "leave", how)
        self._stand_up(sitting)

    def room_of(self, occupant: Occupant) -> str | None:
        """Return the name of the room elsewhere that ``occupant`` is in."""
        sitting = self.sittings.get(occupant.occupant_id)
        return None if sitting is None else sitting.replica.name

    def room(self, name: str) -> Room | None:
        """Return a room elsewhere as its replica has it; None if it has no occupants from here."""
        replica = self.replicas.get(name)
        return None if replica is None else replica.room

    # Links and nodes that are lost

    def knows(self, replica: Replica) -> bool:
        """Return whether the replica still has occupants, or users who ask to join."""
        return self._by_key.get(replica.key) is replica

    def of(self, node_id: NodeId) -> list[Replica]:
        """Return the replicas of the node's rooms."""
        return [replica for replica in self.replicas.values() if replica.node_id == node_id]

    def link_lost(self, node_id: NodeId) -> None:
        """Hold requests to a node until there is a link again."""
        now = self._registry.seconds()
        for replica in self.of(node_id):
            replica.lost_since, replica.link, replica.syncing = now, None, False
        self._release_late(node_id)

    def give_up(self, patience: float) -> None:
        """Disconnect occupants whose room's owner wasn't reached for ``patience`` seconds."""
        now = self._registry.seconds()
        for replica in list(self.replicas.values()):
            if replica.lost_since is not None and now - replica.lost_since >= patience:
                self.close_all(replica, "its node can't be reached")

    def reset(self) -> list[Occupant]:
        """Forget all replicas; return their occupants."""
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
        """Note the owner of a room, and ask it for what this node has missed."""
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
        """Send the unanswered requests, because all missed events have come."""
        replica.syncing = False
        replica.link = self._links.to(replica.node_id)
        if replica.link is not None:
            for sitting in list(replica.sittings.values()):
                for number, request in sitting.asked.items():
                    self._say(sitting, number, request)

    # From the owner

    def done(self, numbers: Iterable[int]) -> None:
        """Release the occupants of answered requests."""
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
        """Apply an event to its replica; append its receivers to ``told``, or send it at once."""
        replica = self._by_key.get(key)
        if replica is None or replica.node_id != node_id or number <= replica.number:
            link = self._links.to(node_id)
            if replica is None and fields[0] == "ended" and link is not None:
                link.send("heard", key)  # the room has no occupants here any more
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
        """Handle a frame of another node. Raises ValueError, TypeError, KeyError."""
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
            elif kind == "elsewhere":  # the room is over, and its end follows
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
        """Append an event to ``told``; while the replica syncs, send ``told`` at once."""
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
        """Answer the requests whose result is ``event``, because their answers can be lost."""
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

    # Rooms that ended, or are lost

    def _stand_up(self, sitting: Sitting) -> None:
        replica, occupant = sitting.replica, sitting.occupant
        del replica.sittings[occupant.occupant_id]
        if sitting.joined and replica.live_room is not None:
            replica.live_room.unseat(occupant)
        if not replica.sittings:
            self.forget_replica(replica)

    def forget_replica(self, replica: Replica) -> None:
        """Forget a room and its occupants; answers to their requests can still come."""
        self._by_key.pop(replica.key, None)
        if self.replicas.get(replica.name) is replica:
            del self.replicas[replica.name]
        for occupant_id, sitting in replica.sittings.items():
            self.sittings.pop(occupant_id, None)
            if sitting.asked:
                self.late[occupant_id] = sitting

    def _release_late(self, node_id: NodeId) -> None:
        """Release the late occupants of a node, which sends no more answers to them."""
        for occupant_id, sitting in list(self.late.items()):
            if sitting.replica.node_id == node_id:
                del self.late[occupant_id]
                self.done(list(sitting.asked))

    def close_all(self, replica: Replica, why: str) -> None:
        """Close the connections of a room's occupants."""
        self.forget_replica(replica)
        sittings = replica.sittings.values()
        if any(sitting.joined for sitting in sittings):
            _log.warn(
                "nodes: {count} occupants of room {room!r} were disconnected: {why}",
                count=len(sittings),
                room=replica.name,
                why=why,
            )
        for sitting in list(sittings):
            self.late.pop(sitting.occupant.occupant_id, None)
            sitting.occupant.close()

    def no_such_room(self, replica: Replica) -> None:
        """Refuse those who asked to join a room that doesn't exist."""
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

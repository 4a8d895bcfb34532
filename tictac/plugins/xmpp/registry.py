"""All rooms of the service: finds them, and enforces the limits. Sends nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

from tictac.lobby.events import Event as LobbyEvent
from tictac.lobby.room import Room as Table
from tictac.plugins.xmpp import ownership
from tictac.plugins.xmpp.addresses import Address, link
from tictac.plugins.xmpp.chat_rooms import described
from tictac.plugins.xmpp.events import ChatSession, Event
from tictac.plugins.xmpp.forms import Options
from tictac.plugins.xmpp.gateway import Gateway, name_of, node_of
from tictac.plugins.xmpp.match import MugMatch
from tictac.plugins.xmpp.mug_games import MUG_TICTACTOE, MugGame
from tictac.plugins.xmpp.mug_tictactoe import LARGEST
from tictac.plugins.xmpp.paging import Key
from tictac.plugins.xmpp.refusals import Refused
from tictac.plugins.xmpp.room import MugRoom, elsewhere
from tictac.plugins.xmpp.state import Occupant


class Rooms:
    """The rooms of the service, by their names.

    ``notify`` gets a room with events to send that no stanza has caused. ``forget`` gets the name
    of a room that needn't be saved any longer. ``ended`` has the lobby's former rooms, by their
    nodes, in which MUC clients stay. ``parting`` has rooms that are over, whose last MUC clients
    don't know that yet.
    """

    def __init__(
        self, gateway: Gateway, notify: Callable[[MugRoom], None], forget: Callable[[str], None]
    ) -> None:
        self.by_name: dict[str, MugRoom] = {}
        self.ended: dict[str, Table] = {}
        self.parting: dict[str, MugRoom] = {}
        self.gateway = gateway
        self.domain = gateway.settings.domain
        self._notify = notify
        self._forget = forget

    def __iter__(self) -> Iterator[MugRoom]:
        return iter(self.by_name.values())

    def find(self, name: str) -> MugRoom:
        """Return the room of that name. Raises Refused."""
        room = self.by_name.get(name) or self.visited(name)
        if room is None:
            raise Refused("item-not-found", "there is no such room")
        return room

    def listed(self, key: Key) -> MugRoom | Table | None:
        """Return the public room with that key: MUG's, or the lobby's; None if there is none."""
        node, name = key
        if name:
            return self.gateway.listed(name)
        room = self.by_name.get(node)
        return room if room is not None and _is_public(room) else None

    def shown(self, key: Key) -> MugRoom | None:
        """Return the public room with that key as a MUG room, if MUG can show it."""
        room = self.listed(key)
        return room if isinstance(room, MugRoom) or room is None else self.visited_at(room)

    def visited_at(self, table: Table) -> MugRoom | None:
        """Return a room of the lobby as a MUG room, or None if MUG can't show it."""
        return self._visit(table) if _fits(table) else None

    def title(self, room: MugRoom | Table) -> tuple[str, str]:
        """Return the address and the name of a room in a list."""
        if isinstance(room, MugRoom):
            return room.address, room.options.name or room.address
        node = self.node(room)
        return f"{node}@{self.domain}", room.name if _fits(room) else described(room, node)

    def of(self, person: str) -> list[MugRoom]:
        """Return the rooms that a person is in by chat."""
        return [
            room
            for room in self
            for occupant in room.occupants.persons(person)
            if any(session.chats for session in occupant.sessions)
        ]

    def present(self, address: Address, asker: str) -> Occupant:
        """Return the occupant at a room address, for a person who is in that room.

        Raises:
            Refused: There is none, or the person isn't in the room. Both give the same refusal.
        """
        room = self.by_name.get(address.node)
        if room is not None and room.occupants.persons(asker):
            found = room.occupants.named(address.resource)
            if found is not None and not found.elsewhere:
                return found
        raise Refused("item-not-found", f"you see no occupant at {address!s:.80}")

    def running(self) -> int:
        """Return the number of running matches in MUG's rooms, which end with the process."""
        return sum(bool(room.owner) and room.match.status == "active" for room in self)

    # Rooms of other protocols

    def node(self, table: Table) -> str:
        """Return the node of a lobby's room, with a tail if a MUG room has that name."""
        node = node_of(table.name)
        if self._is_free(node, table):
            return node
        nodes = (f"{node}-{number}" for number in count(2))
        return next(n for n in nodes if self._is_free(n, table) and self.gateway.public(n) is None)

    def _is_free(self, node: str, table: Table) -> bool:
        room = self.by_name.get(node)
        return self.ended.get(node, table) is table and (room is None or room.match.table is table)

    def lobby_room(self, name: str, person: str = "") -> Table | None:
        """Return the lobby's room with that node, or exactly that name, or None.

        A ``person`` also finds the rooms with an own seat by their nodes: such rooms can be private
        or asleep.
        """
        registry, node = self.gateway.registry, node_of(name)
        mine = self.gateway.rooms_of(self.gateway.user(person).name) if person else []
        likely = (registry.room(each) for each in mine if node.startswith(node_of(each)))
        own = next((table for table in likely if table and self.node(table) == node), None)
        if own is not None:
            return own
        found = next(self._tables(node), None) or registry.room(name)
        if found is None and node not in self.by_name:  # a private room, by its link
            found = next(iter(self.gateway.rooms(node, private=True)), None)
        return found

    def link(self, name: str, key: str | None = None) -> str:
        """Return the link to a room of the lobby, or of MUG, for chat clients."""
        registry, node = self.gateway.registry, node_of(name)
        table = registry.room(name) if node in self.by_name or node in self.ended else None
        if table is not None:
            node = self.node(table)
        return link(Address(node, self.domain), key or "")

    def _tables(self, node: str) -> Iterator[Table]:
        """Yield the lobby's public room with that node, which can have a tail."""
        base, _, tail = node.rpartition("-")
        tables = self.gateway.rooms(node)
        tables += self.gateway.rooms(base) if tail.isdecimal() else []
        return (table for table in tables if self.node(table) == node)

    def visited(self, name: str) -> MugRoom | None:
        """Return the lobby's room with that node as a MUG room, or None if MUG can't show any."""
        tables = (table for table in self._tables(name) if _fits(table))
        others = (table for table in tables if table.name not in self.gateway.hosted)
        return next(map(self._visit, others), None)

    def _visit(self, table: Table) -> MugRoom:
        """Return a lobby's room as a MUG room, which is registered when an occupant enters."""
        node = self.node(table)
        known = self.by_name.get(node)
        if known is not None and known.match.table is table:
            return known
        room = self._room(node, "")
        room.options = Options(name=table.name, anonymity="non-anonymous")
        room.match.follow(table)
        for role, member in zip(room.match.roles, table.players, strict=False):
            if member.away is None:
                nick = room.occupants.free_nick(member.user)
                room.occupants.append(elsewhere(nick, member.user, role))
        return room

    # Entering, creating, and forgetting rooms

    def come_in(
        self, name: str, session: ChatSession, nick: str, password: str | None
    ) -> list[Event]:
        """Enter an existing room. Raises Refused."""
        room = self.find(name)
        events = room.enter(session, nick, password)
        if name not in self.by_name:
            self.by_name[name] = room
            room.match.listen()
        return events

    def create(
        self, name: str, session: ChatSession, nick: str, mug: MugGame = MUG_TICTACTOE
    ) -> list[Event]:
        """Create a room for a game and enter it. Raises Refused if there are too many."""
        owner = session.address.partition("/")[0]
        if 0 < self.gateway.settings.max_rooms <= len(self.by_name):
            raise Refused("not-allowed", "the server has the maximum number of rooms")
        # In a former room of the lobby, MUC clients stay.
        if name in self.ended or self.gateway.public(name) is not None:
            raise Refused("not-allowed", f"there is a room {name_of(name)} already")
        self.check_room_for(owner)
        room = self._room(name, owner, mug)
        events = room.enter(session, nick, None)
        self.by_name[name] = room
        return events

    def check_room_for(self, owner: str) -> None:
        """Raise Refused if a person can't own another room."""
        owned = sum(room.owner == owner for room in self)
        if 0 < self.gateway.settings.rooms_per_user <= owned:
            raise Refused("not-allowed", f"{owner} owns the maximum number of rooms")

    def restore(self, name: str, data: bytes) -> None:
        """Add a saved room at the start. Raises ValueError, KeyError, or TypeError."""
        room = self._room(name, "")
        ownership.restore(room, data)
        self.by_name[name] = room
        self._list(room)

    def _room(self, name: str, owner: str, mug: MugGame = MUG_TICTACTOE) -> MugRoom:
        def handle_event(event: LobbyEvent) -> None:
            room.handle_event(event)
            self._notify(room)

        address = f"{name}@{self.domain}"
        room = MugRoom(address, owner, MugMatch(self.gateway, address, handle_event, mug))
        room.match.clients = lambda: len(room.occupants.sessions())
        return room

    def in_room(self, name: str, act: Callable[[], list[Event]]) -> list[Event]:
        """Act in a room; forget the room if that ends it."""
        before = self.by_name.get(name)
        awaited = before is not None and before.awaited
        events = act()
        room = self.by_name.get(name)
        if room is not None:
            self.settle(room)
            if awaited and not room.awaited:
                self._forget(name)
        return events

    def settle(self, room: MugRoom) -> None:
        """Let a room wait in the lobby for an opponent, or end it if it is over.

        If the lobby hasn't answered all requests yet, do that later.
        """
        if self.gateway.waiting:
            self._notify(room)
        elif room.is_over and self.by_name.get(room.node) is room:
            self.drop(room.node)
            if room.attendance is not None:
                self.parting[room.node] = room
            room.match.quit()
        else:
            room.settle()
            self._list(room)

    def drop(self, name: str) -> None:
        """Forget a room of MUG that is over."""
        del self.by_name[name]
        self.gateway.listing.discard((name, ""))

    def _list(self, room: MugRoom) -> None:
        listing, key = self.gateway.listing, (room.node, "")
        if self.by_name.get(room.node) is room and _is_public(room):
            listing.add(key)
        else:
            listing.discard(key)


def _is_public(room: MugRoom) -> bool:
    """Return whether lists show a room, which isn't one of the lobby's."""
    return bool(room.owner) and room.options.public and room.match.status != "created"


def _fits(table: Table) -> bool:
    """Return whether MUG can show a room of the lobby."""
    terms = table.terms
    if terms.game_type is not MUG_TICTACTOE.game_type or not table.players:
        return False
    return max(int(terms.values["rows"]), int(terms.values["columns"])) <= LARGEST

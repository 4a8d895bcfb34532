"""Making a room: its name is claimed in the index, then the room is written, then listed.

What dies in between leaves a claim without a room, or a room that isn't listed, for others
to clear up (walk.py). Nobody was told of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tictac.cluster import codec, copy, keys, scripts
from tictac.cluster.channels import Channels
from tictac.cluster.copy import Copy
from tictac.cluster.link import ignore
from tictac.cluster.node import Node
from tictac.cluster.table import Table
from tictac.cluster.tables import Tables
from tictac.cluster.visitors import Visitor
from tictac.errors import Refusal, RoomExists, TooManyRooms
from tictac.rooms.events import RoomEvent
from tictac.rooms.room import Room


class Maker(Node, Protocol):
    """What it needs of the node."""

    max_rooms: int
    tables: Tables
    channels: Channels

    def new_mark(self) -> str:
        """What no other request of any node has."""

    def refuse(self, visitor: Visitor, request: str, refusal: Refusal) -> None:
        """Tell it that it can't have what it asked for."""

    def opened(self, name: str) -> None:
        """A room was made here."""


class Creation:
    """One request for a room. ``done`` is called at its end."""

    def __init__(
        self, node: Maker, visitor: Visitor, name: str, done: Callable[[Creation], None]
    ) -> None:
        self._node = node
        self._visitor = visitor
        self.user = visitor.occupant.user
        self._name = name
        self._done = done
        self._mark = node.new_mark()
        self._copy: Copy | None = None
        self._table: Table | None = None
        self._events: list[RoomEvent] = []
        self._sent = 0

    def start(self) -> None:
        """Claim the name; meanwhile begin to listen."""
        self._claim()
        self._node.channels.listen(self._name, _heard)

    def resume(self) -> None:
        """The link was lost: ask again. A name that was ours already is so once more."""
        if self._copy is None:
            self._claim()

    def _claim(self) -> None:
        node = self._node
        words = (self._name, self._mark, str(node.max_rooms))
        data = scripts.call(scripts.CLAIM, (keys.CLAIMS, keys.COUNTER), *words)
        node.link.send(data, self._on_claim)

    def _on_claim(self, reply: int) -> None:
        node, name, visitor = self._node, self._name, self._visitor
        if reply > 0:
            room = Room(name)
            self._events = room.join(visitor.id, visitor.occupant.user or "", "PLAYER")
            token = codec.new_token(reply, node.id)
            self._copy = Copy(node.id, room, token, 1, node.now())
            self._open()
        elif reply == 0:
            self._refuse(RoomExists(f"room {name} exists already"))
        else:
            self._refuse(TooManyRooms(f"there are {node.max_rooms} rooms already"))

    def _refuse(self, refusal: Refusal) -> None:
        self._finish()
        self._node.refuse(self._visitor, "create", refusal)

    def _open(self) -> None:
        """Have a table for the room; what is published meanwhile waits there."""
        old = self._node.tables.get(self._name)
        if old is None:
            self._table = self._node.tables.open(self._name, self._write)
        else:
            # Its room has ended, and its people are about to hear of it.
            old.check_closed(self._open)

    def _write(self) -> None:
        """Nothing is missed from now on: write the room and list it, (again) if need be."""
        assert self._copy is not None
        self._sent += 1
        send, number = self._node.link.send, codec.number_of(self._copy.token)
        room_keys = (keys.room(self._name), keys.viewers(self._name))
        fields = copy.creation_fields(self._copy)
        send(scripts.call(scripts.CREATE, room_keys, number, self._copy.token, *fields), ignore)
        data = scripts.call(scripts.CONFIRM, keys.INDEX, self._name, number, "1")
        send(data, self._on_confirmed)

    def _on_confirmed(self, reply: int) -> None:
        if reply == 1:
            self._tell()
        else:
            self._lose()

    def _tell(self) -> None:
        node, visitor, table = self._node, self._visitor, self._table
        assert self._copy is not None and table is not None
        self._finish()
        table.seat(visitor)
        node.opened(self._name)
        for event in self._events:
            node.tell(visitor, event)
        # If the link was lost meanwhile, somebody else may have sat down already.
        table.made(self._copy, self._sent > 1)
        node.answered(visitor)

    def _lose(self) -> None:
        """This node seemed dead when it claimed the name, and was cleared up after."""
        assert self._copy is not None and self._table is not None
        room_keys = (keys.room(self._name), keys.viewers(self._name))
        data = scripts.call(scripts.DISCARD, room_keys, self._copy.token)
        self._node.link.send(data, ignore)
        self._finish()
        self._table.unmade()
        self._visitor.occupant.close()
        self._node.answered(self._visitor)

    def _finish(self) -> None:
        self._node.channels.ignore(self._name, _heard)
        self._done(self)


def _heard() -> None:
    """Only to have begun to listen when the table wants to."""

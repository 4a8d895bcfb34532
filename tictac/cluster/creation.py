"""Making a room: its name is claimed in the index, then the room is written, then listed.

What dies in between leaves a claim without a room, or a room that isn't listed, for others
to clear up (walk.py). Nobody was told of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from tictac.cluster import codec, keys, scripts
from tictac.cluster.channels import Channels
from tictac.cluster.table import Node, Table, Visitor
from tictac.errors import Refusal, RoomExists, TooManyRooms


class Maker(Node, Protocol):
    """What it needs of the node."""

    max_rooms: int
    tables: dict[str, Table]
    channels: Channels

    def refuse(self, visitor: Visitor, request: str, refusal: Refusal) -> None:
        """Tell it that it can't have what it asked for."""


class Creation:
    """One request for a room. ``done`` is called when it is the table's affair, or refused."""

    def __init__(
        self, node: Maker, visitor: Visitor, name: str, done: Callable[[Creation], None]
    ) -> None:
        self._node = node
        self._visitor = visitor
        self._name = name
        self._done = done
        self._mark = f"{node.id}.{node.new_request()}"
        self._claimed = False

    def start(self) -> None:
        """Claim the name; meanwhile begin to listen."""
        self._node.channels.listen(self._name, _ignore)
        self.resume()

    def resume(self) -> None:
        """Ask (again): a claim that was granted already is granted once more."""
        if self._claimed:
            return
        data = scripts.call(
            scripts.CLAIM,
            (keys.CLAIMS, keys.COUNTER),
            *(self._name, self._mark, str(self._node.max_rooms)),
        )
        self._node.link.send(data, self._on_claim)

    def _on_claim(self, reply: Any) -> None:
        node, name = self._node, self._name
        if not isinstance(reply, int):
            node.failed(reply)
        elif reply > 0:
            self._claimed = True
            self._token = codec.new_token(reply, node.id)
            self._open()
        else:
            self._finish()
            refusal = (
                RoomExists(f"room {name} exists already")
                if reply == 0
                else TooManyRooms(f"there are {node.max_rooms} rooms already")
            )
            node.refuse(self._visitor, "create", refusal)

    def _open(self) -> None:
        node, name = self._node, self._name
        old = node.tables.get(name)
        if old is not None:
            # Its room has ended, and its people are about to hear of it.
            old.when_closed.append(self._open)
            old.check()
            return
        table = node.tables[name] = Table(node, name, node.id, True)
        table.create(self._visitor, self._token)
        node.channels.listen(name, table.heard)
        self._finish()

    def _finish(self) -> None:
        self._node.channels.ignore(self._name, _ignore)
        self._done(self)


def _ignore() -> None:
    pass

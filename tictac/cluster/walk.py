"""Clearing up after nodes that died: one walk over all rooms.

The seats of their players are held, viewers dropped, and what was half done is finished.
Several nodes may walk at the same time: each change is checked, and made once. A walk that
is broken off is made again, as the dead are forgotten only after its end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from tictac.cluster import codec, keys, scripts
from tictac.cluster.codec import Claim, Publication
from tictac.cluster.held import Held
from tictac.cluster.index import find_end, free_name, note_begun
from tictac.cluster.link import ignore
from tictac.cluster.node import Node
from tictac.cluster.requests import Op
from tictac.cluster.tables import Tables

AT_A_TIME = 100
"""Rooms that are read in one go."""


class Undertaker(Node, Protocol):
    """What a walk needs of the node."""

    tables: Tables
    held: Held


class Walk:
    """One walk, on account of ``dead`` nodes. ``done`` is called at its end."""

    def __init__(self, node: Undertaker, dead: set[str], done: Callable[[], None]) -> None:
        self._node = node
        self._dead = dead
        self._done = done
        self.cancelled = False
        self._holds = 1  # that aren't done; one is the walk itself
        self._rooms: list[tuple[str, str, dict[bytes, bytes], list[bytes]]] = []

    def start(self) -> None:
        """Read the first rooms."""
        self._scan("0")

    def _scan(self, cursor: str) -> None:
        words = ("HSCAN", keys.CLAIMS, cursor, "COUNT", str(AT_A_TIME))
        self._send(scripts.command(*words), self._on_scan)

    def _on_scan(self, reply: list[Any]) -> None:
        cursor, found = reply[0].decode("ascii"), [item.decode("ascii") for item in reply[1]]
        self._rooms = []
        for name, claim in zip(found[::2], found[1::2], strict=True):
            self._read(name, claim)
        # Who lives is asked after the rooms were read: a node that has come meanwhile is there.
        data = scripts.call(scripts.LIVING, (keys.NODES,), keys.LEASE)
        self._send(data, lambda living: self._look(cursor, living))

    def _read(self, name: str, claim: str) -> None:
        fields: dict[bytes, bytes] = {}
        viewers: list[bytes] = []
        self._rooms.append((name, claim, fields, viewers))
        self._send(scripts.command("HGETALL", keys.room(name)), fields.update)
        self._send(scripts.command("HKEYS", keys.viewers(name)), viewers.extend)

    def _look(self, cursor: str, living: list[bytes]) -> None:
        alive = {node.decode("ascii") for node in living}
        for name, text, fields, viewers in self._rooms:
            claim = codec.claim_of(text)
            value = codec.read_room(name, fields)
            if value is not None and value.version.token == claim.token:
                if value.room.begun:
                    note_begun(self._node.link, name, claim.token, "", lambda: None)
                if not claim.made and claim.node not in alive:
                    self._confirm(name, claim, value.room.begun)
                ids = [member.occupant for member in value.room.players if member.away is None]
                self._hold(name, {keys.node_of(one) for one in ids} - alive)
                self._node.held.note(value.room)
                self._drop(name, viewers, alive)
            elif claim.made:
                self._finish_end(name, claim)
            elif claim.node not in alive:
                self._send(scripts.call(scripts.UNCLAIM, (keys.CLAIMS,), name, text), ignore)
        if cursor == "0":
            self._held()
        else:
            self._scan(cursor)

    def _confirm(self, name: str, claim: Claim, begun: bool) -> None:
        still_open = "0" if begun else "1"
        data = scripts.call(scripts.CONFIRM, keys.INDEX, name, claim.number, still_open)
        self._send(data, ignore)

    def _hold(self, name: str, dead: set[str]) -> None:
        if dead:
            self._holds += 1
            op = Op("hold", None, "", dead, self._held)
            self._node.tables.any(name).submit(op)

    def _held(self) -> None:
        """One less to wait for; the dead are forgotten when nothing is left to do for them."""
        self._holds -= 1
        if self._holds or self.cancelled:
            return
        for node in self._dead:
            data = scripts.call(scripts.FORGET, (keys.NODES, keys.lease(node)), node)
            self._send(data, ignore)
        # Behind everything else that was sent.
        self._send(scripts.command("PING"), lambda _: self._done())

    def _drop(self, name: str, viewers: list[bytes], alive: set[str]) -> None:
        ids = [viewer.decode("ascii") for viewer in viewers]
        gone = [one for one in ids if keys.node_of(one) not in alive]
        if gone:
            self._send(scripts.command("HDEL", keys.viewers(name), *gone), ignore)

    def _finish_end(self, name: str, claim: Claim) -> None:
        """Who ended the room died before its name was free, or is about to free it.

        A match whose name is freed here is counted by nobody: its players aren't known any more.
        """
        link = self._node.link

        def found(record: Publication | None, freed: bool) -> None:
            if record is None:
                free_name(link, name, claim.token, "", ignore)

        find_end(link, name, claim.token, found)

    def _send(self, data: bytes, done: Callable[[Any], object]) -> None:
        def answered(reply: Any) -> None:
            if not self.cancelled:
                done(reply)

        self._node.link.send(data, answered)

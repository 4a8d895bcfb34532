"""Room lists: those who ask while one is under way share the next."""

from __future__ import annotations

from functools import partial

from tictac.cluster import keys, scripts
from tictac.cluster.node import Node
from tictac.cluster.visitors import Visitor
from tictac.lobby.events import Listed, Mode

_KEYS: dict[Mode, str] = {"PLAYER": keys.OPEN, "VIEWER": keys.ORDER}


class Listings:
    """Asks the index for the names of rooms, for a node."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._waiting: dict[Mode, list[Visitor]] = {"PLAYER": [], "VIEWER": []}
        self._asked: dict[Mode, list[Visitor]] = {"PLAYER": [], "VIEWER": []}

    def ask(self, visitor: Visitor, mode: Mode) -> None:
        """Tell ``visitor`` which rooms there are by now."""
        self._waiting[mode].append(visitor)
        if not self._asked[mode]:
            self._send(mode)

    def resume(self) -> None:
        """Ask again, as the link was lost."""
        for mode in _KEYS:
            self._waiting[mode] = self._asked[mode] + self._waiting[mode]
            self._asked[mode] = []
            if self._waiting[mode]:
                self._send(mode)

    def _send(self, mode: Mode) -> None:
        self._asked[mode], self._waiting[mode] = self._waiting[mode], []
        data = scripts.command("ZRANGE", _KEYS[mode], "0", "-1")
        self._node.link.send(data, partial(self._listed, mode))

    def _listed(self, mode: Mode, reply: list[bytes]) -> None:
        asked, self._asked[mode] = self._asked[mode], []
        if self._waiting[mode]:
            self._send(mode)
        names = tuple([name.decode("ascii") for name in reply])
        for visitor in asked:
            self._node.tell(visitor, Listed(visitor.id, mode, names))
            self._node.answered(visitor)

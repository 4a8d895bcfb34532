"""The tables of a node: those where somebody sits, and those for one look at a room."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tictac.cluster import keys
from tictac.cluster.channels import Channels
from tictac.cluster.node import Node
from tictac.cluster.table import Table


class Tables:
    """Finds the table of a room, or of a channel."""

    def __init__(self, node: Node, channels: Channels) -> None:
        self._node = node
        self._channels = channels
        self._own = f"{node.id} ".encode()
        self._local: dict[str, Table] = {}
        self._by_channel: dict[bytes, Table] = {}
        self._looks: dict[str, Table] = {}

    def __iter__(self) -> Iterator[Table]:
        """All at which somebody sits, or is about to."""
        return iter(list(self._local.values()))

    def names(self) -> set[str]:
        """The rooms of these."""
        return set(self._local)

    def get(self, name: str) -> Table | None:
        """The table of a room where somebody sits, or is about to."""
        return self._local.get(name)

    def open(self, name: str, maker: Callable[[], None] | None = None) -> Table:
        """A new table, which begins to listen (see Table)."""
        table = self._local[name] = Table(self._node, name, self._node.id, True, maker)
        self._by_channel[keys.room(name).encode()] = table
        self._channels.listen(name, table.heard)
        return table

    def any(self, name: str) -> Table:
        """The table of a room, for one look if nobody sits there."""
        table = self._local.get(name) or self._looks.get(name)
        if table is None:
            # With a mark of its own: its writes must not be taken for those of a table at
            # which somebody sits down meanwhile.
            table = self._looks[name] = Table(self._node, name, f"{self._node.id}*", False)
        return table

    def forget(self, table: Table) -> None:
        """It isn't needed any more."""
        name = table.name
        if not table.local:
            if self._looks.get(name) is table:
                del self._looks[name]
            return
        if self._local.get(name) is table:
            del self._local[name]
            del self._by_channel[keys.room(name).encode()]
        self._channels.ignore(name, table.heard)

    def published(self, channel: bytes, data: bytes) -> None:
        """Tell the table of a channel what was published there; not what it has said itself."""
        if not data.startswith(self._own) and channel in self._by_channel:
            self._by_channel[channel].published(data.decode("ascii"))

    @property
    def idle(self) -> bool:
        """Whether nothing is under way at any of them."""
        return all(table.idle for table in self._all())

    def link_up(self) -> None:
        """Let those that don't listen go on; the others do when they hear again."""
        for table in list(self._looks.values()):
            table.heard()

    def link_down(self) -> None:
        """Nothing is heard any more."""
        for table in self._all():
            table.down()

    def _all(self) -> list[Table]:
        return [*self._local.values(), *self._looks.values()]

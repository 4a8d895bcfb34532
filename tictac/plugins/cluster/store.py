"""What a node needs of the database that all nodes share.

Each room belongs to one node, its owner, which decides in its own memory. The database has the
journal, the owners of rooms, and the leases of nodes, which end by the database's clock. A commit
checks in its own transaction that the node has no heir. So once another node has taken a room over,
the former owner commits nothing more.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from twisted.internet.defer import Deferred

from tictac.lobby.journal import Batch, Journal, KeptRoom

NodeId = str
"""The id of a node. Each start has a new id: a node that starts again is another node."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node: its endpoint for other nodes, the versions of its links, and its settings.

    ``settings`` must be equal in all nodes. ``secret`` is a hash of the secret that all nodes know;
    empty if the node's version stores none.
    """

    node_id: NodeId
    endpoint: str
    versions: tuple[int, ...] = (1,)
    settings: str = ""
    secret: str = ""


class StoreListener(Protocol):
    """The receiver of what the store finds out about nodes."""

    def nodes_changed(self, living: Sequence[Node], dead: Collection[NodeId]) -> None:
        """Note the living nodes, with this one, and the ``dead`` nodes that have no heir yet."""

    def everything(self) -> Batch:
        """Return this node's rooms as ``opened`` and ``lines``, to write them again.

        The store asks when the database came back older than what players know.
        """

    def fenced(self) -> None:
        """Forget all rooms: another node owns them, and what wasn't committed is lost."""


class NodeStore(Journal, Protocol):
    """The database, for one node. A Journal: :meth:`commit` saves rooms as this node's.

    ``commit`` waits while the database is unavailable. Deferreds wait up to the store's timeout,
    and then fail with :class:`~tictac.accounts.store.StoreAwayError`.
    """

    def join(self, node: Node, watcher: StoreListener) -> Deferred[list[KeptRoom]]:
        """Become a living node, and renew its lease from now on.

        Fires with the rooms of a dead node at that endpoint, which this node owns now. Fails with
        SetupError if a living node has that endpoint, other settings, or another secret.
        """

    def owner(self, name: str) -> Deferred[NodeId | None]:
        """Return the owner of the room of that name, or None if there is no such room.

        Nodes ask for names that the links haven't announced yet.
        """

    def take_over(self, node_id: NodeId) -> Deferred[list[KeptRoom]]:
        """Become the owner of all rooms of a node whose lease has lapsed.

        Fires with no rooms if that node is alive, or another node was first.
        """

    def set_aside(self, room_id: int) -> Deferred[None]:
        """Keep an unreadable room of this node without an owner, so that its name is free."""

    def leave(self) -> Deferred[None]:
        """End the lease at once, because this node stops and others take its rooms over."""

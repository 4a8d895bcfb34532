"""What the nodes of a cluster have in common: a database. What a node asks of it.

A room belongs to one node, its owner, which decides in its own memory. The database keeps the
journal, whose room is whose, and which nodes are alive: a node renews a lease, by the
database's clock. Whoever commits does so as the holder of a lease that hasn't lapsed, in the same
statement; so once another node has taken a room over, nothing of its former owner is kept any more.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from twisted.internet.defer import Deferred

from tictac.lobby.journal import Batch, Journal, KeptRoom

NodeId = str
"""Made anew at each start: a node that starts again is another one."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node: where the others reach it, which protocols its links speak, what it is set to.

    ``settings`` are those that must be equal in all nodes, and ``secret`` is a hash of what they
    know; empty: it isn't told.
    """

    node_id: NodeId
    endpoint: str
    versions: tuple[int, ...] = (1,)
    settings: str = ""
    secret: str = ""


class StoreListener(Protocol):
    """Told by the store what happens to nodes."""

    def nodes_changed(self, living: Sequence[Node], dead: Collection[NodeId]) -> None:
        """These are alive, this one included; of the ``dead`` nobody has taken the rooms over."""

    def everything(self) -> Batch:
        """This node's rooms as they are, ``opened`` and ``lines``: the database came back older
        than what players were told, and gets them again."""

    def fenced(self) -> None:
        """This node's lease has lapsed: its rooms are another's, what wasn't committed is lost."""


class NodeStore(Journal, Protocol):
    """The database, for one node. A Journal: :meth:`commit` keeps rooms as this node's.

    ``commit`` waits while the database is away. Deferreds wait, too, up to the store's timeout, and
    then fail with :class:`~tictac.accounts.store.StoreAwayError`.
    """

    def join(self, node: Node, watcher: StoreListener) -> Deferred[list[KeptRoom]]:
        """Become a living node, and renew its lease from now on.

        Fires with the rooms of a dead node of that endpoint: they are this one's now. Fails with
        SetupError when a living node has that endpoint, other settings, or another secret.
        """

    def owner(self, name: str) -> Deferred[NodeId | None]:
        """Return the owner of the room of that name, or None if there is no such room.

        It is asked for names that the links have not announced yet.
        """

    def take_over(self, node_id: NodeId) -> Deferred[list[KeptRoom]]:
        """Become the owner of all rooms of a node whose lease has lapsed.

        Fires with no rooms when it is alive, or another node was first.
        """

    def set_aside(self, room_id: int) -> Deferred[None]:
        """Keep a room of this node, which can't be read, as nobody's: its name is free."""

    def leave(self) -> Deferred[None]:
        """Let the lease lapse at once, as this node stops: others take its rooms over."""

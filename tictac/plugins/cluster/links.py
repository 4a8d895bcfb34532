"""The links of a node: one to each other living node, made again whenever it is lost.

Of two nodes, the one with the smaller id dials. When a newer link replaces an older one, the
handler first gets `link_lost`, then `link_up`. So it starts anew with the newer link, and never
mixes the frames of two connections.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.internet.protocol import Factory
from twisted.logger import Logger
from twisted.python.failure import Failure

from tictac.plugins.cluster.link import Frame, NodeLink
from tictac.plugins.cluster.store import Node, NodeId

_log = Logger()

AGAIN, AGAIN_MOST = 0.05, 1.0
"""Seconds until this node dials again: first, and maximum."""

Connect = Callable[[str, Factory], Deferred[Any]]
"""Connects a protocol of the factory to a client endpoint string."""


class Handler(Protocol):
    """The receiver of links and frames."""

    def link_up(self, link: NodeLink) -> None:
        """Use a new link to ``link.node_id``, over which no frame was sent."""

    def link_lost(self, node_id: NodeId) -> None:
        """Note that there is no link to a node any more."""

    def frames_received(self, link: NodeLink, frames: list[Frame]) -> None:
        """Handle the frames of one message."""


class _Dialling(Factory):
    """Makes the protocols of links; ``target`` is the node to dial, or None."""

    noisy = False

    def __init__(self, links: Links, target: NodeId | None = None) -> None:
        self._links, self._target = links, target

    def buildProtocol(self, addr: object) -> NodeLink:
        return self._links.new_link(self._target)


class Links:
    """Dials the nodes with a greater id, and accepts the connections of the others.

    A link without a message for ``silence`` seconds is cut.
    """

    def __init__(
        self, clock: IReactorTime, connect: Connect, secret: bytes, handler: Handler, silence: float
    ) -> None:
        self.secret = secret
        self.node_id: NodeId = ""
        self.factory = _Dialling(self)
        """The factory of connections that other nodes make."""
        self.up: dict[NodeId, NodeLink] = {}
        self._clock = clock
        self._connect = connect
        self._handler = handler
        self._silence = silence
        self._all: dict[NodeLink, float] = {}
        self._wanted: dict[NodeId, Node] = {}
        self._dialled: set[NodeId] = set()
        self._delays: dict[NodeId, float] = {}
        self._calls: set[IDelayedCall] = set()
        self._unlinked: set[NodeId] = set()  # for which a missing link was logged
        self._running = False

    def start(self, node_id: NodeId) -> None:
        """Use a node id from now on; cut the links of the former id."""
        self._cut_all("this node begins anew")
        self.node_id = node_id
        self._unlinked.clear()
        if not self._running:
            self._running = True
            self._beat()

    def stop(self) -> None:
        """Close all links, and dial no more."""
        self._running = False
        self._wanted.clear()
        for call in self._calls:
            call.cancel()
        self._calls.clear()
        self._cut_all("this node stops")

    def nodes_changed(self, living: Sequence[Node]) -> None:
        """Dial the living nodes, and cut the links to all others."""
        before = self._wanted
        self._wanted = {n.node_id: n for n in living if n.node_id != self.node_id}
        for node_id in before.keys() - self._wanted.keys():
            self._unlinked.discard(node_id)
            if node_id in self.up:
                self.up[node_id].cut("the node's lease has lapsed")
        for node_id in self._wanted:
            self._dial(node_id)

    def to(self, node_id: NodeId | None) -> NodeLink | None:
        """Return the link to a node, or None."""
        return None if node_id is None else self.up.get(node_id)

    def send_all(self, *frame: Any) -> None:
        """Send a frame over every link."""
        for link in self.up.values():
            link.send(*frame)

    def send_now(self) -> None:
        """Send waiting frames at once, not at the end of the turn."""
        for link in self.up.values():
            if link.waits:
                link.send_now()

    def new_link(self, target: NodeId | None) -> NodeLink:
        """Return a link that is about to be connected."""
        link = NodeLink(self, target, self._clock.callLater)
        self._all[link] = self._clock.seconds()
        return link

    # link.Ends

    def link_up(self, link: NodeLink) -> None:
        """Use a link in place of an older one to the same node."""
        node_id = link.node_id
        if node_id == self.node_id or not self._running:
            link.cut("it is this very node")
            return
        former = self.up.pop(node_id, None)
        if former is not None:
            former.cut("there is a newer one")
            self._handler.link_lost(node_id)
        self._delays.pop(node_id, None)
        self._unlinked.discard(node_id)
        self.up[node_id] = link
        _log.info("nodes: there is a link to {node}", node=node_id)
        self._handler.link_up(link)

    def link_lost(self, link: NodeLink, why: str) -> None:
        """Dial again if this node dialed before and the other node lives."""
        del self._all[link]
        node_id = link.node_id
        if self.up.get(node_id) is link:
            del self.up[node_id]
            _log.info("nodes: the link to {node} is lost: {why}", node=node_id, why=why)
            self._handler.link_lost(node_id)
        elif self._running and node_id not in self.up:
            self._no_link(link.target or node_id, why)
        if link.target is not None:
            self._dialled.discard(link.target)
            self._dial(link.target)

    def frames_received(self, link: NodeLink, frames: list[Frame]) -> None:
        """Pass frames on, unless a newer link has replaced this one."""
        if self.up.get(link.node_id) is link:
            self._handler.frames_received(link, frames)

    # Dialing and signs of life

    def _dial(self, node_id: NodeId) -> None:
        dials = self.node_id < node_id and node_id not in self._dialled
        if node_id in self._wanted and dials and node_id not in self.up:
            self._dialled.add(node_id)
            delay = self._delays.get(node_id, 0.0)
            self._delays[node_id] = min(max(2 * delay, AGAIN), AGAIN_MOST)
            self._later(delay, self._try, node_id)

    def _try(self, node_id: NodeId) -> None:
        node = self._wanted.get(node_id)
        if node is None or node_id in self.up:
            self._dialled.discard(node_id)
            return

        def failed(failure: Failure) -> None:
            self._no_link(node_id, failure.getErrorMessage())
            self._dialled.discard(node_id)
            self._dial(node_id)

        maybeDeferred(self._connect, node.endpoint, _Dialling(self, node_id)).addErrback(failed)

    def _no_link(self, node_id: NodeId, why: str) -> None:
        """Log once per node that there is no link; all unknown nodes count as one."""
        key = node_id if node_id in self._wanted else ""
        if key not in self._unlinked:
            self._unlinked.add(key)
            _log.info("nodes: no link to {node}: {why}", node=node_id or "somebody", why=why)

    def _later(self, delay: float, function: Callable[..., None], *arguments: Any) -> None:
        def run() -> None:
            self._calls.discard(call)
            function(*arguments)

        call = self._clock.callLater(delay, run)
        self._calls.add(call)

    def _beat(self) -> None:
        """Send a sign of life over each link, and cut the links that were silent."""
        now = self._clock.seconds()
        for link, since in list(self._all.items()):
            if link.fresh and link.up:
                link.fresh = False
                self._all[link] = now
            elif now - since >= self._silence:
                link.cut("nothing is heard")
                continue
            if link.up:
                link.send_now()
        self._later(self._silence / 4, self._beat)

    def _cut_all(self, why: str) -> None:
        for link in list(self._all):
            link.cut(why)

"""The links of a node: one to each other one, made again whenever it is lost."""

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
"""Seconds until a node is dialled again: at first, and at most."""

Connect = Callable[[str, Factory], Deferred[Any]]
"""Connects a protocol of the factory to an endpoint (a client's endpoint string)."""


class Handler(Protocol):
    """Who gets what comes over links."""

    def link_up(self, link: NodeLink) -> None:
        """There is a link to ``link.node_id``, and nothing was said over it."""

    def link_lost(self, node_id: NodeId) -> None:
        """There is none any more."""

    def frames_received(self, link: NodeLink, frames: list[Frame]) -> None:
        """Take what came."""


class _Dialling(Factory):
    """Makes the protocols of links; ``target``: to that node, which this one dials."""

    noisy = False

    def __init__(self, links: Links, target: NodeId | None = None) -> None:
        self._links, self._target = links, target

    def buildProtocol(self, addr: object) -> NodeLink:
        return self._links.new_link(self._target)


class Links:
    """Dials the nodes whose id is greater than this one's, and takes what the others dial.

    A link on which nothing is heard for ``silence`` seconds is cut.
    """

    def __init__(
        self, clock: IReactorTime, connect: Connect, secret: bytes, handler: Handler, silence: float
    ) -> None:
        self.secret = secret
        self.node_id: NodeId = ""
        self.factory = _Dialling(self)
        """Of the connections that others make."""
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
        self._unlinked: set[NodeId] = set()  # to which it was logged that there is no link
        self._running = False

    def start(self, node_id: NodeId) -> None:
        """Be that node from now on; links of a former one are cut."""
        self._cut_all("this node begins anew")
        self.node_id = node_id
        self._unlinked.clear()
        if not self._running:
            self._running = True
            self._beat()

    def stop(self) -> None:
        """Close all, and dial no more."""
        self._running = False
        self._wanted.clear()
        for call in self._calls:
            call.cancel()
        self._calls.clear()
        self._cut_all("this node stops")

    def nodes_changed(self, living: Sequence[Node]) -> None:
        """These are alive: the links of others are cut."""
        before = self._wanted
        self._wanted = {n.node_id: n for n in living if n.node_id != self.node_id}
        for node_id in before.keys() - self._wanted.keys():
            self._unlinked.discard(node_id)
            if node_id in self.up:
                self.up[node_id].cut("the node's lease has lapsed")
        for node_id in self._wanted:
            self._dial(node_id)

    def to(self, node_id: NodeId | None) -> NodeLink | None:
        """The link to a node, if there is one."""
        return None if node_id is None else self.up.get(node_id)

    def send_all(self, *frame: Any) -> None:
        """Send a frame over every link."""
        for link in self.up.values():
            link.send(*frame)

    def send_now(self) -> None:
        """Send what there is, and don't wait for the end of the turn."""
        for link in self.up.values():
            if link.waits:
                link.send_now()

    def new_link(self, target: NodeId | None) -> NodeLink:
        """One that is about to be connected."""
        link = NodeLink(self, target, self._clock.callLater)
        self._all[link] = self._clock.seconds()
        return link

    # What links say (link.Ends)

    def link_up(self, link: NodeLink) -> None:
        """Take it instead of an older one."""
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
        """Dial again if it was this node that has dialled, and the other one lives."""
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
        """Pass it on."""
        if self.up.get(link.node_id) is link:
            self._handler.frames_received(link, frames)

    # How it is done

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
        """Log it once until there is a link. Strangers, who may say any name, are one."""
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
        """Give a sign of life, and cut what has given none."""
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

"""Links between nodes: who gets one, and what ends it."""

from __future__ import annotations

import json
from typing import Any

from twisted.internet.protocol import Factory
from twisted.internet.task import Clock
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from tictac.plugins.cluster import link as links_module
from tictac.plugins.cluster.link import GREETING, Frame, NodeLink
from tictac.plugins.cluster.links import AGAIN_MOST, Links
from tictac.plugins.cluster.store import Node
from tictac.plugins.cluster.testing import Net

SILENCE = 2.0


class Hearing:
    """Notes what a node hears."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.linked: list[str] = []

    def link_up(self, link: NodeLink) -> None:
        self.linked.append(link.node_id)

    def link_lost(self, node_id: str) -> None:
        self.linked.remove(node_id)

    def frames_received(self, link: NodeLink, frames: list[Frame]) -> None:
        self.frames += frames


class LinksTests(SynchronousTestCase):
    """Nodes a and b; a, the smaller one, dials."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.net = Net(self.clock)
        self.hearing: dict[str, Hearing] = {}
        self.links: dict[str, Links] = {}

    def node(self, name: str, secret: bytes = b"sesame") -> Links:
        def connect(there: str, factory: Factory) -> Any:
            return self.net.connect(name, there, factory)

        hearing = self.hearing[name] = Hearing()
        links = self.links[name] = Links(self.clock, connect, secret, hearing, SILENCE)
        self.net.listening[name] = links.factory
        links.start(name)
        return links

    def meet(self) -> None:
        """Let each node know which nodes live."""
        living = [Node(name, name) for name in self.links]
        for links in self.links.values():
            links.nodes_changed(living)
        self.pass_time(0)

    def stranger(self, second: Any = None) -> _Talking:
        """Connect a stranger to b, who sends this."""
        connected = self.net.connect("x", "b", _Stranger({"versions": [1]}, second))
        found: _Talking = self.successResultOf(connected)
        return found

    def pass_time(self, seconds: float) -> None:
        for _ in range(int(seconds / 0.1) + 1):
            for _ in range(20):
                self.clock.advance(0)
            self.clock.advance(min(seconds, 0.1))

    def test_what_is_sent_in_a_turn_comes_in_order(self) -> None:
        a, b = self.node("a"), self.node("b")
        self.meet()
        assert self.hearing["a"].linked == ["b"] and self.hearing["b"].linked == ["a"]
        a.up["b"].send("one", 1)
        a.up["b"].send("two", "é")
        b.send_all("three")
        self.pass_time(0)
        assert self.hearing["b"].frames == [["one", 1], ["two", "é"]]
        assert self.hearing["a"].frames == [["three"]]

    def test_who_has_another_secret_gets_no_link(self) -> None:
        self.node("a"), self.node("b", b"another")
        with capturedLogs() as logs:
            self.meet()
            self.pass_time(1)
        assert self.hearing["a"].linked == self.hearing["b"].linked == []
        # Once, however often it is tried.
        assert [formatEvent(line) for line in logs] == [
            "nodes: no link to a: BadLink('its --node-secret is another')",
            "nodes: no link to b: the other side has closed it",
        ]

    def test_who_hangs_up_is_logged_once(self) -> None:
        a = self.node("a")
        self.net.listening["b"] = _HangingUp()
        with capturedLogs() as logs:
            a.nodes_changed([Node("a", "a"), Node("b", "b")])
            self.pass_time(5)
        lines = [formatEvent(line) for line in logs]
        assert lines == ["nodes: no link to b: the other side has closed it"]

    def test_who_speaks_other_versions_gets_no_link(self) -> None:
        self.node("a"), self.node("b")
        self.patch(links_module, "VERSIONS", (2, 3))
        self.meet()
        assert self.hearing["a"].linked == ["b"]
        self.net.cut("a", "b")
        stranger = self.stranger()
        self.pass_time(0.2)
        assert stranger.closed and self.hearing["b"].linked == ["a"]

    def test_nothing_is_heard_from_who_proves_nothing(self) -> None:
        self.node("b")
        for second in ({"proof": "0" * 64}, [["ask", 1]], "x" * GREETING):
            stranger = self.stranger(second)
            self.pass_time(0.2)
            assert stranger.closed
        assert self.hearing["b"].linked == [] and self.hearing["b"].frames == []

    def test_a_lost_link_comes_back(self) -> None:
        self.node("a"), self.node("b")
        self.meet()
        self.net.part("a", "b")
        self.pass_time(5)
        assert self.hearing["a"].linked == self.hearing["b"].linked == []
        self.net.mend()
        self.pass_time(AGAIN_MOST)
        assert self.hearing["a"].linked == ["b"] and self.hearing["b"].linked == ["a"]

    def test_a_silent_link_is_cut(self) -> None:
        self.node("a"), self.node("b")
        self.meet()
        self.pass_time(10 * SILENCE)
        assert self.hearing["a"].linked == ["b"]
        for wire in self.net.between("a", "b"):
            wire.deaf = True
        self.net.apart.add(frozenset("ab"))
        self.pass_time(2 * SILENCE)
        assert self.hearing["a"].linked == self.hearing["b"].linked == []

    def test_a_node_that_doesnt_read_is_cut(self) -> None:
        a, _ = self.node("a"), self.node("b")
        self.meet()
        self.patch(links_module, "MOST_UNSENT", 1000)
        a.up["b"].pauseProducing()
        a.up["b"].send("x" * 600)
        self.pass_time(0)
        assert self.hearing["a"].linked == ["b"] and self.hearing["b"].frames == []
        a.up["b"].resumeProducing()
        self.pass_time(0)
        assert len(self.hearing["b"].frames) == 1
        link = a.up["b"]
        link.pauseProducing()
        for _ in range(2):
            a.up["b"].send("x" * 600)
            self.pass_time(0)
        assert a.up.get("b") is not link

    def test_the_dead_have_no_link(self) -> None:
        a, _ = self.node("a"), self.node("b")
        self.meet()
        a.nodes_changed([Node("a", "a")])
        self.pass_time(5)
        assert self.hearing["a"].linked == self.hearing["b"].linked == []

    def test_a_node_that_begins_anew_has_other_links(self) -> None:
        a, b = self.node("a"), self.node("b")
        self.meet()
        b.start("c")
        living = [Node("a", "a"), Node("c", "b")]
        for links in (a, b):
            links.nodes_changed(living)
        self.pass_time(0.2)
        assert self.hearing["a"].linked == ["c"] and self.hearing["b"].linked == ["a"]


class _Stranger(Factory):
    """Connects, and says what it is told to."""

    noisy = False

    def __init__(self, greeting: dict[str, Any], second: Any = None) -> None:
        self.messages = [{"node": "x", "nonce": "0" * 32, **greeting}, second]

    def buildProtocol(self, addr: object) -> Any:
        return _Talking(self.messages)


class _HangingUp(Factory):
    """Closes each connection."""

    noisy = False

    def buildProtocol(self, addr: object) -> Any:
        made = _Talking([])
        made.makeConnection = lambda wire: wire.abortConnection()  # type: ignore[method-assign]
        return made


class _Talking:
    def __init__(self, messages: list[Any]) -> None:
        self.messages = messages
        self.closed = False

    def makeConnection(self, wire: Any) -> None:
        for message in self.messages:
            data = json.dumps(message).encode()
            wire.write(len(data).to_bytes(4, "big") + data)

    def dataReceived(self, data: bytes) -> None:
        """Ignore the data."""

    def connectionLost(self, reason: object) -> None:
        self.closed = True

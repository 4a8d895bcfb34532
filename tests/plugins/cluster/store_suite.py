"""What every store of nodes promises."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from tictac.errors import SetupError
from tictac.lobby.journal import Batch, KeptRoom, Opened
from tictac.plugins.cluster.store import Node, NodeStore

T = TypeVar("T")


class Watching:
    """Notes what a node is told."""

    def __init__(self) -> None:
        self.living: list[str] = []
        self.dead: set[str] = set()
        self.is_fenced = False
        self.rooms = Batch()

    def nodes_changed(self, living: Sequence[Node], dead: Collection[str]) -> None:
        self.living = [node.node_id for node in living]
        self.dead = set(dead)

    def everything(self) -> Batch:
        return self.rooms

    def fenced(self) -> None:
        self.is_fenced = True


class Member:
    """A node, by its store."""

    def __init__(self, case: StoreCase, name: str, store: NodeStore, node: Node) -> None:
        self.case = case
        self.name = name
        self.store = store
        self.node = node
        self.watching = Watching()
        self.refused: list[Collection[int]] = []

    def join(self) -> list[KeptRoom]:
        return self.case.wait(self.store.join(self.node, self.watching))

    def begin(self, batch: Batch) -> None:
        """Commit without waiting."""
        self.store.commit(batch, self.refused.append)

    def commit(self, batch: Batch) -> Collection[int]:
        """Write a batch; return the ids of the rooms that the store refused."""
        before = len(self.refused)
        self.begin(batch)
        self.case.until(lambda: len(self.refused) > before)
        return self.refused[-1]

    def open(self, name: str, *texts: str) -> int:
        """Make a room with these events."""
        room = self.store.new_id()
        assert self.commit(made(room, name, *texts)) == set()
        return room


def made(room: int, name: str, *texts: str) -> Batch:
    """Return a batch that opens a room."""
    return Batch({room: Opened(name, "{}", "start")}, lines(room, 1, *texts))


def lines(room: int, first: int, *texts: str) -> list[tuple[int, int, float, str]]:
    """Return events of a room, one per second."""
    return [(room, n, float(n), text) for n, text in enumerate(texts, first)]


def moved(room: int, number: int, text: str = "moved") -> Batch:
    """Return a batch with one event."""
    return Batch({}, lines(room, number, text))


def summary(rooms: list[KeptRoom]) -> dict[str, list[tuple[int, str]]]:
    """Return the events of each room."""
    return {r.opened.name: [(line.number, line.text) for line in r.lines] for r in rooms}


class StoreCase(SynchronousTestCase):
    """Stores of nodes on one database."""

    def new_store(self) -> NodeStore:
        """Return a store that has started."""
        raise NotImplementedError

    def until(self, condition: Callable[[], object]) -> None:
        """Let everything happen that may, till then."""
        raise NotImplementedError

    def lapse(self, node_id: str) -> None:
        """Let the lease of a node lapse."""
        raise NotImplementedError

    def look_around(self) -> None:
        """Let all nodes renew their leases, and hear of the others."""
        raise NotImplementedError

    def wait(self, deferred: Deferred[T]) -> T:
        outcome: list[Any] = []
        deferred.addBoth(outcome.append)
        self.until(lambda: outcome)
        if isinstance(outcome[0], BaseException) or hasattr(outcome[0], "raiseException"):
            outcome[0].raiseException()
        found: T = outcome[0]
        return found

    def member(self, name: str, endpoint: str = "", settings: str = "", secret: str = "") -> Member:
        """Return a node that hasn't joined."""
        node = Node(name, endpoint or f"tcp:{name}:1", (1, 2), settings, secret)
        return Member(self, name, self.new_store(), node)

    def joined(self, name: str) -> Member:
        member = self.member(name)
        assert member.join() == []
        return member

    def restarted(self, name: str, former: Member) -> dict[str, list[tuple[int, str]]]:
        """Return the rooms of a node that starts at the endpoint of one that died."""
        self.lapse(former.name)
        return summary(self.member(name, former.node.endpoint).join())


class EveryStoreTests(StoreCase):
    """Of one node, and of two."""

    def test_rooms_go_on_at_the_next_node_of_that_endpoint(self) -> None:
        first = self.joined("a")
        den = first.open("den", '["joined","é\\u001f",0]', "began")
        attic = first.open("attic", "joined")
        first.commit(Batch({}, [*lines(den, 3, "x", "y"), *lines(attic, 2, "z")]))
        self.lapse("a")
        again = self.member("b", first.node.endpoint)
        rooms = {room.opened.name: room for room in again.join()}
        assert list(rooms) == ["den", "attic"]
        assert rooms["den"].room_id == den
        assert rooms["den"].opened == Opened("den", "{}", "start")
        assert [(n, text) for n, _, text in rooms["den"].lines] == [
            (1, '["joined","é\\u001f",0]'),
            (2, "began"),
            (3, "x"),
            (4, "y"),
        ]
        times = [line.at for line in rooms["den"].lines]
        self.assertAlmostEqual(times[3] - times[0], 3, 5)
        assert summary([rooms["attic"]]) == {"attic": [(1, "joined"), (2, "z")]}

    def test_a_room_that_is_over_isnt_kept(self) -> None:
        a = self.joined("a")
        den = a.open("den")
        short, again = a.store.new_id(), a.store.new_id()
        # Over and made again in one turn, and another made and over.
        opened = {short: Opened("short", "{}", ""), again: Opened("den", "{}", "")}
        batch = Batch(opened, [*lines(short, 1, "x"), *lines(again, 1, "y")], [den, short])
        assert a.commit(batch) == set()
        assert self.restarted("b", a) == {"den": [(1, "y")]}

    def test_a_name_is_one_room_of_all_nodes(self) -> None:
        a, b = self.joined("a"), self.joined("b")
        den = a.open("den", "x")
        mine, other = b.store.new_id(), b.store.new_id()
        batch = made(mine, "den", "y")
        batch.opened[other] = Opened("attic", "{}", "")
        assert b.commit(batch) == {mine}
        assert self.wait(b.store.owner("den")) == "a"
        assert self.wait(b.store.owner("attic")) == "b"
        assert self.wait(b.store.owner("cellar")) is None
        a.commit(Batch({}, [], [den]))
        b.open("den", "z")
        rooms = self.restarted("c", b)
        assert rooms == {"attic": [], "den": [(1, "z")]}

    def test_nodes_hear_of_each_other(self) -> None:
        a, b = self.joined("a"), self.joined("b")
        self.look_around()
        assert a.watching.living == b.watching.living == ["a", "b"]
        self.wait(a.store.leave())
        self.look_around()
        assert b.watching.living == ["b"]

    def test_settings_must_be_equal_among_those_alive(self) -> None:
        a = self.joined("a")
        other = self.member("b", settings="rejoin-timeout=10")
        error = self.assertRaises(SetupError, other.join)
        assert a.node.endpoint in str(error)
        self.lapse("a")
        assert other.join() == []

    def test_a_secret_must_be_equal_among_those_alive(self) -> None:
        a = self.member("a", secret="one")
        a.join()
        error = self.assertRaises(SetupError, self.member("b", secret="another").join)
        assert a.node.endpoint in str(error) and "--node-secret" in str(error)
        self.lapse("a")
        assert self.member("b", secret="another").join() == []

    def test_an_endpoint_has_one_living_node(self) -> None:
        a = self.joined("a")
        den = a.open("den", "x")
        error = self.assertRaises(SetupError, self.member("b", a.node.endpoint).join)
        assert f"--node {a.node.endpoint}" in str(error)
        assert a.commit(moved(den, 2)) == set() and not a.watching.is_fenced
        self.look_around()
        assert a.watching.living == ["a"] and a.watching.dead == set()

    def test_a_room_that_is_set_aside_frees_its_name(self) -> None:
        a, b = self.joined("a"), self.joined("b")
        den = a.open("den", "x")
        self.wait(a.store.set_aside(den))
        assert self.wait(b.store.owner("den")) is None
        b.open("den", "y")
        assert self.restarted("c", a) == {}
        assert self.restarted("d", b) == {"den": [(1, "y")]}

    def test_a_dead_nodes_rooms_have_one_taker(self) -> None:
        a, b, c = self.joined("a"), self.joined("b"), self.joined("c")
        den = a.open("den", "x")
        b.open("attic", "y")
        self.look_around()
        assert self.wait(b.store.take_over("a")) == []
        self.lapse("a")
        assert summary(self.wait(b.store.take_over("a"))) == {"den": [(1, "x")]}
        assert self.wait(b.store.take_over("a")) == []
        assert self.wait(c.store.take_over("a")) == []
        assert self.wait(c.store.owner("den")) == "b"
        assert b.commit(moved(den, 2)) == set()
        a.begin(moved(den, 2, "lost"))
        self.until(lambda: a.watching.is_fenced)
        assert len(a.refused) == 1 and not b.watching.is_fenced
        rooms = self.restarted("d", b)
        assert rooms == {"den": [(1, "x"), (2, "moved")], "attic": [(1, "y")]}

    def test_who_leaves_is_taken_over_at_once(self) -> None:
        a, b = self.joined("a"), self.joined("b")
        a.open("den", "x")
        self.look_around()
        self.wait(a.store.leave())
        assert summary(self.wait(b.store.take_over("a"))) == {"den": [(1, "x")]}

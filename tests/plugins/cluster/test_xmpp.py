"""xmpp.md, "The lobby", in a cluster: the component is at one node, others come at another."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.lobby.registry_suite import Guest
from tests.lobby.test_any_game import Knowing
from tests.plugins.xmpp.helpers import Client, World
from tictac.games.all import game_type_of
from tictac.lobby.events import Began, Placed
from tictac.lobby.terms import terms_for
from tictac.plugins.cluster.testing import LEASE, Cluster


class ComponentAtOneNodeTests(SynchronousTestCase):
    """XMPP is served at A, tom comes at B by the rooms protocol."""

    def setUp(self) -> None:
        self.cluster = Cluster()
        self.a, self.b = map(self.cluster.node, "AB")
        self.cluster.pass_time(LEASE)
        self.world = World(lobby=self.a)
        self.tom = Guest(self.b, "tom")

    def settle(self) -> None:
        self.cluster.settle()
        self.world.clock.advance(0)
        self.cluster.settle()

    def begin(self) -> Client:
        """Let tom join alice's room."""
        [alice] = self.world.den("alice")
        alice.take("den", "x")
        self.settle()
        self.b.join(self.tom, "den", "PLAYER")
        self.settle()
        return alice

    def test_a_room_of_mug_is_joined_at_another_node(self) -> None:
        alice = self.begin()
        assert isinstance(self.tom.told()[-1], Began)
        alice.turn("den", 1, 1, 1)
        self.settle()
        self.b.place(self.tom, "0:1")
        self.settle()
        assert [type(event) for event in self.tom.told()] == [Placed, Placed]
        assert any("den/tom message chat: u:turn" in line for line in self.world.read())

    def test_its_match_ends_with_the_node(self) -> None:
        self.begin()
        self.cluster.kill("A")
        self.cluster.pass_time(4 * LEASE)
        assert self.tom.closed and self.b.rooms() == 0

    def test_a_room_of_another_node_is_played_by_mug(self) -> None:
        self.b.create(self.tom, "attic")
        self.settle()
        alice = self.world.client("alice")
        alice.enter("attic", "alice")
        self.settle()
        alice.take("attic", "o")
        self.settle()
        self.b.place(self.tom, "0:0")
        self.settle()
        alice.turn("attic", 2, 2, 2)
        self.settle()
        assert [type(event) for event in self.tom.told()][-2:] == [Placed, Placed]

    def test_a_room_of_another_node_is_played_by_chat(self) -> None:
        tom = Knowing(self.b, "tom")
        self.b.create(tom, "attic", terms_for(game_type_of("reversi"), {"size": "4"}))
        self.settle()
        alice = self.world.client("alice")
        alice.chat("", "join attic")
        self.settle()
        self.b.place(tom, "b1")
        self.settle()
        assert any("b1" in line for line in self.world.read())
        alice.chat("", "a1")
        self.settle()
        assert [type(event) for event in tom.told()][-2:] == [Placed, Placed]

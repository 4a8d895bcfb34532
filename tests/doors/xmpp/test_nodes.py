"""docs/xmpp.md, "The lobby": rooms of another node."""

from __future__ import annotations

from tests.doors.xmpp.helpers import World
from tests.lobby.test_computer import Guest
from tests.nodes.helpers import Cluster
from tictac.games.all import kind as kind_of
from tictac.lobby.events import Placed
from tictac.lobby.terms import terms_for


def test_who_chats_plays_in_a_room_of_another_node() -> None:
    cluster = Cluster()
    here, there = cluster.node("A"), cluster.node("B")
    world, tom = World(lobby=here), Guest(there, "tom")
    anna, tom.knows_all = world.client("anna"), True

    def settle() -> str:
        """Let everything happen that is due; what anna reads of it."""
        told = world.read()
        for _ in range(5):
            cluster.settle()
            world.clock.advance(0)
            told += world.read()
        return "".join(told)

    there.create(tom, "den", terms_for(kind_of("reversi"), {"size": "4"}))
    settle()
    told = anna.chat("", "join den")
    assert "It is the turn of X (tom)" in "".join(told) + settle()
    there.place(tom, "b1")
    assert "X (tom): b1" in settle()
    told = anna.chat("", "a1")
    assert "O (guest-anna@example.org): a1" in "".join(told) + settle()
    assert tom.has(Placed)

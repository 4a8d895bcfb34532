"""docs/reference/xmpp.md, "The lobby": rooms of another node."""

from __future__ import annotations

import pytest

from tests.lobby.test_computer import Guest
from tests.plugins.xmpp.helpers import Client, World
from tictac.games.all import game_type_of
from tictac.lobby.events import Placed
from tictac.lobby.terms import terms_for
from tictac.plugins.cluster.testing import PATIENCE, Cluster


class Here(World):
    """A service at one node; tom is at the other."""

    def __init__(self) -> None:
        self.cluster = Cluster()
        here, self.there = self.cluster.node("A"), self.cluster.node("B")
        super().__init__(lobby=here)
        self.tom = Guest(self.there, "tom")
        self.tom.supports_all_events = True

    def settle(self) -> str:
        """Let everything happen that is due; what is told of it."""
        told = self.read()
        for _ in range(5):
            self.cluster.settle()
            self.clock.advance(0)
            told += self.read()
        return "\n".join(told)


@pytest.fixture
def world() -> Here:
    return Here()


def test_who_chats_plays_there(world: Here) -> None:
    world.there.create(world.tom, "den", terms_for(game_type_of("reversi"), {"size": "4"}))
    world.settle()
    anna = world.client("anna")
    assert "It is the turn of X (tom)" in "".join(anna.chat("", "join den")) + world.settle()
    world.there.place(world.tom, "b1")
    assert "X (tom): b1" in world.settle()
    told = anna.chat("", "a1")
    assert "O (guest-anna@example.org): a1" in "".join(told) + world.settle()
    assert world.tom.has(Placed)


def test_nobody_waits_for_a_node_that_cant_be_reached(world: Here) -> None:
    world.there.create(world.tom, "den", terms_for(game_type_of("reversi"), {"size": "4"}))
    world.settle()
    anna, bob = world.client("anna"), world.client("bob")
    anna.chat("", "join den")
    world.settle()
    world.there.place(world.tom, "b1")
    world.settle()
    world.cluster.net.part("A", "B")
    assert anna.chat("", "a1") == bob.chat("", "rooms") == []
    world.cluster.pass_time(2 * PATIENCE)
    told = world.settle()
    assert "anna/desk < games.example message chat: body(\"The room can't be reached" in told
    assert "bob/desk < games.example message chat: body(" in told
    assert "You aren't in" in "".join(anna.chat("", "board"))


@pytest.fixture
def zoe(world: Here) -> Client:
    """Let a client of this node enter a room of the other node."""
    world.there.create(world.tom, "den")
    world.settle()
    zoe = world.client("zoe")
    zoe.enter("den", "zoe")
    world.settle()
    return zoe


def test_a_role_is_taken_there(world: Here, zoe: Client) -> None:
    assert "role=o" in zoe.take("den", "o")[0]
    assert "status('active')" in world.settle()
    world.there.place(world.tom, "1:1")
    assert "den/tom message chat: u:turn(" in world.settle()
    zoe.turn("den", 1, 1, 2)
    assert "den/zoe message chat: u:turn(" in world.settle()
    assert world.tom.board() == "200010000"


def test_a_role_that_somebody_there_has_just_taken_is_free_again(world: Here, zoe: Client) -> None:
    world.there.join(Guest(world.there, "tim"), "den", "PLAYER")
    zoe.take("den", "o")
    told = world.settle()
    assert "den/zoe: game(item affiliation=none jid=zoe@example.org/desk role=none)" in told
    assert "den/tim: game(item affiliation=none role=o)" in told


def test_everybody_is_out_of_a_room_that_cant_be_reached(world: Here, zoe: Client) -> None:
    zoe.take("den", "o")
    world.settle()
    world.cluster.net.part("A", "B")
    world.cluster.pass_time(2 * PATIENCE)
    assert "zoe/desk < den/zoe unavailable" in world.settle()
    assert not world.rooms.by_name

"""A room whose seats wait, in a cluster: its players are at other nodes, and its owner dies."""

from __future__ import annotations

import pytest

from tests.lobby.test_any_game import Knowing
from tictac.games.all import game_type_of
from tictac.lobby.clock import TimeControl
from tictac.lobby.events import Began, Ended
from tictac.lobby.terms import Play, Terms, terms_for
from tictac.plugins.cluster.testing import LEASE, Cluster

NAME = "friday-cup.17"


def terms() -> Terms:
    play = Play("friday-cup", 17, 1, ("tom", "alice"), (None, None))
    return terms_for(game_type_of("nim"), {}, time=TimeControl(600, 1), play=play)


def come(cluster: Cluster, node: str, user: str) -> Knowing:
    guest = Knowing(cluster.nodes[node], user)
    cluster.nodes[node].join(guest, NAME, "PLAYER")
    cluster.pass_time(0.5)
    return guest


def owners(cluster: Cluster) -> list[str]:
    return [name for name, node in cluster.nodes.items() if NAME in node.live_rooms]


def three() -> Cluster:
    cluster = Cluster()
    for name in "ABC":
        cluster.node(name)
    cluster.pass_time(LEASE)
    return cluster


@pytest.mark.parametrize("killed", ["never", "before", "between", "after"])
def test_players_of_other_nodes(killed: str) -> None:
    cluster = three()
    cluster.nodes["A"].convene(NAME, terms())
    cluster.pass_time(1)

    def kill(when: str) -> None:
        if when == killed:
            cluster.kill("A")
            cluster.pass_time(4 * LEASE)

    kill("before")
    tom = come(cluster, "B", "tom")
    assert [type(event).__name__ for event in tom.events] == ["Joined"]
    kill("between")
    alice = come(cluster, "C", "alice")
    kill("after")
    for guest in (tom, alice):
        assert sum(isinstance(event, Began) for event in guest.events) == 1
    [owner] = owners(cluster)
    room = cluster.nodes[owner].room(NAME)
    assert room is not None and room.begun and room.running
    assert [member.user for member in room.players] == ["tom", "alice"]
    cluster.nodes["B"].forfeit(tom)
    cluster.pass_time(0.5)
    for guest in (tom, alice):
        assert isinstance(guest.events[-1], Ended) and guest.events[-1].seat == 1
    assert not cluster.faults and not cluster.lost


def test_two_nodes_that_convene_it_make_one_room() -> None:
    cluster = three()
    cluster.nodes["A"].convene(NAME, terms())
    cluster.nodes["B"].convene(NAME, terms())
    cluster.pass_time(1)
    assert len(owners(cluster)) == 1 and not cluster.faults


def test_nobody_comes_after_a_takeover() -> None:
    cluster = three()
    cluster.nodes["A"].convene(NAME, terms())
    cluster.pass_time(1)
    cluster.kill("A")
    cluster.pass_time(4 * LEASE)
    [owner] = owners(cluster)
    cluster.pass_time(61)
    cluster.nodes[owner].expire(60, 60)
    cluster.pass_time(1)
    assert not owners(cluster) and not cluster.faults

"""Tournaments in a cluster: a line that one node adds is read by the others at once."""

from __future__ import annotations

from random import Random

from tests.accounts.memory import MemoryStore
from tests.plugins.tournament.cups import plan_told
from tests.plugins.tournament.hosting.stage import CUP, NOW, pair_at_once, result
from tictac.accounts.store import Stored
from tictac.plugins.cluster.testing import LEASE, Cluster
from tictac.plugins.tournament.hosting.follower import Follower
from tictac.plugins.tournament.hosting.host import EVERY, Host
from tictac.plugins.tournament.hosting.tables import TournamentTables


def test_a_line_is_read_by_other_nodes_at_once() -> None:
    cluster, store = Cluster(), MemoryStore()
    store.start()
    followers = []
    for name in "AB":
        registry = cluster.node(name)
        log, utc = Stored(store, TournamentTables), lambda: NOW + cluster.clock.seconds()
        follower = Follower(log, utc)
        Host(name, log, follower, registry, pair_at_once, cluster.clock, Random(1)).start()
        followers.append(follower)
    one, other = followers
    cluster.pass_time(10 * LEASE)
    result(one.make(CUP, plan_told(), "root"))
    cluster.pass_time(EVERY / 4)
    assert CUP in other.known
    result(other.tell(CUP, lambda _: ["entered", "alice", None, None]))
    cluster.pass_time(EVERY / 4)
    assert [each.name for each in one.known[CUP].cup.players] == ["alice"]

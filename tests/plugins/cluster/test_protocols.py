"""docs/design/cluster.md: matches without a room stay at their node; any node can watch them."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from tests.lobby.test_any_game import Knowing
from tests.plugins.classics.connectfour.helpers import Server
from tictac.lobby.events import Placed
from tictac.plugins.cluster.testing import LEASE, Cluster


class ConnectFourTests(SynchronousTestCase):
    def test_a_game_of_one_node_is_watched_at_another(self) -> None:
        cluster = Cluster()
        a, b = map(cluster.node, "AB")
        # As long as the number of a node is.
        a.id_prefix = "99277950"
        cluster.pass_time(LEASE)
        caller = Server("4", registry=a).play()
        cluster.settle()
        vera = Knowing(b, "vera")
        b.join(vera, "connect four 1", "VIEWER")
        cluster.settle()
        vera.told()
        assert caller.ask("DROP 3") == ["OKAY", "DROP 4", "READY"]
        cluster.settle()
        assert [(e.seat, e.move) for e in vera.events if isinstance(e, Placed)] == [
            (0, "3"),
            (1, "4"),
        ]

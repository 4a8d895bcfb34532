"""All rooms of a cluster: the registry suite against Redis, on one node."""

from __future__ import annotations

from collections.abc import Callable

from tests.cluster.helpers import Cluster, needs_redis
from tests.rooms import held_seats_suite, registry_suite
from tictac.cluster.registry import RedisRegistry
from tictac.rooms.registry import Occupant, Watcher


class InRedis(registry_suite.RegistryCase):
    """Makes a node of a cluster of its own."""

    def make_registry(
        self,
        max_rooms: int,
        on_fault: Callable[[Occupant | Watcher], None],
        max_rooms_per_user: int = 0,
    ) -> RedisRegistry:
        self.cluster = Cluster()
        self.addCleanup(self.cluster.close)
        self.clock = self.cluster.clock
        return self.cluster.node(
            max_rooms=max_rooms,
            on_fault=on_fault,
            rejoin_timeout=self.rejoin_timeout,
            max_rooms_per_user=max_rooms_per_user,
        ).registry

    def settle(self) -> None:
        self.cluster.settle()


@needs_redis
class ForfeitAtOnceTests(InRedis, registry_suite.EveryRegistryTests):
    """Without a time to come back."""


@needs_redis
class HoldingSeatsTests(InRedis, registry_suite.EveryRegistryTests):
    """With one, for those who leave for good, or don't leave at all."""

    rejoin_timeout = 30


@needs_redis
class HeldSeatsTests(InRedis, held_seats_suite.HeldSeatsTests):
    """With one, for those who are cut off."""


@needs_redis
class HeldRoomsTests(InRedis, held_seats_suite.HeldRoomsTests):
    """The same before the match."""


@needs_redis
class NoHeldSeatsTests(InRedis, held_seats_suite.NoHeldSeatsTests):
    """Without one again."""

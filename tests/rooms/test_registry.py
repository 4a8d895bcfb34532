"""All rooms of one process: the registry suite against the registry in memory."""

from __future__ import annotations

from collections.abc import Callable

from tests.rooms import registry_suite as suite
from tictac.rooms.registry import MemoryRegistry, Occupant, Watcher


class InMemory(suite.RegistryCase):
    """Makes what is tested here. It never waits, so there is nothing to settle."""

    def make_registry(
        self, max_rooms: int, on_fault: Callable[[Occupant | Watcher], None]
    ) -> MemoryRegistry:
        return MemoryRegistry(max_rooms, self.clock.seconds, on_fault, self.rejoin_timeout)


class ForfeitAtOnceTests(InMemory, suite.EveryRegistryTests):
    """Without a time to come back."""


class HoldingSeatsTests(InMemory, suite.EveryRegistryTests):
    """With one, for those who leave for good, or don't leave at all."""

    rejoin_timeout = 30

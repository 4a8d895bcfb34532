"""The registry suites on two and on three nodes: nobody notices where a room is."""

from __future__ import annotations

from tests.lobby import held_seats_suite, registry_suite
from tests.plugins.cluster.helpers import OnNodes


class ForfeitAtOnceTests(OnNodes, registry_suite.EveryRegistryTests):
    """Without a time to come back."""


class HoldingSeatsTests(OnNodes, registry_suite.EveryRegistryTests):
    """With one, for those who leave for good, or don't leave at all."""

    rejoin_timeout = 30


class HeldSeatsTests(OnNodes, held_seats_suite.HeldSeatsTests):
    """With one, for those who are cut off."""


class HeldRoomsTests(OnNodes, held_seats_suite.HeldRoomsTests):
    """The same before the match."""


class ThreeNodesTests(OnNodes, registry_suite.EveryRegistryTests):
    """On three."""

    count = 3
    rejoin_timeout = 30


class HeldOnThreeTests(OnNodes, held_seats_suite.HeldSeatsTests):
    """On three, for those who are cut off."""

    count = 3

"""Occupants with an address, and what their connections pay for."""

from __future__ import annotations

from tictac.lobby.registry import Registry
from tictac.testing.server import Guest


class Payer:
    """The connection of an occupant (lobby.interfaces.Payer) that notes what it pays for."""

    def __init__(self, network: str, is_guest: bool = True, times: int = 1) -> None:
        self.network, self.is_guest, self.times = network, is_guest, times
        self.paid: list[int] = []

    def pay_for(self, receivers: int) -> None:
        self.paid.append(receivers)


class Person(Guest):
    """An occupant with an address."""

    def __init__(self, registry: Registry, user: str, payer: Payer) -> None:
        super().__init__(registry, user)
        self.payer = payer

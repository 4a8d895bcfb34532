"""A Nim server without a network, and bytes as people write them."""

from __future__ import annotations

from random import Random
from typing import Any

from twisted.internet.task import Clock

from tests.tables import House
from tictac.games.nim.rules import Deal
from tictac.net.connection import Limits
from tictac.net.tables import Tables
from tictac.nim.server import NimFactory
from tictac.nim.table import NimHost, NimTables
from tictac.nim.wire import Types, format_message

LIST = Deal(fixed=(24, 17, 3))
"""The game of the protocol document."""

PLAY, WIN, LOSE, EXIT = (bytes([number]) for number in (1, 4, 5, 6))


class InOrder(Random):
    """Dice that leave everything in its order: of two new players the earlier one begins."""

    def shuffle(self, x: Any) -> None:
        pass


def turn(*numbers: int) -> bytes:
    """The message with these numbers, written out by hand."""
    listed = b"".join(number.to_bytes(4, "big") for number in numbers)
    return bytes([2, len(numbers)]) + listed


def move(at: int, amount: int) -> bytes:
    """The message that takes ``amount`` from the number at the index ``at``."""
    return bytes([3, at]) + amount.to_bytes(4, "big")


def nim_house(
    count: int = 1,
    deal: Deal = LIST,
    dice: Random | None = None,
    limits: Limits | None = None,
    types: Types | None = None,
    match_timeout: float = 900,
) -> House:
    """A server of Nim with 60 seconds for `play` and for a move."""
    clock = Clock()
    types = types or Types()
    tables: Tables[NimHost] = Tables(
        NimTables(count, deal, dice or InOrder(), clock.seconds, match_timeout),
        lambda message: format_message(message, types),
    )
    limits = limits or Limits(login_timeout=60, idle_timeout=60)
    return House(NimFactory(tables, clock, clock.seconds, limits, types=types), clock)

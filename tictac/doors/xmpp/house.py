"""What MUG's rooms get from the server: names in the lobby, and computers."""

from __future__ import annotations

import string
from random import Random
from urllib.parse import quote

from twisted.internet.interfaces import IReactorTime

from tictac.accounts.names import GUEST
from tictac.doors.xmpp.match import House
from tictac.lobby.computer import ComputerOccupant, Thinker
from tictac.lobby.registry import MemoryRegistry
from tictac.lobby.terms import Terms

LONGEST_USER = 200

_SAYABLE = "".join(set(string.printable) - set(string.whitespace) - set(":,%"))


def user_of(address: str) -> str:
    """What the lobby calls somebody: no account is called so, and every protocol can say it."""
    # A number alone would be a guest of the lobby protocol.
    named = address if "@" in address else f"@{address}"
    return (GUEST + quote(named, safe=_SAYABLE))[:LONGEST_USER]


def make_house(
    registry: MemoryRegistry,
    clock: IReactorTime,
    dice: Random,
    thinker: Thinker,
    max_events: int = 2000,
) -> House:
    """The house of rooms whose matches are in ``registry``."""

    def computer(terms: Terms) -> ComputerOccupant:
        return ComputerOccupant(registry, clock, dice, terms, thinker)

    return House(registry, user_of, computer, f"{dice.getrandbits(128):x}", max_events)

"""The Nim server as a part of the whole: its options, and what runs while it does."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from tictac import options as read
from tictac.games.nim.rules import Deal, Numbers
from tictac.net.connection import Limits
from tictac.net.part import Parameter, PartMaker, Shared, connection_limits
from tictac.net.tables import Tables, TablesService
from tictac.nim.house import HouseTables
from tictac.nim.server import NimFactory
from tictac.nim.table import NimHost, NimTables
from tictac.nim.wire import TYPES, Types, format_message, read_types


class NimService(TablesService[NimHost]):
    """The queue, the tables, and their listeners on ``ports``; and tables of the house.

    ``limits.login_timeout`` is the time for `play`, ``limits.idle_timeout`` that for a move;
    ``house_patience`` is that for a move against the house.
    """

    def __init__(
        self,
        reactor: Any,
        ports: Sequence[str],
        host: NimTables,
        house: HouseTables,
        types: Types,
        limits: Limits,
        house_patience: float = 600,
        eager: bool = True,
    ) -> None:
        tables: Tables[NimHost] = Tables(host, partial(format_message, types=types))
        self.house: Tables[NimHost] = Tables(house, format_message)
        self._house_limits = replace(limits, idle_timeout=house_patience)
        self._clock = reactor

        def make_factory(proxied: bool) -> NimFactory:
            return NimFactory(tables, reactor, time.monotonic, limits, proxied, types)

        timeouts = limits.login_timeout, limits.idle_timeout, host.match_timeout
        super().__init__(reactor, "nim", ports, tables, make_factory, timeouts, eager)

    def new_house_entrance(self) -> NimFactory:
        """A factory of connections that come by another way, each to play against the house.

        They speak with the usual types of messages, and are limited, swept and said goodbye
        to like those of the ports.
        """
        factory = NimFactory(self.house, self._clock, time.monotonic, self._house_limits)
        self.factories.append(factory)
        return factory

    def stop_listening(self) -> None:
        super().stop_listening()
        # Winners and the queue would always have another game to wait for.
        self.tables.host.finish()
        self.house.host.finish()

    def matches_running(self) -> int:
        return super().matches_running() + self.house.host.running()

    async def end(self) -> None:
        self.tables.endings.update(self.house.endings)
        await super().end()


# The options


def _range(text: str) -> str:
    """``A-B``, of which a list can be drawn; raises ValueError."""
    _deal(text, None)
    return text


def _list(text: str) -> Numbers:
    """Numbers with commas, as a game can begin; raises ValueError."""
    try:
        numbers = tuple(map(int, str(text).split(",")))
    except ValueError:
        raise ValueError(f"{text!r:.40} isn't numbers with commas") from None
    return Deal(fixed=numbers).fixed or ()


def _deal(text: str, fixed: Numbers | None) -> Deal:
    low, _, high = str(text).partition("-")
    try:
        ends = int(low), int(high)
    except ValueError:
        raise ValueError(f"{text!r:.40} isn't a range like 1-100") from None
    return Deal(*ends, fixed)


_PARAMETERS: list[Parameter] = [
    ("nim-tables", None, 1, "Games of Nim side by side.", read.positive),
    ("nim-types", None, TYPES, "Types of play, turn, move, win, lose and exit.", read_types),
    ("nim-numbers", None, "1-100", "The range that the numbers of a game are drawn from.", _range),
    ("nim-list", None, None, "The numbers of every game, such as 24,17,3.", _list),
    ("nim-move-timeout", None, 60.0, "Seconds for a move; then the other one wins.", read.seconds),
    ("nim-match-timeout", None, 900.0, "Seconds of a match; then the slower loses.", read.seconds),
    ("nim-house-numbers", None, "1-12", "The same range for games against the house.", _range),
    ("nim-house-timeout", None, 600.0, "Seconds for a move against the house.", read.seconds),
    ("nim-play-timeout", None, 60.0, "Seconds from connecting to play.", read.seconds),
]


def _make(options: Mapping[str, Any], ports: Sequence[str], shared: Shared) -> NimService:
    fixed = options["nim-list"]
    limits = connection_limits(options, options["nim-play-timeout"], options["nim-move-timeout"])
    dice, numbers = Random(), _deal(options["nim-numbers"], fixed)
    match_timeout = options["nim-match-timeout"]
    return NimService(
        shared.reactor,
        ports,
        NimTables(options["nim-tables"], numbers, dice, time.monotonic, match_timeout),
        HouseTables(_deal(options["nim-house-numbers"], fixed), dice),
        options["nim-types"],
        limits,
        options["nim-house-timeout"],
        not options["no-eager-send"],
    )


PART = PartMaker(
    port="nim",
    port_help="Play Nim on this port, or endpoint string; repeatable.",
    make=_make,
    parameters=_PARAMETERS,
)

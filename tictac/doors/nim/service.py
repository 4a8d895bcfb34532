"""The Nim server as a part of the whole: its options, and what runs while it does."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from twisted.logger import Logger

from tictac import options as read
from tictac.doors.nim.seating import Queue, terms_of
from tictac.doors.nim.server import NimFactory
from tictac.doors.nim.wire import TYPES, Types, read_types
from tictac.games.nim.rules import Deal, Numbers
from tictac.net.connection import Limits
from tictac.net.part import (
    Parameter,
    PartMaker,
    PartService,
    Shared,
    connection_limits,
    sweep_interval,
)

_log = Logger()


class NimService(PartService):
    """The queue and its listeners on ``ports``.

    ``limits.login_timeout`` is the time for `play`.
    """

    def __init__(
        self,
        reactor: Any,
        ports: Sequence[str],
        queue: Queue,
        types: Types,
        limits: Limits,
        eager: bool = True,
    ) -> None:
        self.queue = queue

        def make_factory(proxied: bool) -> NimFactory:
            return NimFactory(queue, reactor, time.monotonic, limits, proxied, types)

        sweep = sweep_interval(
            limits.login_timeout, queue.terms.move_timeout or 0, queue.match_timeout
        )
        super().__init__(reactor, "nim", ports, make_factory, sweep, eager)

    def expire(self) -> None:
        super().expire()
        self.queue.expire()

    def stop_listening(self) -> None:
        super().stop_listening()
        # Winners and the queue would always have another game to wait for.
        self.queue.finish()

    def matches_running(self) -> int:
        return self.queue.running()

    async def end(self) -> None:
        _log.info(
            "{what}: matches: {matches}; refusals: {refusals}",
            what=self.what,
            matches=dict(self.queue.endings),
            refusals=self.refusals(),
        )


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
    ("nim-play-timeout", None, 60.0, "Seconds from connecting to play.", read.seconds),
]


def _make(options: Mapping[str, Any], ports: Sequence[str], shared: Shared) -> NimService:
    fixed, dice, lobby = options["nim-list"], Random(), shared.lobby()
    limits = connection_limits(options, options["nim-play-timeout"], 0)
    of_queue = terms_of(_deal(options["nim-numbers"], fixed), options["nim-move-timeout"])
    return NimService(
        shared.reactor,
        ports,
        Queue(lobby, of_queue, options["nim-tables"], dice, options["nim-match-timeout"]),
        options["nim-types"],
        limits,
        not options["no-eager-send"],
    )


PART = PartMaker(
    port="nim",
    port_help="Play Nim on this port, or endpoint string; repeatable.",
    make=_make,
    parameters=_PARAMETERS,
)

"""The Nim server as a service: its options, and its objects while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import NamedTuple

from tictac import options as read
from tictac.net import plugin
from tictac.net.plugin import MatchmakingService
from tictac.net.running_time import running_time
from tictac.options import option
from tictac.plugins.classics.nim.seats import hosts, seats
from tictac.plugins.classics.nim.server import NimFactory, Queue, terms_of
from tictac.plugins.classics.nim.wire import DEFAULT_PORT, TYPES, Types, read_types
from tictac.plugins.games.nim.rules import Deal, Numbers
from tictac.runtime import Runtime, ServerPlugin


class Range(NamedTuple):
    """The smallest and the largest number of a list; ``str()`` returns the typed form."""

    low: int = 1
    high: int = 100

    def __str__(self) -> str:
        return f"{self.low}-{self.high}"


def _range(text: str) -> Range:
    """Return a range ``A-B`` from which a list can be drawn; raises ValueError."""
    low, _, high = str(text).partition("-")
    try:
        found = Range(int(low), int(high))
    except ValueError:
        raise ValueError(f"{text!r:.40} isn't a range like 1-100") from None
    Deal(*found)
    return found


def _list(text: str) -> Numbers:
    """Return the numbers of a text with commas, as a game can begin; raises ValueError."""
    try:
        numbers = tuple(map(int, str(text).split(",")))
    except ValueError:
        raise ValueError(f"{text!r:.40} isn't numbers with commas") from None
    return Deal(fixed=numbers).fixed or ()


@dataclass(frozen=True)
class NimOptions:
    """Nim."""

    nim_tables: int = option(1, "Parallel games of Nim.", read.positive)
    nim_types: Types = option(TYPES, "Types of play, turn, move, win, lose, and exit.", read_types)
    nim_numbers: Range = option(Range(), "Range of the random numbers of a game.", _range)
    nim_list: Numbers | None = option(None, "Numbers of every game, such as 24,17,3.", _list)
    nim_move_timeout: float = option(60.0, "Seconds for a move; then the opponent wins.")
    nim_match_timeout: float = option(900.0, "Seconds for a match; then the slower player loses.")
    nim_play_timeout: float = option(60.0, "Seconds from connecting to play.")


def _make(ports: Sequence[str], runtime: Runtime) -> MatchmakingService:
    options, reactor = runtime.settings[NimOptions], runtime.reactor
    move, match = options.nim_move_timeout, options.nim_match_timeout
    play = options.nim_play_timeout
    terms = terms_of(Deal(*options.nim_numbers, options.nim_list), move)
    queue = Queue(runtime.registry, terms, options.nim_tables, Random(), match)
    limits = plugin.connection_limits(runtime.settings, play, 0)
    make_factory = partial(
        NimFactory, reactor, running_time.seconds, NimFactory.framing, limits,
        seating=queue, types=options.nim_types,
    )  # fmt: skip
    sweep = plugin.sweep_interval(play, move, match)
    return MatchmakingService(reactor, "nim", ports, queue, make_factory, sweep, runtime.eager)


PLUGIN = ServerPlugin(
    default_port=DEFAULT_PORT,
    port="nim",
    port_help="Play Nim on this port, or endpoint string. Repeatable.",
    make=_make,
    seats=seats,
    hosts=hosts,
    options=NimOptions,
)

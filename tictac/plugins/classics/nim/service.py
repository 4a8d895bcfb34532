"""The Nim server as a service: its options, and its objects while it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tictac import options as read
from tictac.net import plugin
from tictac.net.plugin import MatchmakingService, ServerPlugin, Shared
from tictac.net.running_time import running_time
from tictac.options import option
from tictac.plugins.classics.nim.seats import hosts, seats
from tictac.plugins.classics.nim.server import NimFactory, Queue, terms_of
from tictac.plugins.classics.nim.wire import DEFAULT_PORT, TYPES, Types, read_types
from tictac.plugins.games.nim.rules import Deal, Numbers


def _range(text: str) -> str:
    """Check a range ``A-B`` from which a list can be drawn; raises ValueError."""
    _deal(text, None)
    return text


def _list(text: str) -> Numbers:
    """Return the numbers of a text with commas, as a game can begin; raises ValueError."""
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


@dataclass(frozen=True)
class NimOptions:
    """Nim."""

    nim_tables: int = option(1, "Parallel games of Nim.", read.positive)
    nim_types: Types = option(TYPES, "Types of play, turn, move, win, lose, and exit.", read_types)
    nim_numbers: str = option("1-100", "Range of the random numbers of a game.", _range)
    nim_list: Numbers | None = option(None, "Numbers of every game, such as 24,17,3.", _list)
    nim_move_timeout: float = option(60.0, "Seconds for a move; then the opponent wins.")
    nim_match_timeout: float = option(900.0, "Seconds for a match; then the slower player loses.")
    nim_play_timeout: float = option(60.0, "Seconds from connecting to play.")


def _make(options: Mapping[str, Any], ports: Sequence[str], shared: Shared) -> MatchmakingService:
    move, match, play = (options[f"nim-{what}-timeout"] for what in ("move", "match", "play"))
    limits, reactor = plugin.connection_limits(options, play, 0), shared.reactor
    terms = terms_of(_deal(options["nim-numbers"], options["nim-list"]), move)
    queue = Queue(shared.lobby(), terms, options["nim-tables"], Random(), match)
    types, eager = options["nim-types"], not options["no-eager-send"]

    def make_factory(proxied: bool) -> NimFactory:
        return NimFactory(
            reactor,
            running_time.seconds,
            limits=limits,
            proxied=proxied,
            seating=queue,
            types=types,
        )

    sweep = plugin.sweep_interval(play, move, match)
    return MatchmakingService(reactor, "nim", ports, queue, make_factory, sweep, eager)


PLUGIN = ServerPlugin(
    default_port=DEFAULT_PORT,
    port="nim",
    port_help="Play Nim on this port, or endpoint string. Repeatable.",
    make=_make,
    seats=seats,
    hosts=hosts,
    options=NimOptions,
)
